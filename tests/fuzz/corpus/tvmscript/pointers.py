# SPDX-License-Identifier: Apache-2.0
from tvm.script import tir as T
@T.prim_func
def main(p: T.handle("int8"), q: T.handle("int8", "shared"), r: T.handle, I: T.Buffer((64,), "int32")) -> T.int32:
    s: T.handle("int32", "local") = T.address_of(I[3])
    with T.LetStmt(T.address_of(I[4]), T.handle("int32")) as t:
        T.evaluate(T.call_extern("int32", "f", p, q, r, s, t))
    free = T.handle("float32", "shared")
    V = T.decl_buffer((4, 4), data=free, scope="shared", strides=[8, 1], elem_offset=2)
    V[0, 1] = T.float32("nan")
    return I[0]
