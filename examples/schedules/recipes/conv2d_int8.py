# A convolution of uint8 with filters of int8 in int32, channels and filters in blocks of 16, the channels of
# a filter by four. With tiles=1 in the processor's tile registers (Intel AMX), blocks of 64 too, else by
# instructions that sum up four products in each of 16 lanes (AVX-512 VNNI).
# from tvm import tir
def conv2d_int8(sch: tir.Schedule, block="", rows=0, vectors=0, lanes=8, registers=16, tiles=0) -> None:
  conv = sch.get_block(block)
  assert len(sch.get_loops(conv)) == 10, "loops over n, f, h, w, filter; c, row, column, channels by four"
  n, f, h, w, i, c, r, s, q, d = sch.get_loops(conv)
  block_filters = int(sch.get(i).extent)
  assert block_filters == 16 or tiles and block_filters % 16 == 0, "filters in blocks of 16"
  wide = max(1, 16 // lanes)  # registers that 16 lanes take
  if vectors == 0:
    vectors = 2
    if wide > 1 and not tiles:
      vectors = 1
  if rows == 0:
    rows = registers // 2
    if wide > 1:
      rows = registers // wide
  assert int(sch.get(d).extent) == 4, "channels by four"
  filters = int(sch.get(f).extent)
  width = int(sch.get(w).extent)
  height = int(sch.get(h).extent)
  window = int(sch.get(r).extent) * int(sch.get(s).extent)
  terms = window * int(sch.get(c).extent) * int(sch.get(q).extent) * 4
  pads = sch.get_producers(conv)
  if filters % vectors != 0 or block_filters > 16:
    vectors = 1

  if tiles:
    lines = 1
    if width <= 16 and height % 2 == 0:
      lines = 2
    together = block_filters
    # Filters that the first cache holds beside the image.
    if block_filters % 32 == 0 and block_filters * terms > 24576:
      together = 32
    f0, f1 = sch.split(f, [None, vectors])
    i0, i1 = sch.split(i, [None, together])
    bands = 1  # of a padded image, so that each thread keeps to those it has padded
    for count in range(1, 9):
      if window > 1 and height // lines % count == 0:
        bands = count
    h2, h0, h1 = sch.split(h, [bands, None, lines])
    sch.reorder(n, h2, f0, i0, h0, f1, h1, w, i1, c, r, s, q, d)
    sch.parallel(sch.fuse(n, h2, f0, i0, h0))
    first = f1
    if vectors == 1:
      first = h1
    if vectors == 1 and lines == 1:
      first = w
    zero = sch.decompose_reduction(conv, first)
    sch.annotate(first, "tile_registers", 1)
    t0, t1 = sch.split(sch.get_loops(zero)[-1], [None, 16])
    sch.vectorize(t1)
  else:
    tile = 1
    for size in range(1, min(width, 1 + rows // vectors) + 1):
      if width % size == 0:
        tile = size
    out = sch.cache_write(conv, 0, "global")
    n, f, h, w, i, c, r, s, q, d = sch.get_loops(conv)
    f0, f1 = sch.split(f, [None, vectors])
    w0, w1 = sch.split(w, [None, tile])
    sch.reorder(n, f0, h, w0, c, r, s, q, w1, f1, i, d)
    outer = sch.fuse(n, f0, h)
    sch.reverse_compute_at(out, w0)
    sch.parallel(outer)
    zero = sch.decompose_reduction(conv, c)
    sch.tensorize(i, "dot_16x4_vnni")
    for loop in [q, w1, f1]:
      sch.unroll(loop)
    for loop in sch.get_loops(zero)[-3:-1]:
      sch.unroll(loop)
    sch.vectorize(sch.get_loops(zero)[-1])
    loops = sch.get_loops(out)
    for loop in loops[-3:-1]:
      sch.unroll(loop)
    sch.vectorize(loops[-1])

  for pad in pads:
    if tiles and window == 1:
      sch.compute_inline(pad)
    else:
      loops = sch.get_loops(pad)
      sch.reorder(loops[0], loops[2], loops[1])
      sch.vectorize(loops[-1])
      sch.parallel(sch.fuse(loops[0], loops[2], loops[1]))
