# A matrix product of uint8 and int8 in int32, as quantized networks have it: recipe gemm_int8.
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((1024, 1024), "uint8"), B: T.Buffer((1024, 1024), "int8"),
         C: T.Buffer((1024, 1024), "int32")):
    for i, j, k in T.grid(1024, 1024, 1024):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = 0
            C[vi, vj] = C[vi, vj] + T.Cast("int32", A[vi, vk]) * T.Cast("int32", B[vk, vj])
