// SPDX-License-Identifier: Apache-2.0
#include "core/graph/passes/declarations.h"
#include "core/graph/passes/rewrite.h"

#include <set>

namespace nestwright::graph {

namespace {

class Inliner {
public:
    Inliner(const Function &function, Builder &builder) : m_builder(builder), m_last(function.lastId)
    {
        for (const Node &node : function.nodes)
            m_ids.insert(node.id);
    }

    /// The results of the call; calls within it are put in place too.
    std::vector<Value> put(const Node &call, const std::vector<Value> &inputs, const std::string &name)
    {
        std::vector<std::vector<Value>> results;
        std::size_t next = 0;
        for (const Node &inner : call.function->nodes) {
            if (inner.kind == NodeKind::Input) {
                results.push_back({inputs[next++]});
                continue;
            }
            std::vector<Value> read;
            for (const Value input : inner.inputs)
                read.push_back(at(results, input));
            const bool isNamed = !name.empty() && !inner.name.empty() && !inner.isConstant();
            const std::string full = isNamed ? name + '/' + inner.name : inner.name;
            if (inner.kind == NodeKind::Call) {
                results.push_back(put(inner, read, full));
                continue;
            }
            Node node = inner;
            node.name = full;
            node.inputs = std::move(read);
            results.push_back(add(std::move(node)));
        }
        std::vector<Value> outputs;
        for (const Value output : call.function->outputs)
            outputs.push_back(at(results, output));
        return outputs;
    }

private:
    static Value at(const std::vector<std::vector<Value>> &results, Value value)
    {
        return results[static_cast<std::size_t>(value.node)][static_cast<std::size_t>(value.output)];
    }

    /// A node keeps its id the first time that its function is put in place, if no other node has it.
    std::vector<Value> add(Node node)
    {
        const std::size_t count = node.types.size();
        const bool keepsId = node.id.value <= m_last && m_ids.insert(node.id).second;
        const int place = keepsId ? m_builder.copy(node, node.inputs) : m_builder.add(std::move(node));
        std::vector<Value> values;
        for (std::size_t k = 0; k < count; ++k)
            values.push_back({place, static_cast<int>(k)});
        return values;
    }

    Builder &m_builder;
    std::uint32_t m_last;
    std::set<NodeId> m_ids;
};

} // namespace

Function inlineFunctions(const Function &function)
{
    std::optional<Inliner> inliner;
    return rewrite(function, [&](Rewritten &r) -> std::optional<std::vector<Value>> {
        if (r.node.kind != NodeKind::Call)
            return std::nullopt;
        if (!inliner)
            inliner.emplace(function, r.builder);
        return inliner->put(r.node, r.inputs, r.node.name);
    });
}

} // namespace nestwright::graph
