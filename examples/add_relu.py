# max(A + B, 0) element by element in two stages: inline the first into the second, then vectorize and
# parallelise.
import tvm
from tvm import te

M = N = 1024
A = te.placeholder((M, N), name="A")
B = te.placeholder((M, N), name="B")
add = te.compute((M, N), lambda i, j: A[i, j] + B[i, j], name="add")
C = te.compute((M, N), lambda i, j: te.max(add[i, j], tvm.tir.const(0, "float32")), name="C")

func = te.create_prim_func([A, B, C])
