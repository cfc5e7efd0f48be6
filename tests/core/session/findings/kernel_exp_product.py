# SPDX-License-Identifier: Apache-2.0
from tvm import te


def exp_product(M=256, N=256, K=256):
    A = te.placeholder((M, K), name="A", dtype="float32")
    B = te.placeholder((K, N), name="B", dtype="float32")
    k = te.reduce_axis((0, K), name="k")
    E = te.compute((M, K), lambda i, j: te.exp(A[i, j]), name="E")
    C = te.compute((M, N), lambda i, j: te.sum(E[i, k] * B[k, j], axis=k), name="C")
    return [A, B, C]
