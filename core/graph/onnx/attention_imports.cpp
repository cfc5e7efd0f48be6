// SPDX-License-Identifier: Apache-2.0
/// Parts of transformers that ONNX has as operators.
#include "core/graph/onnx/node_import.h"

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

/// Turns pairs of elements of each head by the angle of their position: J. Su et al., "RoFormer: Enhanced
/// Transformer with Rotary Position Embedding", 2021.
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
    const std::int64_t size = shape[3], asked = node.integer("rotary_embedding_dim", 0);
    const std::int64_t turned = asked == 0 ? size : asked;
    if (turned < 2 || turned > size || turned % 2 != 0)
        node.unsupported("an even number of elements must be turned, as many as a head has at most");
    const auto angles = [&](std::size_t input) {
        Value values = node.input(input);
        if (node.has(3)) // rows of a table, by position
            values = node.call("take", {values, node.input(3)}, {{"axis", std::int64_t{0}}});
        values = node.slice(values, 2, 0, turned / 2);
        return node.reshape(values, {shape[0], shape[1], 1, turned / 2});
    };
    const Value cosine = angles(1), sine = angles(2);
    const bool isInterleaved = node.integer("interleaved", 0) != 0;
    const auto [first, second] = halves(node, node.slice(x, 3, 0, turned), isInterleaved);
    const auto product = [&](Value a, Value b) { return node.call("multiply", {a, b}); };
    const Value real = node.call("subtract", {product(cosine, first), product(sine, second)});
    const Value imaginary = node.call("add", {product(sine, first), product(cosine, second)});
    Value result = joinedHalves(node, real, imaginary, isInterleaved);
    if (turned < size)
        result = node.concatenate({result, node.slice(x, 3, turned, size)}, 3);
    return {isFlat ? node.reshape(result, given) : node.transpose(result, {0, 2, 1, 3})};
}

constexpr ImportRow attentionRows[] = {
    {"RotaryEmbedding", &rotaryEmbedding},
};

} // namespace

std::span<const ImportRow> attentionImports() { return attentionRows; }

} // namespace nestwright::graph::onnx
