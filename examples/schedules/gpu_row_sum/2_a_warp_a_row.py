# A warp sums a row, eight of them in a block.
# from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  b0 = sch.get_block(name="B", func_name="main")
  l1, l2 = sch.get_loops(block=b0)
  l3, l4 = sch.split(loop=l1, factors=[None, 8])
  l5, l6 = sch.split(loop=l2, factors=[None, 32])
  sch.bind(loop=l3, thread_axis="blockIdx.x")
  sch.bind(loop=l4, thread_axis="threadIdx.y")
  sch.bind(loop=l6, thread_axis="threadIdx.x")
