# SPDX-License-Identifier: Apache-2.0
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "float32"), Q: T.Buffer((64,), "uint8")):
    for i in range(64):
        A[i] = T.q_multiply_shift(A[i], 1395864371, 31, -2) + T.q_multiply_shift_per_axis(A[i], 3, 1, 2, 31, True, False)
        B[i] = T.call_llvm_pure_intrin("float32", "llvm.sqrt.f32", T.uint32(1), B[i])
        B[i] = T.call_llvm_intrin("float32", "llvm.fmuladd", B[i], B[i], T.float32(1))
        A[A[0] > i] = T.call_llvm_pure_intrin("int32", "llvm.umax", A[i], i)
    words: T.int32x16 = T.reinterpret("int32x16", Q[0:64])
    A[0:16] = T.call_llvm_pure_intrin("int32x16", "llvm.x86.avx512.vpdpbusd.512", words, words, words)
    T.evaluate(T.reinterpret("uint64", A.data))
