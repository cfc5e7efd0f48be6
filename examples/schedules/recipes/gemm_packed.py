# C = A · B with the columns of B in panels, as kernels of models have it: the results of some rows and of a
# panel, or a part of it, stay in registers over all terms, and the stages behind take them from there. Rows
# of 0 are as many as leave registers for the operands.
# from tvm import tir
def gemm_packed(sch: tir.Schedule, block="", rows=0, vectors=2, sums=0, lanes=8, registers=16) -> None:
  product = sch.get_block(block)
  loops = sch.get_loops(product)
  assert len(loops) >= 3 and len(loops) <= 4, "a product has loops over rows, columns and terms"
  assert rows >= 0 and vectors > 0 and sums >= 0, "a tile has rows, vectors and sums"
  if sums == 0:
    sums = registers * 3 // 4
  i, j, k = loops[-3:]
  n = int(sch.get(j).extent)
  assert n % lanes == 0, "columns in whole vectors"
  wide = 1
  for count in range(1, vectors + 1):
    if n % (count * lanes) == 0:
      wide = count
  m = int(sch.get(i).extent)
  most = rows
  if rows == 0:
    most = max(1, sums // wide)
  tall = 1
  for count in range(1, min(most, m) + 1):
    if m % count == 0:
      tall = count

  last = product
  behind = sch.get_consumers(product)
  for _ in range(8):
    if len(behind) == 1:
      if last != product:
        sch.compute_inline(last)
      last = behind[0]
      behind = sch.get_consumers(last)
  if last == product:
    last = sch.cache_write(product, 0, "global")
  i0, i1 = sch.split(i, [None, tall])
  j0, j1, j2 = sch.split(j, [None, wide, lanes])
  sch.reorder(j0, i0, k, i1, j1, j2)
  tiles = sch.fuse(*loops[:-3], j0, i0)
  sch.reverse_compute_at(last, tiles)
  sch.parallel(tiles)
  for loop in [i1, j1]:
    sch.unroll(loop)
  sch.vectorize(j2)
  zero = sch.decompose_reduction(product, k)
  for loop in sch.get_loops(zero)[-3:-1]:
    sch.unroll(loop)
  sch.vectorize(sch.get_loops(zero)[-1])
  q0, q1 = sch.split(sch.get_loops(last)[-1], [None, lanes])
  for loop in sch.get_loops(last)[1:-1]:
    sch.unroll(loop)
  sch.vectorize(q1)
