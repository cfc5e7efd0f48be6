# A 3 × 3 convolution of one 3 × 224 × 224 image into 64 channels, padded by 1: a padding stage and a
# six-deep reduction.
import tvm
from tvm import te

batch, in_channels, height, width = 1, 3, 224, 224
out_channels, kernel, padding, stride = 64, 3, 1, 1
out_height = (height + 2 * padding - kernel) // stride + 1
out_width = (width + 2 * padding - kernel) // stride + 1

X = te.placeholder((batch, in_channels, height, width), name="X")
W = te.placeholder((out_channels, in_channels, kernel, kernel), name="W")

pad = te.compute(
    (batch, in_channels, height + 2 * padding, width + 2 * padding),
    lambda n, c, h, w: te.if_then_else(
        te.all(h >= padding, h < height + padding, w >= padding, w < width + padding),
        X[n, c, h - padding, w - padding],
        tvm.tir.const(0, "float32"),
    ),
    name="pad",
)

rc = te.reduce_axis((0, in_channels), name="rc")
rh = te.reduce_axis((0, kernel), name="rh")
rw = te.reduce_axis((0, kernel), name="rw")
Y = te.compute(
    (batch, out_channels, out_height, out_width),
    lambda n, f, h, w: te.sum(
        pad[n, rc, h * stride + rh, w * stride + rw] * W[f, rc, rh, rw], axis=[rc, rh, rw]
    ),
    name="Y",
)

func = te.create_prim_func([X, W, Y])
