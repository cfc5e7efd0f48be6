# SPDX-License-Identifier: Apache-2.0
from tvm import te, tir
n = te.var("n")
A = te.placeholder((n, 4), name="A")
I = te.placeholder((n, 4), name="I", dtype="int32")
k = te.reduce_axis((0, 4), "k")
argmax = te.comm_reducer(lambda x, y: (tir.Select(x[1] >= y[1], x[0], y[0]), tir.Select(x[1] >= y[1], x[1], y[1])), lambda t0, t1: (tir.const(-1, t0), te.min_value(t1)), name="argmax")
R, V = te.compute((n,), lambda i: argmax((I[i, k], A[i, k]), axis=k), name="T")
f = te.create_prim_func([I, A, R, V])
