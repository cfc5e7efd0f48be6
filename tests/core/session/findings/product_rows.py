# SPDX-License-Identifier: Apache-2.0
# from tvm import tir
def product_rows(sch: tir.Schedule, sums=1) -> None:
  c = sch.get_block("C")
  i, j, k = sch.get_loops(c)
  if sums:
    j0, j1 = sch.split(j, [None, 16])
    sch.reorder(i, k, j0, j1)
    sch.vectorize(j1)
  sch.parallel(i)
  if sums:
    sch.decompose_reduction(c, k)
