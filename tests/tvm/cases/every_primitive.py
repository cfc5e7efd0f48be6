# SPDX-License-Identifier: Apache-2.0
# Functions on which every_primitive_schedule.py carries out each primitive there is.
from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def loops(A: T.Buffer((16, 24), "float32"), D: T.Buffer((16, 24), "float32")):
        B = T.alloc_buffer((16, 24))
        C = T.alloc_buffer((16, 24))
        for i, j in T.grid(16, 24):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)
        for i, j in T.grid(16, 24):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi, vj] + T.float32(1)
        for i, j in T.grid(16, 24):
            with T.block("D"):
                vi, vj = T.axis.remap("SS", [i, j])
                D[vi, vj] = C[vi, vj] * T.float32(3)

    @T.prim_func
    def partitions(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"),
                   C: T.Buffer((8, 8), "float32"), D: T.Buffer((8, 8), "float32")):
        for i, j in T.grid(8, 8):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + T.float32(1)
        for i, j in T.grid(8, 8):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj] * T.float32(2)
        for i, j in T.grid(8, 8):
            with T.block("D"):
                vi, vj = T.axis.remap("SS", [i, j])
                D[vi, vj] = A[vi, vj] - T.float32(3)

    @T.prim_func
    def split_again(A: T.Buffer((12, 8), "float32"), B: T.Buffer((12, 8), "float32")):
        for i, j in T.grid(12, 8):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + T.float32(1)

    @T.prim_func
    def mm(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32, 32), "float32"),
           D: T.Buffer((32, 32), "float32")):
        C = T.alloc_buffer((32, 32))
        for i, j, k in T.grid(32, 32, 32):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
        for i, j in T.grid(32, 32):
            with T.block("D"):
                vi, vj = T.axis.remap("SS", [i, j])
                D[vi, vj] = T.max(C[vi, vj], T.float32(0))

    @T.prim_func
    def inlined(A: T.Buffer((16, 16), "float32"), E: T.Buffer((16, 16), "float32")):
        B = T.alloc_buffer((16, 16))
        C = T.alloc_buffer((16, 16))
        for i, j in T.grid(16, 16):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)
        for i, j in T.grid(16, 16):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi, vj] + T.float32(1)
        for i, j in T.grid(16, 16):
            with T.block("E"):
                vi, vj = T.axis.remap("SS", [i, j])
                E[vi, vj] = T.exp(C[vi, vj])

    @T.prim_func
    def bias(A: T.Buffer((6, 7), "float32"), B: T.Buffer((7, 6), "float32"), C: T.Buffer((6, 6), "float32"),
             D: T.Buffer((6, 6), "float32")):
        S = T.alloc_buffer((6, 6))
        for i, j, k in T.grid(6, 6, 7):
            with T.block("S"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    S[vi, vj] = T.float32(0)
                S[vi, vj] = S[vi, vj] + A[vi, vk] * B[vk, vj]
        for i, j in T.grid(6, 6):
            with T.block("D"):
                vi, vj = T.axis.remap("SS", [i, j])
                D[vi, vj] = S[vi, vj] + C[vi, vj]

    @T.prim_func
    def rows(A: T.Buffer((16, 32), "float32"), B: T.Buffer((16,), "float32")):
        for i, k in T.grid(16, 32):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]

    @T.prim_func
    def layouts(A: T.Buffer((16, 32), "float32"), C: T.Buffer((16, 32), "float32")):
        B = T.alloc_buffer((16, 32))
        for i, j in T.grid(16, 32):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)
        for i, j in T.grid(16, 32):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi, vj] + T.float32(1)

    @T.prim_func
    def reindexed(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16, 16), "float32"),
                  C: T.Buffer((16, 16), "float32")):
        for i, j, k in T.grid(16, 16, 16):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vk, vi] * B[vj, vk]

    @T.prim_func
    def in_place(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
        with T.block("A"):
            T.reads(A[0:16])
            T.writes(A[0:16])
            for i in range(16):
                A[i] = A[i] + T.float32(1)
        for i in range(16):
            with T.block("C"):
                vi = T.axis.spatial(16, i)
                C[vi] = A[vi]

    @T.prim_func
    def resized(A: T.Buffer((8, 8), "int32"), C: T.Buffer((16, 16), "int32")):
        B = T.alloc_buffer((8, 8), "int32")
        for i, j in T.grid(8, 8):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + 1
        for i, j in T.grid(16, 16):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi // 4 + vj // 4, vj // 2]

    @T.prim_func
    def padded(A: T.Buffer((20,), "int32"), B: T.Buffer((24,), "int32")):
        for i in range(24):
            with T.block("B"):
                vi = T.axis.spatial(24, i)
                B[vi] = T.if_then_else(vi >= 2 and vi < 22, A[vi - 2], 0, dtype="int32")

    @T.prim_func
    def einsum(A: T.Buffer((13, 10), "float32"), B: T.Buffer((10, 13), "float32"),
               C: T.Buffer((13, 13), "float32")):
        for i, j, k in T.grid(13, 13, 10):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    @T.prim_func
    def pools(A: T.Buffer((12, 12), "int8"), C: T.Buffer((8, 8), "int8")):
        B = T.alloc_buffer((10, 12), "int8")
        for h, w, kh in T.grid(10, 12, 3):
            with T.block("B"):
                vh, vw, vkh = T.axis.remap("SSR", [h, w, kh])
                with T.init():
                    B[vh, vw] = T.int8(-128)
                B[vh, vw] = T.max(B[vh, vw], A[vh + vkh, vw])
        for h, w, kh in T.grid(8, 8, 3):
            with T.block("C"):
                vh, vw, vkh = T.axis.remap("SSR", [h, w, kh])
                with T.init():
                    C[vh, vw] = T.int8(-128)
                C[vh, vw] = T.max(C[vh, vw], B[vh + vkh, vw])

    @T.prim_func
    def dot(A: T.Buffer((4,), "uint8"), B: T.Buffer((16, 4), "int8"), C: T.Buffer((16,), "int32")):
        for i, k in T.grid(16, 4):
            with T.block("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    C[vi] = 0
                C[vi] = C[vi] + T.Cast("int32", A[vk]) * T.Cast("int32", B[vi, vk])

    @T.prim_func
    def sampled(A: T.Buffer((64, 64), "float32"), C: T.Buffer((64, 64), "float32")):
        B = T.alloc_buffer((64, 64))
        for i, j in T.grid(64, 64):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)
        for i, j in T.grid(64, 64):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi, vj] + T.float32(1)
