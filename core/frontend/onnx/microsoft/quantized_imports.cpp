// SPDX-License-Identifier: Apache-2.0
/// Operators on quantized numbers and packed weights as ONNX Runtime's optimiser writes them (domain
/// com.microsoft).
#include "core/frontend/onnx/shared_forms.h"
#include "core/support/text/fixed_text.h"

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

/// The attribute "opset" says whose softmax it is.
Values quantizedSoftmax(NodeImport &node)
{
    const bool onwards = node.integer("opset", 13) < 13;
    return {quantized(
        node, softmaxOf(node, dequantized(node, 0), "nn.softmax", node.integer("axis", -1), onwards), 3)};
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

Values quantizedAveragePool(NodeImport &node)
{
    const bool lastChannels = node.integer("channels_last", 0) != 0;
    const std::int64_t rank = node.rank();
    Ints forth{0, rank - 1}, back{0};
    for (std::int64_t i = 1; i + 1 < rank; ++i) {
        forth.push_back(i);
        back.push_back(i + 1);
    }
    back.push_back(1);
    if (lastChannels && node.text("auto_pad", "NOTSET").starts_with("SAME"))
        node.unsupported("padding that follows from sizes is not supported where channels come last");
    Value x = dequantized(node, 0);
    x = averagePoolOf(node, lastChannels ? node.transpose(x, forth) : x);
    return {quantized(node, lastChannels ? node.transpose(x, back) : x, 3)};
}

/// The sizes of MatMulNBits: a matrix of rows × columns, in blocks of rows.
struct FewBits {
    std::int64_t rows, columns, bits, block;

    std::int64_t blocks() const { return (rows + block - 1) / block; }
    std::int64_t words() const { return blocks() * block / perWord; }
    std::int64_t panels() const { return (columns + width - 1) / width; }
    static constexpr std::int64_t perWord = 8, width = 64; ///< rows of a word, columns of a panel
};

FewBits fewBitsOf(NodeImport &node)
{
    const FewBits sizes{node.integer("K", 0), node.integer("N", 0), node.integer("bits", 4),
                        node.integer("block_size", 0)};
    constexpr std::int64_t most = 1 << 30;
    if (sizes.bits != 2 && sizes.bits != 4 && sizes.bits != 8)
        node.unsupported(std::format("weights must have 2, 4 or 8 bits, not {}", sizes.bits));
    if (sizes.block < 16 || sizes.block % 8 != 0 || sizes.block > most)
        node.unsupported("weights must be in blocks of 16 or more");
    if (sizes.rows < 1 || sizes.columns < 1 || sizes.rows > most || sizes.columns > most)
        node.unsupported("K and N must lie between 1 and 2^30");
    if (node.has(4))
        node.unsupported("an order of columns is not supported");
    node.requireOnly("weight_prepacked", 0);
    node.accept({"accuracy_level"}); // how inexact it may be
    if (node.data(1).size() != sizes.columns * sizes.blocks() * sizes.block * sizes.bits / 8
        || node.data(2).size() != sizes.columns * sizes.blocks())
        node.unsupported("weights and scales do not fit K, N and the block size");
    return sizes;
}

/// Number `i` of those that lie side by side in bytes, the first in the lowest bits.
int numberIn(const std::uint8_t *bytes, std::int64_t i, std::int64_t bits)
{
    return bytes[i * bits / 8] >> (i * bits % 8) & ((1 << bits) - 1);
}

/// Four bits of each weight from bit `low` on, as nn.matmul_4bit has them: by panel of columns words of eight
/// rows each, the first row in the lowest bits.
ir::NdArray fourBitWords(const FewBits &sizes, const std::uint8_t *weights, int low)
{
    ir::NdArray packed(ir::DataType::int32(), {sizes.panels(), sizes.words(), FewBits::width});
    const std::int64_t columnBytes = sizes.words() * sizes.bits;
    for (std::int64_t column = 0; column < sizes.columns; ++column) {
        const std::uint8_t *own = weights + column * columnBytes;
        for (std::int64_t i = 0; i < sizes.words(); ++i) {
            std::uint32_t word = 0;
            if (sizes.bits == 4) {
                std::memcpy(&word, own + i * 4, 4);
            } else {
                for (std::int64_t k = 0; k < FewBits::perWord; ++k) {
                    const int number = numberIn(own, i * FewBits::perWord + k, sizes.bits) >> low & 15;
                    word |= static_cast<std::uint32_t>(number) << (4 * k);
                }
            }
            std::memcpy(packed.data<std::int32_t>()
                            + (column / FewBits::width * sizes.words() + i) * FewBits::width
                            + column % FewBits::width,
                        &word, 4);
        }
    }
    return packed;
}

/// Factors by panel, block and column: scales, scales times 16, and zero points times scales.
struct Factors {
    ir::NdArray scales, sixteenfold, offsets;
};

Factors factorsOf(NodeImport &node, const FewBits &sizes)
{
    const Ints shape{sizes.panels(), sizes.blocks(), FewBits::width};
    const ir::DataType type = node.type().dtype;
    Factors made{ir::NdArray(type, shape), ir::NdArray(type, shape), ir::NdArray(type, shape)};
    const ir::NdArray &scales = node.data(2), *zeros = node.has(3) ? &node.data(3) : nullptr;
    const std::int64_t zeroBytes = (sizes.blocks() * sizes.bits + 7) / 8;
    const bool areReal = zeros && zeros->dtype().isFloating();
    if (zeros && zeros->size() != sizes.columns * (areReal ? sizes.blocks() : zeroBytes))
        node.unsupported("the zero points do not fit K, N and the block size");
    for (std::int64_t column = 0; column < sizes.columns; ++column) {
        for (std::int64_t i = 0; i < sizes.blocks(); ++i) {
            double zero = 1 << (sizes.bits - 1);
            if (areReal)
                zero = zeros->at(column * sizes.blocks() + i);
            else if (zeros)
                zero = numberIn(zeros->data<std::uint8_t>() + column * zeroBytes, i, sizes.bits);
            const double scale = scales.at(column * sizes.blocks() + i);
            const std::int64_t place =
                (column / FewBits::width * sizes.blocks() + i) * FewBits::width + column % FewBits::width;
            made.scales.set(place, scale);
            made.sixteenfold.set(place, 16 * scale);
            made.offsets.set(place, scale * zero);
        }
    }
    return made;
}

/// Weights of few bits, as unsigned numbers with a scale and a zero point for each block of a row; rows are
/// columns of the matrix. Inputs: x, weights, scales, zero points, an order of columns, a bias. Weights of
/// eight bits are two of four, the upper one times 16.
Values matMulNBits(NodeImport &node)
{
    const FewBits sizes = fewBitsOf(node);
    Value x = node.input();
    Ints shape = node.shape();
    if (shape.empty() || shape.back() != sizes.rows)
        node.unsupported(std::format("the last dimension must be K, {}", sizes.rows));
    if (const std::int64_t missing = sizes.blocks() * sizes.block - sizes.rows; missing > 0) {
        Ints widths(2 * shape.size());
        widths.back() = missing;
        x = node.call("nn.pad", {x}, {{"pad_width", widths}});
    }
    const std::uint8_t *weights = node.data(1).data<std::uint8_t>();
    Factors factors = factorsOf(node, sizes);
    const auto product = [&](int low, ir::NdArray scales, ir::NdArray offsets) {
        return node.call("nn.matmul_4bit",
                         {x, node.constant(fourBitWords(sizes, weights, low)),
                          node.constant(std::move(scales)), node.constant(std::move(offsets))});
    };
    Value y = product(0, std::move(factors.scales), std::move(factors.offsets));
    if (sizes.bits == 8) {
        ir::NdArray none(factors.sixteenfold.dtype(), factors.sixteenfold.shape());
        y = node.call("add", {y, product(4, std::move(factors.sixteenfold), std::move(none))});
    }
    if (sizes.panels() * FewBits::width != sizes.columns)
        y = node.slice(y, std::ssize(shape) - 1, 0, sizes.columns);
    return {node.has(5) ? node.call("add", {y, node.input(5)}) : y};
}

constexpr ImportRow microsoftQuantizedRows[] = {
    {"MatMulNBits", &matMulNBits},
    {"QLinearAdd", &quantizedPair<"add">},
    {"QLinearAveragePool", &quantizedAveragePool},
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
