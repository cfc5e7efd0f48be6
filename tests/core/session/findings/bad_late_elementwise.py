# SPDX-License-Identifier: Apache-2.0
# kernel: op:elementwise_chain(n=4194304)
# fault: late-stage
# from tvm import tir
def apply(sch: tir.Schedule) -> None:
  stages = sch.get_child_blocks(sch.get_block("root"))
  for stage in stages:
    part, block, vector = sch.split(sch.get_loops(stage)[0], [2, None, 16])
    sch.parallel(part)
    sch.vectorize(vector)
