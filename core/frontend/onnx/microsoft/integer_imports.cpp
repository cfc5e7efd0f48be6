// SPDX-License-Identifier: Apache-2.0
/// Products of quantized matrices, and tables of weights of few bits, as ONNX Runtime's optimiser and its
/// quantization write them (domain com.microsoft).
#include "core/frontend/onnx/contraction_attributes.h"
#include "core/frontend/onnx/file/made_array.h"
#include "core/frontend/onnx/integer_products.h"

#include <format>

namespace nestwright::graph::onnx {

namespace {

constexpr std::int64_t byteBits = 8;

Value product(NodeImport &node, Value a, Value b) { return node.call("multiply", {a, b}); }

/// Sums of products as real numbers; scales may be one for each column.
Value scaledSums(NodeImport &node, Value sums, Value left, Value right)
{
    const ir::DataType type = node.typeOf(right).dtype;
    return product(node, node.cast(sums, type), product(node, left, right));
}

/// a, its scale and zero point; the same of b; sums that are added; scale and zero point of the result, which
/// is of real numbers without.
Values quantizedGemm(NodeImport &node)
{
    const auto turned = [&](Value x, const char *attribute) {
        return node.integer(attribute, 0) != 0 ? node.transpose(x, {1, 0}) : x;
    };
    const std::int64_t columnAxis = node.integer("transB", 0) != 0 ? 0 : 1;
    const Value left = turned(centred(node, 0, 2, 0), "transA"),
                right = turned(centred(node, 3, 5, columnAxis), "transB");
    Value sums = node.call("nn.matmul", {left, right});
    if (node.has(6))
        sums = node.call("add", {sums, node.input(6)});
    Value y = scaledSums(node, sums, node.input(1), node.input(4));
    if (const double alpha = node.real("alpha", 1); alpha != 1)
        y = product(node, y, node.scalarLike(alpha, y));
    if (!node.has(7))
        return {y};
    Values inputs{y, node.input(7)};
    if (node.has(8))
        inputs.push_back(node.input(8));
    return {node.call("nn.quantize", inputs,
                      {{"dtype", node.has(8) ? node.type(8).dtype : ir::DataType::uint(byteBits)}})};
}

Value withColumns(NodeImport &node, Value y, std::size_t bias)
{
    return node.has(bias) ? node.call("add", {y, node.input(bias)}) : y;
}

/// Two matrices, their scales, their zero points, a bias.
Values integerProductAsReal(NodeImport &node)
{
    const Value sums = integerProduct(node, 0, 4, 1, 5);
    return {withColumns(node, scaledSums(node, sums, node.input(2), node.input(3)), 6)};
}

/// Numbers that are quantized here times integers that their zero point is taken from; by their scale.
Value dynamicSums(NodeImport &node, Value x, Value right, Value scale)
{
    const ir::DataType wide = ir::DataType::int32();
    const Values q = dynamicallyQuantized(node, x);
    const Value left = node.call("subtract", {node.cast(q[0], wide), node.cast(q[2], wide)});
    return scaledSums(node, matrixProduct(node, left, right), q[1], scale);
}

/// A matrix of real numbers, quantized here; one of integers with its scale and zero point, a bias.
Values dynamicProduct(NodeImport &node)
{
    const Value right = centred(node, 1, 3, std::max<std::int64_t>(0, node.rank(1) - 1));
    return {withColumns(node, dynamicSums(node, node.input(), right, node.input(2)), 4)};
}

/// Bytes that hold several numbers each, the first in the lowest bits, as bytes with one number each.
Value unpacked(NodeImport &node, Value bytes, std::int64_t bits)
{
    const std::int64_t count = byteBits / bits;
    if (count == 1)
        return bytes;
    Ints shape = node.shapeOf(bytes), column = shape;
    column.push_back(1);
    shape.back() *= count;
    const ir::DataType type = ir::DataType::uint(byteBits);
    ir::NdArray places(type, {count});
    for (std::int64_t i = 0; i < count; ++i)
        places.set(i, static_cast<double>(i * bits));
    const Value moved =
        node.call("right_shift", {node.reshape(bytes, column), node.constant(std::move(places))});
    const Value mask = node.scalar(static_cast<double>((1 << bits) - 1), type);
    return node.reshape(node.call("bitwise_and", {moved, mask}), shape);
}

/// Whether indices (input 1) name places of an axis of input 0, in the form that broadcasts over what is
/// picked.
Value namingPlaces(NodeImport &node, std::int64_t axis)
{
    Ints shape = node.shape(1);
    shape.insert(shape.end(), static_cast<std::size_t>(node.rank() - 1 - axis), 1);
    const Value indices = node.reshape(node.input(1), shape);
    const auto size = static_cast<double>(node.size(0, static_cast<std::size_t>(axis)));
    return node.call("logical_and", {node.call("greater_equal", {indices, node.scalarLike(-size, indices)}),
                                     node.call("less", {indices, node.scalarLike(size, indices)})});
}

/// Rows of a table of weights of few bits, made into real numbers: a table, indices, scales of blocks along
/// an axis, their zero points. An index that names no place gives zeros.
Values gatherBlocks(NodeImport &node)
{
    const bool arePacked = node.elementType() == ir::DataType::uint(byteBits);
    const std::int64_t bits = node.integer("bits", 4), rank = node.rank(), places = node.rank(1);
    if (bits != 2 && bits != 4 && bits != byteBits)
        node.unsupported(std::format("weights must have 2, 4 or 8 bits, not {}", bits));
    const std::int64_t from = node.axis(node.integer("gather_axis", 0), rank),
                       axis = node.axis(node.integer("quantize_axis", 1), rank);
    if (from == axis || (arePacked && bits < byteBits && from == rank - 1))
        node.unsupported("what is picked must lie across the blocks that share a scale, and not in bytes");
    const auto picked = [&](std::size_t input) {
        return node.call("take", {node.input(input), node.input(1)}, {{"axis", from}});
    };
    Value weights = picked(0);
    if (arePacked)
        weights = unpacked(node, weights, bits);
    const Value scales = picked(2);
    const std::int64_t along = axis < from ? axis : axis + places - 1;
    Value zero;
    if (node.has(3)) {
        zero = picked(3);
        if (arePacked && bits < byteBits) {
            const std::int64_t last = node.typeOf(zero).rank() - 1;
            zero = node.slice(unpacked(node, zero, bits), last, 0, node.shapeOf(scales).back());
        }
    } else if (arePacked) {
        const double middle = static_cast<double>(std::int64_t{1} << (bits - 1));
        zero = node.constant(madeArray(node, ir::DataType::uint(byteBits), node.shapeOf(scales), middle));
    }
    const std::int64_t given = node.integer("block_size", 128);
    Values inputs{weights, scales};
    if (zero)
        inputs.push_back(zero);
    const Value y = node.call(
        "nn.dequantize", inputs,
        {{"axis", along},
         {"block_size", given != 0 ? given : node.shapeOf(weights)[static_cast<std::size_t>(along)]}});
    return {node.call("where", {namingPlaces(node, from), y, node.scalarLike(0, y)})};
}

constexpr ImportRow microsoftIntegerRows[] = {
    {"DequantizeLinear", &dequantizeLinear},
    {"DynamicQuantizeLSTM", &quantizedLstm},
    {"DynamicQuantizeMatMul", &dynamicProduct},
    {"GatherBlockQuantized", &gatherBlocks},
    {"MatMulIntegerToFloat", &integerProductAsReal},
    {"QGemm", &quantizedGemm},
    {"QuantizeLinear", &quantizeLinear},
};

} // namespace

Value productWithGates(NodeImport &node, Value x, std::size_t weights, std::size_t direction,
                       std::int64_t begin, std::int64_t end)
{
    constexpr std::size_t scaleOfInputs = 8, scaleOfStates = 10;
    const std::size_t scale = weights == 1 ? scaleOfInputs : scaleOfStates;
    const auto d = static_cast<std::int64_t>(direction);
    const auto ofDirection = [&](std::size_t input) {
        const Value own = node.part(node.input(input), 0, d);
        const std::int64_t last = node.typeOf(own).rank() - 1; // one number for all columns has none
        return last < 0 ? own : node.slice(own, last, begin, end);
    };
    const ir::DataType wide = ir::DataType::int32();
    const Value centre = node.has(scale + 1) ? node.cast(ofDirection(scale + 1), wide) : node.scalar(0, wide);
    const Value right = node.call("subtract", {node.cast(ofDirection(weights), wide), centre});
    return dynamicSums(node, x, right, ofDirection(scale));
}

std::span<const ImportRow> microsoftIntegerImports() { return microsoftIntegerRows; }

} // namespace nestwright::graph::onnx
