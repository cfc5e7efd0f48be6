# The sum of each row of a 512 × 1024 matrix.
import tvm
from tvm import te

M, N = 512, 1024
A = te.placeholder((M, N), name="A")
k = te.reduce_axis((0, N), name="k")
B = te.compute((M,), lambda i: te.sum(A[i, k], axis=k), name="B")

func = te.create_prim_func([A, B])
