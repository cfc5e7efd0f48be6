# SPDX-License-Identifier: Apache-2.0
@T.prim_func
def main(A: T.Buffer((64,), "float32"), n: T.int16):
    T.realize(A[1:n], "local")
    A[0] = 1.0
