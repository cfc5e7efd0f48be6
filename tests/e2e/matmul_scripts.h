// SPDX-License-Identifier: GPL-3.0-or-later
/// A small matrix product and a schedule of it, as files that a person opens.
#pragma once

namespace nestwright::e2e {

inline constexpr const char *smallMatmul = R"(from tvm import te
A = te.placeholder((64, 64), name="A")
B = te.placeholder((64, 64), name="B")
k = te.reduce_axis((0, 64), name="k")
C = te.compute((64, 64), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
func = te.create_prim_func([A, B, C])
)";

/// Five steps: two splits, reorder, parallel, vectorize.
inline constexpr const char *tiledSchedule = R"(def apply_trace(sch):
  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  i0, i1 = sch.split(i, [None, 16])
  j0, j1 = sch.split(j, [None, 8])
  sch.reorder(i0, j0, k, i1, j1)
  sch.parallel(i0)
  sch.vectorize(j1)
)";

} // namespace nestwright::e2e
