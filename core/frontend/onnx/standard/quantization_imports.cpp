// SPDX-License-Identifier: Apache-2.0
/// Operators of ONNX on integers that stand for real numbers. Products are sums in 32 bits.
#include "core/frontend/onnx/contraction_attributes.h"
#include "core/frontend/onnx/integer_products.h"
#include "core/ir/build/builder.h"

#include <format>

namespace nestwright::graph::onnx {

Values quantizeLinear(NodeImport &node)
{
    if (const std::int64_t precision = node.integer("precision", 0);
        precision != 0 && declaredTypeOf(precision) != ir::DataType::float32())
        node.unsupported("numbers are divided in float32");
    node.accept({"output_dtype"}); // the zero point tells it, where there is one
    std::optional<ir::DataType> type = ir::DataType::uint(8);
    if (node.has(2))
        type = node.elementType(2);
    else if (node.integer("output_dtype", 0) != 0)
        type = declaredTypeOf(node.integer("output_dtype", 0));
    if (!type)
        node.unsupported("numbers of that type are not supported");
    node.setResultType(*type);
    Values inputs{node.input(0), node.input(1)};
    if (node.has(2))
        inputs.push_back(node.input(2));
    return {node.call("nn.quantize", inputs,
                      {{"axis", node.integer("axis", 1)},
                       {"block_size", node.integer("block_size", 0)},
                       {"saturate", node.integer("saturate", 1) != 0},
                       {"dtype", *type}})};
}

Values dequantizeLinear(NodeImport &node)
{
    if (const ir::DataType type = node.elementType(); type.isFloating())
        node.unsupported(std::format("elements of {} are no quantized numbers", type.str()));
    Values inputs{node.input(0), node.input(1)};
    if (node.has(2))
        inputs.push_back(node.input(2));
    const Value y =
        node.call("nn.dequantize", inputs,
                  {{"axis", node.integer("axis", 1)}, {"block_size", node.integer("block_size", 0)}});
    const std::int64_t wanted = node.integer("output_dtype", 0);
    const std::optional<ir::DataType> type = wanted == 0 ? node.typeOf(y).dtype : declaredTypeOf(wanted);
    if (!type || !type->isFloating() || type->isNarrow())
        node.unsupported("results of that type are not supported");
    return {node.cast(y, *type)};
}

Values dynamicallyQuantized(NodeImport &node, Value x)
{
    const Value zero = node.scalarLike(0, x), one = node.scalarLike(1, x);
    const auto extreme = [&](std::string_view reduce, std::string_view with) {
        const Value found =
            node.call(reduce, {node.reshape(x, {-1})}, {{"axes", Ints{0}}, {"keepdims", false}});
        return node.call(with, {found, zero});
    };
    const Value least = extreme("min", "minimum");
    const Value range = node.call("subtract", {extreme("max", "maximum"), least});
    const Value steps = node.call("divide", {range, node.scalarLike(255, x)});
    const Value scale = node.call("where", {node.call("equal", {range, zero}), one, steps});
    const Value offset = node.call("divide", {node.call("subtract", {zero, least}), scale});
    const Value zeroPoint = node.call("nn.quantize", {offset, one}, {{"dtype", ir::DataType::uint(8)}});
    return {node.call("nn.quantize", {x, scale, zeroPoint}, {{"dtype", ir::DataType::uint(8)}}), scale,
            zeroPoint};
}

Value alongAxis(NodeImport &node, Value list, std::int64_t rank, std::int64_t axis)
{
    if (node.typeOf(list).rank() != 1 || ir::isConstInt(node.typeOf(list).shape[0], 1))
        return list;
    Ints shape(static_cast<std::size_t>(rank), 1);
    shape[static_cast<std::size_t>(axis)] = -1;
    return node.reshape(list, shape);
}

Value centred(NodeImport &node, std::size_t x, std::size_t zero, std::int64_t axis)
{
    const ir::DataType wide = ir::DataType::int32();
    const Value value = node.cast(node.input(x), wide);
    if (!node.has(zero))
        return value;
    const Value point = node.cast(alongAxis(node, node.input(zero), node.rank(x), axis), wide);
    return node.call("subtract", {value, point});
}

Value integerProduct(NodeImport &node, std::size_t a, std::size_t zeroA, std::size_t b, std::size_t zeroB)
{
    const Value left = centred(node, a, zeroA, std::max<std::int64_t>(0, node.rank(a) - 2));
    const Value right = centred(node, b, zeroB, std::max<std::int64_t>(0, node.rank(b) - 1));
    return matrixProduct(node, left, right);
}

namespace {

Values dynamicQuantizeLinear(NodeImport &node)
{
    if (!node.type(0).dtype.isFloating())
        node.unsupported(
            std::format("its input must be of floating-point numbers, not {}", node.type(0).str()));
    return dynamicallyQuantized(node, node.input());
}

Values matMulInteger(NodeImport &node) { return {integerProduct(node, 0, 2, 1, 3)}; }

Value integerConvolution(NodeImport &node, std::size_t x, std::size_t zeroX, std::size_t w, std::size_t zeroW)
{
    // The padding is 0 once the zero point is taken off.
    return node.call("nn.conv", {centred(node, x, zeroX, 1), centred(node, w, zeroW, 0)},
                     convolutionAttributes(node, w));
}

Values convInteger(NodeImport &node) { return {integerConvolution(node, 0, 2, 1, 3)}; }

/// Sums of products as numbers of the wanted scale; `from` is the scale of the sums.
Value requantized(NodeImport &node, Value sums, Value from, std::size_t scale, std::size_t zero,
                  std::int64_t axis)
{
    const ir::DataType real = ir::DataType::float32();
    const Value numbers = node.call("multiply", {node.cast(sums, real), from});
    Value to = node.cast(node.input(scale), real), point = node.input(zero);
    return node.call("nn.quantize", {numbers, to, point},
                     {{"axis", axis}, {"dtype", node.typeOf(point).dtype}});
}

/// a, its scale and zero point; the same of b; scale and zero point of the result.
Values qLinearMatMul(NodeImport &node)
{
    const ir::DataType real = ir::DataType::float32();
    const Value sums = integerProduct(node, 0, 2, 3, 5);
    const std::int64_t rank = node.typeOf(sums).rank(), row = std::max<std::int64_t>(0, rank - 2);
    const Value left = node.cast(alongAxis(node, node.input(1), rank, row), real);
    const Value right = node.cast(node.input(4), real);
    return {requantized(node, sums, node.call("multiply", {left, right}), 6, 7, row)};
}

/// x, its scale and zero point; the same of w; scale and zero point of the result; a bias in the scale of the
/// sums.
Values qLinearConv(NodeImport &node)
{
    Value sums = integerConvolution(node, 0, 2, 3, 5);
    const std::int64_t rank = node.typeOf(sums).rank();
    if (node.has(8))
        sums = node.call("add", {sums, alongAxis(node, node.input(8), rank, 1)});
    const Value filters = alongAxis(node, node.input(4), rank, 1);
    return {requantized(node, sums, node.call("multiply", {node.input(1), filters}), 6, 7, 1)};
}

constexpr ImportRow quantizationRows[] = {
    {"ConvInteger", &convInteger},
    {"DequantizeLinear", &dequantizeLinear},
    {"DynamicQuantizeLinear", &dynamicQuantizeLinear},
    {"MatMulInteger", &matMulInteger},
    {"QLinearConv", &qLinearConv},
    {"QLinearMatMul", &qLinearMatMul},
    {"QuantizeLinear", &quantizeLinear},
};

} // namespace

std::span<const ImportRow> quantizationImports() { return quantizationRows; }

} // namespace nestwright::graph::onnx
