# One thread for each element: a block of threads works on 16 × 16 of them.
# from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  b0 = sch.get_block(name="C", func_name="main")
  l1, l2, l3 = sch.get_loops(block=b0)
  l4, l5 = sch.split(loop=l1, factors=[None, 16], preserve_unit_iters=True, disable_predication=False)
  l6, l7 = sch.split(loop=l2, factors=[None, 16], preserve_unit_iters=True, disable_predication=False)
  sch.reorder(l4, l6, l5, l7)
  sch.bind(loop=l4, thread_axis="blockIdx.y")
  sch.bind(loop=l6, thread_axis="blockIdx.x")
  sch.bind(loop=l5, thread_axis="threadIdx.y")
  sch.bind(loop=l7, thread_axis="threadIdx.x")
