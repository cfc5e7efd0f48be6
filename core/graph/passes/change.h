// SPDX-License-Identifier: Apache-2.0
/// The changes of a graph by a pass, node by node.
#pragma once

#include "core/graph/graph.h"

#include <set>

namespace nestwright::graph {

/// A node is changed where it has another operator, other attributes, types or weights, or where it now is
/// part of a group: then the group counts as changed too. Constants are no nodes here.
struct GraphChange {
    std::set<NodeId> removed, added, changed;

    bool empty() const { return removed.empty() && added.empty() && changed.empty(); }
};

GraphChange changeOf(const Function &before, const Function &after);

} // namespace nestwright::graph
