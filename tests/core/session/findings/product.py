# SPDX-License-Identifier: Apache-2.0
# from tvm import tir
def product(sch: tir.Schedule, rows=8, vectors=2, lanes=16, share=8, packs=1, threads=1) -> None:
  c = sch.get_block("C")
  i, j, k = sch.get_loops(c)
  columns = vectors * lanes
  i0, i1, i2 = sch.split(i, [None, share, rows])
  j0, j1, j2 = sch.split(j, [None, vectors, lanes])
  sch.reorder(i0, j0, i1, k, i2, j1, j2)
  out = sch.cache_write(c, 0, "local")
  sch.reverse_compute_at(out, i1)
  if packs:
    b = sch.cache_read(c, 1, "global")
    sch.transform_layout(c, ("read", 1), lambda k, j: (j // columns, k, j % columns))
  if threads:
    sch.parallel(i0)
  sch.unroll(i2)
  sch.unroll(j1)
  sch.vectorize(j2)
  zero = sch.decompose_reduction(c, k)
  sch.unroll(sch.get_loops(zero)[-3])
  sch.unroll(sch.get_loops(zero)[-2])
  sch.vectorize(sch.get_loops(zero)[-1])
  sch.unroll(sch.get_loops(out)[-2])
  o0, o1 = sch.split(sch.get_loops(out)[-1], [None, lanes])
  sch.unroll(o0)
  sch.vectorize(o1)
  if packs:
    term, column = sch.get_loops(b)
    panel, within = sch.split(column, [None, columns])
    sch.reorder(panel, term, within)
    sch.vectorize(within)
    sch.parallel(panel)
