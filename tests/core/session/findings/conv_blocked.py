# SPDX-License-Identifier: Apache-2.0
# from tvm import tir
# A convolution in blocks of 16 channels: a tile of 14 columns of two blocks, which AVX2 has no registers for.
def conv_blocked(sch: tir.Schedule) -> None:
  b = sch.get_block("conv")
  n, f, h, w, fi, c, y, x, ci = sch.get_loops(b)
  f0, f1 = sch.split(f, [None, 2])
  sch.reorder(n, f0, h, c, y, x, ci, w, f1, fi)
  rows = sch.fuse(n, f0, h)
  relu = sch.get_block("relu")
  sch.reverse_compute_at(relu, rows, preserve_unit_loops=True)
  sch.parallel(rows)
  sch.unroll(w)
  sch.unroll(f1)
  sch.vectorize(fi)
  init = sch.decompose_reduction(b, c)
  for loop in sch.get_loops(init)[1:-1]:
    sch.unroll(loop)
  sch.vectorize(sch.get_loops(init)[-1])
  for loop in sch.get_loops(relu)[1:-1]:
    sch.unroll(loop)
  sch.vectorize(sch.get_loops(relu)[-1])
