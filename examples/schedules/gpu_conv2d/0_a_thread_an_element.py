# The padding is computed where it is read; neighbouring threads have neighbours of a row.
# from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  b0 = sch.get_block(name="pad", func_name="main")
  b1 = sch.get_block(name="Y", func_name="main")
  sch.compute_inline(block=b0)
  l2, l3, l4, l5, l6, l7, l8 = sch.get_loops(block=b1)
  l9 = sch.fuse(l2, l3)
  l10, l11 = sch.split(loop=l4, factors=[None, 4])
  l12, l13 = sch.split(loop=l5, factors=[None, 32])
  sch.reorder(l9, l10, l12, l11, l13)
  sch.bind(loop=l9, thread_axis="blockIdx.z")
  sch.bind(loop=l10, thread_axis="blockIdx.y")
  sch.bind(loop=l12, thread_axis="blockIdx.x")
  sch.bind(loop=l11, thread_axis="threadIdx.y")
  sch.bind(loop=l13, thread_axis="threadIdx.x")
