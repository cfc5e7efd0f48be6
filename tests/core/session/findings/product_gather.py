# SPDX-License-Identifier: Apache-2.0
# from tvm import tir
def product_gather(sch: tir.Schedule) -> None:
  c = sch.get_block("C")
  i, j, k = sch.get_loops(c)
  i0, i1 = sch.split(i, [None, 16])
  sch.reorder(i0, j, k, i1)
  sch.parallel(i0)
  sch.vectorize(i1)
