# SPDX-License-Identifier: Apache-2.0
from tvm import te


def transpose(rows=2048, columns=2048):
    A = te.placeholder((rows, columns), name="A", dtype="float32")
    B = te.compute((columns, rows), lambda i, j: A[j, i], name="B")
    return [A, B]
