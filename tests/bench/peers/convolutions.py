# SPDX-License-Identifier: Apache-2.0
"""Rows of convolutions with a bias: our kernel and oneDNN's alone, each on the layout that it chooses."""

import re
import subprocess

import numpy as np

from compilers import Kernel
from native import aligned

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    onnx = None


class Convolution:
    """An image of c × h × h, o filters of k × k; `d`: dilation, 1 for none; `g`: groups."""

    def __init__(self, name, c, h, o, k, stride=1, pad=0, d=1, g=1):
        self.name = name
        self.c, self.h, self.o, self.k = c, h, o, k
        self.stride, self.pad, self.d, self.g = stride, pad, d, g
        self.out = (h + 2 * pad - ((k - 1) * d + 1)) // stride + 1
        extra = (
            [f"stride {stride}"] * (stride > 1) + [f"dilation {d}"] * (d > 1) + [f"groups {g}"] * (1 < g)
        )
        self.size = ", ".join([f"{c}×{h}×{h} → {o}, {k}×{k}"] + extra)
        self.work, self.unit = 2.0 * o * self.out**2 * (c // g) * k * k, "GFLOPS"
        self.kernel = None
        if (c, h, o, k) == (64, 56, 64, 3):  # the layer that is compared with compilers
            self.kernel = Kernel(
                "convolution", [(1, h, h, c), (k, k, c, o), (o,)], (1, h, h, o), of_innermost_channels
            )

    def write(self, path, weights, bias):
        """The convolution alone; one of groups between others, as in a network, which fix the layout."""
        convolution = helper.make_node(
            "Conv",
            ["x", "w", "b"],
            ["y"],
            strides=[self.stride] * 2,
            pads=[self.pad] * 4,
            dilations=[self.d] * 2,
            group=self.g,
        )
        nodes, constants = [convolution], {"w": weights, "b": bias}
        if self.g > 1:
            convolution.input[0], convolution.output[0] = "before", "after"
            nodes = [
                helper.make_node("Conv", ["x", "w_before"], ["before"]),
                convolution,
                helper.make_node("Conv", ["after", "w_after"], ["y"]),
            ]
            constants["w_before"] = np.ones((self.c, 16, 1, 1), np.float32)
            constants["w_after"] = np.ones((32, self.o, 1, 1), np.float32)
        channels, results = (16, 32) if self.g > 1 else (self.c, self.o)
        graph = helper.make_graph(
            nodes,
            "graph",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, channels, self.h, self.h])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, results, self.out, self.out])],
            [numpy_helper.from_array(values, name) for name, values in constants.items()],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
        onnx.save(model, str(path))

    def call(self, peers, path, threads):
        """The kernel of the convolution with its default schedule; the model where it became several."""
        nestwright = peers.nestwright

        def graph(*arguments):
            target = f"llvm -num-cores={threads}" + (f" -mcpu={nestwright.mcpu}" if nestwright.mcpu else "")
            command = [nestwright.nestc, "graph", str(path), "--target", target, *arguments]
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout

        tasks = [each.split()[0] for each in graph("--print", "tasks").splitlines()]
        if self.g == 1 and sum("conv" in each for each in tasks) > 1:
            image = aligned((1, self.c, self.h, self.h), seed=0)
            result = aligned((1, self.o, self.out, self.out))
            return peers.native.model(nestwright.library(str(path)), [image], result, threads)
        found = [each for each in tasks if "conv" in each and "add" in each]  # which has the bias
        name = found[0]
        schedule = path.with_suffix(".py")
        schedule.write_text(graph("--schedule-of", name))
        library = nestwright.library(f"{path}#{name}", str(schedule))
        comment = re.search(r"/\* (p0: .*) \*/", library.with_suffix(".h").read_text()).group(1)
        sizes = [each.split(":")[1].rsplit(" ", 1)[0] for each in comment.split(";")]
        shapes = [tuple(map(int, re.findall(r"\d+", each))) for each in sizes]
        arrays = [aligned(shape, seed=i) for i, shape in enumerate(shapes)]
        return peers.native.kernel(library, arrays, threads)

    def contenders(self, peers, threads):
        weights = aligned((self.o, self.c // self.g, self.k, self.k), seed=1)
        bias = aligned((self.o,), seed=2)
        path = peers.nestwright.folder / f"{abs(hash((self.name, self.size)))}.onnx"
        self.write(path, weights, bias)
        sizes = np.array(
            [
                1,
                self.c,
                self.h,
                self.h,
                self.o,
                self.k,
                self.k,
                self.stride,
                self.pad,
                self.d - 1,
                self.g,
            ],
            np.int64,
        )
        return {
            "Nestwright": lambda: self.call(peers, path, threads),
            "oneDNN": lambda: peers.native.call("onednnConvolution", sizes, weights, bias),
        } | peers.compilers.contenders(self.kernel, threads)


def of_innermost_channels(image, weights, bias):
    """The convolution of images × height × width × channels at stride 1, zeros around, of the same size."""
    height, width, taps = *image.shape[1:3], weights.shape[0]
    padded = np.pad(image, ((0, 0), *[(taps // 2, taps // 2)] * 2, (0, 0)))
    return bias + sum(
        padded[:, row : row + height, column : column + width] @ weights[row, column]
        for row in range(taps)
        for column in range(taps)
    )


def rows():
    if not onnx:
        return []
    resnet = [
        (3, 224, 64, 7, 2, 3),
        (64, 56, 64, 1),
        (64, 56, 64, 3, 1, 1),
        (64, 56, 256, 1),
        (256, 56, 64, 1),
        (256, 56, 128, 1),
        (128, 56, 128, 3, 2, 1),
        (128, 28, 512, 1),
        (256, 56, 512, 1, 2),
        (512, 28, 128, 1),
        (128, 28, 128, 3, 1, 1),
        (512, 28, 256, 1),
        (256, 28, 256, 3, 2, 1),
        (256, 14, 1024, 1),
        (512, 28, 1024, 1, 2),
        (1024, 14, 256, 1),
        (256, 14, 256, 3, 1, 1),
        (1024, 14, 512, 1),
        (512, 14, 512, 3, 2, 1),
        (512, 7, 2048, 1),
        (1024, 14, 2048, 1, 2),
        (2048, 7, 512, 1),
        (512, 7, 512, 3, 1, 1),
    ]
    others = [
        ("dilated", 256, 28, 256, 3, 1, 2, 2),
        ("dilated", 512, 28, 512, 3, 1, 4, 4),
        ("dilated", 2048, 28, 256, 3, 1, 12, 12),
        ("grouped", 128, 56, 128, 3, 1, 1, 1, 32),
        ("grouped", 512, 14, 512, 3, 1, 1, 1, 32),
        ("depthwise", 32, 112, 32, 3, 1, 1, 1, 32),
        ("depthwise", 144, 56, 144, 3, 2, 1, 1, 144),
        ("depthwise", 192, 28, 192, 5, 1, 2, 1, 192),
        ("depthwise", 384, 14, 384, 7, 1, 3, 1, 384),
    ]
    return [Convolution("convolution", *row) for row in resnet] + [Convolution(*row) for row in others]
