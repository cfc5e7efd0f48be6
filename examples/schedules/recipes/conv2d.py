# A convolution N×C×H×W with a vector of filters at a time: their results stay in registers for some columns
# of a row, the weights are read from blocks of a vector of filters. Of few terms, where exchanging rows of
# results for filters would take longer than computing them, two vectors of columns at a time, for 8 filters.
# Processors with many registers of few lanes multiply by one lane of a vector, so that neighbours in the
# image are loaded together: there a round of the innermost loop has more terms, and two vectors of filters
# share what is read where they leave room for it.
# from tvm import tir
def conv2d(sch: tir.Schedule, block="", columns=0, lanes=8, registers=16) -> None:
  conv = sch.get_block(block)
  assert len(sch.get_loops(conv)) == 7, "loops over n, k, h, w; c, row, column of the kernel"
  assert sch.get(conv).writes[0].buffer.dtype != "int32", "a convolution of floating-point numbers"
  n, k, h, w, c, r, s = sch.get_loops(conv)
  assert int(sch.get(k).extent) % lanes == 0, "filters in whole vectors"
  width = int(sch.get(w).extent)
  if columns == 0:  # more of them gain little: each reads the image anew
    columns = min(14, registers - 2)
  tile = 1
  for count in range(1, min(columns, width) + 1):
    if width % count == 0:
      tile = count

  depth = int(sch.get(c).extent)
  height = int(sch.get(r).extent)
  taps = int(sch.get(s).extent)
  by_lanes = registers >= 8 * lanes
  vectors = 1
  if by_lanes and int(sch.get(k).extent) % (2 * lanes) == 0 and (tile <= 8 or height * taps == 1):
    vectors = 2
  filters = vectors * lanes

  pads = sch.get_producers(conv)
  terms = depth * height * taps
  for pad in pads:
    step_is_one = int(sch.get(sch.get_loops(pad)[-1]).extent) == width + taps - 1
    if terms <= 64 and step_is_one and width % lanes == 0:
      vectors = 2
      if width % (2 * lanes) != 0:
        vectors = 1
      out = sch.cache_write(conv, 0, "local")
      few = lanes // vectors
      if by_lanes and int(sch.get(k).extent) % 8 == 0:
        few = 8
      k0, k1 = sch.split(k, [None, few])
      w0, w1, w2 = sch.split(w, [None, vectors, lanes])
      sch.reorder(n, k0, h, w0, c, r, s, k1, w1, w2)
      rows = sch.fuse(n, k0, h)
      sch.reverse_compute_at(out, w0)
      sch.parallel(rows)
      for loop in [r, s, k1, w1]:
        sch.unroll(loop)
      sch.vectorize(w2)
      zero = sch.decompose_reduction(conv, c)
      for loop in sch.get_loops(zero)[-3:-1]:
        sch.unroll(loop)
      sch.vectorize(sch.get_loops(zero)[-1])
      row, column = sch.get_loops(out)[-2:]
      q0, q1 = sch.split(column, [None, lanes])
      for loop in [row, q0]:
        sch.unroll(loop)
      sch.vectorize(q1)
      each = sch.get_loops(pad)
      sch.parallel(sch.fuse(*each[:-1]))
      return

  out = sch.cache_write(conv, 0, "global")
  sch.transform_layout(conv, ("write", 0), lambda n, k, h, w: (n, k // filters, h, w, k % filters))
  packed = sch.cache_read(conv, 1, "global")
  sch.transform_layout(conv, ("read", 1), lambda k, c, r, s: (k // filters, c, r, s, k % filters))
  n, k, h, w, c, r, s = sch.get_loops(conv)
  k, k1 = sch.split(k, [None, filters])
  w, w1 = sch.split(w, [None, tile])
  sch.reorder(n, k, h, w, c, r, s, w1, k1)
  rows = sch.fuse(n, k, h)
  sch.reverse_compute_at(out, rows)
  sch.parallel(rows)
  sch.unroll(w1)
  if vectors > 1:
    k2, k1 = sch.split(k1, [None, lanes])
    sch.unroll(k2)
  if by_lanes:
    if height * taps == 1 and depth % 4 == 0:
      c, c1 = sch.split(c, [None, 4])
      sch.unroll(c1)
    else:
      sch.unroll(s)
      if vectors * tile * taps * height <= 160:
        sch.unroll(r)
  sch.vectorize(k1)
  zero = sch.decompose_reduction(conv, c)
  for loop in sch.get_loops(zero)[-1 - vectors:-1]:
    sch.unroll(loop)
  sch.vectorize(sch.get_loops(zero)[-1])
  row, column = sch.get_loops(out)[-2:]
  q0, q1 = sch.split(column, [None, lanes])
  sch.reorder(q0, row, q1)
  sch.unroll(row)
  sch.vectorize(q1)
  for pad in pads:
    each = sch.get_loops(pad)
    sch.parallel(sch.fuse(*each[:-1]))
  each = sch.get_loops(packed)
  p0, p1 = sch.split(each[0], [None, lanes])
  sch.reorder(p0, each[1], each[2], each[3], p1)
  sch.vectorize(p1)
  sch.parallel(p0)
