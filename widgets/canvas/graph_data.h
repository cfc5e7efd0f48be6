// SPDX-License-Identifier: GPL-3.0-or-later
/// What the canvas shows: plain data, given whole each time.
#pragma once

#include <QMetaType>
#include <QString>

#include <vector>

namespace nestwright::canvas {

enum class NodeKind { Input, Constant, Compute, Output };

/// What happened to a node, where a graph is compared with another.
enum class NodeMark { None, Removed, Added, Changed };

struct GraphNode {
    int id = 0; ///< the caller's; comes back in signals, and says which nodes of two graphs are the same
    QString title;
    QString subtitle;
    NodeKind kind = NodeKind::Compute;
    QString detail;    ///< further lines of the tool tip, and text to search in: attributes, source place
    double share = -1; ///< of the whole cost, 0 … 1, for the overlay; negative where unknown
    QString cost;      ///< the cost as text: "19 ms"
    QString buffer{};  ///< what can be dragged from it into the loops; empty where nothing can
    NodeMark mark = NodeMark::None;
};

/// A tensor from one node to another; `label` is its shape and dtype. Both ids must be nodes of the graph.
struct GraphEdge {
    int from = 0;
    int to = 0;
    QString label;
    QString detail; ///< for the tool tip
};

struct GraphData {
    std::vector<GraphNode> nodes;
    std::vector<GraphEdge> edges;
};

} // namespace nestwright::canvas
