# SPDX-License-Identifier: Apache-2.0
# kernel: op:row_sum(M=2048,N=2048)
# fault: idle-threads
# from tvm import tir
def apply(sch: tir.Schedule) -> None:
  i, k = sch.get_loops(sch.get_block("B"))
  sch.annotate(k, "reassociate", 1)
