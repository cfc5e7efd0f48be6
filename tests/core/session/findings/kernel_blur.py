# SPDX-License-Identifier: Apache-2.0
from tvm import te


def blur(rows=512, columns=2048):
    A = te.placeholder((rows + 2, columns + 2), name="A", dtype="float32")
    X = te.compute((rows + 2, columns), lambda i, j: (A[i, j] + A[i, j + 1] + A[i, j + 2]) / 3.0, name="X")
    Y = te.compute((rows, columns), lambda i, j: (X[i, j] + X[i + 1, j] + X[i + 2, j]) / 3.0, name="Y")
    return [A, Y]
