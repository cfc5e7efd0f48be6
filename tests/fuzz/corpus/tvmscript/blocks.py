# SPDX-License-Identifier: Apache-2.0
import tvm
from tvm.script import tir as T
size = 16
dims = (4, size)
def place(i, j):
    row = i % 4
    return row, j // 2 * 2
@T.macro
def put(buffer, at, *, value):
    buffer[at] = value
@T.prim_func
def main(A: T.Buffer((4, 16), "float32"), C: T.Buffer((4, 16), "float32"), I: T.Buffer((64,), "int64")):
    B = T.alloc_buffer([*dims], "float32", scope="shared", axis_separators=[1])
    for *i, j in T.grid(*dims):
        with T.block("B"):
            vi = T.axis.spatial(4, i[0])
            vj = T.axis.S((0, 16), j)
            T.where(j < 15 and T.likely(i[0] + j != 3))
            T.reads(A[vi, vj], A[0:4, 2:5])
            T.writes([B[vi, vj]])
            T.block_attr({"tag": "x"})
            T.block_attr({"layout": [A, {"k": None}]})
            a, b = T.meta_var(place(vi, vj))
            B[a, b] = A[vi, vj] * T.float32(2) - -1.5
    for i0 in T.thread_binding(0, 4, thread="threadIdx.x"):
        for j0 in T.vectorized(1, 17):
            for k0 in T.serial(0, 16, annotations={"stage": [0, 1]}):
                with T.block("C"):
                    vi, vk = T.axis.remap("SR", [i0, k0])
                    vj = T.axis.opaque(16, j0 - 1)
                    M = T.match_buffer(B[vi, 0:16], (16,), strides=["s0"], offset_factor=1, scope="shared")
                    with T.init():
                        C[vi, vj] = T.float32(0)
                    C[vi, vj] += M[vk] * T.Select(vk > 3, T.exp(M[0]), T.Cast("float32", M.elem_offset))
    for i1 in T.unroll(0, 64, step=2):
        put(I, i1, value=T.shift_left(I[i1], T.int64(2)) | T.int64(i1))
