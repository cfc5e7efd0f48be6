# SPDX-License-Identifier: Apache-2.0
# from tvm import tir
def scaled(sch: tir.Schedule, by=0) -> None:
  i, j = sch.get_loops(sch.get_block("B"))
  if by == 0:  # columns
    j0, j1 = sch.split(j, [None, 16])
    sch.vectorize(j1)
    sch.parallel(i)
  elif by == 1:  # rows
    sch.reorder(j, i)
    sch.parallel(j)
  elif by == 2:  # parts of rows
    i0, i1 = sch.split(i, [None, 16384])
    sch.reorder(i0, j, i1)
    sch.parallel(j)
  else:
    i0, i1 = sch.split(i, [None, 16])
    sch.reorder(i0, j, i1)
    sch.parallel(i0)
    sch.vectorize(i1)
