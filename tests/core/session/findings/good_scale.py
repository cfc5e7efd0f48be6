# SPDX-License-Identifier: Apache-2.0
# kernel: kernel_scale.py
# fault: none
# from tvm import tir
def apply(sch: tir.Schedule) -> None:
  i, j = sch.get_loops(sch.get_block("B"))
  j0, j1 = sch.split(j, [None, 16])
  sch.vectorize(j1)
  sch.parallel(i)
