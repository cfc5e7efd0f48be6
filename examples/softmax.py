# Softmax of each row in four stages (max, exp, sum, quotient): move the stages together to save
# passes over memory.
import tvm
from tvm import te

M = N = 1024
A = te.placeholder((M, N), name="A")
k = te.reduce_axis((0, N), name="k")
row_max = te.compute((M,), lambda i: te.max(A[i, k], axis=k), name="row_max")
row_exp = te.compute((M, N), lambda i, j: te.exp(A[i, j] - row_max[i]), name="row_exp")
l = te.reduce_axis((0, N), name="k")
row_sum = te.compute((M,), lambda i: te.sum(row_exp[i, l], axis=l), name="row_sum")
B = te.compute((M, N), lambda i, j: row_exp[i, j] / row_sum[i], name="B")

func = te.create_prim_func([A, B])
