# A matrix turned over: nothing is computed, so that all depends on how threads meet in memory.
import tvm
from tvm import te

M = N = 1024
A = te.placeholder((M, N), name="A")
B = te.compute((N, M), lambda i, j: A[j, i], name="B")

func = te.create_prim_func([A, B])
