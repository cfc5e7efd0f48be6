// SPDX-License-Identifier: Apache-2.0
#include "core/graph/passes/all.h"
#include "core/graph/passes/rewrite.h"
#include "core/graph/program.h"

#include <algorithm>
#include <map>
#include <set>

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

/// Lets go of what was folded once nothing will read it, so that a chain over large weights holds one step's at a time.
class Folded {
public:
    explicit Folded(const Function &function) : m_readers(function.readers())
    {
        for (const Value output : function.outputs)
            m_outputs.insert(output.node);
    }

    /// `made` takes the place of the node at `place`.
    void made(int place, const std::vector<Value> &made)
    {
        if (m_outputs.contains(place))
            return;
        for (const Value value : made)
            m_left[value.node] = m_readers[static_cast<std::size_t>(place)].size();
    }
    /// A node was folded that read `inputs`.
    void readBy(Builder &builder, std::vector<Value> inputs)
    {
        std::ranges::sort(inputs, {}, &Value::node);
        inputs.erase(std::ranges::unique(inputs, {}, &Value::node).begin(), inputs.end());
        for (const Value input : inputs) {
            const auto found = m_left.find(input.node);
            if (found != m_left.end() && --found->second == 0)
                builder.release(input);
        }
    }

private:
    std::vector<std::vector<int>> m_readers;
    std::set<int> m_outputs;
    std::map<int, std::size_t>
        m_left; ///< readers to come of constants made here; one that is not folded is never taken off
};

} // namespace

Function foldConstant(const Function &function)
{
    Folded folded(function);
    return rewrite(function, [&](Rewritten &r) -> std::optional<std::vector<Value>> {
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
        folded.made(r.place, values);
        folded.readBy(r.builder, r.inputs);
        return values;
    });
}

} // namespace nestwright::graph
