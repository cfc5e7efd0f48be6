# SPDX-License-Identifier: Apache-2.0
# kernel: op:softmax(M=1024,N=960)
# fault: scalar-remainder
# from tvm import tir
def apply(sch: tir.Schedule) -> None:
  stages = sch.get_child_blocks(sch.get_block("root"))
  last = stages[-1]
  row = sch.get_loops(last)[0]
  for n in range(2, len(stages) + 1):
    sch.compute_at(stages[len(stages) - n], row)
  for stage in stages:
    loops = sch.get_loops(stage)
    if sch.get(stage).init:
      sch.annotate(loops[-1], "reassociate", 1)
    else:
      blocks, vector = sch.split(loops[-1], [None, 28])
      sch.vectorize(vector)
  sch.parallel(row)
