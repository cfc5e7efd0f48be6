# SPDX-License-Identifier: Apache-2.0
# kernel: kernel_scale.py
# fault: gather
# from tvm import tir
def apply(sch: tir.Schedule) -> None:
  i, j = sch.get_loops(sch.get_block("B"))
  i0, i1 = sch.split(i, [None, 16])
  sch.reorder(i0, j, i1)
  sch.parallel(i0)
  sch.vectorize(i1)
