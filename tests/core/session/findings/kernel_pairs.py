# SPDX-License-Identifier: Apache-2.0
from tvm import te


def pairs(rows=1048576, columns=2):
    A = te.placeholder((columns, rows), name="A", dtype="float32")
    B = te.compute((rows, columns), lambda i, j: A[j, i] * 2.0 + 1.0, name="B")
    return [A, B]
