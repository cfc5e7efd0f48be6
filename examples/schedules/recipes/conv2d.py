# A convolution N×C×H×W with a vector of filters at a time: their results stay in registers for some columns
# of a row, the weights are read from blocks of a vector of filters. Of few terms, where exchanging rows of
# results for filters would take longer than computing them, two vectors of columns at a time, for 8 filters.
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

  pads = sch.get_producers(conv)
  terms = int(sch.get(c).extent) * int(sch.get(r).extent) * int(sch.get(s).extent)
  for pad in pads:
    step_is_one = int(sch.get(sch.get_loops(pad)[-1]).extent) == width + int(sch.get(s).extent) - 1
    if terms <= 64 and step_is_one and width % lanes == 0:
      vectors = 2
      if width % (2 * lanes) != 0:
        vectors = 1
      out = sch.cache_write(conv, 0, "local")
      k0, k1 = sch.split(k, [None, lanes // vectors])
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
  sch.transform_layout(conv, ("write", 0), lambda n, k, h, w: (n, k // lanes, h, w, k % lanes))
  packed = sch.cache_read(conv, 1, "global")
  sch.transform_layout(conv, ("read", 1), lambda k, c, r, s: (k // lanes, c, r, s, k % lanes))
  loops = sch.get_loops(conv)
  k0, k1 = sch.split(loops[1], [None, lanes])
  w0, w1 = sch.split(loops[3], [None, tile])
  sch.reorder(loops[0], k0, loops[2], w0, loops[4], loops[5], loops[6], w1, k1)
  rows = sch.fuse(loops[0], k0, loops[2])
  sch.reverse_compute_at(out, rows)
  sch.parallel(rows)
  sch.unroll(w1)
  sch.vectorize(k1)
  zero = sch.decompose_reduction(conv, loops[4])
  sch.unroll(sch.get_loops(zero)[-2])
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
