# A tile is read row by row into shared memory and turned over there: 32 threads then want the same bank.
# from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  b0 = sch.get_block(name="B", func_name="main")
  b1 = sch.cache_read(block=b0, read_buffer_index=0, storage_scope="shared")
  l1, l2 = sch.get_loops(block=b0)
  l3, l4 = sch.split(loop=l1, factors=[None, 32])
  l5, l6 = sch.split(loop=l2, factors=[None, 32])
  sch.reorder(l3, l5, l4, l6)
  sch.bind(loop=l3, thread_axis="blockIdx.y")
  sch.bind(loop=l5, thread_axis="blockIdx.x")
  sch.bind(loop=l4, thread_axis="threadIdx.y")
  sch.bind(loop=l6, thread_axis="threadIdx.x")
  sch.compute_at(block=b1, loop=l5, preserve_unit_loops=False)
  l7, l8, l9, l10 = sch.get_loops(block=b1)
  sch.bind(loop=l9, thread_axis="threadIdx.y")
  sch.bind(loop=l10, thread_axis="threadIdx.x")
