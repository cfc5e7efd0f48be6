// SPDX-License-Identifier: GPL-3.0-or-later
/// Paints a graph: all of a far view in a few batches, with texts and curves where they can be seen.
#pragma once

#include "widgets/canvas/graph_data.h"
#include "widgets/canvas/layered_layout.h"

#include <vector>

class QPainter;
class QPainterPath;

namespace nestwright::look {
struct Tokens;
}

namespace nestwright::canvas {

/// What is special about single nodes.
struct GraphMarks {
    int selected = -1; ///< indices of nodes
    int hovered = -1;
    const std::vector<char> *found = nullptr; ///< per node: what a search found; the others are dimmed
    bool overlay = false;                     ///< costs as colour
};

/// The curve of an edge.
QPainterPath edgePath(const QPolygonF &route);

/// The painter must be transformed to the graph's coordinates; `visible` is in those, `scale` is pixels per
/// unit.
void paintGraph(QPainter &painter, const GraphData &graph, const GraphLayout &layout, const GraphMarks &marks,
                const QRectF &visible, double scale, const look::Tokens &tokens);

} // namespace nestwright::canvas
