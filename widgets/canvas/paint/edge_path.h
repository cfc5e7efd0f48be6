// SPDX-License-Identifier: GPL-3.0-or-later
/// The line of an edge: through the points of its route, straight down at each.
#pragma once

#include <QPainterPath>
#include <QPolygonF>

namespace nestwright::canvas {

/// The whole curve.
QPainterPath edgePath(const QPolygonF &route);

/// The parts that are seen: stroking the whole of a long edge takes far longer.
QPainterPath seenPath(const QPolygonF &route, const QRectF &seen);

/// Whether the curve runs through a box.
bool passes(const QPolygonF &route, const QRectF &box);

/// Arrowhead at the end of a route.
QPolygonF arrow(const QPolygonF &route);

} // namespace nestwright::canvas
