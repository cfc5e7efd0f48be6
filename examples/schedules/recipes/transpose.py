# An array with rows and columns exchanged: tiles are read row by row into registers and written column by
# column, some of them below each other, so that whole stretches of rows are read.
# from tvm import tir
def transpose(sch: tir.Schedule, block="", side=0, below=32, lanes=8) -> None:
  if side == 0:  # a vector of the machine
    side = lanes
  stage = sch.get_block(block)
  assert len(sch.get_loops(stage)) == 2, "an array of rows and columns"
  i, j = sch.get_loops(stage)
  tiles = int(sch.get(i).extent) // side
  assert int(sch.get(i).extent) % side == 0 and int(sch.get(j).extent) % side == 0, "whole tiles"
  together = 1
  for count in range(1, min(below, tiles) + 1):
    if tiles % count == 0:
      together = count
  i0, i1, i2 = sch.split(i, [None, together, side])
  j0, j1 = sch.split(j, [None, side])
  sch.reorder(i0, j0, i1, i2, j1)
  tile = sch.cache_read(stage, 0, "local")
  sch.compute_at(tile, i1)
  row, column = sch.get_loops(tile)[-2:]
  sch.unroll(row)
  sch.vectorize(column)
  sch.unroll(i2)
  sch.vectorize(j1)
  sch.parallel(i0)
