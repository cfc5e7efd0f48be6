#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes answers.txt: calls of operators on tensors with what NumPy computes for them, a JSON object in
each line.

    make_answers.py > answers.txt

Operators that NumPy has no function for are written out in loops, as their definition says, those on windows
in window_reference.py.
"""

import itertools
import json
import math

import numpy as np

from window_reference import convolved, pooled, spread

random = np.random.default_rng(7)
cases = []


def encoded(array):
    def number(value):
        if isinstance(value, (bool, np.bool_)):
            return int(value)
        if isinstance(value, (int, np.integer)):
            return int(value)
        # The shortest text of its own type.
        return float(str(value)) if math.isfinite(value) else str(float(value))

    return {"dtype": str(array.dtype), "shape": list(array.shape),
            "values": [number(v) for v in array.reshape(-1)]}


def case(op, inputs, results, **attributes):
    results = results if isinstance(results, (list, tuple)) else [results]
    cases.append({"op": op, "inputs": [encoded(np.asarray(i)) for i in inputs],
                  "attributes": attributes, "results": [encoded(np.asarray(r)) for r in results]})


def refused(op, inputs, words, **attributes):
    cases.append({"op": op, "inputs": [encoded(np.asarray(i)) for i in inputs],
                  "attributes": attributes, "error": words})


def real(*shape, dtype=np.float32):
    return np.round(random.uniform(-4, 4, shape) * 8).astype(dtype) / dtype(8)


def positive(*shape):
    return np.abs(real(*shape)) + np.float32(0.125)


def whole(*shape, low=-9, high=10, dtype=np.int32):
    return random.integers(low, high, shape).astype(dtype)


def elementwise():
    x = np.concatenate([real(6), np.float32([0, -0.5, 0.5, 1.5, 2.5])])
    sigmoid = lambda v: 1 / (1 + np.exp(-v))
    softplus = lambda v: np.log1p(np.exp(-np.abs(v))) + np.maximum(v, 0)
    erf = np.vectorize(math.erf)
    wide = x.astype(np.float64)
    for name, f in {
        "exp": np.exp, "sin": np.sin, "cos": np.cos, "tan": np.tan, "atan": np.arctan, "sinh": np.sinh,
        "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "erf": erf, "sigmoid": sigmoid,
        "floor": np.floor, "ceil": np.ceil, "round": np.rint, "abs": np.abs, "negative": np.negative,
        "sign": np.sign, "nn.relu": lambda v: np.maximum(v, 0), "nn.softplus": softplus,
        "nn.softsign": lambda v: v / (1 + np.abs(v)), "nn.mish": lambda v: v * np.tanh(softplus(v)),
        "nn.hard_swish": lambda v: v * np.clip(v / 6 + 0.5, 0, 1),
        "nn.gelu": lambda v: v / 2 * (1 + erf(v / math.sqrt(2))),
        "nn.celu": lambda v: np.maximum(v, 0) + np.minimum(0, np.expm1(v)),
    }.items():
        case(name, [x], f(wide).astype(np.float32))
    for name, f in {"log": np.log, "sqrt": np.sqrt, "rsqrt": lambda v: 1 / np.sqrt(v),
                    "reciprocal": lambda v: 1 / v}.items():
        p = positive(6)
        case(name, [p], f(p.astype(np.float64)).astype(np.float32))
    inner = real(6) / np.float32(4.25)
    for name, f in {"asin": np.arcsin, "acos": np.arccos, "atanh": np.arctanh}.items():
        case(name, [inner], f(inner.astype(np.float64)).astype(np.float32))
    case("nn.leaky_relu", [x], np.where(x < 0, x * np.float32(0.25), x), alpha=0.25)
    case("nn.thresholded_relu", [x], np.where(x > 0.5, x, np.float32(0)), alpha=0.5)
    case("nn.elu", [x], np.where(wide < 0, 2 * np.expm1(wide), wide).astype(np.float32), alpha=2.0)
    case("nn.hard_sigmoid", [x], np.clip(0.25 * wide + 0.5, 0, 1).astype(np.float32), alpha=0.25, beta=0.5)
    above = np.where(x > 0.5, x - np.float32(0.25), np.float32(0))
    case("nn.shrink", [x], np.where(x < -0.5, x + np.float32(0.25), above), bias=0.25, lambd=0.5)
    k = whole(7)
    for name, f in {"abs": np.abs, "negative": np.negative, "sign": np.sign,
                    "bitwise_not": np.invert}.items():
        case(name, [k], f(k))
    refused("exp", [k], "floating-point")
    refused("bitwise_not", [x], "integers")


def binary():
    for a, b in [(real(2, 3), real(2, 3)), (real(2, 1, 3), real(4, 1)), (real(3), np.float32(1.5)),
                 (real(1), real(2, 2))]:
        for name, f in {"add": np.add, "subtract": np.subtract, "multiply": np.multiply,
                        "maximum": np.maximum, "minimum": np.minimum, "equal": np.equal,
                        "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal,
                        "greater": np.greater, "greater_equal": np.greater_equal}.items():
            case(name, [a, b], f(a, b))
    a, b = real(2, 3), positive(3)
    case("divide", [a, b], a / b)
    case("mod", [a, b], np.fmod(a, b))
    case("floor_mod", [a, b], np.mod(a, b))
    k, m = whole(2, 6, low=-20, high=20), whole(6, low=1, high=6) * np.int32([1, -1, 1, -1, 1, -1])
    case("divide", [k, m], np.trunc(k / m).astype(np.int32))
    case("mod", [k, m], np.fmod(k, m))
    case("floor_mod", [k, m], np.mod(k, m))
    for name, f in {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or,
                    "bitwise_xor": np.bitwise_xor}.items():
        case(name, [k, m], f(k, m))
    u, s = whole(2, 4, low=0, high=255, dtype=np.uint8), whole(4, low=0, high=8, dtype=np.uint8)
    case("left_shift", [u, s], np.left_shift(u, s))
    case("right_shift", [u, s], np.right_shift(u, s))
    p, q = whole(2, 3, low=0, high=2).astype(bool), whole(3, low=0, high=2).astype(bool)
    for name, f in {"logical_and": np.logical_and, "logical_or": np.logical_or,
                    "logical_xor": np.logical_xor}.items():
        case(name, [p, q], f(p, q))
    x = real(2, 3, 2)
    slope = real(3, 1)
    case("nn.prelu", [x, slope], np.where(x < 0, x * slope, x))
    c, a, b = whole(3, 1, low=0, high=2).astype(bool), real(2), real(3, 2)
    case("where", [c, a, b], np.where(c, a, b))
    refused("add", [real(2, 3), real(2, 4)], "(2, 3)")
    refused("add", [real(2, 3), real(3, 3)], "(3, 3)")
    refused("where", [real(3), real(3), real(3)], "condition")
    refused("where", [c, real(2), whole(2)], "different element types")
    refused("logical_and", [whole(2), whole(2)], "condition")
    refused("bitwise_or", [real(2), real(2)], "integers")
    refused("left_shift", [real(2), real(2)], "integers")
    refused("add", [real(2), whole(2)], "different element types")
    for type_ in (np.int32, np.int8, np.uint8, np.bool_, np.float64):
        x = np.abs(real(5)) if type_ == np.uint8 else real(5)
        case("cast", [x], x.astype(type_), dtype=str(np.dtype(type_)))


def shapes():
    x = real(2, 3, 4)
    case("reshape", [x], x.reshape(4, 6), newshape=[4, 6])
    case("reshape", [x], x.reshape(2, 12), newshape=[0, -1])
    case("reshape", [x], x.reshape(2, 3, 2, 2), newshape=[0, 0, -1, 2])
    refused("reshape", [x], "", newshape=[5, -1])
    refused("reshape", [x], "", newshape=[-1, -1])
    y = real(3, 1)
    case("broadcast_to", [y], np.broadcast_to(y, (2, 3, 4)), shape=[2, 3, 4])
    case("broadcast_to", [y], np.broadcast_to(y, (3, 4)), shape=[1, 4])
    for axes in itertools.permutations(range(3)):
        case("transpose", [x], x.transpose(axes), axes=list(axes))
    refused("transpose", [x], "", axes=[0, 1, 1])
    refused("transpose", [x], "", axes=[0, 1])
    for axis in (0, 1, -1):
        y = real(*[5 if i == axis % 3 else n for i, n in enumerate((2, 3, 4))])
        case("concatenate", [x, y, x], np.concatenate([x, y, x], axis), axis=axis)
    refused("concatenate", [x, real(2, 3, 5)], "", axis=1)
    z = real(2, 3)
    case("tile", [z], np.tile(z, (2, 3)), reps=[2, 3])
    case("tile", [z], np.tile(z, (1, 2)), reps=[1, 2])
    for begin, end, stride, axes in [([1], [3], [1], [1]), ([-1, 0], [-9, 2], [-1, 1], [2, 0]),
                                     ([0], [99], [2], [2]), ([3], [0], [-2], [-1]),
                                     ([1, 1, 1], [2, 2, 2], [1, 1, 1], [0, 1, 2])]:
        cut = [slice(None)] * 3
        for b, e, s, a in zip(begin, end, stride, axes):
            cut[a] = slice(b, e if s > 0 or e > -5 else None, s)
        case("strided_slice", [x], x[tuple(cut)], begin=begin, end=end, strides=stride, axes=axes)
    refused("strided_slice", [x], "stride", begin=[0], end=[1], strides=[0], axes=[0])
    refused("strided_slice", [x], "length", begin=[0, 1], end=[1], strides=[1], axes=[0])
    w = real(3, 4)
    for mode in ("constant", "edge", "reflect", "wrap"):
        for widths in ([1, 2, 0, 1], [0, 0, 2, 0], [0, 1, 0, 0], [2, 3, 2, 3]):
            pads = [(widths[0], widths[2]), (widths[1], widths[3])]
            case("nn.pad", [w], np.pad(w, pads, mode=mode), pad_width=widths, mode=mode)
    case("nn.pad", [w, np.float32(7)], np.pad(w, [(1, 0), (0, 2)], constant_values=7), pad_width=[1, 0, 0, 2])
    case("nn.pad", [w], w[1:, :3], pad_width=[-1, 0, 0, -1])
    for k in (-2, -1, 0, 1, 2):
        case("trilu", [w], np.triu(w, k), k=k, upper=True)
        case("trilu", [w], np.tril(w, k), k=k, upper=False)
    places = np.int64([0, 3, -1, 1, 5])
    values = np.float32([-1, 2])
    hot = np.full((5, 4), -1, np.float32)
    for i, place in enumerate(places):
        if -4 <= place < 4:
            hot[i, place] = 2
    case("one_hot", [places, values], hot, depth=4)
    case("one_hot", [places, values], hot.T, depth=4, axis=0)


def gathering():
    x = real(3, 4, 2)
    places = np.int64([[2, 0], [-1, 1]])
    for axis in (0, 1, 2, -1):
        within = np.where(np.abs(places) < x.shape[axis], places, 0)
        case("take", [x, within], np.take(x, within, axis), axis=axis)
    index = whole(3, 4, 2, low=-2, high=2, dtype=np.int64)
    for axis in (0, 1, 2):
        case("gather_elements", [x, index], np.take_along_axis(x, index, axis), axis=axis)
    tuples = np.int64([[0, 1], [2, -1], [-3, 3]])
    case("gather_nd", [x, tuples], x[tuples[:, 0], tuples[:, 1]])
    case("gather_nd", [x, np.int64([[0, 1, 1], [2, 3, 0]])], x[[0, 2], [1, 3], [1, 0]])
    batched = np.int64([[0], [3], [-1]])
    case("gather_nd", [x, batched], x[np.arange(3), batched[:, 0]], batch_dims=1)
    lengths = np.int64([1, 4, 3])
    turned = x.copy()
    for b, n in enumerate(lengths):
        turned[b, :n] = x[b, :n][::-1]
    case("reverse_sequence", [x, lengths], turned, batch_axis=0, axis=1)
    reduce = {"none": lambda a, b: b, "add": lambda a, b: a + b, "mul": lambda a, b: a * b, "max": max,
              "min": min}
    for how, f in reduce.items():
        data, updates, index = real(3, 4), real(2, 4), whole(2, 4, low=-3, high=3, dtype=np.int64)
        result = data.copy()
        for i, j in np.ndindex(2, 4):
            result[index[i, j], j] = f(result[index[i, j], j], updates[i, j])
        case("scatter_elements", [data, index, updates], result, axis=0, reduction=how)
        index, updates = whole(3, 2, low=-4, high=4, dtype=np.int64), real(3, 2)
        result = data.copy()
        for i, j in np.ndindex(3, 2):
            result[i, index[i, j]] = f(result[i, index[i, j]], updates[i, j])
        case("scatter_elements", [data, index, updates], result, axis=1, reduction=how)
        tuples, updates = np.int64([[0], [-1], [0]]), real(3, 4)
        result = data.copy()
        for i in range(3):
            result[tuples[i, 0]] = [f(a, b) for a, b in zip(result[tuples[i, 0]], updates[i])]
        case("scatter_nd", [data, tuples, updates], result, reduction=how)
        tuples, updates = np.int64([[0, 1], [-1, 3], [0, 1]]), real(3)
        result = data.copy()
        for (i, j), update in zip(tuples, updates):
            result[i, j] = f(result[i, j], update)
        case("scatter_nd", [data, tuples, updates], result, reduction=how)
    refused("scatter_nd", [real(3, 4), np.int64([[0, 1, 2]]), real(1)],
            "longer than the tensor has dimensions")
    refused("scatter_nd", [real(3, 4), np.zeros((1, 0), np.int64), real(1, 3, 4)], "empty")


def reducing():
    with np.errstate(divide="ignore"):
        for x in (real(2, 3, 4), whole(2, 3, 4, low=1, high=6), whole(3, 5, low=-20, high=20)):
            rank = x.ndim
            for axes in ([0], [rank - 1], [0, rank - 1], list(range(rank))):
                for keep in (True, False):
                    k = {"axis": tuple(axes), "keepdims": keep}
                    wide = x.astype(np.float64)
                    as_given = lambda v: (v if x.dtype == np.float32 else np.trunc(v)).astype(x.dtype)
                    sums = wide.sum(**k)
                    case("sum", [x], sums.astype(x.dtype), axes=axes, keepdims=keep)
                    if rank == 3 and keep:
                        continue
                    case("max", [x], x.max(**k), axes=axes, keepdims=keep)
                    case("min", [x], x.min(**k), axes=axes, keepdims=keep)
                    case("mean", [x], as_given(wide.mean(**k)), axes=axes, keepdims=keep)
                    case("sum_abs", [x], np.abs(wide).sum(**k).astype(x.dtype), axes=axes, keepdims=keep)
                    case("sum_square", [x], (wide * wide).sum(**k).astype(x.dtype), axes=axes, keepdims=keep)
                    case("norm", [x], as_given(np.sqrt((wide * wide).sum(**k))), axes=axes, keepdims=keep)
                    case("log_sum_exp", [x], as_given(np.log(np.exp(wide).sum(**k))), axes=axes,
                         keepdims=keep)
                    if x.dtype == np.int32 and x.min() > 0:
                        case("log_sum", [x], as_given(np.log(sums)), axes=axes, keepdims=keep)
        p = positive(2, 5)
        case("log_sum", [p], np.log(p.sum(axis=1, keepdims=True)), axes=[1])
        case("prod", [p], p.prod(axis=1, keepdims=True), axes=[-1])
    flags = np.array([[True, False], [True, True], [False, False]])
    case("max", [flags], flags.max(axis=1), axes=[1], keepdims=False)
    case("min", [flags], flags.min(axis=1), axes=[1], keepdims=False)
    x = np.int32([[3, 1, 3], [2, 2, 1]])
    for axis in (0, 1):
        for last in (False, True):
            for name, f in (("argmax", np.argmax), ("argmin", np.argmin)):
                n = x.shape[axis]
                found = n - 1 - f(np.flip(x, axis), axis) if last else f(x, axis)
                case(name, [x], found.astype(np.int64), axis=axis, keepdims=False, select_last_index=last)
                case(name, [x], np.expand_dims(found, axis).astype(np.int64), axis=axis,
                     select_last_index=last)
    x = real(2, 3, 4)
    for axis in (0, 1, 2):
        for exclusive, reverse in itertools.product((False, True), repeat=2):
            y = np.flip(x, axis) if reverse else x
            total = np.cumsum(y, axis)
            if exclusive:
                total = total - y
            case("cumsum", [x], np.flip(total, axis) if reverse else total, axis=axis, exclusive=exclusive,
                 reverse=reverse)
        wide = np.exp(x.astype(np.float64) - x.max(axis=axis, keepdims=True))
        soft = wide / wide.sum(axis=axis, keepdims=True)
        case("nn.softmax", [x], soft.astype(np.float32), axis=axis)
        case("nn.log_softmax", [x], np.log(soft).astype(np.float32), axis=axis)
    x = np.float32([[4, 1, 3, 2], [2, 2, 5, 2]])
    for k, axis, largest in ((2, 1, True), (3, 1, False), (1, 0, True), (2, 0, False), (4, 1, True)):
        order = np.argsort(-x if largest else x, axis=axis, kind="stable")
        order = np.take(order, range(k), axis)
        case("topk", [x], [np.take_along_axis(x, order, axis), order.astype(np.int64)], k=k, axis=axis,
             largest=largest)


def products():
    for a, b in (((3, 4), (4, 2)), ((2, 3, 4), (4, 2)), ((2, 1, 3, 4), (5, 4, 2)), ((1, 4), (4, 1))):
        x, y = real(*a), real(*b)
        case("nn.matmul", [x, y], x @ y)
        case("nn.matmul", [np.swapaxes(x, -1, -2).copy(), y], x @ y, transpose_a=True)
        case("nn.matmul", [x, np.swapaxes(y, -1, -2).copy()], x @ y, transpose_b=True)
    x, y = whole(2, 3, low=-100, high=100, dtype=np.int8), whole(3, 2, low=-100, high=100, dtype=np.int8)
    case("nn.matmul", [x, y], x.astype(np.int32) @ y.astype(np.int32), out_dtype="int32")
    refused("linalg.det", [real(2, 3)], "square")
    refused("linalg.det", [real(3)], "square")
    refused("nn.matmul", [real(2, 3), real(2, 3)], "cannot be multiplied")
    refused("nn.matmul", [real(3), real(3)], "matrices")
    for equation, shapes_ in (("ij,jk->ik", [(2, 3), (3, 4)]), ("bij,bjk->bik", [(2, 2, 3), (2, 3, 2)]),
                              ("ii->i", [(3, 3)]), ("ij->j", [(2, 3)]), ("i,j->ij", [(2,), (3,)])):
        inputs = [real(*s) for s in shapes_]
        case("einsum", inputs, np.einsum(equation, *inputs), equation=equation)
    m = real(2, 3, 3)
    case("linalg.det", [m], np.linalg.det(m.astype(np.float64)).astype(np.float32))


def windows():
    for x, w, strides, dilation, padding, groups in (
        (real(1, 2, 5, 6), real(3, 2, 3, 3), [1, 1], [1, 1], [0, 0, 0, 0], 1),
        (real(2, 2, 5, 6), real(2, 1, 2, 3), [2, 1], [1, 2], [1, 0, 0, 2], 2),
        (real(1, 4, 4, 4), real(4, 1, 3, 3), [1, 2], [1, 1], [1, 1, 1, 1], 4),
        (real(1, 2, 7), real(2, 2, 3), [2], [2], [1, 1], 1),
        (real(1, 1, 3, 3, 3), real(1, 1, 2, 2, 2), [1, 1, 1], [1, 1, 1], [0, 0, 0, 0, 0, 0], 1),
    ):
        case("nn.conv", [x, w], convolved(x, w, strides, dilation, padding, groups), strides=strides,
             dilation=dilation, padding=padding, groups=groups)
    refused("nn.conv", [real(1, 2, 5, 5), real(3, 3, 3, 3)], "channels")
    refused("nn.conv", [real(1, 2, 2, 2), real(3, 2, 3, 3)], "")
    for x, w, strides, dilation, padding, more, groups in (
        (real(1, 2, 3, 3), real(2, 3, 2, 2), [1, 1], [1, 1], [0, 0, 0, 0], [0, 0], 1),
        (real(1, 2, 3, 2), real(2, 1, 3, 3), [2, 3], [1, 1], [1, 0, 1, 1], [1, 2], 2),
        (real(1, 1, 4), real(1, 2, 3), [2], [2], [1, 1], [0], 1),
    ):
        case("nn.conv_transpose", [x, w], spread(x, w, strides, dilation, padding, more, groups),
             strides=strides, dilation=dilation, padding=padding, output_padding=more, groups=groups)
    for shape, kernel, strides, dilation, padding, ceil in (
        ((1, 2, 5, 6), [2, 3], [1, 2], [1, 1], [0, 0, 0, 0], False),
        ((1, 1, 5, 5), [3, 3], [2, 2], [1, 1], [1, 1, 1, 1], False),
        ((1, 1, 6, 5), [3, 2], [2, 2], [1, 1], [1, 0, 0, 1], True),
        ((1, 1, 7), [2], [2], [2], [1, 1], True),
        ((1, 1, 3, 4), [3, 4], [2, 2], [1, 1], [0, 0, 0, 0], True),
    ):
        x = real(*shape)
        k = {"kernel": kernel, "strides": strides, "dilation": dilation, "padding": padding,
             "ceil_mode": ceil}
        pool = lambda take: pooled(x, kernel, strides, dilation, padding, ceil, take)
        case("nn.max_pool", [x], pool(lambda v, n: max(v)), **k)
        case("nn.avg_pool", [x], pool(lambda v, n: sum(v) / len(v)), **k)
        case("nn.avg_pool", [x], pool(lambda v, n: sum(v) / n), count_include_pad=True, **k)
        case("nn.lp_pool", [x], pool(lambda v, n: sum(abs(i) ** 3 for i in v) ** (1 / 3)), p=3, **k)
    refused("nn.max_pool", [real(1, 1, 2, 2)], "", kernel=[3, 3])
    refused("nn.max_pool", [real(1, 1, 2, 2)], "larger than", kernel=[3, 3], ceil_mode=True)
    refused("nn.max_pool", [real(1, 1, 4, 4)], "", kernel=[0, 1])
    refused("nn.max_pool", [real(1, 1, 4, 4)], "strides", kernel=[2, 2], strides=[1, 0])
    refused("nn.max_pool", [real(1, 1, 4, 4)], "padding", kernel=[2, 2], padding=[1, 1])


def normalizing():
    x = real(2, 3, 2, 2)
    scale, bias, mean, variance = real(3), real(3), real(3), positive(3)
    per = lambda v: v.reshape(1, 3, 1, 1).astype(np.float64)
    scaled = (x - per(mean)) * per(scale) / np.sqrt(per(variance) + 0.01) + per(bias)
    case("nn.batch_norm", [x, scale, bias, mean, variance], scaled.astype(np.float32), epsilon=0.01)
    refused("nn.batch_norm", [x, real(2), bias, mean, variance], "per channel")
    for axes in ([1], [2, 3], [1, 2, 3], [-1]):
        wide = x.astype(np.float64)
        k = {"axis": tuple(axes), "keepdims": True}
        normal = (wide - wide.mean(**k)) / np.sqrt(wide.var(**k) + 0.01)
        case("nn.normalize", [x], normal.astype(np.float32), axes=axes, epsilon=0.01)
    for size in (1, 2, 3):
        x = real(1, 5, 2, 1)
        squares = np.zeros_like(x, np.float64)
        for c in range(5):
            low, high = c - (size - 1) // 2, c + math.ceil((size - 1) / 2)
            squares[:, c] = (x[:, max(0, low):min(4, high) + 1].astype(np.float64) ** 2).sum(axis=1)
        case("nn.lrn", [x], (x / (2 + 0.5 / size * squares) ** 0.5).astype(np.float32), size=size,
             alpha=0.5, beta=0.5, bias=2.0)
    x = np.float32([[-300, -1.5, -0.5, 0], [0.5, 1.5, 2.5, 400]])
    for dtype, zero in ((np.uint8, 3), (np.int8, -3)):
        info = np.iinfo(dtype)
        q = np.clip(np.rint(x / 2) + zero, info.min, info.max).astype(dtype)
        case("nn.quantize", [x, np.float32(2), dtype(zero)], q, dtype=str(np.dtype(dtype)))
        case("nn.dequantize", [q, np.float32(2), dtype(zero)],
             ((q.astype(np.int32) - zero) * 2).astype(np.float32))
    scales, zeros = np.float32([1, 2, 4, 0.5]), np.int8([0, 1, -1, 2])
    q = np.clip(np.rint(x / scales) + zeros, -128, 127).astype(np.int8)
    case("nn.quantize", [x, scales, zeros], q, axis=1, dtype="int8")
    case("nn.dequantize", [q, scales, zeros], (q.astype(np.int32) - zeros).astype(np.float32) * scales,
         axis=1)
    blocks = np.float32([[1, 2], [4, 0.5]])
    wide = np.repeat(blocks, 2, axis=1)
    case("nn.quantize", [x, blocks], np.clip(np.rint(x / wide), -128, 127).astype(np.int8), axis=1,
         block_size=2, dtype="int8")
    for dtype in (np.float32, np.float16):
        image = np.full((1, 2, 4, 4), 2, dtype)
        image[0, 1] = np.arange(4)  # grows along the last dimension: a bin's mean lies at its middle
        boxes = dtype([[0, 0, 2, 4], [1, 1, 3, 3]])
        middles = np.array([[[0.5, 1.5]] * 2, [[1.5, 2.5]] * 2])
        wanted = np.stack([np.full((2, 2, 2), 2), middles], axis=1).astype(dtype)
        case("image.roi_align", [image, boxes + dtype(0.5), np.int64([0, 0])], wanted, size=[2, 2], samples=1)
    image = real(1, 2, 3, 4)
    rows, columns = np.meshgrid(np.linspace(-1, 1, 3), np.linspace(-1, 1, 4), indexing="ij")
    grid = np.stack([columns, rows], axis=-1)[None].astype(np.float32)
    for mode in ("linear", "nearest"):
        case("image.grid_sample", [image, grid], image, mode=mode, align_corners=True)
        case("image.grid_sample", [image, -grid], image[:, :, ::-1, ::-1], mode=mode, align_corners=True)
        case("image.grid_sample", [image, grid + 4], np.zeros_like(image), mode=mode, align_corners=True)
    refused("image.grid_sample", [image, grid], "padding mode", padding_mode="mirror")
    refused("image.grid_sample", [image, grid], "mode", mode="sometimes")
    refused("nn.quantize", [x, np.float32([1, 2, 3])], "scale", axis=1, dtype="int8")


for make in (elementwise, binary, shapes, gathering, reducing, products, windows, normalizing):
    make()
for each in cases:
    print(json.dumps(each))
