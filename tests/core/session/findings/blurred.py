# SPDX-License-Identifier: Apache-2.0
# from tvm import tir
def blurred(sch: tir.Schedule, at=1, outer=0) -> None:
  x = sch.get_block("X")
  i, j = sch.get_loops(sch.get_block("Y"))
  if outer:
    i0, i1, i2 = sch.split(i, [2, None, 32])
  else:
    i0, i1 = sch.split(i, [None, 32])
  if at == 1:
    sch.compute_at(x, i0)
  else:
    sch.compute_at(x, i1)
  x0, x1 = sch.split(sch.get_loops(x)[-1], [None, 16])
  sch.vectorize(x1)
  j0, j1 = sch.split(j, [None, 16])
  sch.vectorize(j1)
  sch.parallel(i0)
