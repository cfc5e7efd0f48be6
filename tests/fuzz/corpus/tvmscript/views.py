# SPDX-License-Identifier: Apache-2.0
from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 16), "float32"), b: T.handle):
    B = T.match_buffer(b, (4, 64), offset_factor=1)
    A_flat = A.view(256)
    A_wide = A_flat.view(-1, 32)
    A_bits = A.view("int32")
    A_half = A.view("float16")
    C = T.decl_buffer((256,), data=A_flat.data)
    for i in range(256):
        B[i // 64, i % 64] = A_flat[i] + A_wide[i // 32, i % 32] + C[i]
        if A_bits[0, 0] > 0:
            A_half[0, 31] = T.float16(1)
