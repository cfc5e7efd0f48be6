// SPDX-License-Identifier: Apache-2.0
/// Operators that ONNX Runtime's optimiser writes in place of ONNX's own (domain com.microsoft).
#include "core/graph/onnx/contraction_attributes.h"
#include "core/graph/onnx/made_array.h"
#include "core/graph/onnx/rotation.h"
#include "core/ir/exact_integers.h"
#include "core/support/fixed_text.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <format>
#include <numeric>

namespace nestwright::graph::onnx {

namespace {

Value applied(NodeImport &node, std::string_view op, Value a, Value b) { return node.call(op, {a, b}); }

Value activated(NodeImport &node, Value x, const std::string &name)
{
    const std::vector<double> given = node.reals("activation_params");
    const auto parameter = [&](std::size_t i, const char *attribute, double otherwise) {
        return i < given.size() ? given[i] : node.real(attribute, otherwise);
    };
    if (name.empty())
        return x;
    if (name == "Relu")
        return node.call("nn.relu", {x});
    if (name == "Tanh" || name == "Sigmoid")
        return node.call(name == "Tanh" ? "tanh" : "sigmoid", {x});
    if (name == "LeakyRelu")
        return node.call("nn.leaky_relu", {x}, {{"alpha", parameter(0, "activation_alpha", 0.01)}});
    if (name == "HardSigmoid")
        return node.call("nn.hard_sigmoid", {x},
                         {{"alpha", parameter(0, "activation_alpha", 0.2)},
                          {"beta", parameter(1, "activation_beta", 0.5)}});
    if (name == "Clip" && given.size() == 2) {
        x = applied(node, "maximum", x, node.scalarLike(given[0], x));
        return applied(node, "minimum", x, node.scalarLike(given[1], x));
    }
    node.unsupported(std::format("there is no activation \"{}\"", name));
}

Values fusedMatMul(NodeImport &node)
{
    if (node.integer("transBatchA", 0) != 0 || node.integer("transBatchB", 0) != 0)
        node.unsupported("transposed batches are not supported");
    Value product = node.call(
        "nn.matmul", {node.input(0), node.input(1)},
        {{"transpose_a", node.integer("transA", 0) != 0}, {"transpose_b", node.integer("transB", 0) != 0}});
    if (const double alpha = node.real("alpha", 1); alpha != 1)
        product = applied(node, "multiply", product, node.scalarLike(alpha, product));
    return {activated(node, product, node.text("activation", ""))};
}

Values fusedGemm(NodeImport &node)
{
    Value result = node.call(
        "nn.matmul", {node.input(0), node.input(1)},
        {{"transpose_a", node.integer("transA", 0) != 0}, {"transpose_b", node.integer("transB", 0) != 0}});
    const auto scaled = [&](Value x, const char *attribute) {
        const double factor = node.real(attribute, 1);
        return factor == 1 ? x : applied(node, "multiply", x, node.scalarLike(factor, x));
    };
    result = scaled(result, "alpha");
    if (node.has(2))
        result = applied(node, "add", result, scaled(node.input(2), "beta"));
    return {activated(node, result, node.text("activation", ""))};
}

Values fusedConv(NodeImport &node)
{
    Value y = node.call("nn.conv", {node.input(0), node.input(1)}, convolutionAttributes(node, 1));
    if (node.has(2)) {
        Ints shape(static_cast<std::size_t>(node.typeOf(y).rank()), 1);
        shape[1] = -1;
        y = applied(node, "add", y, node.reshape(node.input(2), shape));
    }
    if (node.has(3))
        y = applied(node, "add", y, node.input(3));
    return {activated(node, y, node.text("activation", ""))};
}

Value geluOf(NodeImport &node, Value x, const char *form)
{
    return node.call("nn.gelu", {x}, {{"approximate", std::string(form)}});
}

Values plainGelu(NodeImport &node) { return {geluOf(node, node.input(), "none")}; }

Values biasGelu(NodeImport &node)
{
    return {geluOf(node, applied(node, "add", node.input(0), node.input(1)), "none")};
}

Values fastGelu(NodeImport &node)
{
    const Value x = node.has(1) ? applied(node, "add", node.input(0), node.input(1)) : node.input();
    return {geluOf(node, x, "tanh")};
}

Values quickGelu(NodeImport &node)
{
    const Value x = node.input();
    const Value scaled = applied(node, "multiply", x, node.scalarLike(node.real("alpha", 1.702), x));
    return {applied(node, "multiply", x, node.call("sigmoid", {scaled}))};
}

/// The last dimension less its mean and divided by its deviation, or only by its root mean square; then
/// scaled, and moved where `beta` is given.
Value normalized(NodeImport &node, Value x, Value gamma, Value beta, bool isCentred, double epsilon)
{
    Value y;
    const Ints last{node.typeOf(x).rank() - 1};
    if (isCentred) {
        y = node.call("nn.normalize", {x}, {{"axes", last}, {"epsilon", epsilon}});
    } else {
        const Value square = node.call("mean", {applied(node, "multiply", x, x)}, {{"axes", last}});
        const Value root =
            node.call("rsqrt", {applied(node, "add", square, node.scalarLike(epsilon, square))});
        y = applied(node, "multiply", x, root);
    }
    y = applied(node, "multiply", y, gamma);
    return beta ? applied(node, "add", y, beta) : y;
}

Value optionalInput(NodeImport &node, std::size_t i) { return node.has(i) ? node.input(i) : Value{}; }

/// Results: what is normalized, nothing, nothing, the sum.
Values skipNormalization(NodeImport &node, bool isCentred)
{
    Value sum = applied(node, "add", node.input(0), node.input(1));
    if (const std::size_t bias = isCentred ? 4 : 3; node.has(bias))
        sum = applied(node, "add", sum, node.input(bias));
    const Value beta = isCentred ? optionalInput(node, 3) : Value{};
    const double epsilon = node.real("epsilon", isCentred ? 1e-12 : 1e-5);
    return {normalized(node, sum, node.input(2), beta, isCentred, epsilon), {}, {}, sum};
}

Values skipLayerNormalization(NodeImport &node) { return skipNormalization(node, true); }
Values skipSimplifiedLayerNormalization(NodeImport &node) { return skipNormalization(node, false); }

/// Inputs: tokens, segments, three tables, gamma, beta, a mask, positions. Results: the embedding, how many
/// tokens of each sequence count, the sum.
Values embedLayerNormalization(NodeImport &node)
{
    const auto rows = [&](std::size_t table, Value places) {
        return node.call("take", {node.input(table), places}, {{"axis", std::int64_t{0}}});
    };
    const Ints shape = node.shape();
    if (shape.size() != 2)
        node.unsupported("the tokens must have 2 dimensions");
    Value positions = optionalInput(node, 8);
    if (!positions) {
        Ints counted(static_cast<std::size_t>(shape[1]));
        std::iota(counted.begin(), counted.end(), 0);
        positions = node.constant(integerArray(counted, {1, shape[1]}));
    }
    Value sum = applied(node, "add", rows(2, node.input(0)), rows(3, positions));
    if (node.has(1) && node.has(4))
        sum = applied(node, "add", sum, rows(4, node.input(1)));
    Values results{
        normalized(node, sum, node.input(5), node.input(6), true, node.real("epsilon", 1e-12)), {}, sum};
    if (node.wantsOutput(1)) {
        const ir::DataType type = ir::DataType::int32();
        results[1] = node.has(7) ? node.call("sum", {node.cast(node.input(7), type)},
                                             {{"axes", Ints{1}}, {"keepdims", false}})
                                 : node.constant(madeArray(node, type, {shape[0]}, 0));
    }
    return results;
}

/// batch × position × (heads · element) as batch × position × head × element.
Value byHead(NodeImport &node, Value x, std::int64_t heads)
{
    const Ints shape = node.shapeOf(x);
    if (shape.size() != 3 || heads < 1 || shape[2] % heads != 0)
        node.unsupported("queries, keys and values must have 3 dimensions, the last a multiple of the heads");
    return node.reshape(x, {shape[0], shape[1], heads, shape[2] / heads});
}

/// Attention of queries, keys and values, heads behind positions in all of them or, in keys and values,
/// before.
struct Heads {
    Value q, k, v;
    bool keysByHead = false;
};

/// Calls nn.attention; gives batch × position × (heads · element).
Value attended(NodeImport &node, const Heads &heads, ops::Attributes attributes, Value bias, Value mask,
               Value lengths)
{
    const Ints shape = node.shapeOf(heads.q);
    attributes.emplace("scale", 1 / std::sqrt(static_cast<double>(shape[3])));
    attributes["layout"] = std::string("BLHD");
    attributes["key_layout"] = std::string(heads.keysByHead ? "BHLD" : "BLHD");
    Values inputs{heads.q, heads.k, heads.v};
    for (const auto &[name, value] : {std::pair("bias", bias), {"mask", mask}, {"lengths", lengths}}) {
        if (!value)
            continue;
        attributes[name] = true;
        inputs.push_back(value);
    }
    return node.reshape(node.call("nn.attention", inputs, attributes), {shape[0], shape[1], -1});
}

/// 1 for keys that count, as numbers of batch × position, or their count by batch; as nn.attention has it.
void addPadding(NodeImport &node, std::size_t input, std::int64_t keys, Value &mask, Value &lengths)
{
    if (!node.has(input))
        return;
    const Ints shape = node.shape(input);
    if (shape.size() == 1) {
        lengths = node.input(input);
        return;
    }
    if (shape.size() > 3 || shape.back() != keys)
        node.unsupported("that form of a mask is not supported");
    const Value counts = node.cast(node.input(input), ir::DataType::boolean());
    mask = shape.size() == 2 ? node.reshape(counts, {shape[0], 1, 1, shape[1]})
                             : node.reshape(counts, {shape[0], 1, shape[1], shape[2]});
}

void addScale(NodeImport &node, ops::Attributes &attributes)
{
    if (const double scale = node.real("scale", 0); scale != 0)
        attributes["scale"] = scale;
}

/// Behind former keys and values, by head, those of `heads`.
void append(NodeImport &node, Heads &heads, Value pastKeys, Value pastValues)
{
    if (!heads.keysByHead) {
        heads.k = node.transpose(heads.k, {0, 2, 1, 3});
        heads.v = node.transpose(heads.v, {0, 2, 1, 3});
        heads.keysByHead = true;
    }
    if (pastKeys) {
        heads.k = node.concatenate({pastKeys, heads.k}, 2);
        heads.v = node.concatenate({pastValues, heads.v}, 2);
    }
}

/// Inputs: queries, keys, values, a bias of all three, padding, a bias of scores, former keys and values.
Values multiHeadAttention(NodeImport &node)
{
    const std::int64_t count = node.integer("num_heads", 0);
    Heads heads;
    const Ints given = node.shape();
    const auto third = [&](std::size_t input, std::int64_t of) { // of heads that stand side by side
        return node.part(node.input(input), 3, of);
    };
    if (given.size() == 5) {
        heads = {third(0, 0), third(0, 1), third(0, 2)};
    } else {
        Value q = node.input(0), k = optionalInput(node, 1), v = optionalInput(node, 2);
        if (!k)
            node.unsupported("keys are missing");
        const bool isPair = node.rank(1) == 5;
        if (!isPair && !v)
            node.unsupported("values are missing");
        heads.keysByHead = node.rank(1) == 4;
        if (node.has(3)) {
            std::int64_t from = 0;
            for (Value *each : {&q, &k, &v}) {
                if (node.typeOf(*each ? *each : q).rank() != 3)
                    node.unsupported("a bias needs queries, keys and values of 3 dimensions");
                const std::int64_t width = node.shapeOf(*each)[2];
                *each = applied(node, "add", *each, node.slice(node.input(3), 0, from, from + width));
                from += width;
            }
        }
        heads.q = byHead(node, q, count);
        heads.k = isPair ? third(1, 0) : heads.keysByHead ? k : byHead(node, k, count);
        heads.v = isPair ? third(1, 1) : heads.keysByHead ? v : byHead(node, v, count);
    }
    ops::Attributes attributes{{"causal", node.integer("unidirectional", 0) != 0}};
    addScale(node, attributes);
    const bool hasPast = node.has(6) && node.has(7);
    if (hasPast)
        attributes["offset"] = node.shape(6).at(2);
    if (hasPast || node.wantsOutput(1))
        append(node, heads, optionalInput(node, 6), optionalInput(node, 7));
    Value mask, lengths;
    addPadding(node, 4, node.shapeOf(heads.k)[heads.keysByHead ? 2 : 1], mask, lengths);
    return {attended(node, heads, attributes, optionalInput(node, 5), mask, lengths), heads.k, heads.v};
}

/// Inputs: x, weights and bias of queries, keys and values side by side, padding, former keys and values in
/// one tensor, a bias of scores.
Values packedAttention(NodeImport &node)
{
    const std::int64_t count = node.integer("num_heads", 0);
    Value all = node.call("nn.matmul", {node.input(0), node.input(1)});
    if (node.has(2))
        all = applied(node, "add", all, node.input(2));
    const std::int64_t width = node.shapeOf(all).back();
    Ints sizes = node.integers("qkv_hidden_sizes");
    if (sizes.empty())
        sizes = {width / 3, width / 3, width / 3};
    if (sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != width)
        node.unsupported("the sizes of queries, keys and values do not fit their weights");
    const auto part = [&](std::int64_t from, std::int64_t size) {
        return byHead(node, node.slice(all, 2, from, from + size), count);
    };
    Heads heads{part(0, sizes[0]), part(sizes[0], sizes[1]), part(sizes[0] + sizes[1], sizes[2])};
    ops::Attributes attributes{{"causal", node.integer("unidirectional", 0) != 0}};
    addScale(node, attributes);
    if (node.has(4))
        attributes["offset"] = node.shape(4).at(3);
    if (node.has(4) || node.wantsOutput(1)) {
        const auto past = [&](std::int64_t which) {
            return node.has(4) ? node.part(node.input(4), 0, which) : Value{};
        };
        append(node, heads, past(0), past(1));
    }
    Value mask, lengths;
    addPadding(node, 3, node.shapeOf(heads.k)[heads.keysByHead ? 2 : 1], mask, lengths);
    Values results{attended(node, heads, attributes, optionalInput(node, 5), mask, lengths)};
    if (node.wantsOutput(1)) {
        const auto first = [&](Value value) {
            Ints shape = node.shapeOf(value);
            shape.insert(shape.begin(), 1);
            return node.reshape(value, shape);
        };
        results.push_back(node.concatenate({first(heads.k), first(heads.v)}, 0));
    }
    return results;
}

/// Rows of a table of cosines or sines for positions [from, from + count), or for those of an input.
Value angles(NodeImport &node, std::size_t table, Value positions, std::int64_t from, std::int64_t count)
{
    const std::int64_t half = node.shape(table).at(1);
    if (positions) {
        const Ints shape = node.shapeOf(positions);
        const Value rows = node.call("take", {node.input(table), positions}, {{"axis", std::int64_t{0}}});
        return node.reshape(rows, {shape[0], shape[1], 1, half});
    }
    return node.reshape(node.slice(node.input(table), 0, from, from + count), {1, count, 1, half});
}

/// Inputs: queries, keys, values (or all in the first), former keys and values, lengths less one, the length
/// of all, tables of cosines and sines, positions, a bias of scores.
Values groupQueryAttention(NodeImport &node)
{
    const std::int64_t count = node.integer("num_heads", 0), groups = node.integer("kv_num_heads", 0);
    if (count < 1 || groups < 1)
        node.unsupported("num_heads and kv_num_heads must be above 0");
    if (node.integer("smooth_softmax", 0) > 0 || node.has(11))
        node.unsupported("weights that do not sum up to 1 are not supported");
    Heads heads;
    if (node.has(1)) {
        heads = {byHead(node, node.input(0), count), byHead(node, node.input(1), groups),
                 byHead(node, node.input(2), groups)};
    } else {
        const Value all = byHead(node, node.input(0), count + 2 * groups);
        heads = {node.slice(all, 2, 0, count), node.slice(all, 2, count, count + groups),
                 node.slice(all, 2, count + groups, count + 2 * groups)};
    }
    const Ints shape = node.shapeOf(heads.q);
    const std::int64_t queries = shape[1], places = node.has(3) ? node.shape(3).at(2) : 0;
    const Data total = node.has(6) ? node.builder().dataOf(node.input(6)) : nullptr;
    const std::int64_t length = total && total->size() == 1 ? ir::integerAt(*total, 0) : places + queries;
    const bool inPlace = places >= length; // a buffer that is longer than what it holds
    if (!inPlace && length != places + queries)
        node.unsupported(
            std::format("{} keys are to be seen, but there are {} and {}", length, places, queries));
    const std::int64_t former = length - queries;
    if (node.integer("do_rotary", 0) != 0) {
        const Value positions = optionalInput(node, 9);
        const Value cosine = angles(node, 7, positions, former, queries),
                    sine = angles(node, 8, positions, former, queries);
        const std::int64_t turned = 2 * node.shape(7).at(1);
        const bool isInterleaved = node.integer("rotary_interleaved", 0) != 0;
        heads.q = rotated(node, heads.q, cosine, sine, turned, isInterleaved);
        heads.k = rotated(node, heads.k, cosine, sine, turned, isInterleaved);
    }
    ops::Attributes attributes{{"causal", true}, {"offset", former}, {"softcap", node.real("softcap", 0)}};
    addScale(node, attributes);
    if (const std::int64_t window = node.integer("local_window_size", -1); window > 0)
        attributes["left"] = window - 1;
    Value lengths;
    if (inPlace) {
        append(node, heads, {}, {});
        const Value place =
            node.constant(madeArray(node, ir::DataType::int64(), {shape[0]}, static_cast<double>(former)));
        const auto put = [&](std::size_t past, Value fresh) {
            return node.call("update_cache", {node.input(past), fresh, place}, {{"axis", std::int64_t{2}}});
        };
        heads.k = put(3, heads.k);
        heads.v = put(4, heads.v);
        lengths =
            node.constant(madeArray(node, ir::DataType::int64(), {shape[0]}, static_cast<double>(length)));
    } else {
        append(node, heads, places > 0 ? node.input(3) : Value{}, places > 0 ? node.input(4) : Value{});
    }
    return {attended(node, heads, attributes, optionalInput(node, 10), {}, lengths), heads.k, heads.v};
}

/// Positions: one for all sequences, from which they count on, or one for each token.
Values rotaryByTable(NodeImport &node)
{
    const Ints given = node.shape();
    const std::int64_t half = node.shape(2).at(1), asked = node.integer("rotary_embedding_dim", 0);
    std::int64_t heads = node.integer("num_heads", 0);
    if (given.size() == 3 && heads == 0)
        heads = given[2] / (2 * half);
    const Value x =
        given.size() == 3 ? byHead(node, node.input(), heads) : node.transpose(node.input(), {0, 2, 1, 3});
    const Ints shape = node.shapeOf(x);
    const bool isFirst = node.rank(1) < 2;
    const std::int64_t from = isFirst ? node.number(1) : 0;
    const Value positions = isFirst ? Value{} : node.input(1);
    const Value result = rotated(node, x, angles(node, 2, positions, from, shape[1]),
                                 angles(node, 3, positions, from, shape[1]), asked == 0 ? 2 * half : asked,
                                 node.integer("interleaved", 0) != 0);
    return {given.size() == 3 ? node.reshape(result, given) : node.transpose(result, {0, 2, 1, 3})};
}

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
    if (bits != 4 || block < 16 || block % 8 != 0 || rows < 1 || columns < 1)
        node.unsupported("weights must have 4 bits, in blocks of 16 or more");
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
    return {node.has(5) ? applied(node, "add", y, node.input(5)) : y};
}

constexpr ImportRow microsoftRows[] = {
    {"Attention", &packedAttention},
    {"BiasGelu", &biasGelu},
    {"EmbedLayerNormalization", &embedLayerNormalization},
    {"FastGelu", &fastGelu},
    {"FusedConv", &fusedConv},
    {"FusedGemm", &fusedGemm},
    {"FusedMatMul", &fusedMatMul},
    {"Gelu", &plainGelu},
    {"GroupQueryAttention", &groupQueryAttention},
    {"MatMulNBits", &matMulNBits},
    {"MultiHeadAttention", &multiHeadAttention},
    {"QLinearAdd", &quantizedPair<"add">},
    {"QLinearConcat", &quantizedConcat},
    {"QLinearGlobalAveragePool", &quantizedGlobalAverage},
    {"QLinearLeakyRelu", &quantizedLeakyRelu},
    {"QLinearMul", &quantizedPair<"multiply">},
    {"QLinearSigmoid", &quantizedFunction<"sigmoid">},
    {"QLinearSoftmax", &quantizedSoftmax},
    {"QuickGelu", &quickGelu},
    {"RotaryEmbedding", &rotaryByTable},
    {"SkipLayerNormalization", &skipLayerNormalization},
    {"SkipSimplifiedLayerNormalization", &skipSimplifiedLayerNormalization},
};

} // namespace

std::span<const ImportRow> microsoftImports() { return microsoftRows; }

} // namespace nestwright::graph::onnx
