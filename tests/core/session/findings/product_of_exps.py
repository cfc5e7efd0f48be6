# SPDX-License-Identifier: Apache-2.0
# from tvm import tir
def product_of_exps(sch: tir.Schedule, exps=0) -> None:
  c = sch.get_block("C")
  e = sch.get_block("E")
  i, j, k = sch.get_loops(c)
  i0, i1 = sch.split(i, [None, 8])
  j0, j1, j2 = sch.split(j, [None, 2, 16])
  sch.reorder(i0, j0, k, i1, j1, j2)
  out = sch.cache_write(c, 0, "local")
  sch.reverse_compute_at(out, j0)
  if exps == 2:  # where they are read
    sch.compute_inline(e)
  else:
    if exps == 0:  # rows
      sch.compute_at(e, i0)
    else:
      sch.compute_at(e, j0)
    e0, e1 = sch.split(sch.get_loops(e)[-1], [None, 16])
    sch.vectorize(e1)
  sch.parallel(i0)
  sch.unroll(i1)
  sch.unroll(j1)
  sch.vectorize(j2)
  zero = sch.decompose_reduction(c, k)
  sch.vectorize(sch.get_loops(zero)[-1])
  o0, o1 = sch.split(sch.get_loops(out)[-1], [None, 16])
  sch.vectorize(o1)
