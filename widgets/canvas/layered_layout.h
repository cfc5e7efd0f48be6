// SPDX-License-Identifier: GPL-3.0-or-later
/// Where the nodes and edges of a graph are drawn: in layers from top to bottom. Needs no UI thread.
#pragma once

#include "widgets/canvas/graph_data.h"

#include <QHash>
#include <QPolygonF>
#include <QRectF>

#include <stop_token>
#include <vector>

namespace nestwright::canvas {

struct GraphLayout {
    std::vector<QRectF> boxes; ///< per node
    std::vector<QPolygonF>
        routes; ///< per edge: from the source's lower to the target's upper edge, with its bends
    QRectF bounds;
};

/// Size of a node's box, from the length of its texts.
QSizeF nodeSize(const GraphNode &node);

/// Where things were before.
struct FormerLayout {
    FormerLayout() = default;
    FormerLayout(const GraphData &graph, const GraphLayout &layout);

    QHash<int, QPointF> centres;                  ///< of nodes, by id
    QHash<std::pair<int, int>, QPolygonF> routes; ///< of edges, by the ids of their nodes
};

/// Nodes that were there `before` keep their order and as far as possible their place. Edges that name
/// unknown nodes or lead from a node to itself get an empty route. Stopped, it returns what it has.
GraphLayout layOut(const GraphData &graph, const FormerLayout &before = {}, const std::stop_token &stop = {});

} // namespace nestwright::canvas
