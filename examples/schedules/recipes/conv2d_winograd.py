# A convolution by minimal filtering, as kernels of models have it: some rows of tiles at a time, so that
# their transforms and products come from the cache; the products of some tiles and blocks of filters stay in
# registers.
# from tvm import tir
def conv2d_winograd(sch: tir.Schedule, block="", rows=7, blocks=2, width=7) -> None:
  products = sch.get_block(block)
  assert len(sch.get_loops(products)) == 8, "products of n, parts, blocks, elements, tiles, a filter; terms"
  assert rows > 0 and blocks > 0 and width > 0, "a tile has rows, blocks and a width"
  transformed = sch.get_producers(products)[0]
  image = sch.get_producers(transformed)[0]
  columns = sch.get_consumers(products)[0]
  channels = int(sch.get(sch.get_loops(products)[-2]).extent)
  results = int(sch.get(sch.get_loops(columns)[-3]).extent) # of a tile, along each side
  last = sch.get_consumers(columns)[0]
  behind = sch.get_consumers(last)
  for _ in range(8):
    if len(behind) == 1:
      sch.compute_inline(last)
      last = behind[0]
      behind = sch.get_consumers(last)

  # Results by rows of tiles, with all that they need of the products.
  n, f, h, w, fi = sch.get_loops(last)
  filters = int(sch.get(f).extent)
  across = (int(sch.get(w).extent) + results - 1) // results # the last one may reach beyond the image
  # Rows of them that lie together in a part.
  tiles = int(sch.get(sch.get_loops(products)[-4]).extent) // across
  tall = 1
  for count in range(1, rows + 1):
    if tiles % count == 0:
      tall = count
  together = 1
  for count in range(1, blocks + 1):
    if filters % count == 0:
      together = count
  h0, h1, h2 = sch.split(h, [None, tall, results])
  w0, w1 = sch.split(w, [None, results])
  f0, f1 = sch.split(f, [None, together])
  sch.reorder(n, h0, f0, f1, h1, w0, h2, w1, fi)
  for loop in [h2, w1]:
    sch.unroll(loop)
  sch.vectorize(fi)
  sch.compute_at(columns, w0)
  for loop in sch.get_loops(columns)[-3:-1]:
    sch.unroll(loop)
  sch.vectorize(sch.get_loops(columns)[-1])
  sch.compute_at(products, f0)

  # The image is transformed before, all of it.
  for pad in sch.get_producers(image):
    each = sch.get_loops(pad)
    sch.vectorize(each[-1])
    sch.parallel(sch.fuse(*each[:-1]))
  i, part, element, channel, tile, within = sch.get_loops(transformed)
  sch.reorder(channel, tile, element, within)
  sch.unroll(element)
  sch.vectorize(within)
  places = sch.fuse(i, part, channel, tile)
  sch.parallel(places)
  sch.compute_at(image, places)
  for loop in sch.get_loops(image)[-3:-1]:
    sch.unroll(loop)
  sch.vectorize(sch.get_loops(image)[-1])

  sch.parallel(sch.fuse(n, h0, f0))
  out = sch.cache_write(products, 0, "global")
  if channels > 1: # one block of channels has no loop
    e, t, b, c, ci = sch.get_loops(products)[-5:]
    terms = [c, ci]
  else:
    e, t, b, ci = sch.get_loops(products)[-4:]
    terms = [ci]
  size = 1
  for count in range(1, width + 1):
    if int(sch.get(t).extent) % count == 0:
      size = count
  t0, t1 = sch.split(t, [None, size])
  inner = [t1]
  if together > 1: # blocks of one filter have no loop
    inner = [t1, sch.get_loops(products)[-5 - len(terms)]]
  sch.reorder(e, t0, *terms, *inner, b)
  round = sch.fuse(e, t0)
  sch.reverse_compute_at(out, round)
  for loop in inner:
    sch.unroll(loop)
  sch.vectorize(b)
  zero = sch.decompose_reduction(products, terms[0])
  for loop in sch.get_loops(zero)[-1 - len(inner):-1]:
    sch.unroll(loop)
  sch.vectorize(sch.get_loops(zero)[-1])
  for loop in sch.get_loops(out)[2:-1]:
    sch.unroll(loop)
  sch.vectorize(sch.get_loops(out)[-1])
