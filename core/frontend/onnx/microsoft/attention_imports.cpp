// SPDX-License-Identifier: Apache-2.0
/// Attention as ONNX Runtime's optimiser writes it (domain com.microsoft).
#include "core/frontend/onnx/file/made_array.h"
#include "core/frontend/onnx/rotation.h"
#include "core/ir/exact_integers.h"
#include "core/ops/table/shapes.h"

#include <algorithm>
#include <cmath>
#include <format>
#include <numeric>
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

/// Further inputs of nn.attention, where they are given.
struct FurtherHeads {
    Value bias{}, lengths{}, sink{};
};

/// Calls nn.attention; gives batch × position × (heads · element).
Value attended(NodeImport &node, const Heads &heads, ops::Attributes attributes, const FurtherHeads &more)
{
    const Ints shape = node.shapeOf(heads.q);
    attributes.emplace("scale", 1 / std::sqrt(static_cast<double>(shape[3])));
    attributes["layout"] = std::string("BLHD");
    attributes["key_layout"] = std::string(heads.keysByHead ? "BHLD" : "BLHD");
    Values inputs{heads.q, heads.k, heads.v};
    for (const auto &[name, value] :
         {std::pair("bias", more.bias), {"lengths", more.lengths}, {"sink", more.sink}}) {
        if (!value)
            continue;
        attributes[name] = true;
        inputs.push_back(value);
    }
    return node.reshape(node.call("nn.attention", inputs, attributes), {shape[0], shape[1], -1});
}

/// Whether keys count, for all queries of a sequence, by where they end: `ends` has an end for each sequence
/// and, with twice as many, then where each begins; with three times as many and two, other things then.
Value countingKeys(NodeImport &node, Value ends, std::int64_t batch, std::int64_t keys)
{
    const std::int64_t given = node.shapeOf(ends)[0];
    if (given != batch && given != 2 * batch && given != 3 * batch + 2)
        node.unsupported(
            std::format("a mask of {} numbers for {} sequences is none of ends of their keys, of "
                        "ends and beginnings, or of three for each and two",
                        given, batch));
    Ints counted(static_cast<std::size_t>(keys));
    std::iota(counted.begin(), counted.end(), 0);
    const Value places = node.constant(integerArray(counted, {1, keys}));
    const auto part = [&](std::int64_t from) {
        const Value some = node.slice(ends, 0, from, from + batch);
        return node.reshape(node.cast(some, ir::DataType::int64()), {batch, 1});
    };
    const Value before = node.call("less", {places, part(0)});
    if (given != 2 * batch)
        return before;
    return node.call("logical_and", {before, node.call("greater_equal", {places, part(batch)})});
}

/// The bias of scores (input `bias`) with what keys get that a mask (input `mask`) lets not count.
Value biasWithMask(NodeImport &node, std::size_t mask, std::size_t bias, std::int64_t keys)
{
    const double filter = node.real("mask_filter_value", -10000);
    if (!node.has(mask))
        return node.optionalInput(bias);
    Ints shape = node.shape(mask);
    Value counts;
    if (shape.size() == 1) {
        const std::int64_t batch = node.shape()[0];
        counts = countingKeys(node, node.input(mask), batch, keys);
        shape = {batch, keys};
    } else {
        if (shape.empty() || shape.size() > 3 || shape.back() != keys)
            node.unsupported(
                std::format("a mask of {} for {} keys is not supported", node.type(mask).str(), keys));
        counts = node.cast(node.input(mask), ir::DataType::boolean());
    }
    const ir::DataType type = ops::sumType(node.type().dtype);
    const Value hidden = node.call("where", {counts, node.scalar(0, type), node.scalar(filter, type)});
    const Value byHead = node.reshape(hidden, shape.size() == 2 ? Ints{shape[0], 1, 1, keys}
                                                                : Ints{shape[0], 1, shape[1], keys});
    return node.has(bias) ? node.call("add", {node.cast(node.input(bias), type), byHead}) : byHead;
}

void addScale(NodeImport &node, ops::Attributes &attributes)
{
    if (const double scale = node.real("scale", 0); scale != 0)
        attributes["scale"] = scale;
}

/// Appends the keys and values of `heads`, by head, to the past ones.
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
    const Value bias = biasWithMask(node, 4, 5, node.shapeOf(heads.k)[heads.keysByHead ? 2 : 1]);
    return {attended(node, heads, attributes, {.bias = bias}), heads.k, heads.v};
}

/// Inputs: x, weights and bias of queries, keys and values side by side, padding, former keys and values in
/// one tensor, a bias of scores.
Values packedAttention(NodeImport &node)
{
    node.requireOnly("past_present_share_buffer", 0);
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
    const Value bias = biasWithMask(node, 3, 5, node.shapeOf(heads.k)[heads.keysByHead ? 2 : 1]);
    Values results{attended(node, heads, attributes, {.bias = bias})};
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

/// Positions of the tokens of a call of GroupQueryAttention.
struct Tokens {
    std::int64_t batch = 0, queries = 0;
    std::int64_t places = 0; ///< of former keys and values
    std::int64_t rows = 0;   ///< of keys and values that are given back
    std::int64_t former = 0; ///< tokens before the first query, where all sequences have as many
    Value lengths{};         ///< of each sequence with its queries, where they may differ

    /// Whether all sequences have as many tokens before their first query.
    bool areEqual() const { return former == 0 || !lengths; }
    /// Number of tokens before the first query, for each sequence.
    Value formerOfEach(NodeImport &node) const
    {
        return !areEqual()
                   ? node.call("subtract", {lengths, node.scalarLike(static_cast<double>(queries), lengths)})
                   : node.constant(
                         madeArray(node, ir::DataType::int64(), {batch}, static_cast<double>(former)));
    }
};

/// The length of all tokens is input 6, the lengths of sequences less one are input 5. A call whose queries
/// are all tokens is a prompt; what stands behind a shorter sequence then is seen by none of its queries.
Tokens tokensOf(NodeImport &node, const Ints &queries)
{
    Tokens tokens{queries[0], queries[1], node.has(3) ? node.size(3, 2) : 0};
    const Data total = node.has(6) ? node.builder().dataOf(node.input(6)) : nullptr;
    const bool isKnown = total && total->size() == 1;
    if (!isKnown && tokens.places > 0 && tokens.queries > 1)
        (void)node.number(6); // a prompt, or further tokens?
    const std::int64_t length = isKnown ? ir::integerAt(*total, 0) : tokens.places + tokens.queries;
    if (length < tokens.queries)
        node.unsupported(std::format("{} keys are to be seen by {} queries", length, tokens.queries));
    if (tokens.places < length && length > tokens.places + tokens.queries)
        node.unsupported(std::format("{} keys are to be seen, but there are {} and {}", length, tokens.places,
                                     tokens.queries));
    tokens.rows = std::max(tokens.places, length);
    tokens.former = length - tokens.queries;
    const bool isCausal = node.integer("causal", 1) != 0;
    if (!node.has(5) || (tokens.former == 0 && isCausal))
        return tokens;
    const Data last = node.builder().dataOf(node.input(5));
    bool differ = !last;
    for (std::int64_t i = 0; last && i < last->size(); ++i)
        differ = differ || ir::integerAt(*last, i) != length - 1;
    if (differ) {
        const Value wide = node.cast(node.reshape(node.input(5), {-1}), ir::DataType::int64());
        tokens.lengths = node.call("add", {wide, node.scalarLike(1, wide)});
    }
    return tokens;
}

/// Turns queries and keys by where they stand.
void rotate(NodeImport &node, Heads &heads, const Tokens &tokens)
{
    Value positions = node.optionalInput(9);
    if (!positions && !tokens.areEqual()) {
        Ints counted(static_cast<std::size_t>(tokens.queries));
        std::iota(counted.begin(), counted.end(), 0);
        positions = node.call("add", {node.reshape(tokens.formerOfEach(node), {tokens.batch, 1}),
                                      node.constant(integerArray(counted, {1, tokens.queries}))});
    }
    const Value cosine = angles(node, 7, positions, tokens.former, tokens.queries),
                sine = angles(node, 8, positions, tokens.former, tokens.queries);
    const std::int64_t turned = 2 * node.size(7, 1);
    const bool isInterleaved = node.integer("rotary_interleaved", 0) != 0;
    heads.q = rotated(node, heads.q, cosine, sine, turned, isInterleaved);
    heads.k = rotated(node, heads.k, cosine, sine, turned, isInterleaved);
}

/// Puts new keys and values to the former ones: behind all, or behind those of each sequence that count.
void remember(NodeImport &node, Heads &heads, const Tokens &tokens)
{
    const Value past = node.optionalInput(3);
    node.acceptInputs({4}); // empty where there are none
    append(node, heads, {}, {});
    if (tokens.areEqual() && tokens.rows == tokens.places + tokens.queries) {
        append(node, heads, tokens.places > 0 ? past : Value{}, tokens.places > 0 ? node.input(4) : Value{});
        return;
    }
    const Value place = tokens.formerOfEach(node);
    const auto put = [&](std::size_t input, Value fresh) {
        return node.call("update_cache", {node.input(input), fresh, place},
                         {{"axis", std::int64_t{2}}, {"size", tokens.rows}});
    };
    heads.k = put(3, heads.k);
    heads.v = put(4, heads.v);
}

/// Inputs: queries, keys, values (or all in the first), former keys and values, lengths less one, the length
/// of all, tables of cosines and sines, positions, a bias of scores, a score of each head for no key.
Values groupQueryAttention(NodeImport &node)
{
    node.requireOnly("sliding_window_cache", 0);
    node.requireOnly("qk_output", 0);
    node.requireOnly("k_quant_type", "NONE");
    node.requireOnly("v_quant_type", "NONE");
    // Attributes of normalizations and quantized caches, whose inputs are not supported.
    node.accept({"k_norm_epsilon", "q_norm_epsilon", "qk_norm_epsilon", "kv_cache_bit_width"});
    const std::int64_t count = node.integer("num_heads", 0), groups = node.integer("kv_num_heads", 0);
    constexpr std::int64_t mostHeads = 1 << 20;
    if (count < 1 || groups < 1 || count > mostHeads || groups > mostHeads)
        node.unsupported("num_heads and kv_num_heads must lie between 1 and 2^20");
    Heads heads;
    if (node.has(1)) {
        heads = {byHead(node, node.input(0), count), byHead(node, node.input(1), groups),
                 byHead(node, node.input(2), groups)};
    } else {
        const Value all = byHead(node, node.input(0), count + 2 * groups);
        heads = {node.slice(all, 2, 0, count), node.slice(all, 2, count, count + groups),
                 node.slice(all, 2, count + groups, count + 2 * groups)};
    }
    const Tokens tokens = tokensOf(node, node.shapeOf(heads.q));
    if (node.integer("do_rotary", 0) != 0)
        rotate(node, heads, tokens);
    ops::Attributes attributes{{"causal", node.integer("causal", 1) != 0},
                               {"offset", tokens.former},
                               {"softcap", node.real("softcap", 0)}};
    addScale(node, attributes);
    if (const std::int64_t window = node.integer("local_window_size", -1); window > 0)
        attributes["left"] = window - 1;
    remember(node, heads, tokens);
    FurtherHeads more{node.optionalInput(10), tokens.lengths, node.optionalInput(11)};
    if (!more.lengths && tokens.rows > tokens.former + tokens.queries)
        more.lengths = node.constant(madeArray(node, ir::DataType::int64(), {tokens.batch},
                                               static_cast<double>(tokens.former + tokens.queries)));
    if (!more.sink && node.integer("smooth_softmax", -1) > 0)
        more.sink = node.constant(madeArray(node, node.type().dtype, {count}));
    return {attended(node, heads, attributes, more), heads.k, heads.v};
}

/// Positions: one for all sequences, from which they count on, or one for each token.
Values rotaryByTable(NodeImport &node)
{
    node.requireOnly("is_packed_batching", 0);
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
