# SPDX-License-Identifier: Apache-2.0
"""Rows of matrix products."""

import numpy as np

from native import aligned


class Product:
    """C = A · B in float32, plain rows on both sides."""

    def __init__(self, m, n, k):
        self.m, self.n, self.k = m, n, k
        self.name, self.size = "sgemm", f"{m}×{n}×{k}"
        self.work, self.unit = 2.0 * m * n * k, "GFLOPS"

    def contenders(self, peers, threads):
        a, b = aligned((self.m, self.k), seed=1), aligned((self.k, self.n), seed=2)
        c = aligned((self.m, self.n))
        sizes = (self.m, self.n, self.k)
        library = peers.nestwright.library(
            "op:matmul(M={},N={},K={})".format(*sizes), f"recipe:gemm:threads={threads}"
        )

        def ours():
            run = peers.native.kernel(library, [a, b, c], threads)
            run(1)
            check(c, a.astype(np.float64) @ b)
            return run

        return {
            "Nestwright": ours,
            "OpenBLAS": lambda: peers.native.call("openblasProduct", *sizes, a, b, c),
            "oneDNN": lambda: peers.native.call("onednnProduct", *sizes, a, b, c),
        }


def check(result, expected, tolerance=1e-4):
    """Whether the result is that of a reference of double precision, relative to its largest element."""
    error = np.abs(result - expected).max() / np.abs(expected).max()
    if not error <= tolerance:
        raise RuntimeError(f"a wrong result: off by {error:.1e} of the largest element")


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
    return [Product(*size) for size in sizes]
