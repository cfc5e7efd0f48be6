# A dense layer: every row of A with every row of W, in tiles of 4 × 32 results.
import tvm
from tvm import te

M = N = K = 512
A = te.placeholder((M, K), name="A")
W = te.placeholder((N, K), name="W")
k = te.reduce_axis((0, K), name="k")
C = te.compute((M, N), lambda i, j: te.sum(A[i, k] * W[j, k], axis=k), name="C")

func = te.create_prim_func([A, W, C])

sch = tvm.tir.Schedule(func)
block = sch.get_block("C")
i, j, k = sch.get_loops(block)
i_0, i_1 = sch.split(i, factors=[None, 4])
j_0, j_1, j_2 = sch.split(j, factors=[None, 2, 16])
sch.reorder(j_0, i_0, k, i_1, j_1, j_2)
tile = sch.cache_write(block, 0, "local")
sch.reverse_compute_at(tile, i_0)
sch.unroll(i_1)
sch.unroll(j_1)
sch.vectorize(j_2)
sch.decompose_reduction(block, k)
