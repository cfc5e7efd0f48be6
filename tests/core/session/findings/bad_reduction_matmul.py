# SPDX-License-Identifier: Apache-2.0
# kernel: op:matmul(M=512,N=512,K=512)
# fault: reduction-innermost
# from tvm import tir
def apply(sch: tir.Schedule) -> None:
  sch.parallel(sch.get_loops(sch.get_block("C"))[0])
