// SPDX-License-Identifier: Apache-2.0
#include "core/graph/evaluate.h"
#include "core/graph/passes/declarations.h"
#include "core/graph/passes/rewrite.h"
#include "core/graph/program/memory_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace nestwright::graph {

namespace {

/// Results larger than their operands are folded only up to this.
constexpr std::int64_t smallBytes = 1 << 16;
constexpr std::int64_t mostSteps = 400'000'000;

/// Weights of convolutions are computed in floating point whatever their size: only so they can be packed.
bool isWorthFolding(const Rewritten &r, bool isFilter)
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
    return isFilter || after <= std::max(smallBytes, 2 * before);
}

/// Name of folded data: that of the largest weight in them, else the node's.
std::string nameOf(const Rewritten &r)
{
    const Node *largest = &r.node;
    for (std::size_t i = 0; i < r.inputs.size(); ++i) {
        const Node &input = r.inputNode(i);
        if (!input.name.empty()
            && (largest == &r.node || bytesOf(input.types[0]) > bytesOf(largest->types[0])))
            largest = &input;
    }
    return largest->name;
}

/// Lets go of constants once everything that reads them is folded: weights are large, and were there twice
/// otherwise.
class Fold {
public:
    explicit Fold(Function function)
        : m_function(std::move(function))
        , m_lastReader(m_function.nodes.size(), -1)
        , m_isKept(m_function.nodes.size())
        , m_isFilter(m_function.nodes.size())
    {
        for (int i = 0; i < static_cast<int>(m_function.nodes.size()); ++i) {
            for (const Value input : m_function.at(i).inputs)
                m_lastReader[static_cast<std::size_t>(input.node)] = i;
            if (isCall(m_function.at(i), "nn.conv") || isCall(m_function.at(i), "nn.conv_transpose"))
                m_isFilter[static_cast<std::size_t>(m_function.at(i).inputs[1].node)] = 1;
            if (m_function.at(i).isConstant())
                m_room += 4 * static_cast<std::int64_t>(m_function.at(i).data->byteCount());
        }
        for (const Value output : m_function.outputs)
            m_lastReader[static_cast<std::size_t>(output.node)] = static_cast<int>(m_function.nodes.size());
    }

    Function run()
    {
        return rewrite(m_function, [&](Rewritten &r) {
            auto values = folded(r);
            for (const Value input : r.node.inputs)
                m_isKept[static_cast<std::size_t>(input.node)] |= !values;
            return values;
        });
    }

private:
    std::optional<std::vector<Value>> folded(Rewritten &r)
    {
        if (!isWorthFolding(r, m_isFilter[static_cast<std::size_t>(r.place)] != 0))
            return std::nullopt;
        const Key key{r.node.op, r.inputs, textOf(r.node.attributes)};
        if (const auto found = m_folded.find(key); found != m_folded.end() && areHeld(r, found->second)) {
            for (const Value value : found->second)
                m_isShared.insert(value.node);
            release(r);
            return found->second;
        }
        std::int64_t bytes = 0;
        for (const TensorType &type : r.node.types)
            bytes += bytesOf(type);
        if (bytes > m_room) // each a little larger than the one before, without end
            return std::nullopt;
        std::vector<Data> inputs;
        for (std::size_t i = 0; i < r.inputs.size(); ++i)
            inputs.push_back(r.inputNode(i).data);
        const auto results = evaluate(r.before, r.node, inputs, mostSteps);
        if (!results)
            return std::nullopt; // left to be computed when the model runs
        m_room -= bytes;
        release(r);
        std::vector<Value> values;
        for (const Data &data : *results)
            values.push_back(r.builder.constant(data, nameOf(r)));
        m_folded.insert_or_assign(key, values);
        return values;
    }

    static bool areHeld(const Rewritten &r, const std::vector<Value> &values)
    {
        return std::ranges::all_of(
            values, [&](Value value) { return r.builder.function().at(value).data != nullptr; });
    }

    /// Releases values read for the last time, in the old graph and the new one.
    void release(Rewritten &r)
    {
        for (std::size_t i = 0; i < r.inputs.size(); ++i) {
            const int from = r.node.inputs[i].node;
            if (m_lastReader[static_cast<std::size_t>(from)] != r.place
                || m_isKept[static_cast<std::size_t>(from)] || m_isShared.contains(r.inputs[i].node)
                || bytesOf(r.builder.typeOf(r.inputs[i])) <= smallBytes) // may be asked for again
                continue;
            m_function.nodes[static_cast<std::size_t>(from)].data.reset();
            r.builder.release(r.inputs[i]);
        }
    }

    using Key = std::tuple<const ops::TensorOp *, std::vector<Value>, std::string>;

    Function m_function;
    std::map<Key, std::vector<Value>> m_folded; ///< reused by equal computations, as in each step of an LSTM
    std::set<int> m_isShared;                   ///< constants of the new graph that stand for several nodes
    std::vector<int> m_lastReader;
    std::vector<char> m_isKept;                  ///< whether something that is not folded reads it
    std::vector<char> m_isFilter;                ///< whether a convolution has it as its weights
    std::int64_t m_room = std::int64_t{1} << 26; ///< bytes that may still be made
};

} // namespace

Function foldConstant(Function function) { return Fold(std::move(function)).run(); }

} // namespace nestwright::graph
