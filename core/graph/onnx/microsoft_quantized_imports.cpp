// SPDX-License-Identifier: Apache-2.0
/// Operators on quantized numbers and packed weights as ONNX Runtime's optimiser writes them (domain
/// com.microsoft).
#include "core/graph/onnx/node_import.h"
#include "core/support/fixed_text.h"

#include <cstring>
#include <format>
#include <iterator>
#include <numeric>

namespace nestwright::graph::onnx {

namespace {

Value dequantized(NodeImport &node, std::size_t x)
{
    Values inputs{node.input(x), node.input(x + 1)};
    if (node.has(x + 2))
        inputs.push_back(node.input(x + 2));
    return node.call("nn.dequantize", inputs);
}

Value quantized(NodeImport &node, Value x, std::size_t scale)
{
    Values inputs{x, node.input(scale)};
    ir::DataType type = ir::DataType::uint(8);
    if (node.has(scale + 1)) {
        inputs.push_back(node.input(scale + 1));
        type = node.elementType(scale + 1);
    }
    return node.call("nn.quantize", inputs, {{"dtype", type}});
}

template <support::FixedText op> Values quantizedPair(NodeImport &node)
{
    return {quantized(node, node.call(op.text, {dequantized(node, 0), dequantized(node, 3)}), 6)};
}

template <support::FixedText op> Values quantizedFunction(NodeImport &node)
{
    return {quantized(node, node.call(op.text, {dequantized(node, 0)}), 3)};
}

Values quantizedLeakyRelu(NodeImport &node)
{
    return {quantized(
        node, node.call("nn.leaky_relu", {dequantized(node, 0)}, {{"alpha", node.real("alpha", 0.01)}}), 3)};
}

Values quantizedSoftmax(NodeImport &node)
{
    const std::int64_t axis = node.axis(node.integer("axis", -1), node.rank());
    return {quantized(node, node.call("nn.softmax", {dequantized(node, 0)}, {{"axis", axis}}), 3)};
}

/// Inputs: scale and zero point of the result; then a tensor, its scale and zero point, again and again.
Values quantizedConcat(NodeImport &node)
{
    Values parts;
    for (std::size_t i = 2; i < node.inputCount(); i += 3)
        parts.push_back(dequantized(node, i));
    if (parts.empty())
        node.unsupported("there is nothing to join");
    return {quantized(node, node.concatenate(parts, node.axis(node.integer("axis", 0), node.rank(2))), 0)};
}

Values quantizedGlobalAverage(NodeImport &node)
{
    const bool lastChannels = node.integer("channels_last", 0) != 0;
    Ints axes(static_cast<std::size_t>(node.rank() - 2));
    std::iota(axes.begin(), axes.end(), lastChannels ? 1 : 2);
    return {quantized(node, node.call("mean", {dequantized(node, 0)}, {{"axes", axes}}), 3)};
}

/// Weights of few bits, as unsigned numbers with a scale and a zero point for each block of a row; rows are
/// columns of the matrix. Inputs: x, weights, scales, zero points, an order of columns, a bias.
Values matMulNBits(NodeImport &node)
{
    const std::int64_t rows = node.integer("K", 0), columns = node.integer("N", 0),
                       bits = node.integer("bits", 4), block = node.integer("block_size", 0);
    constexpr std::int64_t most = 1 << 30;
    if (bits != 4 || block < 16 || block % 8 != 0 || block > most)
        node.unsupported("weights must have 4 bits, in blocks of 16 or more");
    if (rows < 1 || columns < 1 || rows > most || columns > most)
        node.unsupported("K and N must lie between 1 and 2^30");
    if (node.has(4))
        node.unsupported("an order of columns is not supported");
    const std::int64_t blocks = (rows + block - 1) / block;
    const ir::NdArray &weights = node.data(1), &scales = node.data(2);
    if (weights.size() != columns * blocks * block / 2 || scales.size() != columns * blocks)
        node.unsupported("weights and scales do not fit K, N and the block size");
    const ir::DataType type = node.type().dtype;
    const std::int64_t width = 64, panels = (columns + width - 1) / width;
    // By panel of columns: words of eight rows each, scales, and zero points times scales.
    const std::int64_t words = blocks * block / 8;
    ir::NdArray packed(ir::DataType::int32(), {panels, words, width});
    ir::NdArray factors(type, {panels, blocks, width}), offsets(type, {panels, blocks, width});
    const ir::NdArray *zeros = node.has(3) ? &node.data(3) : nullptr;
    const std::int64_t zeroBytes = (blocks + 1) / 2;
    const bool areReal = zeros && zeros->dtype().isFloating();
    if (zeros && zeros->size() != columns * (areReal ? blocks : zeroBytes))
        node.unsupported("the zero points do not fit K, N and the block size");
    for (std::int64_t column = 0; column < columns; ++column) {
        const std::int64_t panel = column / width, lane = column % width;
        for (std::int64_t i = 0; i < words; ++i) // little-endian: the first row in the lowest bits
            std::memcpy(packed.data<std::int32_t>() + (panel * words + i) * width + lane,
                        weights.data<std::uint8_t>() + (column * words + i) * 4, 4);
        for (std::int64_t i = 0; i < blocks; ++i) {
            double zero = 8;
            if (areReal)
                zero = zeros->at(column * blocks + i);
            else if (zeros)
                zero = zeros->data<std::uint8_t>()[column * zeroBytes + i / 2] >> (i % 2 * 4) & 15;
            const double scale = scales.at(column * blocks + i);
            factors.set((panel * blocks + i) * width + lane, scale);
            offsets.set((panel * blocks + i) * width + lane, scale * zero);
        }
    }
    Value x = node.input();
    Ints shape = node.shape();
    if (shape.empty() || shape.back() != rows)
        node.unsupported(std::format("the last dimension must be K, {}", rows));
    if (const std::int64_t missing = blocks * block - rows; missing > 0) {
        Ints widths(2 * shape.size());
        widths.back() = missing;
        x = node.call("nn.pad", {x}, {{"pad_width", widths}});
    }
    Value y =
        node.call("nn.matmul_4bit", {x, node.constant(std::move(packed)), node.constant(std::move(factors)),
                                     node.constant(std::move(offsets))});
    if (panels * width != columns)
        y = node.slice(y, std::ssize(shape) - 1, 0, columns);
    return {node.has(5) ? node.call("add", {y, node.input(5)}) : y};
}

constexpr ImportRow microsoftQuantizedRows[] = {
    {"MatMulNBits", &matMulNBits},
    {"QLinearAdd", &quantizedPair<"add">},
    {"QLinearConcat", &quantizedConcat},
    {"QLinearGlobalAveragePool", &quantizedGlobalAverage},
    {"QLinearLeakyRelu", &quantizedLeakyRelu},
    {"QLinearMul", &quantizedPair<"multiply">},
    {"QLinearSigmoid", &quantizedFunction<"sigmoid">},
    {"QLinearSoftmax", &quantizedSoftmax},
};

} // namespace

std::span<const ImportRow> microsoftQuantizedImports() { return microsoftQuantizedRows; }

} // namespace nestwright::graph::onnx
