# C = A · B in float32: a tile of results stays in registers. Where B is large, panels of it that fit the
# second-level cache are copied, and all rows of A pass them; else rows of A in blocks meet all of B. A round
# of the innermost loop has 4 terms, more where vectors are short and many, or as many as are given. A single
# row sums several rows of B at a time. Tiles of 0 rows and vectors are chosen by the sizes and the registers.
# Lanes, registers, threads and the bytes that stay in L2 are those of the machine where they are not given.
# from tvm import tir
def gemm(sch: tir.Schedule, block="", rows=0, vectors=0, terms=0,
         lanes=8, registers=16, l2=262144, threads=8) -> None:
  product = sch.get_block(block)
  assert len(sch.get_loops(product)) == 3, "a product has loops over rows, columns and terms"
  assert sch.get(product).writes[0].buffer.dtype != "int32", "a product of floating-point numbers"
  assert rows >= 0 and vectors >= 0, "a tile has rows and vectors"
  assert terms >= 0, "a round has terms"
  i, j, k = sch.get_loops(product)
  m = int(sch.get(i).extent)
  n = int(sch.get(j).extent)
  depth = int(sch.get(k).extent)

  if m == 1:
    # Each thread has its columns, and eight rows of B pass through their sums at a time.
    j0, j1, j2 = sch.split(j, [threads, None, lanes])
    k0, k1 = sch.split(k, [None, 8])
    sch.reorder(i, j0, k0, j1, k1, j2)
    sch.parallel(j0)
    sch.unroll(k1)
    sch.vectorize(j2)
    zero = sch.decompose_reduction(product, k0)
    sch.vectorize(sch.get_loops(zero)[-1])
    return

  # A copy pays where B is larger than caches close by, and many rows read it.
  pack = (depth * n > l2 // 5 or n % lanes != 0) and m >= 32
  in_threads = m * n * depth > 200000
  is_narrow = n < 6 * lanes or (n % lanes != 0 and not pack)

  # Tiles to choose from. Many rows of two vectors read least of the caches, unless these rows lie a multiple
  # of 2 KiB apart, where they drive each other out; of the others fewer rows have more vectors. Of few
  # registers a tile takes all; less than ten sums do not cover the time that one takes.
  tiles = [(13, 2, 0), (12, 2, 0), (14, 2, 0), (11, 2, 0), (6, 4, 1), (8, 3, 2), (8, 2, 3)]
  if registers < 32:
    tiles = [(6, 2, 0), (4, 3, 2), (5, 2, 3), (4, 2, 15)]
  elif lanes <= 4:
    # Such processors multiply by one lane of a vector: of each row a vector of terms waits in a register.
    tiles = [(5, 4, 0), (7, 3, 1), (4, 5, 2), (8, 2, 4)]
  if terms == 0:
    terms = 4
    if registers >= 8 * lanes:
      terms = 8
      if pack:
        terms = 16
  if rows > 0 and vectors > 0:
    tiles = [(rows, vectors, 0)]
  elif rows > 0:
    tiles = [(rows, max(1, registers * 3 // 4 // rows), 0)]
  elif vectors > 0:
    tiles = [(max(1, registers * 3 // 4 // vectors), vectors, 0)]
  if len(tiles) > 1:
    tiles = [tile for tile in tiles
             if (tile[0] <= 8 or depth % 512 != 0) and (tile[1] == 2 or not is_narrow)]

  # Each thread gets as many tiles, with as few as can be beyond the sizes: of all rows and some columns, or
  # of a part of the rows, or of the columns, too, where that shares out better. A copy takes as long as a
  # dozen rows of its columns.
  least = 0
  parts = 1
  for tall, wide, percent in tiles:
    tall = min(tall, m)
    if is_narrow:
      wide = min(wide, 2)
    wide = max(wide, min(8, registers // 2 // tall))
    strips = (m + tall - 1) // tall
    panels = (n + wide * lanes - 1) // (wide * lanes)
    cuts = strips
    if not pack:
      cuts = panels
    for count in range(1, min(cuts, threads) + 1):
      if pack:
        in_part = (strips + count - 1) // count
        pieces = count * panels
        work = in_part * tall + 12
      else:
        in_part = max(1, min((strips * count + threads - 1) // threads, l2 // 4 // (depth * tall)))
        pieces = (strips + in_part - 1) // in_part * count
        work = in_part * tall * (panels // count)
      cost = (pieces + threads - 1) // threads * work * wide * lanes * (100 + percent)
      if (pack or panels % count == 0) and (least == 0 or cost < least):
        least = cost
        parts = count
        rows = tall
        vectors = wide
        share = in_part
  columns = vectors * lanes
  panels = (n + columns - 1) // columns

  # Panels side by side, as many as stay in L2 and leave each thread as many.
  side = 1
  for count in range(1, panels + 1):
    if panels % count == 0 and panels // count * parts % threads == 0 and depth * columns * count <= l2 // 4:
      side = count

  # What is done to each result is done to a tile of them. Sizes that the tile does not divide are rounded up.
  readers = sch.get_consumers(product)
  is_fused = len(readers) == 1 and len(sch.get_loops(readers[0])) == 2
  pads = []
  row_step = rows
  if pack:
    row_step = rows * parts
  if m % row_step != 0 or n % columns != 0:
    sch.pad_einsum(product, [row_step, columns, 1])
    out = sch.get_consumers(product)[0]
    pads = sch.get_producers(product)
    if is_fused:
      sch.reverse_compute_inline(readers[0])
    sch.set_scope(product, 0, "local")
  elif is_fused:
    out = readers[0]
    sch.set_scope(product, 0, "local")
  else:
    out = sch.cache_write(product, 0, "local")
  i, j, k = sch.get_loops(product)

  if pack:
    part, i1, i2 = sch.split(i, [parts, None, rows])
    j0, j1, j2, j3 = sch.split(j, [None, side, vectors, lanes])
    sch.reorder(part, j0, i1, j1, k, i2, j2, j3)
    sch.reverse_compute_at(out, j1)
    outer = sch.fuse(part, j0)
    b = sch.cache_read(product, 1, "global")
    sch.transform_layout(product, ("read", 1), lambda k, j: (j // columns, k, j % columns))
    sch.compute_at(b, outer)
  else:
    outer, i1, i2 = sch.split(i, [None, share, rows])
    j0, j2, j3 = sch.split(j, [None, vectors, lanes])
    if parts > 1:
      part, j0 = sch.split(j0, [parts, None])
      sch.reorder(outer, part, j0, i1, k, i2, j2, j3)
      outer = sch.fuse(outer, part)
    else:
      sch.reorder(outer, j0, i1, k, i2, j2, j3)
    sch.reverse_compute_at(out, i1)
  for pad in pads:
    sch.compute_inline(pad)

  if terms > 1 and depth > terms:
    k, k1 = sch.split(k, [None, terms])
    sch.unroll(k1)
  if in_threads:
    sch.parallel(outer)
  for loop in [i2, j2]:
    sch.unroll(loop)
  sch.vectorize(j3)
  zero = sch.decompose_reduction(product, k)
  for loop in sch.get_loops(zero)[-3:-1]:
    sch.unroll(loop)
  sch.vectorize(sch.get_loops(zero)[-1])
  row, column = sch.get_loops(out)[-2:]
  c0, c1 = sch.split(column, [None, lanes])
  for loop in [row, c0]:
    sch.unroll(loop)
  sch.vectorize(c1)
  if pack:
    term, column = sch.get_loops(b)[-2:]
    panel, c0 = sch.split(column, [None, columns])
    sch.reorder(panel, term, c0)
    sch.vectorize(c0)
