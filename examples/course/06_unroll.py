# The product of two 512 × 512 matrices in vectors, 4 rows at a time.
import tvm
from tvm import te

M = N = K = 512
A = te.placeholder((M, K), name="A")
B = te.placeholder((K, N), name="B")
k = te.reduce_axis((0, K), name="k")
C = te.compute((M, N), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")

func = te.create_prim_func([A, B, C])

sch = tvm.tir.Schedule(func)
block = sch.get_block("C")
i, j, k = sch.get_loops(block)
j_0, j_1 = sch.split(j, factors=[None, 16])
i_0, i_1 = sch.split(i, factors=[None, 4])
sch.reorder(j_0, i_0, k, i_1, j_1)
sch.vectorize(j_1)
sch.annotate(i_1, "pragma_auto_unroll_max_step", 0)
