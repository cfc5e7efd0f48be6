# SPDX-License-Identifier: Apache-2.0
# A list that doubles sixty times.
from tvm import te

sizes = [8]
for i in range(60):
    sizes = sizes + sizes
A = te.placeholder((sizes[0],), name="A")
B = te.compute((sizes[0],), lambda i: A[i], name="B")
