# The transpose of a 2048 × 2048 matrix: it reads down columns and writes along rows.
import tvm
from tvm import te

N = 2048
A = te.placeholder((N, N), name="A")
B = te.compute((N, N), lambda i, j: A[j, i], name="B")

func = te.create_prim_func([A, B])
