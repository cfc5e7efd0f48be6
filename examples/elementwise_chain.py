# B = A + 1, then C = B * 2, for a length n that is known only when the kernel runs: schedules with guards.
import tvm
from tvm import te

n = te.var("n")
A = te.placeholder((n,), name="A")
B = te.compute((n,), lambda i: A[i] + 1.0, name="B")
C = te.compute((n,), lambda i: B[i] * 2.0, name="C")

func = te.create_prim_func([A, C])
