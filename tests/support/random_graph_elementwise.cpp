// SPDX-License-Identifier: Apache-2.0
// Random operators of one element at a time.
#include "tests/support/random_graph_generator.h"

#include <algorithm>
#include <cmath>

namespace nestwright::tests {

using ir::DataType;

void GraphGenerator::unary()
{
    const auto x = real();
    if (!x)
        return;
    static const Names exact{"nn.relu", "negative", "abs"},
        any{"tanh", "sigmoid", "erf", "exp", "nn.elu", "nn.leaky_relu", "nn.gelu"};
    const bool keeps = m_random.chance(40);
    const std::string &op = m_random.pick(keeps ? exact : any);
    add(m_builder.call(op, {op == "exp" && x->bound > 4 ? m_builder.call("tanh", {x->value}) : x->value}),
        op == "exp" ? std::exp(std::min(x->bound, 4.0)) : std::max(1.0, x->bound), keeps && x->exact);
}

std::optional<GraphGenerator::Known> GraphGenerator::partner(const Known &x)
{
    const Ints shape = shapeOf(x.value);
    if (m_random.chance(50)) {
        Ints own(shape.end() - m_random.below(static_cast<std::int64_t>(shape.size()) + 1), shape.end());
        for (std::int64_t &size : own)
            size = m_random.chance(40) ? 1 : size;
        if (shape.size() == 4 && m_random.chance(50))
            own = {shape[1], 1, 1};
        return Known{data(own, dtypeOf(x.value)), dtypeOf(x.value).isFloating() ? 1.0 : 8.0, true};
    }
    return some([&](Value v) { return dtypeOf(v) == dtypeOf(x.value); });
}

void GraphGenerator::binary()
{
    const auto x = real();
    const auto y = x ? partner(*x) : std::nullopt;
    if (!y)
        return;
    const std::string op =
        m_random.pick(Names{"add", "add", "subtract", "multiply", "maximum", "minimum", "divide"});
    const bool swaps = m_random.chance(30);
    Value a = swaps ? y->value : x->value, b = swaps ? x->value : y->value;
    if (op == "divide") // by what is not near 0
        b = m_builder.call("add", {m_builder.call("abs", {b}), m_builder.scalar(1, DataType::float32())});
    add(m_builder.call(op, {a, b}), op == "multiply" ? x->bound * y->bound : x->bound + y->bound,
        x->exact && y->exact && op[0] == 'm' && op != "multiply");
}

void GraphGenerator::integers()
{
    const auto x =
        some([&](Value v) { return dtypeOf(v) == DataType::int32() || dtypeOf(v) == DataType::int64(); });
    const auto y = x ? partner(*x) : std::nullopt;
    if (!y)
        return;
    const std::string op = m_random.pick(Names{"add", "subtract", "multiply", "maximum", "minimum",
                                               "bitwise_and", "bitwise_xor", "floor_mod"});
    const Value b = op == "floor_mod"
                        ? m_builder.scalar(static_cast<double>(m_random.between(2, 9)), dtypeOf(x->value))
                        : y->value;
    add(m_builder.call(op, {x->value, b}), op == "multiply" ? x->bound * y->bound : 2 * (x->bound + y->bound),
        true);
}

void GraphGenerator::condition()
{
    const auto x = some([&](Value v) { return !dtypeOf(v).isBool() && isExact(v); });
    const auto y = x ? partner(*x) : std::nullopt;
    if (!y || !y->exact)
        return;
    Value condition =
        m_builder.call(m_random.pick(Names{"less", "greater", "equal", "less_equal"}), {x->value, y->value});
    if (m_random.chance(30))
        condition = m_builder.call("logical_or", {condition, data({}, DataType::boolean())});
    add(condition, 1, true);
    const auto a = real();
    const auto b = a ? partner(*a) : std::nullopt;
    if (b)
        add(m_builder.call("where", {condition, a->value, b->value}), std::max(a->bound, b->bound),
            a->exact && b->exact);
}

bool GraphGenerator::isExact(Value v) const
{
    return std::ranges::any_of(m_all, [&](const Known &known) { return known.value == v && known.exact; });
}

void GraphGenerator::convert()
{
    const auto x = some([&](Value v) { return dtypeOf(v) != DataType::float32(); });
    if (x)
        add(m_builder.call("cast", {x->value}, {{"dtype", DataType::float32()}}), x->bound, x->exact);
}

} // namespace nestwright::tests
