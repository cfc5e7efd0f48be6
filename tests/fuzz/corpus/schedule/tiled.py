# SPDX-License-Identifier: Apache-2.0
from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  b0 = sch.get_block(name="C", func_name="main")
  l1, l2, l3 = sch.get_loops(block=b0)
  l4, l5 = sch.split(loop=l1, factors=[None, 8], preserve_unit_iters=True, disable_predication=False)
  sch.reorder(l4, l2, l5, l3)
  sch.parallel(loop=l4)
  sch.vectorize(loop=l5)
  b6 = sch.decompose_reduction(block=b0, loop=l2)
  b7 = sch.get_block(name="D", func_name="main")
  sch.reverse_compute_at(block=b7, loop=l4, preserve_unit_loops=False, index=-1)
