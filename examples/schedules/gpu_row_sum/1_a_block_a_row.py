# A block sums a row: each thread every 256th element, then all together in shared memory.
# from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  b0 = sch.get_block(name="B", func_name="main")
  l1, l2 = sch.get_loops(block=b0)
  l3, l4 = sch.split(loop=l2, factors=[None, 256])
  sch.bind(loop=l1, thread_axis="blockIdx.x")
  sch.bind(loop=l4, thread_axis="threadIdx.x")
