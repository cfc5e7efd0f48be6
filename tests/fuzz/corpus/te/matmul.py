# SPDX-License-Identifier: Apache-2.0
import tvm
from tvm import te
M, N, K = 32, 16, 8
A = te.placeholder((M, K), name="A")
B = te.placeholder((K, N), name="B", dtype="float32")
k = te.reduce_axis((0, K), name="k")
C = te.compute((M, N), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
D = te.compute((M, N), lambda *i: te.if_then_else(C(*i) > 0, te.exp(C(*i)), tvm.tir.const(0, "float32")), name="D")
s = te.create_schedule(D.op)
i, j = s[C].op.axis
io, ii = s[C].split(i, factor=4)
s[C].reorder(io, j, ii)
s[C].vectorize(ii)
xo, yo, xi, yi = s[D].tile(D.op.axis[0], D.op.axis[1], 4, 4)
s[C].compute_at(s[D], xo)
func = te.create_prim_func([A, B, D])
