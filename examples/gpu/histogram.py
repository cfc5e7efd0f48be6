# How often each of 256 values occurs. Without atomic additions every value is somebody's to count.
import tvm
from tvm import te

N, bins = 65536, 256
A = te.placeholder((N,), dtype="int32", name="A")
k = te.reduce_axis((0, N), name="k")
H = te.compute((bins,), lambda b: te.sum(tvm.tir.if_then_else(A[k] == b, 1, 0), axis=k), name="H")

func = te.create_prim_func([A, H])
