# A convolution of uint8 with filters of int8 in int32, channels and filters in blocks of 16, the channels of
# a filter by four: for instructions that sum up four products in each of 16 lanes (AVX-512 VNNI).
# from tvm import tir
def conv2d_int8(sch: tir.Schedule, block="", rows=16, vectors=2) -> None:
  conv = sch.get_block(block)
  assert len(sch.get_loops(conv)) == 10, "loops over n, f, h, w, filter; c, row, column, channels by four"
  n, f, h, w, i, c, r, s, q, d = sch.get_loops(conv)
  assert int(sch.get(i).extent) == 16, "filters in blocks of 16"
  assert int(sch.get(d).extent) == 4, "channels by four"
  filters = int(sch.get(f).extent)
  width = int(sch.get(w).extent)
  if filters % vectors != 0:
    vectors = 1
  tile = 1
  for size in range(1, min(width, 1 + rows // vectors) + 1):
    if width % size == 0:
      tile = size

  pads = sch.get_producers(conv)
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
