// SPDX-License-Identifier: Apache-2.0
/// Attention as ONNX Runtime's optimiser writes it (domain com.microsoft).
#include "core/graph/onnx/made_array.h"
#include "core/graph/onnx/rotation.h"
#include "core/ir/exact_integers.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nestwright::graph::onnx {

namespace {

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
    if (shape.empty() || shape.size() > 3 || shape.back() != keys)
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
        Value q = node.input(0), k = node.optionalInput(1), v = node.optionalInput(2);
        if (!k)
            node.unsupported("keys are missing");
        const bool isPair = node.rank(1) == 5;
        if (!isPair && !v)
            node.unsupported("values are missing");
        heads.keysByHead = node.rank(1) == 4;
        if (node.has(3)) {
            std::int64_t from = 0;
            for (Value *each : {&q, &k, &v}) {
                if (node.typeOf(*each).rank() != 3)
                    node.unsupported("a bias needs queries, keys and values of 3 dimensions");
                const std::int64_t width = node.shapeOf(*each)[2];
                *each = node.call("add", {*each, node.slice(node.input(3), 0, from, from + width)});
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
        attributes["offset"] = node.size(6, 2);
    if (hasPast || node.wantsOutput(1))
        append(node, heads, node.optionalInput(6), node.optionalInput(7));
    Value mask, lengths;
    addPadding(node, 4, node.shapeOf(heads.k)[heads.keysByHead ? 2 : 1], mask, lengths);
    return {attended(node, heads, attributes, node.optionalInput(5), mask, lengths), heads.k, heads.v};
}

/// Inputs: x, weights and bias of queries, keys and values side by side, padding, former keys and values in
/// one tensor, a bias of scores.
Values packedAttention(NodeImport &node)
{
    const std::int64_t count = node.integer("num_heads", 0);
    Value all = node.call("nn.matmul", {node.input(0), node.input(1)});
    if (node.has(2))
        all = node.call("add", {all, node.input(2)});
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
        attributes["offset"] = node.size(4, 3);
    if (node.has(4) || node.wantsOutput(1)) {
        const auto past = [&](std::int64_t which) {
            return node.has(4) ? node.part(node.input(4), 0, which) : Value{};
        };
        append(node, heads, past(0), past(1));
    }
    Value mask, lengths;
    addPadding(node, 3, node.shapeOf(heads.k)[heads.keysByHead ? 2 : 1], mask, lengths);
    Values results{attended(node, heads, attributes, node.optionalInput(5), mask, lengths)};
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
    const std::int64_t half = node.size(table, 1);
    if (positions) {
        const Ints shape = node.shapeOf(positions);
        if (shape.size() != 2)
            node.unsupported("positions must be batch × position");
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
    constexpr std::int64_t mostHeads = 1 << 20;
    if (count < 1 || groups < 1 || count > mostHeads || groups > mostHeads)
        node.unsupported("num_heads and kv_num_heads must lie between 1 and 2^20");
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
    const std::int64_t queries = shape[1], places = node.has(3) ? node.size(3, 2) : 0;
    const Data total = node.has(6) ? node.builder().dataOf(node.input(6)) : nullptr;
    const std::int64_t length = total && total->size() == 1 ? ir::integerAt(*total, 0) : places + queries;
    if (length < queries)
        node.unsupported(std::format("{} keys are to be seen by {} queries", length, queries));
    const bool inPlace = places >= length; // a buffer that is longer than what it holds
    if (!inPlace && length != places + queries)
        node.unsupported(
            std::format("{} keys are to be seen, but there are {} and {}", length, places, queries));
    const std::int64_t former = length - queries;
    if (node.integer("do_rotary", 0) != 0) {
        const Value positions = node.optionalInput(9);
        const Value cosine = angles(node, 7, positions, former, queries),
                    sine = angles(node, 8, positions, former, queries);
        const std::int64_t turned = 2 * node.size(7, 1);
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
    return {attended(node, heads, attributes, node.optionalInput(10), {}, lengths), heads.k, heads.v};
}

/// Positions: one for all sequences, from which they count on, or one for each token.
Values rotaryByTable(NodeImport &node)
{
    const Ints given = node.shape();
    const std::int64_t half = node.size(2, 1), asked = node.integer("rotary_embedding_dim", 0);
    if (half < 1 || (given.size() != 3 && given.size() != 4))
        node.unsupported("the table is empty, or the input has other than 3 or 4 dimensions");
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

constexpr ImportRow microsoftAttentionRows[] = {
    {"Attention", &packedAttention},
    {"GroupQueryAttention", &groupQueryAttention},
    {"MultiHeadAttention", &multiHeadAttention},
    {"RotaryEmbedding", &rotaryByTable},
};

} // namespace

std::span<const ImportRow> microsoftAttentionImports() { return microsoftAttentionRows; }

} // namespace nestwright::graph::onnx
