# SPDX-License-Identifier: Apache-2.0
# kernel: op:elementwise_chain(n=4194304)
# fault: none
# from tvm import tir
def apply(sch: tir.Schedule) -> None:
  stages = sch.get_child_blocks(sch.get_block("root"))
  for stage in stages[:-1]:
    sch.compute_inline(stage)
  elements = sch.get_loops(stages[-1])[0]
  part, block, vector = sch.split(elements, [2, None, 16])
  sch.parallel(part)
  sch.vectorize(vector)
