# SPDX-License-Identifier: Apache-2.0
# kernel: op:matmul(M=1024,N=1024,K=1024)
# fault: unpacked-operand
# from tvm import tir
def apply(sch: tir.Schedule) -> None:
  c = sch.get_block("C")
  i, j, k = sch.get_loops(c)
  i0, i1, i2 = sch.split(i, [None, 8, 8])
  j0, j1, j2 = sch.split(j, [None, 2, 16])
  sch.reorder(i0, j0, i1, k, i2, j1, j2)
  out = sch.cache_write(c, 0, "local")
  sch.reverse_compute_at(out, i1)
  sch.parallel(i0)
  sch.unroll(i2)
  sch.unroll(j1)
  sch.vectorize(j2)
  zero = sch.decompose_reduction(c, k)
  sch.unroll(sch.get_loops(zero)[-3])
  sch.unroll(sch.get_loops(zero)[-2])
  sch.vectorize(sch.get_loops(zero)[-1])
  sch.unroll(sch.get_loops(out)[-2])
  o0, o1 = sch.split(sch.get_loops(out)[-1], [None, 16])
  sch.unroll(o0)
  sch.vectorize(o1)
