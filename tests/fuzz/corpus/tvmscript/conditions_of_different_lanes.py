# SPDX-License-Identifier: Apache-2.0
@T.prim_func
def main(A: T.Buffer((8,), "float8_e4m3fn"), B: T.Buffer((8,), "int8"), C: T.Buffer((64,), "float32"), x: T.bfloat16, u: T.uint64, f: T.bool):
    A[0] = T.float8_e4m3fn(0.5)
    B[0] = T.int4(-3)
    C[0:T.vscale() * 4] = T.Broadcast(1.0, 4 * T.vscale())
    T.evaluate(u + T.uint64(18446744073709551615))
    T.evaluate(x * T.bfloat16(1.5) > T.bfloat16("-inf"))
    T.evaluate(f or T.Not(T.bool(True)) and T.And(f, T.bool(False)))
    T.evaluate(T.Let(y + 1, where={y: T.int64(9223372036854775807)}))
    T.evaluate(T.min(T.Min(1, 2), T.Max(u, u)))
    v: T.float64 = T.max_value("float64") / T.float64(3)
    T.evaluate((C[0:4] > 0) and (C[2:8] > 1))
    T.evaluate(T.call_llvm_pure_intrin("float64", "llvm.sqrt.f64", T.uint32(1), v))
    T.evaluate(T.call_intrin("int32", "tir.dma_wait", 1, 0))
