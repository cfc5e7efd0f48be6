# A convolution in blocks of channels, as kernels of models have it: the results of some columns of a row and
# of some blocks of filters stay in registers over all terms, and the stages behind take them from there.
# Columns of 0 are as many as leave registers for the operands.
# from tvm import tir
def conv2d_blocked(sch: tir.Schedule, block="", blocks=2, columns=0, sums=0, lanes=8, registers=16) -> None:
  conv = sch.get_block(block)
  assert len(sch.get_loops(conv)) == 9, "loops over n, blocks, h, w, a filter; blocks, row, column, channel"
  assert blocks > 0 and columns >= 0 and sums >= 0, "a tile has blocks, columns and sums"
  if sums == 0:
    sums = registers * 3 // 4
  n, f, h, w, fi, c, r, s, ci = sch.get_loops(conv)
  filters = int(sch.get(f).extent)
  width = int(sch.get(w).extent)
  block_filters = int(sch.get(fi).extent)
  tile_blocks = 1
  for count in range(1, min(blocks, filters) + 1):
    if filters % count == 0:
      tile_blocks = count
  most = columns
  if columns == 0:
    most = max(1, sums * lanes // (block_filters * tile_blocks))
  tile = 1
  for count in range(1, min(most, width) + 1):
    if width % count == 0:
      tile = count

  for pad in sch.get_producers(conv):
    each = sch.get_loops(pad)
    sch.vectorize(each[-1])
    sch.parallel(sch.fuse(*each[:-1]))
  last = conv
  behind = sch.get_consumers(conv)
  for _ in range(8):
    if len(behind) == 1:
      if last != conv:
        sch.compute_inline(last)
      last = behind[0]
      behind = sch.get_consumers(last)

  f0, f1 = sch.split(f, [None, tile_blocks])
  w0, w1 = sch.split(w, [None, tile])
  sch.reorder(n, f0, h, w0, c, r, s, ci, w1, f1, fi)
  rows = sch.fuse(n, f0, h)
  if last != conv:
    sch.reverse_compute_at(last, w0)
  sch.parallel(rows)
  for loop in [w1, f1]:
    sch.unroll(loop)
  sch.vectorize(fi)
  zero = sch.decompose_reduction(conv, c)
  for loop in sch.get_loops(zero)[-3:-1]:
    sch.unroll(loop)
  sch.vectorize(sch.get_loops(zero)[-1])
  if last != conv:
    for loop in sch.get_loops(last)[2:-1]:
      sch.unroll(loop)
    sch.vectorize(sch.get_loops(last)[-1])
