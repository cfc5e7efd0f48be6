# A depthwise 3 × 3 convolution: each channel has a filter of its own, so that little is computed per element.
import tvm
from tvm import te

channels, height, width, kernel = 64, 112, 112, 3
X = te.placeholder((channels, height + 2, width + 2), name="X")
W = te.placeholder((channels, kernel, kernel), name="W")
rh = te.reduce_axis((0, kernel), name="rh")
rw = te.reduce_axis((0, kernel), name="rw")
Y = te.compute(
    (channels, height, width),
    lambda c, h, w: te.sum(X[c, h + rh, w + rw] * W[c, rh, rw], axis=[rh, rw]),
    name="Y",
)

func = te.create_prim_func([X, W, Y])
