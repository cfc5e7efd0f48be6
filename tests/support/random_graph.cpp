// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_graph.h"

#include "core/support/errors/errors.h"
#include "tests/support/random_graph_generator.h"

#include <algorithm>
#include <set>

namespace nestwright::tests {

using ir::DataType;

namespace {

constexpr std::int64_t largest = 4096; ///< elements of a value

graph::TensorType typeOf(const graph::Ints &shape, DataType type)
{
    graph::TensorType result{{}, type};
    for (const std::int64_t size : shape)
        result.shape.emplace_back(static_cast<int>(size));
    return result;
}

} // namespace

graph::Function GraphGenerator::graph(int size)
{
    const std::int64_t inputs = m_random.between(1, 3);
    for (std::int64_t i = 0; i < inputs; ++i) {
        const DataType type = m_random.chance(80)
                                  ? DataType::float32()
                                  : m_random.pick(std::vector{DataType::int32(), DataType::int64(),
                                                              DataType::float_(64), DataType::boolean()});
        add(m_builder.input("x" + std::to_string(i), typeOf(anyShape(), type)), type.isFloating() ? 1 : 8,
            true);
    }
    for (int i = 0; i < size; ++i) {
        try {
            grow();
        } catch (const support::UserError &) {
            continue; // it does not fit; another will
        }
    }
    std::vector<Value> outputs{m_all.back().value};
    // A node that nothing reads would not be in the graph.
    std::set<int> read;
    for (const graph::Node &node : m_builder.function().nodes) {
        for (const Value input : node.inputs)
            read.insert(input.node);
    }
    for (std::size_t i = 0; i + 1 < m_all.size(); ++i) {
        if (m_random.chance(read.contains(m_all[i].value.node) ? 5 : 60))
            outputs.push_back(m_all[i].value);
    }
    Names names;
    for (std::size_t i = 0; i < outputs.size(); ++i)
        names.push_back("y" + std::to_string(i));
    return m_builder.finish(outputs, names);
}

void GraphGenerator::add(Value value, double bound, bool exact)
{
    std::int64_t elements = 1;
    for (const std::int64_t size : shapeOf(value))
        elements *= size;
    if ((elements > 0 || m_mayBeEmpty) && elements <= largest && bound < 1e4)
        m_all.push_back({value, bound, exact});
}

GraphGenerator::Ints GraphGenerator::anyShape()
{
    Ints shape = fullShape();
    if (m_mayBeEmpty && !shape.empty() && m_random.chance(30))
        shape[static_cast<std::size_t>(m_random.below(std::ssize(shape)))] = 0;
    return shape;
}

GraphGenerator::Ints GraphGenerator::fullShape()
{
    if (m_random.chance(50)) { // an image
        const std::int64_t side = m_random.pick(Ints{3, 5, 6, 7, 8});
        return {m_random.chance(80) ? 1 : 2, m_random.pick(Ints{3, 4, 8, 16, 24, 32}), side,
                m_random.chance(80) ? side : 4};
    }
    Ints shape(static_cast<std::size_t>(m_random.between(0, 4)));
    for (std::int64_t &size : shape)
        size = m_random.pick(Ints{1, 2, 3, 4, 5, 8});
    return shape;
}

GraphGenerator::Value GraphGenerator::data(const Ints &shape, DataType type)
{
    ir::NdArray array(type, shape);
    array.fillRandom(static_cast<std::uint64_t>(m_random.below(1'000'000)));
    return m_builder.constant(std::move(array));
}

GraphGenerator::Value GraphGenerator::positive(const Ints &shape)
{
    ir::NdArray array(DataType::float32(), shape);
    for (std::int64_t i = 0; i < array.size(); ++i)
        array.set(i, 0.5 + 0.25 * static_cast<double>(m_random.below(6)));
    return m_builder.constant(std::move(array));
}

std::optional<GraphGenerator::Known> GraphGenerator::real(std::int64_t leastRank)
{
    return some([&](Value v) { return dtypeOf(v) == DataType::float32() && rankOf(v) >= leastRank; });
}

std::optional<GraphGenerator::Known> GraphGenerator::image()
{
    return some([&](Value v) {
        return dtypeOf(v) == DataType::float32() && rankOf(v) == 4 && shapeOf(v)[1] >= 1 && shapeOf(v)[2] >= 3
               && shapeOf(v)[3] >= 3;
    });
}

std::optional<GraphGenerator::Known> GraphGenerator::any(std::int64_t leastRank)
{
    return some([&](Value v) { return rankOf(v) >= leastRank; });
}

void GraphGenerator::grow()
{
    static constexpr void (GraphGenerator::*kinds[])() = {
        &GraphGenerator::unary,       &GraphGenerator::unary,       &GraphGenerator::binary,
        &GraphGenerator::binary,      &GraphGenerator::integers,    &GraphGenerator::condition,
        &GraphGenerator::reshape,     &GraphGenerator::transpose,   &GraphGenerator::slice,
        &GraphGenerator::concatenate, &GraphGenerator::spread,      &GraphGenerator::pick,
        &GraphGenerator::reduction,   &GraphGenerator::normalize,   &GraphGenerator::layerNorm,
        &GraphGenerator::product,     &GraphGenerator::product,     &GraphGenerator::convolution,
        &GraphGenerator::pool,        &GraphGenerator::convolution, &GraphGenerator::pool,
        &GraphGenerator::batchNorm,   &GraphGenerator::parallel,    &GraphGenerator::shuffle,
        &GraphGenerator::convert,     &GraphGenerator::dense,       &GraphGenerator::attention,
        &GraphGenerator::attention};
    (this->*kinds[m_random.below(std::size(kinds))])();
}

graph::Function randomGraph(Random &random, int size, bool mayBeEmpty)
{
    return GraphGenerator(random, mayBeEmpty).graph(size);
}

} // namespace nestwright::tests
