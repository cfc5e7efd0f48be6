# SPDX-License-Identifier: Apache-2.0
from tvm.script import tirx as T
@T.prim_func(s_tir=True)
def main(A: T.Buffer(("n", 4), "float32"), a: T.handle):
    n = T.int64()
    B = T.match_buffer(a, (n, T.int64(4)))
    C = T.sblock_alloc_buffer((4,))
    x: T.let[T.int32] = 3
    for i, j in T.grid(n, 4):
        with T.sblock("b"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.sblock_attr({"tirx.k": x})
            B[vi, vj] = A[vi, vj] & 3 if False else A[vi, vj] ** 2.0
