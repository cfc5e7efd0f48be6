// SPDX-License-Identifier: Apache-2.0
/// Small graphs under passes, in tests.
#pragma once

#include "tests/core/graph/run_graph.h"

namespace nestwright::tests {

using namespace graph;

using Ints = std::vector<std::int64_t>;

inline TensorType floats(const Ints &shape)
{
    TensorType type{{}, ir::DataType::float32()};
    for (const std::int64_t size : shape)
        type.shape.emplace_back(size);
    return type;
}

inline Value weights(Builder &builder, const Ints &shape, std::uint64_t seed)
{
    ir::NdArray data(ir::DataType::float32(), shape);
    data.fillRandom(seed);
    return builder.constant(std::move(data));
}

inline Function optimizedWith(const Function &function, int level, const std::string &required = {},
                              const std::string &disabled = {},
                              const target::Machine &machine = target::tunedMachine())
{
    PassContext context;
    context.level = level;
    context.target.machine = machine;
    if (!required.empty())
        context.required.insert(required);
    if (!disabled.empty())
        context.disabled.insert(disabled);
    auto optimized = optimize(function, context);
    if (!optimized)
        qFatal("%s", optimized.error().message.c_str());
    return std::move(optimized->function);
}

inline int count(const Function &function, std::string_view op)
{
    int found = 0;
    for (const Node &node : function.nodes) {
        found += node.op && node.op->name == op ? 1 : 0;
        found += node.function ? count(*node.function, op) : 0;
    }
    return found;
}

/// The difference between the results of the graph as it is, by the interpreter, and after the passes of that
/// level, compiled.
inline std::string changedBy(const Function &function, int level, std::uint64_t seed = 3,
                             const target::Machine &machine = target::tunedMachine())
{
    const auto inputs = randomInputs(function, seed);
    const auto expected = interpreted(function, inputs);
    if (!expected)
        return "interpreter: " + expected.error().message;
    const auto actual = compiled(optimizedWith(function, level, {}, {}, machine), inputs);
    return actual ? difference(*expected, *actual) : actual.error().message;
}

/// conv → batch_norm → relu → max_pool → conv + residual → mean.
inline Function smallNetwork()
{
    Builder b;
    const Value x = b.input("x", floats({1, 3, 12, 12}));
    Value y = b.call("nn.conv", {x, weights(b, {16, 3, 3, 3}, 1)}, {{"padding", Ints{1, 1, 1, 1}}});
    ir::NdArray variance(ir::DataType::float32(), {16});
    for (std::int64_t i = 0; i < 16; ++i)
        variance.set(i, 0.5 + 0.1 * static_cast<double>(i));
    y = b.call("nn.batch_norm", {y, weights(b, {16}, 2), weights(b, {16}, 3), weights(b, {16}, 4),
                                 b.constant(std::move(variance))});
    y = b.call("nn.relu", {y});
    y = b.call("nn.max_pool", {y}, {{"kernel", Ints{2, 2}}, {"strides", Ints{2, 2}}});
    Value z = b.call("nn.conv", {y, weights(b, {16, 16, 3, 3}, 5)}, {{"padding", Ints{1, 1, 1, 1}}});
    z = b.call("add", {z, b.call("reshape", {weights(b, {16}, 6)}, {{"newshape", Ints{1, 16, 1, 1}}})});
    z = b.call("nn.relu", {b.call("add", {z, y})});
    z = b.call("mean", {z}, {{"axes", Ints{2, 3}}});
    z = b.call("reshape", {z}, {{"newshape", Ints{1, 16}}});
    z = b.call("nn.matmul", {z, weights(b, {10, 16}, 7)}, {{"transpose_b", true}});
    return b.finish({b.call("nn.softmax", {z})}, {"y"});
}

} // namespace nestwright::tests
