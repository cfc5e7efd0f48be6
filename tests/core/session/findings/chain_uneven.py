# SPDX-License-Identifier: Apache-2.0
# from tvm import tir
def chain_uneven(sch: tir.Schedule) -> None:
  stages = sch.get_child_blocks(sch.get_block("root"))
  for stage in stages[:-1]:
    sch.compute_inline(stage)
  block, vector = sch.split(sch.get_loops(stages[-1])[0], [None, 24])
  sch.vectorize(vector)
  sch.parallel(block)
