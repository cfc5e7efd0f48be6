# A block has 4 × 32 elements of a channel; the filter is the same for all of them.
# from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  b0 = sch.get_block(name="Y", func_name="main")
  l1, l2, l3, l4, l5 = sch.get_loops(block=b0)
  l6, l7 = sch.split(loop=l2, factors=[None, 4])
  l8, l9 = sch.split(loop=l3, factors=[None, 32])
  sch.reorder(l1, l6, l8, l7, l9)
  sch.bind(loop=l1, thread_axis="blockIdx.z")
  sch.bind(loop=l6, thread_axis="blockIdx.y")
  sch.bind(loop=l8, thread_axis="blockIdx.x")
  sch.bind(loop=l7, thread_axis="threadIdx.y")
  sch.bind(loop=l9, thread_axis="threadIdx.x")
