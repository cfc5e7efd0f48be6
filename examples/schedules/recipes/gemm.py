# C = A · B in float32: a tile of results stays in registers, B is read from panels, rows of A in blocks for
# the second-level cache. A single row sums several rows of B at a time.
# from tvm import tir
def gemm(sch: tir.Schedule, block="", rows=8, vectors=3, lanes=16, threads=2) -> None:
  product = sch.get_block(block)
  assert len(sch.get_loops(product)) == 3, "a product has loops over rows, columns and terms"
  assert sch.get(product).writes[0].buffer.dtype != "int32", "a product of floating-point numbers"
  i, j, k = sch.get_loops(product)
  m = int(sch.get(i).extent)
  n = int(sch.get(j).extent)
  terms = int(sch.get(k).extent)

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

  rows = min(rows, m)
  # Copies pay where an operand is larger than caches close by, or its rows lie in the same sets of them.
  pack_a = terms > 1024 and m >= 4 * rows
  pack_b = terms * n > 200000 and m >= 4 * rows
  if n < 6 * lanes or (n % lanes != 0 and not pack_b):
    vectors = min(vectors, 2)
  vectors = max(vectors, min(8, 16 // rows))
  columns = vectors * lanes
  in_threads = m * n * terms > 200000

  # What is done to each result is done to a tile of them. Sizes that the tile does not divide are rounded up.
  readers = sch.get_consumers(product)
  is_fused = len(readers) == 1 and len(sch.get_loops(readers[0])) == 2
  pads = []
  if m % rows != 0 or n % columns != 0:
    sch.pad_einsum(product, [rows, columns, 1])
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

  # The tile: rows × columns, all terms.
  share = max(1, min((m + threads * rows - 1) // (threads * rows), 131072 // (terms * rows)))
  i0, i1, i2 = sch.split(i, [None, share, rows])
  j0, j1, j2 = sch.split(j, [None, vectors, lanes])
  sch.reorder(i0, j0, i1, k, i2, j1, j2)
  sch.reverse_compute_at(out, i1)

  if pack_b:
    b = sch.cache_read(product, 1, "global")
    sch.transform_layout(product, ("read", 1), lambda k, j: (j // columns, k, j % columns))
  if pack_a:
    a = sch.cache_read(product, 0, "global")
    sch.storage_align(a, 0, 0, 1024, 16)
    sch.compute_at(a, i0)
  for pad in pads:
    sch.compute_inline(pad)

  if in_threads:
    sch.parallel(i0)
  for loop in [i2, j1]:
    sch.unroll(loop)
  sch.vectorize(j2)
  zero = sch.decompose_reduction(product, k)
  for loop in sch.get_loops(zero)[-3:-1]:
    sch.unroll(loop)
  sch.vectorize(sch.get_loops(zero)[-1])
  row, column = sch.get_loops(out)[-2:]
  c0, c1 = sch.split(column, [None, lanes])
  for loop in [row, c0]:
    sch.unroll(loop)
  sch.vectorize(c1)

  if pack_b:
    term, column = sch.get_loops(b)
    panel, c0 = sch.split(column, [None, columns])
    sch.reorder(panel, term, c0)
    sch.vectorize(c0)
    if in_threads:
      sch.parallel(panel)
  if pack_a:
    t0, t1 = sch.split(sch.get_loops(a)[-1], [None, lanes])
    sch.vectorize(t1)
