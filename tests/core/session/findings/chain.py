# SPDX-License-Identifier: Apache-2.0
# from tvm import tir
def chain(sch: tir.Schedule, lanes=16, parts=2, inlines=1, threads=1) -> None:
  stages = sch.get_child_blocks(sch.get_block("root"))
  if inlines:
    for stage in stages[:-1]:
      sch.compute_inline(stage)
    stages = stages[-1:]
  for stage in stages:
    part, block, vector = sch.split(sch.get_loops(stage)[0], [parts, None, lanes])
    if threads:
      sch.parallel(part)
    sch.vectorize(vector)
