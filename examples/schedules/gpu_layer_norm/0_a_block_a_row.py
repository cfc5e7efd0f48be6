# A block keeps the two sums of its row in shared memory.
# from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  b0 = sch.get_block(name="total", func_name="main")
  b1 = sch.get_block(name="squares", func_name="main")
  b2 = sch.get_block(name="Y", func_name="main")
  sch.set_scope(block=b0, buffer_index=0, storage_scope="shared")
  sch.set_scope(block=b1, buffer_index=0, storage_scope="shared")
  l3, l4 = sch.get_loops(block=b2)
  sch.bind(loop=l3, thread_axis="blockIdx.x")
  l5, l6 = sch.split(loop=l4, factors=[None, 128])
  sch.bind(loop=l6, thread_axis="threadIdx.x")
  sch.compute_at(block=b1, loop=l3, preserve_unit_loops=True)
  sch.compute_at(block=b0, loop=l3, preserve_unit_loops=True)
  l7 = sch.get_loops(block=b1)[-1]
  l8, l9 = sch.split(loop=l7, factors=[None, 128])
  sch.bind(loop=l9, thread_axis="threadIdx.x")
  l10 = sch.get_loops(block=b0)[-1]
  l11, l12 = sch.split(loop=l10, factors=[None, 128])
  sch.bind(loop=l12, thread_axis="threadIdx.x")
