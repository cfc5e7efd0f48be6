# SPDX-License-Identifier: Apache-2.0
"""Rows of single operators, as models of ONNX: softmax, normalisations, reductions, movements, chains."""

import math

import numpy as np

from compilers import Kernel
from native import aligned, check
from timing import timed

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    onnx = None
try:
    import onnxruntime
except ImportError:
    onnxruntime = None


def onnxruntime_call(path, inputs, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for each, values in zip(session.get_inputs(), inputs):
        binding.bind_cpu_input(each.name, values)
    for each in session.get_outputs():
        binding.bind_output(each.name)
    return timed(lambda: session.run_with_iobinding(binding))


def torch_call(function, inputs, threads):
    import torch  # takes seconds, and threads of its own

    torch.set_num_threads(threads)
    tensors = [torch.from_numpy(each) for each in inputs]

    def run():
        with torch.inference_mode():
            return function(torch, *tensors)

    run()
    return timed(run)


class Operator:
    """Nodes of ONNX from inputs to the output "y". `work`: operations, or bytes where the row says so."""

    def __init__(
        self,
        name,
        shapes,
        output,
        nodes,
        work,
        unit,
        reference,
        torch=None,
        onednn=None,
        constants=None,
        compiled=False,
    ):
        self.name, self.shapes, self.output, self.nodes = name, shapes, output, nodes
        self.size = ", ".join("×".join(map(str, shape)) for shape in shapes)
        self.work, self.unit = work, unit
        self.reference, self.torch, self.onednn = reference, torch, onednn
        self.constants = constants or {}
        self.kernel = Kernel(name, shapes, output, reference) if compiled else None

    def write(self, path):
        names = [f"x{i}" for i in range(len(self.shapes))]
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
            for name, shape in zip(names, self.shapes)
        ]
        outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, self.output)]
        weights = [numpy_helper.from_array(values, name) for name, values in self.constants.items()]
        graph = helper.make_graph(self.nodes, "graph", inputs, outputs, weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
        onnx.save(model, str(path))

    def contenders(self, peers, threads):
        path = peers.nestwright.folder / f"{abs(hash((self.name, self.size)))}.onnx"
        self.write(path)
        library = peers.nestwright.library(str(path))
        inputs = [aligned(shape, seed=i + 1) for i, shape in enumerate(self.shapes)]
        output = aligned(self.output)

        def ours():
            run = peers.native.model(library, inputs, output, threads)
            check(output, self.reference(*[each.astype(np.float64) for each in inputs]))
            return run

        made = {"Nestwright": ours}
        if self.onednn:
            made["oneDNN"] = lambda: self.onednn(peers.native, inputs, output)
        if onnxruntime:
            made["ONNX Runtime"] = lambda: onnxruntime_call(path, inputs, threads)
        if self.torch:
            made["PyTorch"] = lambda: torch_call(self.torch, inputs, threads)
        return made | peers.compilers.contenders(self.kernel, threads)


def node(kind, inputs, output="y", **attributes):
    return helper.make_node(kind, inputs, [output], **attributes)


def softmax(x, axis=-1):
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def gelu(x):
    return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def layer_norm(x, scale, shift):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * scale + shift


def rows():
    if not onnx:
        return []
    made = []
    for shape in [(1024, 1024), (12, 197, 197)]:
        flat = (int(np.prod(shape[:-1])), shape[-1])
        made.append(
            Operator(
                "softmax",
                [shape],
                shape,
                [node("Softmax", ["x0"], axis=-1)],
                8 * np.prod(shape),
                "GB/s",
                softmax,
                torch=lambda t, x: t.softmax(x, -1),
                onednn=lambda n, x, y, flat=flat: n.call("onednnSoftmax", *flat, x[0], y),
                compiled=shape == (1024, 1024),
            )
        )
    shape = (1024, 768)
    scale, shift = aligned((768,), seed=3), aligned((768,), seed=4)
    made.append(
        Operator(
            "layer norm",
            [shape],
            shape,
            [node("LayerNormalization", ["x0", "scale", "shift"], axis=-1)],
            8 * np.prod(shape),
            "GB/s",
            lambda x: layer_norm(x, scale, shift),
            torch=lambda t, x: t.nn.functional.layer_norm(
                x, (768,), t.from_numpy(scale), t.from_numpy(shift)
            ),
            onednn=lambda n, x, y: n.call("onednnLayerNorm", 1024, 768, x[0], scale, shift, y),
            constants={"scale": scale, "shift": shift},
        )
    )
    made.append(
        Operator(
            "transpose",
            [(4096, 4096)],
            (4096, 4096),
            [node("Transpose", ["x0"], perm=[1, 0])],
            8 * 4096**2,
            "GB/s",
            lambda x: x.T,
            torch=lambda t, x: x.t().contiguous(),
            onednn=lambda n, x, y: n.call("onednnTranspose", 4096, 4096, x[0], y),
            compiled=True,
        )
    )
    made.append(
        Operator(
            "row sum",
            [(4096, 4096)],
            (4096,),
            [node("ReduceSum", ["x0", "axes"], keepdims=0)],
            4 * 4096**2,
            "GB/s",
            lambda x: x.sum(-1),
            torch=lambda t, x: x.sum(-1),
            onednn=lambda n, x, y: n.call("onednnRowSum", 4096, 4096, x[0], y),
            constants={"axes": np.array([1], np.int64)},
            compiled=True,
        )
    )
    made.append(
        Operator(
            "GELU",
            [(1024, 3072)],
            (1024, 3072),
            [node("Gelu", ["x0"])],
            8 * 1024 * 3072,
            "GB/s",
            gelu,
            torch=lambda t, x: t.nn.functional.gelu(x),
            onednn=lambda n, x, y: n.call("onednnGelu", 1024 * 3072, x[0], y),
        )
    )
    shape = (1, 12, 197, 64)
    made.append(
        Operator(
            "attention",
            [shape] * 3,
            shape,
            [
                node("Transpose", ["x1"], "t", perm=[0, 1, 3, 2]),
                node("MatMul", ["x0", "t"], "s"),
                node("Mul", ["s", "scale"], "m"),
                node("Softmax", ["m"], "p", axis=-1),
                node("MatMul", ["p", "x2"]),
            ],
            4.0 * 12 * 197 * 197 * 64,
            "GFLOPS",
            lambda q, k, v: softmax(q @ k.transpose(0, 1, 3, 2) / 8) @ v,
            torch=lambda t, q, k, v: t.nn.functional.scaled_dot_product_attention(q, k, v),
            constants={"scale": np.float32(0.125)},
        )
    )
    size = 1 << 24
    made.append(
        Operator(
            "chain: add, scale, ReLU",
            [(size,)],
            (size,),
            [node("Add", ["x0", "one"], "a"), node("Mul", ["a", "two"], "m"), node("Relu", ["m"])],
            8 * size,
            "GB/s",
            lambda x: np.maximum((x + 1) * 2, 0),
            torch=lambda t, x: t.relu((x + 1) * 2),
            constants={"one": np.float32(1), "two": np.float32(2)},
        )
    )
    return made
