# C = A · B of uint8 and int8 in int32; B is read from panels of four rows. With tiles=1 in the processor's
# tile registers (Intel AMX), else by instructions that sum up four products in each of 16 lanes (AVX-512
# VNNI), a tile of results in half of the registers.
# from tvm import tir
def gemm_int8(sch: tir.Schedule, block="", rows=0, vectors=0, lanes=8, registers=16, threads=8,
              tiles=0) -> None:
  product = sch.get_block(block)
  assert len(sch.get_loops(product)) == 3, "a product has loops over rows, columns and terms"
  assert sch.get(product).writes[0].buffer.dtype == "int32", "a product of bytes, summed up in int32"
  i, j, k = sch.get_loops(product)
  m = int(sch.get(i).extent)
  n = int(sch.get(j).extent)
  terms = int(sch.get(k).extent)
  assert n % 16 == 0 and terms % 4 == 0, "columns in vectors of 16, terms by four"
  wide = max(1, 16 // lanes)  # registers that 16 lanes take
  if vectors == 0:
    vectors = 2
    if wide > 1 and not tiles:
      vectors = 1
  if rows == 0:
    rows = max(1, registers // 2 // (vectors * wide))
  if tiles:
    rows = 32
  if n % (16 * vectors) != 0:
    vectors = 1
  tile = 1
  for size in range(1, rows + 1):
    if m % size == 0 and (not tiles or size <= 16 or size % 2 == 0):  # one register of rows, or two
      tile = size
  columns = 16 * vectors

  if not tiles:
    out = sch.cache_write(product, 0, "global")
  i, j, k = sch.get_loops(product)
  share = 1
  for size in range(1, m // (threads * tile) + 1):
    if (m // tile) % size == 0:
      share = size
  i0, i1, i2 = sch.split(i, [None, share, tile])
  j0, j1, j2 = sch.split(j, [None, vectors, 16])
  k0, k1 = sch.split(k, [None, 4])
  sch.reorder(i0, j0, i1, k0, i2, j1, j2, k1)
  if tiles:
    sch.reorder(i1, j0)  # results go to rows that are written one after the other
  b = sch.cache_read(product, 1, "global")
  sch.transform_layout(product, ("read", 1), lambda k, j: (j // columns, k // 4, j % columns, k % 4))

  sch.parallel(i0)
  if not tiles:
    sch.reverse_compute_at(out, i1)
  zero = sch.decompose_reduction(product, k0)
  if tiles:
    sch.annotate(k0, "tile_registers", 1)
  else:
    sch.tensorize(j2, "dot_16x4_vnni")
    for loop in [i2, j1]:
      sch.unroll(loop)
    for loop in sch.get_loops(zero)[-3:-1]:
      sch.unroll(loop)
    row, column = sch.get_loops(out)[-2:]
    c0, c1 = sch.split(column, [None, 16])
    for loop in [row, c0]:
      sch.unroll(loop)
    sch.vectorize(c1)
  sch.vectorize(sch.get_loops(zero)[-1])

  term, column = sch.get_loops(b)
  panel, c0 = sch.split(column, [None, columns])
  t0, t1 = sch.split(term, [None, 4])
  sch.reorder(panel, t0, c0, t1)
  sch.unroll(t1)
  sch.parallel(panel)
