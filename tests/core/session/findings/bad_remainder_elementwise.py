# SPDX-License-Identifier: Apache-2.0
# kernel: op:elementwise_chain(n=4194304)
# fault: scalar-remainder
# from tvm import tir
def apply(sch: tir.Schedule) -> None:
  stages = sch.get_child_blocks(sch.get_block("root"))
  for stage in stages[:-1]:
    sch.compute_inline(stage)
  elements = sch.get_loops(stages[-1])[0]
  block, vector = sch.split(elements, [None, 24])
  sch.vectorize(vector)
  sch.parallel(block)
