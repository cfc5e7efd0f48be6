# The sum of each row: a reduction with one spatial axis, bound by memory rather than by arithmetic.
import tvm
from tvm import te

M = N = 1024
A = te.placeholder((M, N), name="A")
k = te.reduce_axis((0, N), name="k")
B = te.compute((M,), lambda i: te.sum(A[i, k], axis=k), name="B")

func = te.create_prim_func([A, B])
