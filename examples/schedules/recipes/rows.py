# All stages of a row, a few rows at a time, so that they stay in the cache: softmax, normalisations, sums.
# Those along the row are computed several elements at a time, rows in parallel. Where the rows do not lie in
# the caches, the next ones are fetched meanwhile.
# from tvm import tir
def rows(sch: tir.Schedule, lanes=8, rows=4, l2=262144, threads=8) -> None:
  assert rows > 0, "some rows at a time"
  stages = sch.get_child_blocks(sch.get_block("root"))
  last = stages[-1]
  reduces = 0
  for stage in stages:
    if sch.get(stage).init:
      reduces = reduces + 1
  assert reduces > 0, "no stage sums up a row"
  row = sch.get_loops(last)[0]
  count = int(sch.get(row).extent)
  length = int(sch.get(sch.get_loops(last)[-1]).extent)
  if count % (rows * threads) == 0:
    row, each = sch.split(row, [None, rows])
  for n in range(2, len(stages) + 1):
    sch.compute_at(stages[len(stages) - n], row)
  sch.parallel(row)
  fetches = count * length > l2 // 2
  for stage in stages:
    loops = sch.get_loops(stage)
    inner = loops[-1]
    if sch.get(stage).init:
      sch.annotate(inner, "reassociate", 1)
      sch.decompose_reduction(stage, inner)
    elif len(loops) > 1 and int(sch.get(inner).extent) > rows:
      vectors, vector = sch.split(inner, [None, lanes])
      sch.vectorize(vector)
      if fetches:
        sch.annotate(vectors, "software_prefetch", rows * length * 4)
      fetches = False
