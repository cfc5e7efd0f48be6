# SPDX-License-Identifier: Apache-2.0
# kernel: kernel_blur.py
# fault: recomputation
# from tvm import tir
def apply(sch: tir.Schedule) -> None:
  x = sch.get_block("X")
  y = sch.get_block("Y")
  i, j = sch.get_loops(y)
  i0, i1 = sch.split(i, [None, 32])
  sch.compute_at(x, i1)
  x0, x1 = sch.split(sch.get_loops(x)[-1], [None, 16])
  sch.vectorize(x1)
  j0, j1 = sch.split(j, [None, 16])
  sch.vectorize(j1)
  sch.parallel(i0)
