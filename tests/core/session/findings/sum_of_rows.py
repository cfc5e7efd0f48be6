# SPDX-License-Identifier: Apache-2.0
# from tvm import tir
def sum_of_rows(sch: tir.Schedule, parts=1, threads=1) -> None:
  i, k = sch.get_loops(sch.get_block("B"))
  if parts:
    sch.annotate(k, "reassociate", 1)
  if threads:
    sch.parallel(i)
