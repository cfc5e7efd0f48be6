# All stages of a row, one row at a time, so that it stays in the cache: softmax, normalisations, sums. Those
# along the row are computed several elements at a time, rows in parallel.
# from tvm import tir
def rows(sch: tir.Schedule, lanes=16) -> None:
  stages = sch.get_child_blocks(sch.get_block("root"))
  last = stages[-1]
  reduces = 0
  for stage in stages:
    if sch.get(stage).init:
      reduces = reduces + 1
  assert reduces > 0, "no stage sums up a row"
  row = sch.get_loops(last)[0]
  for n in range(2, len(stages) + 1):
    sch.compute_at(stages[len(stages) - n], row)
  for stage in stages:
    loops = sch.get_loops(stage)
    if len(loops) > 1:
      inner = loops[-1]
      if sch.get(stage).init:
        sch.annotate(inner, "reassociate", 1)
      else:
        blocks, vector = sch.split(inner, [None, lanes])
        sch.vectorize(vector)
  sch.parallel(row)
