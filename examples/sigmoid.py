# The sigmoid of every element: what a transcendental function costs, and what vectorizing it gains.
import tvm
from tvm import te

M = N = 1024
A = te.placeholder((M, N), name="A")
B = te.compute((M, N), lambda i, j: te.sigmoid(A[i, j]), name="B")

func = te.create_prim_func([A, B])
