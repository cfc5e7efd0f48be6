# SPDX-License-Identifier: Apache-2.0
# kernel: op:matmul(M=512,N=1024,K=512)
# fault: sums-in-memory
# from tvm import tir
def apply(sch: tir.Schedule) -> None:
  c = sch.get_block("C")
  i, j, k = sch.get_loops(c)
  j0, j1 = sch.split(j, [None, 16])
  sch.reorder(i, k, j0, j1)
  sch.vectorize(j1)
  sch.parallel(i)
  sch.decompose_reduction(c, k)
