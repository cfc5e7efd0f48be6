# C = A · B for 1024 × 1024 float32 matrices, as a TE script; schedules/matmul climbs from its three
# plain loops to the peak.
import tvm
from tvm import te

M = N = K = 1024
dtype = "float32"

A = te.placeholder((M, K), name="A", dtype=dtype)
B = te.placeholder((K, N), name="B", dtype=dtype)
k = te.reduce_axis((0, K), name="k")
C = te.compute((M, N), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")

func = te.create_prim_func([A, B, C])
