# SPDX-License-Identifier: Apache-2.0
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), b: T.handle):
    n = T.int32()
    B = T.match_buffer(b, (n, 8), strides=("across", "down"), offset_factor=1)
    A_flat = T.Buffer((64,), data=A.data)
    B_flat = T.Buffer((B.strides[0] * n,), data=B.data, elem_offset=B.elem_offset)
    for i in range(64):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B_flat[vi * B.strides[1]] = A_flat[vi] * T.float32(2)
