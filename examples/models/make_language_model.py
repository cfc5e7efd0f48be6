# SPDX-License-Identifier: Apache-2.0
"""Writes language_model.onnx: four layers of a decoder as language models have them today, with random
weights. RMS normalization, rotary embedding of positions, grouped heads, a gated layer, and keys and values
of former tokens as inputs and outputs. Operators are those of ONNX's operator set 23.

python3 make_language_model.py (needs the packages onnx and numpy)
"""

import numpy
from onnx import TensorProto, helper, numpy_helper, save

WORDS, WIDTH, HEADS, GROUPS, SIZE, INNER, LAYERS, LONGEST = 128, 48, 4, 2, 12, 96, 4, 256

random = numpy.random.default_rng(17)
nodes, weights = [], []


def weight(name, *shape, scale=None):
    """A matrix whose products keep the size of what they are made from."""
    values = random.standard_normal(shape) * (scale or 1 / numpy.sqrt(shape[0]))
    weights.append(numpy_helper.from_array(values.astype(numpy.float32), name))
    return name


def constant(name, values):
    weights.append(numpy_helper.from_array(numpy.asarray(values), name))
    return name


def node(operator, inputs, name, results=None, **attributes):
    results = results or [name]
    nodes.append(helper.make_node(operator, inputs, results, name=name, **attributes))
    return results[0]


def normalized(x, name):
    scale = constant(f"{name}.weight", numpy.ones(WIDTH, numpy.float32))
    return node("RMSNormalization", [x, scale], f"{name}/RMSNormalization", epsilon=1e-5)


def product(x, name, rows, columns):
    return node("MatMul", [x, weight(f"{name}.weight", rows, columns)], f"{name}/MatMul")


def layer(x, i):
    scope = f"layers.{i}"
    y = normalized(x, f"{scope}/input_norm")
    q = product(y, f"{scope}/attention/q_proj", WIDTH, HEADS * SIZE)
    k = product(y, f"{scope}/attention/k_proj", WIDTH, GROUPS * SIZE)
    v = product(y, f"{scope}/attention/v_proj", WIDTH, GROUPS * SIZE)
    turned = [
        node("RotaryEmbedding", [part, "rotary/cosines", "rotary/sines"], f"{scope}/attention/{name}_rotary",
             num_heads=heads)
        for part, name, heads in ((q, "q", HEADS), (k, "k", GROUPS))
    ]
    y = node("Attention", [*turned, v, "mask", f"past_key_values.{i}.key", f"past_key_values.{i}.value"],
             f"{scope}/attention/Attention",
             [f"{scope}/attention/mixed", f"present.{i}.key", f"present.{i}.value"],
             q_num_heads=HEADS, kv_num_heads=GROUPS, is_causal=1)
    x = node("Add", [x, product(y, f"{scope}/attention/o_proj", HEADS * SIZE, WIDTH)], f"{scope}/Add")
    y = normalized(x, f"{scope}/output_norm")
    gate = product(y, f"{scope}/mlp/gate_proj", WIDTH, INNER)
    gate = node("Mul", [gate, node("Sigmoid", [gate], f"{scope}/mlp/Sigmoid")], f"{scope}/mlp/Silu")
    y = node("Mul", [gate, product(y, f"{scope}/mlp/up_proj", WIDTH, INNER)], f"{scope}/mlp/Mul")
    return node("Add", [x, product(y, f"{scope}/mlp/down_proj", INNER, WIDTH)], f"{scope}/Add_1")


angles = numpy.outer(numpy.arange(LONGEST), 10000.0 ** -(numpy.arange(SIZE // 2) * 2 / SIZE))
for table, values in (("cosines", numpy.cos(angles)), ("sines", numpy.sin(angles))):
    node("Gather", [constant(table, values.astype(numpy.float32)), "position_ids"], f"rotary/{table}")
node("Cast", ["attention_mask"], "mask/Cast", to=TensorProto.BOOL)
node("Unsqueeze", ["mask/Cast", constant("mask/axes", numpy.asarray([1, 2], numpy.int64))], "mask")
state = node("Gather", [weight("embedding.weight", WORDS, WIDTH, scale=1), "input_ids"], "embedding/Gather")
for number in range(LAYERS):
    state = layer(state, number)
node("MatMul", [normalized(state, "norm"), weight("head.weight", WIDTH, WORDS)], "logits")


def value(name, kind, *shape):
    return helper.make_tensor_value_info(name, kind, shape)


caches = [f"{i}.{kind}" for i in range(LAYERS) for kind in ("key", "value")]
inputs = [
    value("input_ids", TensorProto.INT64, 1, "tokens"),
    value("position_ids", TensorProto.INT64, 1, "tokens"),
    value("attention_mask", TensorProto.INT64, 1, "all"),
]
inputs += [value(f"past_key_values.{each}", TensorProto.FLOAT, 1, GROUPS, "past", SIZE) for each in caches]
outputs = [value("logits", TensorProto.FLOAT, 1, "tokens", WORDS)]
outputs += [value(f"present.{each}", TensorProto.FLOAT, 1, GROUPS, "all", SIZE) for each in caches]
graph = helper.make_graph(nodes, "language_model", inputs, outputs, initializer=weights)
opsets = [helper.make_opsetid("", 23)]
model = helper.make_model(graph, opset_imports=opsets, ir_version=10, producer_name="Nestwright")
save(model, "language_model.onnx")
