// SPDX-License-Identifier: GPL-3.0-or-later
/// Paints the open frames of a graph, which lie behind its nodes.
#pragma once

#include "widgets/canvas/paint/graph_painter.h"

namespace nestwright::canvas {

/// Boxes, and where there is room the titles.
void paintFrames(QPainter &painter, const Scene &scene, const GraphLook &look, const GraphView &view,
                 const look::Tokens &tokens);

/// Paints frame titles over the nodes in a far view, at a fixed size on the screen, as many as find room.
void paintFrameLabels(QPainter &painter, const Scene &scene, const GraphView &view,
                      const look::Tokens &tokens);

/// One frame's border again, because it is selected or hovered.
void paintFrameMark(QPainter &painter, const Scene &scene, int frame, bool selected, const GraphView &view,
                    const look::Tokens &tokens);

/// A small triangle: to the right where something is collapsed, down where it is open.
void paintFold(QPainter &painter, const QPointF &centre, bool open, const QColor &color);

} // namespace nestwright::canvas
