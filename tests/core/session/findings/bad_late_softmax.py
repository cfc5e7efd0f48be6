# SPDX-License-Identifier: Apache-2.0
# kernel: op:softmax(M=2048,N=4096)
# fault: late-stage
# from tvm import tir
def apply(sch: tir.Schedule) -> None:
  stages = sch.get_child_blocks(sch.get_block("root"))
  last = stages[-1]
  row = sch.get_loops(last)[0]
  for stage in stages:
    loops = sch.get_loops(stage)
    if sch.get(stage).init:
      sch.annotate(loops[-1], "reassociate", 1)
    else:
      blocks, vector = sch.split(loops[-1], [None, 16])
      sch.vectorize(vector)
  for stage in stages:
    sch.parallel(sch.get_loops(stage)[0])
