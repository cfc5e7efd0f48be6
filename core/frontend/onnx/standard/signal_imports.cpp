// SPDX-License-Identifier: Apache-2.0
/// Fourier transforms of ONNX, as products with matrices that are known when the model is opened.
#include "core/frontend/onnx/node_import.h"

#include <algorithm>
#include <cmath>
#include <format>
#include <numbers>

namespace nestwright::graph::onnx {

namespace {

constexpr double mostMatrixElements = 0x1p25;

struct Transform {
    std::int64_t length = 1;
    std::int64_t parts = 1; ///< 1: of real numbers, 2: of complex ones
    bool inverse = false;
    bool oneSided = false; ///< only the first half of the spectrum, which holds all of that of real numbers

    std::int64_t half() const { return length / 2 + 1; }
    bool givesReals() const { return inverse && oneSided; }
    std::int64_t sources() const { return givesReals() ? half() : length; }
    std::int64_t bins() const { return oneSided && !inverse ? half() : length; }
    std::int64_t resultParts() const { return givesReals() ? 1 : 2; }
};

/// The rows are the real and imaginary parts of the input, the columns those of the result.
ir::NdArray matrixOf(const NodeImport &node, const Transform &transform, ir::DataType type)
{
    const std::int64_t n = transform.length, sources = transform.sources(), bins = transform.bins(),
                       resultParts = transform.resultParts(), columns = bins * resultParts;
    if (n < 1
        || static_cast<double>(sources * transform.parts) * static_cast<double>(columns) > mostMatrixElements)
        node.unsupported(std::format("transforms of length {} are not supported", n));
    ir::NdArray matrix(type, {sources * transform.parts, columns});
    const double turn = (transform.inverse ? 2 : -2) * std::numbers::pi / static_cast<double>(n);
    const double scale = transform.inverse ? 1 / static_cast<double>(n) : 1;
    for (std::int64_t i = 0; i < sources; ++i) {
        // The other half of a spectrum adds the same once more.
        const double times = transform.givesReals() && i != 0 && 2 * i != n ? 2 : 1;
        for (std::int64_t k = 0; k < bins; ++k) {
            const double angle = turn * static_cast<double>(i * k % n);
            const double re = times * scale * std::cos(angle), im = times * scale * std::sin(angle);
            const std::int64_t at = i * transform.parts * columns + k * resultParts;
            matrix.set(at, re);
            if (resultParts == 2)
                matrix.set(at + 1, im);
            if (transform.parts == 2) {
                matrix.set(at + columns, -im);
                if (resultParts == 2)
                    matrix.set(at + columns + 1, re);
            }
        }
    }
    return matrix;
}

/// Transforms along the last axis but one. The last axis holds the real and imaginary parts, on input and
/// output.
Value transformed(NodeImport &node, Value x, const Transform &transform)
{
    Ints shape = node.shapeOf(x);
    const Value matrix = node.constant(matrixOf(node, transform, node.typeOf(x).dtype));
    const Ints rows{-1, shape[shape.size() - 2] * shape.back()};
    const Value product = node.call("nn.matmul", {node.reshape(x, rows), matrix});
    shape[shape.size() - 2] = transform.bins();
    shape.back() = transform.resultParts();
    return node.reshape(product, shape);
}

/// Cut or filled with zeros to `length` along an axis.
Value withLength(NodeImport &node, Value x, std::int64_t axis, std::int64_t length)
{
    const Ints shape = node.shapeOf(x);
    const std::int64_t more = length - shape[static_cast<std::size_t>(axis)];
    if (more == 0)
        return x;
    Ints widths(2 * shape.size());
    widths[shape.size() + static_cast<std::size_t>(axis)] = more;
    return node.call("nn.pad", {x}, {{"pad_width", widths}});
}

Values dft(NodeImport &node)
{
    const Ints shape = node.shape();
    const auto rank = static_cast<std::int64_t>(shape.size());
    if (rank < 2 || shape.back() < 1 || shape.back() > 2)
        node.unsupported("the last dimension must hold one part of each number, or two");
    const std::int64_t given = node.opset() < 20 ? node.integer("axis", 1)
                               : node.has(2)     ? node.number(2)
                                                 : -2;
    const std::int64_t axis = node.axis(given, rank);
    if (axis == rank - 1)
        node.unsupported("the last axis holds the parts of the numbers");
    Transform transform{shape[static_cast<std::size_t>(axis)], shape.back(), node.integer("inverse", 0) != 0,
                        node.integer("onesided", 0) != 0};
    if (node.has(1))
        transform.length = node.number(1);
    else if (transform.givesReals())
        transform.length = 2 * (transform.length - 1);
    if (transform.length < 1 || transform.length >= (std::int64_t{1} << 31))
        node.unsupported("the length must be above 0");
    const Value x = withLength(node, node.input(), axis, transform.sources());
    if (axis == rank - 2)
        return {transformed(node, x, transform)};
    Ints order(static_cast<std::size_t>(rank));
    for (std::int64_t i = 0; i < rank; ++i)
        order[static_cast<std::size_t>(i)] = i;
    std::swap(order[static_cast<std::size_t>(axis)], order[static_cast<std::size_t>(rank - 2)]);
    return {node.transpose(transformed(node, node.transpose(x, order), transform), order)};
}

/// Transforms of stretches of a signal that begin `step` apart.
Values stft(NodeImport &node)
{
    Value signal = node.input();
    Ints shape = node.shape();
    if (shape.size() == 2) {
        shape.push_back(1);
        signal = node.reshape(signal, shape);
    }
    if (shape.size() != 3 || shape[2] < 1 || shape[2] > 2)
        node.unsupported("the signal must be batch × length × parts, of one part or two");
    const std::int64_t step = node.number(1);
    if (node.has(2) && node.rank(2) != 1)
        node.unsupported("the window must have one dimension");
    const std::int64_t length = node.has(3) ? node.number(3) : node.has(2) ? node.size(2, 0) : shape[1];
    if (step < 1 || length < 1 || length > shape[1])
        node.unsupported("the frames must be above 0, and no longer than the signal");
    const std::int64_t frames = (shape[1] - length) / step + 1;
    const Transform transform{length, shape[2], false, node.integer("onesided", 1) != 0};
    if (transform.oneSided && shape[2] == 2)
        node.unsupported("one half of the transform of complex numbers does not hold all of it");
    if (static_cast<double>(frames) * static_cast<double>(length) > mostMatrixElements)
        node.unsupported("there are too many frames");
    ir::NdArray places(ir::DataType::int32(), {frames, length});
    for (std::int64_t i = 0; i < places.size(); ++i) {
        const std::int64_t place = i / length * step + i % length;
        places.set(i, static_cast<double>(place));
    }
    Value stretches =
        node.call("take", {signal, node.constant(std::move(places))}, {{"axis", std::int64_t{1}}});
    if (node.has(2))
        stretches = node.call("multiply", {stretches, node.reshape(node.input(2), {-1, 1})});
    return {transformed(node, stretches, transform)};
}

/// Weights that gather the bins of a spectrum into triangles that are equally wide on the mel scale.
Values melWeightMatrix(NodeImport &node)
{
    const std::int64_t bands = node.number(0), length = node.number(1), rate = node.number(2);
    const double low = node.realNumber(3), high = node.realNumber(4);
    const auto type = elementTypeOf(node.integer("output_datatype", 1));
    if (!type || bands < 1 || length < 1 || rate < 1 || !(low >= 0) || !(high >= low)
        || static_cast<double>(bands) * static_cast<double>(length) > mostMatrixElements)
        node.unsupported(
            "the numbers of bands and bins, the sample rate and the frequencies must be above 0");
    const std::int64_t bins = length / 2 + 1;
    const auto mel = [](double frequency) { return 2595 * std::log10(1 + frequency / 700); };
    Ints edges;
    for (std::int64_t i = 0; i < bands + 2; ++i) {
        const double at =
            mel(low) + static_cast<double>(i) * (mel(high) - mel(low)) / static_cast<double>(bands + 2);
        const double frequency = 700 * (std::pow(10, at / 2595) - 1);
        // Beyond the last bin nothing is weighted, however far.
        edges.push_back(static_cast<std::int64_t>(
            std::clamp(std::floor(static_cast<double>(length + 1) * frequency / static_cast<double>(rate)),
                       0.0, 0x1p40)));
    }
    ir::NdArray weights(*type, {bins, bands});
    for (std::int64_t band = 0; band < bands; ++band) {
        const auto i = static_cast<std::size_t>(band);
        const std::int64_t from = edges[i], middle = edges[i + 1], to = edges[i + 2];
        for (std::int64_t bin = std::max<std::int64_t>(0, from);
             bin < std::min(bins, std::max(to, middle + 1)); ++bin) {
            const double rising =
                middle == from ? 1 : static_cast<double>(bin - from) / static_cast<double>(middle - from);
            const double falling =
                to == middle ? 1 : static_cast<double>(to - bin) / static_cast<double>(to - middle);
            weights.set(bin * bands + band, bin < middle || to == middle ? rising : falling);
        }
    }
    return {node.constant(std::move(weights))};
}

constexpr ImportRow signalRows[] = {
    {"DFT", &dft},
    {"MelWeightMatrix", &melWeightMatrix},
    {"STFT", &stft},
};

} // namespace

std::span<const ImportRow> signalImports() { return signalRows; }

} // namespace nestwright::graph::onnx
