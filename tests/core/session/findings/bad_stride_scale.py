# SPDX-License-Identifier: Apache-2.0
# kernel: kernel_scale.py
# fault: long-stride
# from tvm import tir
def apply(sch: tir.Schedule) -> None:
  i, j = sch.get_loops(sch.get_block("B"))
  sch.reorder(j, i)
  sch.parallel(j)
