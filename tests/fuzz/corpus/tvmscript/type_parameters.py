# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main[cols, rows: int](A: T.Buffer((rows, cols * T.int64(2)), "float32"), B: T.Buffer((cols,), "float32"), k: T.int64):
        for i, j in T.grid(rows, cols):
            with T.sblock("B"):
                vi, vj = T.axis.remap("RS", [i, j])
                with T.init():
                    B[vj] = T.float32(0.0)
                B[vj] = B[vj] + A[vi, vj * T.int64(2)]

    @T.prim_func(private=True, s_tir=True)
    def other[cols](a: T.handle, C: T.Buffer((cols,), "int8")):
        A = T.match_buffer(a, (cols, 4), "int8", strides=(cols, 1))
        C[0] = A[0, 0]
