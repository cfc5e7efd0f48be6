# SPDX-License-Identifier: Apache-2.0
# from tvm import tir
def row_stages(sch: tir.Schedule, lanes=16, threads=1, fuses=1) -> None:
  stages = sch.get_child_blocks(sch.get_block("root"))
  row = sch.get_loops(stages[-1])[0]
  if fuses:
    for n in range(2, len(stages) + 1):
      sch.compute_at(stages[len(stages) - n], row)
  for stage in stages:
    inner = sch.get_loops(stage)[-1]
    if sch.get(stage).init:
      sch.annotate(inner, "reassociate", 1)
    else:
      blocks, vector = sch.split(inner, [None, lanes])
      sch.vectorize(vector)
  if threads and fuses:
    sch.parallel(row)
  elif threads:
    for stage in stages:
      sch.parallel(sch.get_loops(stage)[0])
