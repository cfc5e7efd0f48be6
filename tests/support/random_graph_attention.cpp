// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_graph_generator.h"

#include <limits>

namespace nestwright::tests {

using ir::DataType;

/// A product with weights that are worth panels.
void GraphGenerator::dense()
{
    const auto x = real(1);
    if (!x)
        return;
    const Ints shape = shapeOf(x->value);
    const std::int64_t inner = shape.back(), rows = m_random.pick(Ints{1, 1, 2, 3, 7, 20});
    const std::int64_t outer = 16 * m_random.pick(Ints{64, 65, 48, 33, 20}) + m_random.pick(Ints{0, 0, 3});
    Value input = rankOf(x->value) > 1
                      ? x->value
                      : m_builder.call("broadcast_to", {x->value}, {{"shape", Ints{rows, inner}}});
    const bool flag = m_random.chance(20);
    Value y = m_builder.call("nn.matmul", {input, data(flag ? Ints{outer, inner} : Ints{inner, outer})},
                             {{"transpose_b", flag}});
    if (m_random.chance(60))
        y = m_builder.call("add", {y, data({outer})});
    if (m_random.chance(40))
        y = m_builder.call("nn.relu", {y});
    // Few of the columns go on: values are small.
    add(m_builder.call(
            "strided_slice", {m_builder.call("tanh", {y})},
            {{"begin", Ints{outer - 16}}, {"end", Ints{outer}}, {"axes", Ints{-1}}, {"strides", Ints{1}}}),
        1, false);
}

/// Attention spelled out as models do, or as the operator.
void GraphGenerator::attention()
{
    const auto x = real(1);
    if (!x)
        return;
    std::int64_t elements = 1;
    for (const std::int64_t size : shapeOf(x->value))
        elements *= size;
    const std::int64_t depth = m_random.pick(Ints{1, 2, 4, 8}), groups = m_random.pick(Ints{1, 1, 2, 3}),
                       share = m_random.pick(Ints{1, 1, 2}), heads = groups * share;
    if (elements % (depth * heads) != 0)
        return;
    const std::int64_t queries = elements / (depth * heads), keys = m_random.pick(Ints{1, 2, 5, 16, 19}),
                       width = m_random.pick(Ints{1, 3, 4, 16});
    if (queries == 0 || queries > 80)
        return;
    const Ints exchange{0, 2, 1, 3};
    const auto call = [&](std::string_view op, std::vector<Value> inputs, ops::Attributes attributes = {}) {
        return m_builder.call(op, std::move(inputs), std::move(attributes));
    };
    const bool queriesLast = m_random.chance(50), keysLast = m_random.chance(50);
    const Value q =
        call("reshape", {x->value},
             {{"newshape", queriesLast ? Ints{1, queries, heads, depth} : Ints{1, heads, queries, depth}}});
    // Not constants, which would be folded.
    const auto made = [&](std::int64_t size) {
        const Value zero = call("multiply", {call("sum", {x->value}, {{"keepdims", false}}),
                                             m_builder.scalar(0, DataType::float32())});
        return call("add",
                    {data(keysLast ? Ints{1, keys, groups, size} : Ints{1, groups, keys, size}), zero});
    };
    const Value k = made(depth), v = made(width);
    const double scale = m_random.pick(std::vector<double>{1, 0.5, 0.125});
    if (m_random.chance(40)) {
        ops::Attributes attributes{{"scale", scale},
                                   {"causal", m_random.chance(40)},
                                   {"offset", m_random.pick(Ints{0, 0, 3, -1})},
                                   {"softcap", m_random.chance(20) ? 2.0 : 0.0},
                                   {"left", m_random.pick(Ints{-1, -1, 0, 2})},
                                   {"right", m_random.pick(Ints{-1, -1, 0, 1})},
                                   {"layout", std::string(queriesLast ? "BLHD" : "BHLD")},
                                   {"key_layout", std::string(keysLast ? "BLHD" : "BHLD")}};
        std::vector<Value> inputs{q, k, v};
        if (m_random.chance(30)) {
            attributes["bias"] = true;
            inputs.push_back(data(m_random.chance(50) ? Ints{queries, keys} : Ints{1, heads, 1, keys}));
        }
        if (m_random.chance(30)) {
            attributes["mask"] = true;
            inputs.push_back(
                data(m_random.chance(50) ? Ints{queries, keys} : Ints{1, 1, 1, keys}, DataType::boolean()));
        }
        if (m_random.chance(20)) {
            attributes["lengths"] = true;
            ir::NdArray length(DataType::int64(), {1});
            length.set(0, static_cast<double>(m_random.between(0, keys)));
            inputs.push_back(m_builder.constant(std::move(length)));
        }
        add(call("nn.attention", inputs, attributes), 1, false);
        return;
    }
    const Value byHead = queriesLast ? call("transpose", {q}, {{"axes", exchange}}) : q;
    const auto repeated = [&](Value value, std::int64_t size) {
        if (keysLast)
            value = call("transpose", {value}, {{"axes", exchange}});
        if (share == 1)
            return value;
        value = call("reshape", {value}, {{"newshape", Ints{1, groups, 1, keys, size}}});
        value = call("broadcast_to", {value}, {{"shape", Ints{1, groups, share, keys, size}}});
        return call("reshape", {value}, {{"newshape", Ints{1, heads, keys, size}}});
    };
    const Value allKeys = repeated(k, depth), factor = m_builder.scalar(scale, DataType::float32());
    const bool scalesBefore = m_random.chance(50), flag = m_random.chance(30);
    const Value scaled = scalesBefore ? call("multiply", {byHead, factor}) : byHead;
    Value scores =
        flag ? call("nn.matmul", {scaled, allKeys}, {{"transpose_b", true}})
             : call("nn.matmul", {scaled, call("transpose", {allKeys}, {{"axes", Ints{0, 1, 3, 2}}})});
    if (!scalesBefore)
        scores = call("multiply", {scores, factor});
    if (m_random.chance(30)) {
        const double never = m_random.chance(50) ? -3e38 : -1.0;
        scores = call("where", {data({1, 1, queries, keys}, DataType::boolean()), scores,
                                m_builder.scalar(never, DataType::float32())});
    }
    if (m_random.chance(40))
        scores = call("add", {scores, data(m_random.chance(50) ? Ints{1, 1, 1, keys} : Ints{queries, keys})});
    Value y = call("nn.matmul", {call("nn.softmax", {scores}), repeated(v, width)});
    if (m_random.chance(50))
        y = call("transpose", {y}, {{"axes", exchange}});
    add(y, 1, false);
}

} // namespace nestwright::tests
