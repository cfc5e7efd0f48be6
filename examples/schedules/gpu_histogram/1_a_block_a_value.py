# A block counts one value, its threads side by side: the data are read once for each value.
# from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  b0 = sch.get_block(name="H", func_name="main")
  l1, l2 = sch.get_loops(block=b0)
  l3, l4 = sch.split(loop=l2, factors=[None, 256])
  sch.bind(loop=l1, thread_axis="blockIdx.x")
  sch.bind(loop=l4, thread_axis="threadIdx.x")
