// SPDX-License-Identifier: Apache-2.0
/// Parts of transformers that ONNX has as operators.
#include "core/frontend/onnx/file/made_array.h"
#include "core/frontend/onnx/rotation.h"

#include <cmath>
#include <format>
#include <limits>

namespace nestwright::graph::onnx {

namespace {

/// Two halves of the last axis: its first and its second one, or its even and its odd places.
std::pair<Value, Value> halves(NodeImport &node, Value x, bool isInterleaved)
{
    Ints shape = node.shapeOf(x);
    const std::int64_t last = std::ssize(shape) - 1, half = shape.back() / 2;
    if (!isInterleaved)
        return {node.slice(x, last, 0, half), node.slice(x, last, half, shape.back())};
    shape.back() = half;
    shape.push_back(2);
    const Value pairs = node.reshape(x, shape);
    return {node.part(pairs, last + 1, 0), node.part(pairs, last + 1, 1)};
}

Value joinedHalves(NodeImport &node, Value first, Value second, bool isInterleaved)
{
    Ints shape = node.shapeOf(first);
    const std::int64_t last = std::ssize(shape) - 1;
    if (!isInterleaved)
        return node.concatenate({first, second}, last);
    Ints column = shape;
    column.push_back(1);
    shape.back() *= 2;
    return node.reshape(
        node.concatenate({node.reshape(first, column), node.reshape(second, column)}, last + 1), shape);
}

} // namespace

Value rotated(NodeImport &node, Value x, Value cosine, Value sine, std::int64_t turned, bool isInterleaved)
{
    const std::int64_t size = node.shapeOf(x)[3];
    if (turned < 2 || turned > size || turned % 2 != 0)
        node.unsupported("an even number of elements must be turned, as many as a head has at most");
    const auto [first, second] = halves(node, node.slice(x, 3, 0, turned), isInterleaved);
    const auto product = [&](Value a, Value b) { return node.call("multiply", {a, b}); };
    const Value real = node.call("subtract", {product(cosine, first), product(sine, second)});
    const Value imaginary = node.call("add", {product(sine, first), product(cosine, second)});
    const Value result = joinedHalves(node, real, imaginary, isInterleaved);
    return turned == size ? result : node.concatenate({result, node.slice(x, 3, turned, size)}, 3);
}

namespace {

Values rotaryEmbedding(NodeImport &node)
{
    const Ints given = node.shape();
    const bool isFlat = given.size() == 3; // heads behind each other
    const std::int64_t heads = isFlat ? node.integer("num_heads", 0) : 0;
    if ((given.size() != 3 && given.size() != 4) || (isFlat && (heads < 1 || given[2] % heads != 0)))
        node.unsupported(
            "the input must have 4 dimensions, or 3 with a number of heads that divides the last");
    // Batch, position, head, element.
    const Value x = isFlat ? node.reshape(node.input(), {given[0], given[1], heads, given[2] / heads})
                           : node.transpose(node.input(), {0, 2, 1, 3});
    const Ints shape = node.shapeOf(x);
    const std::int64_t asked = node.integer("rotary_embedding_dim", 0),
                       turned = asked == 0 ? shape[3] : asked;
    const auto angles = [&](std::size_t input) {
        Value values = node.input(input);
        if (node.has(3)) // rows of a table, by position
            values = node.call("take", {values, node.input(3)}, {{"axis", std::int64_t{0}}});
        values = node.slice(values, 2, 0, turned / 2);
        return node.reshape(values, {shape[0], shape[1], 1, turned / 2});
    };
    const Value result = rotated(node, x, angles(1), angles(2), turned, node.integer("interleaved", 0) != 0);
    return {isFlat ? node.reshape(result, given) : node.transpose(result, {0, 2, 1, 3})};
}

/// Heads that lie behind each other in the last dimension, parted: batch, position, head, element.
Value parted(NodeImport &node, std::size_t input, std::string_view headsAttribute)
{
    const Ints shape = node.shape(input);
    const std::int64_t heads = node.integer(headsAttribute, 0);
    if (shape.size() != 3 || heads < 1 || shape[2] % heads != 0)
        node.unsupported(std::format("input {} must have 3 dimensions, and \"{}\" divide the last", input,
                                     headsAttribute));
    return node.reshape(node.input(input), {shape[0], shape[1], heads, shape[2] / heads});
}

/// Extends a mask that covers only the first keys; the other keys are masked for every query.
Value maskOfAllKeys(NodeImport &node, std::size_t input, std::int64_t keys)
{
    const Ints shape = node.shape(input);
    const std::int64_t missing = shape.empty() ? 0 : keys - shape.back();
    if (missing <= 0 || shape.back() == 1)
        return node.input(input);
    Ints rest = shape;
    rest.back() = missing;
    const ir::DataType type = node.type(input).dtype;
    return node.concatenate(
        {node.input(input),
         node.constant(
             madeArray(node, type, rest, type.isBool() ? 0 : -std::numeric_limits<double>::infinity()))},
        std::ssize(shape) - 1);
}

/// Inputs: queries, keys, values, a mask, keys and values of former positions, numbers of keys that count.
Values attention(NodeImport &node)
{
    node.accept({"qk_matmul_output_mode"}); // of the fourth result
    const bool isFlat = node.rank() == 3, hasPast = node.has(4);
    if ((!isFlat && node.rank() != 4) || node.rank(1) != node.rank() || node.rank(2) != node.rank())
        node.unsupported("queries, keys and values must have 3 or 4 dimensions");
    if (hasPast != node.has(5) || (hasPast && node.has(6)))
        node.unsupported("former keys and values come together, and without lengths");
    Value q = node.input(0), k = node.input(1), v = node.input(2);
    ops::Attributes attributes{{"softcap", node.real("softcap", 0)},
                               {"causal", node.integer("is_causal", 0) != 0},
                               {"left", node.integer("left_window_size", -1)},
                               {"right", node.integer("right_window_size", -1)}};
    std::string keyLayout = "BHLD";
    if (isFlat) {
        q = parted(node, 0, "q_num_heads");
        k = parted(node, 1, "kv_num_heads");
        v = parted(node, 2, "kv_num_heads");
        attributes["layout"] = std::string("BLHD");
        keyLayout = "BLHD";
    }
    const bool wantsPresent = node.wantsOutput(1) || node.wantsOutput(2);
    if (isFlat && (hasPast || wantsPresent)) { // as they are kept
        k = node.transpose(k, {0, 2, 1, 3});
        v = node.transpose(v, {0, 2, 1, 3});
        keyLayout = "BHLD";
    }
    if (hasPast) {
        attributes["offset"] = node.size(4, 2);
        k = node.concatenate({node.input(4), k}, 2);
        v = node.concatenate({node.input(5), v}, 2);
    }
    attributes["key_layout"] = keyLayout;
    attributes["scale"] = node.real("scale", 1 / std::sqrt(static_cast<double>(node.shapeOf(q).back())));
    if (node.hasAttribute("softmax_precision")) {
        const auto precision = declaredTypeOf(node.integer("softmax_precision", 1));
        if (!precision)
            node.unsupported("that precision is not supported");
        attributes["precision"] = *precision;
    }
    Values inputs{q, k, v};
    if (node.has(3)) {
        const std::int64_t keys = node.shapeOf(k)[keyLayout == "BHLD" ? 2 : 1];
        attributes[node.type(3).dtype.isBool() ? "mask" : "bias"] = true;
        inputs.push_back(maskOfAllKeys(node, 3, keys));
    }
    if (node.has(6)) {
        attributes["lengths"] = true;
        inputs.push_back(node.input(6));
    }
    Value output = node.call("nn.attention", inputs, attributes);
    if (isFlat)
        output = node.reshape(output, {node.shape()[0], node.shape()[1], -1});
    Values results{output, k, v};
    if (node.wantsOutput(3)) {
        constexpr std::string_view modes[] = {"products", "capped", "masked", "weights"};
        const std::int64_t mode = node.integer("qk_matmul_output_mode", 0);
        if (mode < 0 || mode >= std::ssize(modes))
            node.unsupported(std::format("there is no result of mode {}", mode));
        attributes["result"] = std::string(modes[mode]);
        results.push_back(node.call("nn.attention", inputs, attributes));
    }
    return results;
}

/// Inputs: queries, keys, values, the state before, decays, weights of the differences.
Values linearAttention(NodeImport &node)
{
    node.accept({"chunk_size"}); // how it may be computed
    const std::string rule = node.text("update_rule", "gated_delta");
    const bool hasDecay = rule == "gated" || rule == "gated_delta",
               hasBeta = rule == "delta" || rule == "gated_delta";
    if (!hasDecay && !hasBeta && rule != "linear")
        node.unsupported(std::format("there is no rule \"{}\"", rule));
    if (hasDecay != node.has(4) || hasBeta != node.has(5))
        node.unsupported(std::format("the inputs decay and beta do not fit the rule \"{}\"", rule));
    const Value q = parted(node, 0, "q_num_heads"), k = parted(node, 1, "kv_num_heads"),
                v = parted(node, 2, "kv_num_heads");
    const Ints shape = node.shapeOf(k);
    const std::int64_t depth = shape[3];
    const Value state = node.has(3)
                            ? node.input(3)
                            : node.constant(madeArray(node, node.type().dtype,
                                                      {shape[0], shape[2], depth, node.shapeOf(v)[3]}));
    const double given = node.real("scale", 0);
    ops::Attributes attributes{{"scale", given != 0 ? given : 1 / std::sqrt(static_cast<double>(depth))},
                               {"decay", hasDecay},
                               {"beta", hasBeta}};
    Values inputs{q, k, v, state};
    for (const std::size_t factor : {4, 5}) {
        if (!node.has(factor))
            continue;
        const Ints own = node.shape(factor);
        if (own.empty())
            node.unsupported("decays and weights need dimensions");
        const bool isEach = factor == 4 && own.size() == 3 && own[2] == shape[2] * depth && depth > 1;
        const std::int64_t heads = isEach ? shape[2] : own.back();
        inputs.push_back(node.reshape(node.input(factor), {shape[0], shape[1], heads, -1}));
    }
    const Value output = node.call("nn.linear_attention", inputs, attributes);
    const Ints flat = node.shape();
    return {node.reshape(output, {flat[0], flat[1], -1}), {output.node, 1}};
}

/// A convolution of each channel, of the last positions up to each one; and what the next call needs of them.
Values causalConvolution(NodeImport &node)
{
    const Ints shape = node.shape(), weights = node.shape(1);
    if (shape.size() != 3 || weights.size() != 3)
        node.unsupported("the input and the weights must have 3 dimensions");
    const std::int64_t former = weights[2] - 1;
    node.acceptInputs({3}); // empty where there are none
    Value x = node.input();
    if (former > 0) {
        const Value past =
            node.has(3) ? node.input(3)
                        : node.constant(madeArray(node, node.type().dtype, {shape[0], shape[1], former}));
        x = node.concatenate({past, x}, 2);
    }
    Value y = node.call("nn.conv", {x, node.input(1)}, {{"groups", shape[1]}});
    if (node.has(2))
        y = node.call("add", {y, node.reshape(node.input(2), {-1, 1})});
    const std::string activation = node.text("activation", "none");
    if (activation == "silu" || activation == "swish")
        y = node.call("multiply", {y, node.call("sigmoid", {y})});
    else if (activation != "none")
        node.unsupported(std::format("there is no activation \"{}\"", activation));
    return {y, node.slice(x, 2, shape[2], shape[2] + former)};
}

/// A cache with new rows, from a place on that may differ by batch.
Values tensorScatter(NodeImport &node)
{
    const std::string mode = node.text("mode", "linear");
    if (mode != "linear" && mode != "circular")
        node.unsupported(std::format("there is no mode \"{}\"", mode));
    const std::int64_t axis = node.axis(node.integer("axis", -2), node.rank());
    if (node.rank(1) == node.rank() && node.shape(1)[static_cast<std::size_t>(axis)] == 0)
        return {node.input()};
    const Value places = node.has(2)
                             ? node.input(2)
                             : node.constant(madeArray(node, ir::DataType::int64(), {node.shape()[0]}));
    return {node.call("update_cache", {node.input(0), node.input(1), places},
                      {{"axis", axis}, {"circular", mode == "circular"}})};
}

constexpr ImportRow attentionRows[] = {
    {"Attention", &attention},
    {"CausalConvWithState", &causalConvolution},
    {"LinearAttention", &linearAttention},
    {"RotaryEmbedding", &rotaryEmbedding},
    {"TensorScatter", &tensorScatter},
};

} // namespace

std::span<const ImportRow> attentionImports() { return attentionRows; }

} // namespace nestwright::graph::onnx
