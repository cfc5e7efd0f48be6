# Panels of B that fit the second-level cache, copied right before all rows of A pass them.
# from tvm import tir
def apply_trace(sch: tir.Schedule, lanes=8, registers=16) -> None:
  rows = registers // 4
  columns = 2 * lanes
  side = 128 // columns
  b0 = sch.get_block(name="C", func_name="main")
  l1, l2, l3 = sch.get_loops(block=b0)
  l4, l5 = sch.split(loop=l1, factors=[None, rows], preserve_unit_iters=True, disable_predication=False)
  l30, l6, l7, l8 = sch.split(loop=l2, factors=[None, side, 2, lanes], preserve_unit_iters=True)
  sch.reorder(l30, l4, l6, l3, l5, l7, l8)
  b9 = sch.cache_write(block=b0, write_buffer_index=0, storage_scope="local")
  sch.reverse_compute_at(block=b9, loop=l6, preserve_unit_loops=False, index=-1)
  sch.parallel(loop=l30)
  sch.unroll(loop=l5)
  sch.unroll(loop=l7)
  sch.vectorize(loop=l8)
  b22 = sch.cache_read(block=b0, read_buffer_index=1, storage_scope="global")
  sch.transform_layout(block=b0, buffer=("read", 1), index_map=lambda k, j: (j // columns, k, j % columns))
  sch.compute_at(block=b22, loop=l30, preserve_unit_loops=False, index=-1)
  b10 = sch.decompose_reduction(block=b0, loop=l3)
  l11, l12, l28, l13, l14, l15 = sch.get_loops(block=b10)
  sch.unroll(loop=l13)
  sch.unroll(loop=l14)
  sch.vectorize(loop=l15)
  l16, l17, l29, l18, l19 = sch.get_loops(block=b9)
  l20, l21 = sch.split(loop=l19, factors=[None, lanes], preserve_unit_iters=True, disable_predication=False)
  sch.unroll(loop=l18)
  sch.unroll(loop=l20)
  sch.vectorize(loop=l21)
  l22, l23, l24 = sch.get_loops(block=b22)
  l25, l26 = sch.split(loop=l24, factors=[None, columns], preserve_unit_iters=True, disable_predication=False)
  sch.reorder(l25, l23, l26)
  sch.vectorize(loop=l26)
