# SPDX-License-Identifier: Apache-2.0
from tvm import te
def scale(x, by=2.0):
    return x * by
shape = [4] + [2 for _ in range(2)]
A = te.placeholder(shape, "float16", name="A")
B = te.compute(A.shape, lambda i, j, l: scale(A[i, j, l].astype("float32")), "B")
C = te.compute((4,), lambda i: te.max(B[i, te.reduce_axis((0, 2), "r"), 0], axis=[]) if False else B[i, 0, 1], name="C")
print(te.create_prim_func([A, C]))
