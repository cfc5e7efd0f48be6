# SPDX-License-Identifier: Apache-2.0
from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def main(V: T.Buffer((9,), "float32"), out: T.Buffer((9,), "int64")):
    with T.sblock("count"):
        T.reads()
        T.writes()
        for v in T.parallel(9):
            low: T.int64
            high: T.int64 = T.int64(9)
            low = T.int64(0)
            half: T.let[T.int64] = T.int64(4)
            last = T.local_scalar("float32")
            last = T.float32(0)
            while low < high:
                middle: T.int64 = low + (high - low >> T.int64(1))
                if V[middle] < V[v]:
                    low = middle + T.int64(1)
                else:
                    high = middle
                last += V[middle]
                half_of = half * 2
            out[v] = low + T.Cast("int64", last)
