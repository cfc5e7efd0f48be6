# SPDX-License-Identifier: Apache-2.0
# from tvm import tir
def untiled(sch: tir.Schedule, tiles=0) -> None:
  i, j = sch.get_loops(sch.get_block("B"))
  if tiles:
    i0, i1 = sch.split(i, [None, 16])
    j0, j1 = sch.split(j, [None, 16])
    sch.reorder(i0, j0, i1, j1)
    i = i0
  sch.parallel(i)
