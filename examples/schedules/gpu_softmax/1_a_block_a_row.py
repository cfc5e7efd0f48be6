# A block keeps its row in shared memory: one kernel, memory is read once and written once.
# from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  b0 = sch.get_block(name="row_max", func_name="main")
  b1 = sch.get_block(name="row_exp", func_name="main")
  b2 = sch.get_block(name="row_sum", func_name="main")
  b3 = sch.get_block(name="B", func_name="main")
  sch.set_scope(block=b0, buffer_index=0, storage_scope="shared")
  sch.set_scope(block=b1, buffer_index=0, storage_scope="shared")
  sch.set_scope(block=b2, buffer_index=0, storage_scope="shared")
  l4, l5 = sch.get_loops(block=b3)
  sch.bind(loop=l4, thread_axis="blockIdx.x")
  l6, l7 = sch.split(loop=l5, factors=[None, 128])
  sch.bind(loop=l7, thread_axis="threadIdx.x")
  sch.compute_at(block=b2, loop=l4, preserve_unit_loops=True)
  sch.compute_at(block=b1, loop=l4, preserve_unit_loops=True)
  sch.compute_at(block=b0, loop=l4, preserve_unit_loops=True)
  l8 = sch.get_loops(block=b2)[-1]
  l9, l10 = sch.split(loop=l8, factors=[None, 128])
  sch.bind(loop=l10, thread_axis="threadIdx.x")
  l11 = sch.get_loops(block=b1)[-1]
  l12, l13 = sch.split(loop=l11, factors=[None, 128])
  sch.bind(loop=l13, thread_axis="threadIdx.x")
  l14 = sch.get_loops(block=b0)[-1]
  l15, l16 = sch.split(loop=l14, factors=[None, 128])
  sch.bind(loop=l16, thread_axis="threadIdx.x")
