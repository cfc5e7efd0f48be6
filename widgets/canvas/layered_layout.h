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
    std::vector<QRectF> boxes;    ///< per node
    std::vector<QPolygonF> routes; ///< per edge: from the source's lower to the target's upper edge, with its bends
    QRectF bounds;
};

/// Size of a node's box, from the length of its texts.
QSizeF nodeSize(const GraphNode &node);

/// `former` holds where nodes (by id) were before: they keep their order, and the layout is moved so that they move little.
/// Edges that name unknown nodes or lead from a node to itself get an empty route. Stopped, it returns what it has.
GraphLayout layOut(const GraphData &graph, const QHash<int, QPointF> &former = {}, const std::stop_token &stop = {});

} // namespace nestwright::canvas
