# A convolution of uint8 with int8 filters, channels in blocks of 16: the recipe conv2d_int8 schedules it.
from tvm.script import tir as T


@T.prim_func
def main(X: T.Buffer((1, 16, 14, 14, 16), "uint8"), W: T.Buffer((16, 16, 3, 3, 4, 16, 4), "int8"),
         Y: T.Buffer((1, 16, 14, 14, 16), "int32")):
    P = T.alloc_buffer((1, 16, 16, 16, 16), "uint8")
    for n, c, h, w, b in T.grid(1, 16, 16, 16, 16):
        with T.block("pad"):
            vn, vc, vh, vw, vb = T.axis.remap("SSSSS", [n, c, h, w, b])
            P[vn, vc, vh, vw, vb] = T.if_then_else(
                1 <= vh and vh < 15 and 1 <= vw and vw < 15, X[vn, vc, vh - 1, vw - 1, vb], T.uint8(0))
    for n, f, h, w, i, c, r, s, q, d in T.grid(1, 16, 14, 14, 16, 16, 3, 3, 4, 4):
        with T.block("Y"):
            vn, vf, vh, vw, vi = T.axis.remap("SSSSS", [n, f, h, w, i])
            vc, vr, vs, vq, vd = T.axis.remap("RRRRR", [c, r, s, q, d])
            with T.init():
                Y[vn, vf, vh, vw, vi] = 0
            Y[vn, vf, vh, vw, vi] = Y[vn, vf, vh, vw, vi] + (
                T.Cast("int32", P[vn, vc, vh + vr, vw + vs, vq * 4 + vd])
                * T.Cast("int32", W[vf, vc, vr, vs, vq, vi, vd]))
