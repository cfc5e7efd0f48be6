# SPDX-License-Identifier: Apache-2.0
"""Rows of products and convolutions of uint8 and int8 in int32."""

import pathlib

import numpy as np

from native import aligned

PRODUCT = """
@T.prim_func
def main(A: T.Buffer(({m}, {k}), "uint8"), B: T.Buffer(({k}, {n}), "int8"), C: T.Buffer(({m}, {n}), "int32")):
    for i, j, k in T.grid({m}, {n}, {k}):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = 0
            C[vi, vj] = C[vi, vj] + T.Cast("int32", A[vi, vk]) * T.Cast("int32", B[vk, vj])
"""

CONVOLUTION = """
@T.prim_func
def main(X: T.Buffer((1, {c}, {h}, {h}, {b}), "uint8"),
         W: T.Buffer(({o}, {c}, {k}, {k}, {q}, {b}, 4), "int8"),
         Y: T.Buffer((1, {o}, {h}, {h}, {b}), "int32")):
    P = T.alloc_buffer((1, {c}, {h} + 2 * {pad}, {h} + 2 * {pad}, {b}), "uint8")
    for n, c, h, w, b in T.grid(1, {c}, {h} + 2 * {pad}, {h} + 2 * {pad}, {b}):
        with T.block("pad"):
            vn, vc, vh, vw, vb = T.axis.remap("SSSSS", [n, c, h, w, b])
            P[vn, vc, vh, vw, vb] = T.if_then_else(
                {pad} <= vh and vh < {h} + {pad} and {pad} <= vw and vw < {h} + {pad},
                X[vn, vc, vh - {pad}, vw - {pad}, vb], T.uint8(0))
    for n, f, h, w, i, c, r, s, q, d in T.grid(1, {o}, {h}, {h}, {b}, {c}, {k}, {k}, {q}, 4):
        with T.block("Y"):
            vn, vf, vh, vw, vi = T.axis.remap("SSSSS", [n, f, h, w, i])
            vc, vr, vs, vq, vd = T.axis.remap("RRRRR", [c, r, s, q, d])
            with T.init():
                Y[vn, vf, vh, vw, vi] = 0
            Y[vn, vf, vh, vw, vi] = Y[vn, vf, vh, vw, vi] + (
                T.Cast("int32", P[vn, vc, vh + vr, vw + vs, vq * 4 + vd])
                * T.Cast("int32", W[vf, vc, vr, vs, vq, vi, vd]))
"""


def has_tiles():
    """Whether the processor has tile registers for bytes, which the recipes use then."""
    return "amx_int8" in pathlib.Path("/proc/cpuinfo").read_text()


def check(result, expected):
    if not np.array_equal(result, expected):
        raise RuntimeError("a wrong result")


class Product:
    """C = A · B, plain rows on both sides; B is packed in each call."""

    def __init__(self, m, n, k):
        self.m, self.n, self.k = m, n, k
        self.name, self.size = "int8 product", f"{m}×{n}×{k}"
        self.work, self.unit = 2.0 * m * n * k, "GOPS"
        self.kernel = None

    def contenders(self, peers, threads):
        a, b = aligned((self.m, self.k), "uint8", seed=1), aligned((self.k, self.n), "int8", seed=2)
        c = aligned((self.m, self.n), "int32")
        module = peers.nestwright.folder / "int8_product.py"
        module.write_text(PRODUCT.format(m=self.m, n=self.n, k=self.k))
        library = peers.nestwright.library(str(module), f"recipe:gemm_int8:threads={threads}")

        def ours():
            run = peers.native.kernel(library, [a, b, c], threads)
            run(1)
            check(c, (a.astype(np.float64) @ b).astype(np.int32))
            return run

        sizes = (self.m, self.n, self.k)
        return {
            "Nestwright": ours,
            "oneDNN": lambda: peers.native.call("onednnByteProduct", *sizes, a, b, c),
        }


class Convolution:
    """An image of c × h × h, o filters of k × k, of the same size; each on its own layout: ours has channels
    and filters in blocks of a vector's lanes, or of a row of a tile."""

    def __init__(self, c, h, o, k):
        self.block = 64 if has_tiles() else 16
        self.c, self.h, self.o, self.k, self.pad = c, h, o, k, k // 2
        self.name, self.size = "int8 convolution", f"{c}×{h}×{h} → {o}, {k}×{k}"
        self.work, self.unit = 2.0 * o * h * h * c * k * k, "GOPS"
        self.kernel = None

    def expected(self, x, w):
        image = np.pad(x.astype(np.float64), ((0, 0), (0, 0), *[(self.pad, self.pad)] * 2, (0, 0)))
        image = image.transpose(0, 2, 3, 1, 4).reshape(*image.shape[2:4], self.c)
        filters = w.astype(np.float64).transpose(2, 3, 1, 4, 6, 0, 5).reshape(self.k, self.k, self.c, self.o)
        y = np.zeros((self.h, self.h, self.o))
        for row in range(self.k):
            for column in range(self.k):
                part = image[row : row + self.h, column : column + self.h]
                y += part @ filters[row, column]
        blocks = y.reshape(self.h, self.h, self.o // self.block, self.block).transpose(2, 0, 1, 3)
        return blocks[None].astype(np.int32)

    def contenders(self, peers, threads):
        block = self.block
        c, h, o, k = self.c // block, self.h, self.o // block, self.k
        x = aligned((1, c, h, h, block), "uint8", seed=1)
        w = aligned((o, c, k, k, block // 4, block, 4), "int8", seed=2)
        y = aligned((1, o, h, h, block), "int32")
        module = peers.nestwright.folder / f"int8_convolution_{self.c}_{h}_{self.o}_{k}.py"
        module.write_text(CONVOLUTION.format(c=c, h=h, o=o, k=k, pad=self.pad, b=block, q=block // 4))
        library = peers.nestwright.library(str(module), "recipe:conv2d_int8:block=Y")
        sizes = np.array([self.c, h, self.o, k, self.pad], np.int64)

        def ours():
            run = peers.native.kernel(library, [x, w, y], threads)
            run(1)
            check(y, self.expected(x, w))
            return run

        return {
            "Nestwright": ours,
            "oneDNN": lambda: peers.native.call("onednnByteConvolution", sizes, w),
        }


def rows():
    convolutions = [(64, 56, 64, 3), (128, 28, 128, 3), (256, 14, 256, 3), (256, 14, 1024, 1)]
    return [Product(1024, 1024, 1024)] + [Convolution(*size) for size in convolutions]
