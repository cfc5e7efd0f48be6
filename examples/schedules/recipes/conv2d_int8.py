# A convolution of uint8 with filters of int8 in int32, channels and filters in blocks of 16, the channels of
# a filter by four. With tiles=1 in the processor's tile registers (Intel AMX), which blocks of 64 fill, else by
# instructions that sum up four products in each of 16 lanes (AVX-512 VNNI).
# from tvm import tir
def conv2d_int8(sch: tir.Schedule, block="", rows=16, vectors=2, tiles=0) -> None:
  conv = sch.get_block(block)
  assert len(sch.get_loops(conv)) == 10, "loops over n, f, h, w, filter; c, row, column, channels by four"
  n, f, h, w, i, c, r, s, q, d = sch.get_loops(conv)
  assert int(sch.get(i).extent) % 16 == 0, "filters in blocks of 16"
  assert tiles or int(sch.get(i).extent) == 16, "filters in blocks of 16"
  assert int(sch.get(d).extent) == 4, "channels by four"
  filters = int(sch.get(f).extent)
  width = int(sch.get(w).extent)
  height = int(sch.get(h).extent)
  pads = sch.get_producers(conv)
  if filters % vectors != 0 or int(sch.get(i).extent) > 16:
    vectors = 1

  if tiles:
    lines = 1
    if width <= 16 and height % 2 == 0:
      lines = 2
    f0, f1 = sch.split(f, [None, vectors])
    h0, h1 = sch.split(h, [None, lines])
    sch.reorder(n, f0, h0, f1, h1, w, i, c, r, s, q, d)
    sch.parallel(sch.fuse(n, f0, h0))
    first = f1
    if vectors == 1:
      first = h1
    if vectors == 1 and lines == 1:
      first = w
    zero = sch.decompose_reduction(conv, first)
    sch.annotate(first, "tile_registers", 1)
    columns, lanes = sch.split(sch.get_loops(zero)[-1], [None, 16])
    sch.vectorize(lanes)
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
    loops = sch.get_loops(pad)
    sch.vectorize(loops[-1])
    sch.parallel(sch.fuse(loops[0], loops[1], loops[2]))
