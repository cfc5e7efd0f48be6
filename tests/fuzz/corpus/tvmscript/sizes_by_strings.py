# SPDX-License-Identifier: Apache-2.0
# from typing import TypeVar
# from tvm.script import tirx as T
rows = TypeVar("rows")
cols = TypeVar("cols")

@T.prim_func(s_tir=True)
def main(A: T.Buffer(("n", "n + m", rows), "float32"), B: T.Buffer((n, "m"), "float32"), C: T.Buffer((cols, "k"), "int8"), k: T.int32):
    n, m = T.int32(), T.int32()
    T.func_attr({"tirx.noalias": True})
    for i, j in T.grid(n, m):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj, rows - 1] + T.Cast("float32", C[0, k - 1])
