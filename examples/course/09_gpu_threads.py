# A scaled sum of two 1024 × 1024 matrices, for a GPU.
import tvm
from tvm import te

M = N = 1024
A = te.placeholder((M, N), name="A")
B = te.placeholder((M, N), name="B")
C = te.compute((M, N), lambda i, j: A[i, j] * 2.0 + B[i, j], name="C")

func = te.create_prim_func([A, B, C])
