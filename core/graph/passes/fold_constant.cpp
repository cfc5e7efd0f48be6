// SPDX-License-Identifier: Apache-2.0
#include "core/graph/passes/all.h"
#include "core/graph/passes/rewrite.h"
#include "core/graph/program.h"

#include <algorithm>

namespace nestwright::graph {

namespace {

/// What is folded may be larger than what it is made of only up to this.
constexpr std::int64_t smallBytes = 1 << 16;
constexpr std::int64_t mostSteps = 400'000'000;

bool isWorthFolding(const Rewritten &r)
{
    if (r.node.kind != NodeKind::Operator || r.inputs.empty())
        return false;
    std::int64_t before = 0, after = 0;
    for (std::size_t i = 0; i < r.inputs.size(); ++i) {
        if (!r.inputNode(i).isConstant())
            return false;
        before += bytesOf(r.builder.typeOf(r.inputs[i]));
    }
    for (const TensorType &type : r.node.types)
        after += bytesOf(type);
    return after <= std::max(smallBytes, 2 * before);
}

} // namespace

Function foldConstant(const Function &function)
{
    return rewrite(function, [](Rewritten &r) -> std::optional<std::vector<Value>> {
        if (!isWorthFolding(r))
            return std::nullopt;
        std::vector<Data> inputs;
        for (std::size_t i = 0; i < r.inputs.size(); ++i)
            inputs.push_back(r.inputNode(i).data);
        const auto results = evaluate(r.before, r.node, inputs, mostSteps);
        if (!results)
            return std::nullopt; // left to be computed when the model runs
        std::vector<Value> values;
        for (const Data &data : *results)
            values.push_back(r.builder.constant(data, r.node.name));
        return values;
    });
}

} // namespace nestwright::graph
