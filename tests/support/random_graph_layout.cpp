// SPDX-License-Identifier: Apache-2.0
// Random operators that move elements.
#include "tests/support/random_graph_generator.h"

#include <algorithm>
#include <numeric>

namespace nestwright::tests {

using ir::DataType;

void GraphGenerator::reshape()
{
    const auto x = any();
    if (!x)
        return;
    Ints shape = shapeOf(x->value);
    for (int i = 0; i < 3; ++i) {
        const auto at = m_random.below(static_cast<std::int64_t>(shape.size()) + 1);
        if (m_random.chance(30)) {
            shape.insert(shape.begin() + at, 1);
        } else if (at + 1 < static_cast<std::int64_t>(shape.size()) && m_random.chance(60)) {
            shape[static_cast<std::size_t>(at)] *= shape[static_cast<std::size_t>(at) + 1];
            shape.erase(shape.begin() + at + 1);
        } else if (at < static_cast<std::int64_t>(shape.size())) {
            std::int64_t &size = shape[static_cast<std::size_t>(at)];
            const std::int64_t factor = size % 2 == 0 ? 2 : size % 3 == 0 ? 3 : 1;
            size /= factor;
            shape.insert(shape.begin() + at, factor);
        }
    }
    if (shape.size() <= 6)
        add(m_builder.call("reshape", {x->value}, {{"newshape", shape}, {"allowzero", m_mayBeEmpty}}),
            x->bound, x->exact);
}

void GraphGenerator::transpose()
{
    const auto x = any(2);
    if (!x)
        return;
    Ints axes(static_cast<std::size_t>(rankOf(x->value)));
    std::iota(axes.begin(), axes.end(), 0);
    m_random.shuffle(axes);
    add(m_builder.call("transpose", {x->value}, {{"axes", axes}}), x->bound, x->exact);
}

void GraphGenerator::slice()
{
    const auto x = any(1);
    if (!x)
        return;
    const std::int64_t axis = m_random.below(rankOf(x->value)),
                       size = shapeOf(x->value)[static_cast<std::size_t>(axis)];
    if (size == 0)
        return;
    const std::int64_t begin = m_random.below(size);
    std::int64_t end = m_random.between(begin + 1, size);
    const bool backwards = m_random.chance(15);
    if (m_mayBeEmpty && !backwards && m_random.chance(20))
        end = begin;
    add(m_builder.call("strided_slice", {x->value},
                       {{"begin", Ints{backwards ? end - 1 : begin}},
                        {"end", Ints{backwards ? begin - 1 - (begin == 0 ? size : 0) : end}},
                        {"strides", Ints{backwards ? -1 : m_random.pick(Ints{1, 1, 2})}},
                        {"axes", Ints{m_random.chance(80) ? axis : axis - rankOf(x->value)}}}),
        x->bound, x->exact);
}

void GraphGenerator::concatenate()
{
    const auto x = any(1);
    if (!x)
        return;
    const std::int64_t axis =
        m_random.chance(60) && rankOf(x->value) > 1 ? 1 : m_random.below(rankOf(x->value));
    std::vector<Value> parts{x->value};
    double bound = x->bound;
    bool exact = x->exact;
    for (int i = 0; i < 2; ++i) {
        const auto y = some([&](Value v) {
            if (dtypeOf(v) != dtypeOf(x->value) || rankOf(v) != rankOf(x->value))
                return false;
            Ints a = shapeOf(v), b = shapeOf(x->value);
            a[static_cast<std::size_t>(axis)] = b[static_cast<std::size_t>(axis)] = 0;
            return a == b;
        });
        if (!y)
            continue;
        parts.push_back(y->value);
        bound = std::max(bound, y->bound);
        exact = exact && y->exact;
    }
    add(m_builder.call("concatenate", parts, {{"axis", axis}}), bound, exact);
}

void GraphGenerator::spread()
{
    const auto x = any(1);
    if (!x)
        return;
    const auto rank = static_cast<std::size_t>(rankOf(x->value));
    Ints reps(rank, 1), width(2 * rank, 0);
    reps[static_cast<std::size_t>(m_random.below(static_cast<std::int64_t>(rank)))] = 2;
    for (std::int64_t &w : width)
        w = m_random.chance(30) ? m_random.pick(Ints{1, 1, 2, -1}) : 0;
    if (m_random.chance(40))
        add(m_builder.call("tile", {x->value}, {{"reps", reps}}), x->bound, x->exact);
    else if (dtypeOf(x->value).isFloating())
        add(m_builder.call("nn.pad", {x->value},
                           {{"pad_width", width},
                            {"mode", m_random.pick(Names{"constant", "edge", "reflect", "wrap"})}}),
            x->bound, x->exact);
}

void GraphGenerator::pick()
{
    const auto x = any(1);
    if (!x)
        return;
    const std::int64_t axis = m_random.below(rankOf(x->value));
    if (m_random.chance(70)) {
        const std::int64_t size = shapeOf(x->value)[static_cast<std::size_t>(axis)];
        const bool isEmpty = size == 0 || (m_mayBeEmpty && m_random.chance(20));
        ir::NdArray indices(DataType::int64(), isEmpty               ? Ints{0}
                                               : m_random.chance(50) ? Ints{3}
                                                                     : Ints{2, 2});
        for (std::int64_t i = 0; i < indices.size(); ++i)
            indices.set(i, static_cast<double>(m_random.below(size)));
        add(m_builder.call("take", {x->value, m_builder.constant(std::move(indices))}, {{"axis", axis}}),
            x->bound, x->exact);
    } else if (!dtypeOf(x->value).isBool()) {
        add(m_builder.call("cumsum", {x->value}, {{"axis", axis}, {"reverse", m_random.chance(50)}}),
            x->bound * 16, x->exact && !dtypeOf(x->value).isFloating());
    }
}

void GraphGenerator::shuffle()
{
    const auto x = image();
    if (!x || shapeOf(x->value)[1] % 4 != 0)
        return;
    const Ints s = shapeOf(x->value);
    Value y = m_builder.call("reshape", {x->value}, {{"newshape", Ints{s[0], 4, s[1] / 4, s[2], s[3]}}});
    y = m_builder.call("transpose", {y}, {{"axes", Ints{0, 2, 1, 3, 4}}});
    add(m_builder.call("reshape", {y}, {{"newshape", s}}), x->bound, x->exact);
}

} // namespace nestwright::tests
