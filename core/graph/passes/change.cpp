// SPDX-License-Identifier: Apache-2.0
#include "core/graph/passes/change.h"

#include "core/graph/equality.h"

#include <map>

namespace nestwright::graph {

namespace {

std::map<NodeId, const Node *> byId(const Function &function)
{
    std::map<NodeId, const Node *> nodes;
    for (const Node &node : function.nodes) {
        if (!node.isConstant())
            nodes.emplace(node.id, &node);
    }
    return nodes;
}

/// The groups that nodes are part of.
std::map<NodeId, NodeId> groupsOf(const Function &function)
{
    std::map<NodeId, NodeId> groups;
    for (const Node &node : function.nodes) {
        if (!node.function)
            continue;
        for (const Node &inner : node.function->nodes) {
            if (inner.kind == NodeKind::Operator)
                groups.emplace(inner.id, node.id);
        }
    }
    return groups;
}

/// The weights that a node reads, in order; null where it reads something else.
std::vector<const ir::NdArray *> weightsOf(const Function &function, const Node &node)
{
    std::vector<const ir::NdArray *> weights;
    for (const Value input : node.inputs)
        weights.push_back(function.at(input).data.get());
    return weights;
}

bool differ(const Function &before, const Node &a, const Function &after, const Node &b)
{
    return a.kind != b.kind || a.op != b.op || !sameAttributes(a.attributes, b.attributes)
           || a.types != b.types || weightsOf(before, a) != weightsOf(after, b);
}

} // namespace

GraphChange changeOf(const Function &before, const Function &after)
{
    const auto old = byId(before), now = byId(after);
    const auto groups = groupsOf(after);
    GraphChange change;
    for (const auto &[id, node] : old) {
        if (const auto group = groups.find(id); group != groups.end() && !now.contains(id)) {
            change.changed.insert(id);
            change.changed.insert(group->second);
        } else if (const auto same = now.find(id); same == now.end()) {
            change.removed.insert(id);
        } else if (differ(before, *node, after, *same->second)) {
            change.changed.insert(id);
        }
    }
    for (const auto &[id, node] : now) {
        if (!old.contains(id) && !change.changed.contains(id))
            change.added.insert(id);
    }
    return change;
}

} // namespace nestwright::graph
