# Blocks count in parts of the data, from shared memory, a thread for each value; then the parts are added.
# from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  b0 = sch.get_block(name="H", func_name="main")
  l1, l2 = sch.get_loops(block=b0)
  l3, l4 = sch.split(loop=l2, factors=[64, None])
  b5 = sch.rfactor(loop=l3, factor_axis=0)
  l6, l7, l8 = sch.get_loops(block=b5)
  sch.bind(loop=l7, thread_axis="blockIdx.x")
  sch.reorder(l7, l6, l8)
  sch.bind(loop=l6, thread_axis="threadIdx.x")
  b9 = sch.cache_read(block=b5, read_buffer_index=0, storage_scope="shared")
  sch.compute_at(block=b9, loop=l7, preserve_unit_loops=False)
  l10 = sch.get_loops(block=b9)[-1]
  l11, l12 = sch.split(loop=l10, factors=[None, 256])
  sch.bind(loop=l12, thread_axis="threadIdx.x")
  l13, l14 = sch.get_loops(block=b0)
  l15, l16 = sch.split(loop=l13, factors=[None, 64])
  sch.bind(loop=l15, thread_axis="blockIdx.x")
  sch.bind(loop=l16, thread_axis="threadIdx.x")
