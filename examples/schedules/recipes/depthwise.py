# A convolution of each channel by itself: sums of some rows and a vector of columns stay in registers,
# channels in parallel.
# from tvm import tir
def depthwise(sch: tir.Schedule, block="", rows=4, lanes=8) -> None:
  conv = sch.get_block(block)
  assert sch.get(conv).init, "a stage that sums up"
  loops = sch.get_loops(conv)
  assert len(loops) == 5 or len(loops) == 6, "loops over (image,) channel, h, w; row, column of the kernel"
  h, w, r, s = loops[-4], loops[-3], loops[-2], loops[-1]
  channels = loops[:-4]
  height = int(sch.get(h).extent)
  tile = 1
  for count in range(1, min(rows, height) + 1):
    if height % count == 0:
      tile = count
  pads = sch.get_producers(conv)
  out = sch.cache_write(conv, 0, "local")
  h0, h1 = sch.split(h, [None, tile])
  w0, w1 = sch.split(w, [None, lanes])
  sch.reorder(*channels, h0, w0, r, s, h1, w1)
  sch.reverse_compute_at(out, w0)
  for loop in [r, s, h1]:
    sch.unroll(loop)
  sch.vectorize(w1)
  each = sch.fuse(*channels) if len(channels) > 1 else channels[0]
  sch.parallel(each)
  zero = sch.decompose_reduction(conv, r)
  sch.unroll(sch.get_loops(zero)[-2])
  sch.vectorize(sch.get_loops(zero)[-1])
  sch.unroll(sch.get_loops(out)[-2])
  sch.vectorize(sch.get_loops(out)[-1])
  for pad in pads:
    own = sch.get_loops(pad)
    sch.parallel(sch.fuse(*own[:-2]) if len(own) > 3 else own[0])
