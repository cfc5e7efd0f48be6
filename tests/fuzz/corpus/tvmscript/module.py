# SPDX-License-Identifier: Apache-2.0
from tvm.script import ir as I
from tvm.script import tir as T
@I.ir_module
class Mod:
    I.module_attrs({"version": 3, "names": ["a", "b"]})
    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": True, "target": T.target({"kind": "cuda", "host": T.target("llvm"), "keys": []})})
        Mod.twice(A.data, 4)
        A[0] = Mod.half(A[1])
        Mod.half(A[2]) + Mod.half(A[3])
    @T.prim_func(private=True)
    def twice(p: T.handle("float32"), n: T.int32):
        P = T.Buffer((n,), data=p)
        for i in T.parallel(n, annotations={"k": {"x": [1, 2.5, "s"]}}):
            P[i] = P[i] * 2.0
    @T.prim_func
    def half(x: T.float32) -> T.float32:
        return x * 0.5
