# SPDX-License-Identifier: Apache-2.0
"""Rows of matrix products."""

import pathlib

import numpy as np

from compilers import Kernel
from native import aligned, check


class Product:
    """C = A · B in float32, plain rows on both sides; by a recipe, or a rung of the ladder."""

    def __init__(self, m, n, k, rung=None):
        self.m, self.n, self.k, self.rung = m, n, k, rung
        self.name, self.size = f"ladder: {rung.stem}" if rung else "sgemm", f"{m}×{n}×{k}"
        self.work, self.unit = 2.0 * m * n * k, "GFLOPS"
        self.kernel = None
        if not rung and (m, n, k) in [(512,) * 3, (1000,) * 3, (1024,) * 3]:  # compared with compilers
            self.kernel = Kernel("product", [(m, k), (k, n)], (m, n), lambda a, b: a @ b)

    def contenders(self, peers, threads):
        a, b = aligned((self.m, self.k), seed=1), aligned((self.k, self.n), seed=2)
        c = aligned((self.m, self.n))
        sizes = (self.m, self.n, self.k)
        schedule = str(self.rung) if self.rung else f"recipe:gemm:threads={threads}"
        library = peers.nestwright.library("op:matmul(M={},N={},K={})".format(*sizes), schedule)

        def ours():
            run = peers.native.kernel(library, [a, b, c], threads)
            run(1)
            check(c, a.astype(np.float64) @ b)
            return run

        return {
            "Nestwright": ours,
            "OpenBLAS": lambda: peers.native.call("openblasProduct", *sizes, a, b, c),
            "oneDNN": lambda: peers.native.call("onednnProduct", *sizes, a, b, c),
        } | peers.compilers.contenders(self.kernel, threads)


FUSED = """
@T.prim_func
def main(A: T.Buffer(({m}, {k}), "float32"), B: T.Buffer(({k}, {n}), "float32"),
         bias: T.Buffer(({n},), "float32"), C: T.Buffer(({m}, {n}), "float32")):
    S = T.alloc_buffer(({m}, {n}))
    for i, j, k in T.grid({m}, {n}, {k}):
        with T.block("S"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                S[vi, vj] = T.float32(0)
            S[vi, vj] = S[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid({m}, {n}):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.max(S[vi, vj] + bias[vj], T.float32(0))
"""


class FusedProduct:
    """C = max(A · B + bias, 0) in one nest, beside a product and a pass over it."""

    def __init__(self, m, n, k):
        self.m, self.n, self.k = m, n, k
        self.name, self.size = "sgemm + bias + ReLU", f"{m}×{n}×{k}"
        self.work, self.unit = 2.0 * m * n * k, "GFLOPS"
        self.kernel = Kernel(
            "fused product",
            [(m, k), (k, n), (n,)],
            (m, n),
            lambda a, b, bias: np.maximum(a @ b + bias, 0),
        )

    def contenders(self, peers, threads):
        a, b = aligned((self.m, self.k), seed=1), aligned((self.k, self.n), seed=2)
        bias, c = aligned((self.n,), seed=3), aligned((self.m, self.n))
        module = peers.nestwright.folder / "fused.py"
        module.write_text(FUSED.format(m=self.m, n=self.n, k=self.k))
        library = peers.nestwright.library(str(module), f"recipe:gemm:threads={threads}")
        sizes = (self.m, self.n, self.k)

        def ours():
            run = peers.native.kernel(library, [a, b, bias, c], threads)
            run(1)
            check(c, np.maximum(a.astype(np.float64) @ b + bias, 0))
            return run

        return {
            "Nestwright": ours,
            "OpenBLAS and a pass": lambda: peers.native.call(
                "openblasFusedProduct", *sizes, a, b, bias, c
            ),
        } | peers.compilers.contenders(self.kernel, threads)


def rows():
    sizes = [
        (512, 512, 512),
        (1024, 1024, 1024),
        (2048, 2048, 2048),
        (64, 64, 64),
        (128, 128, 128),
        (256, 256, 256),
        (1000, 1000, 1000),
        (127, 513, 255),
        (4096, 32, 1024),
        (1, 4096, 4096),
    ]
    ladder = sorted(pathlib.Path("examples/schedules/matmul").glob("*.py"))
    rungs = [Product(1024, 1024, 1024, rung) for rung in ladder]
    return rungs + [Product(*size) for size in sizes] + [FusedProduct(512, 512, 512)]
