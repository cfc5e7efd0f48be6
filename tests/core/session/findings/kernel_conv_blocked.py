# SPDX-License-Identifier: Apache-2.0
from tvm import te, tir


def conv(size=14, blocks=16):
    X = te.placeholder((1, blocks, size + 2, size + 2, 16), name="X", dtype="float32")
    W = te.placeholder((blocks, blocks, 3, 3, 16, 16), name="W", dtype="float32")
    c = te.reduce_axis((0, blocks), name="c")
    y = te.reduce_axis((0, 3), name="y")
    x = te.reduce_axis((0, 3), name="x")
    b = te.reduce_axis((0, 16), name="b")
    Y = te.compute(
        (1, blocks, size, size, 16),
        lambda n, f, h, w, i: te.sum(X[n, c, h + y, w + x, b] * W[f, c, y, x, b, i], axis=[c, y, x, b]),
        name="conv",
    )
    Z = te.compute(
        (1, blocks, size, size, 16),
        lambda n, f, h, w, i: te.max(Y[n, f, h, w, i], tir.const(0, "float32")),
        name="relu",
    )
    return [X, W, Z]
