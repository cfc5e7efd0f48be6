// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/edge_path.h"

#include <algorithm>

namespace nestwright::canvas {

namespace {

/// From one point of a route to the next; it leaves and arrives straight down.
void addBend(QPainterPath &path, const QPointF &a, const QPointF &b)
{
    if (a.x() == b.x())
        return path.lineTo(b);
    const double half = (b.y() - a.y()) / 2;
    path.cubicTo(a + QPointF(0, half), b - QPointF(0, half), b);
}

/// Of such a bend only what is near `seen`: lines of many screens' length take long to stroke.
void addSeenPart(QPainterPath &path, const QPointF &a, const QPointF &b, const QRectF &seen)
{
    constexpr int steps = 32;
    const double half = (b.y() - a.y()) / 2;
    const auto at = [&](double t) {
        const double bend = t * t * (3 - 2 * t);
        return QPointF(a.x() + (b.x() - a.x()) * bend, a.y() + 3 * half * t * (1 - t) * (1 - t)
                                                           + 3 * half * t * t * (1 - t)
                                                           + 2 * half * t * t * t);
    };
    bool drawing = false;
    for (int i = 0; i < steps; ++i) {
        const QPointF from = at(static_cast<double>(i) / steps);
        const QPointF to = at(static_cast<double>(i + 1) / steps);
        const bool near =
            std::max(from.x(), to.x()) >= seen.left() && std::min(from.x(), to.x()) <= seen.right()
            && std::max(from.y(), to.y()) >= seen.top() && std::min(from.y(), to.y()) <= seen.bottom();
        if (near && !drawing)
            path.moveTo(from);
        if (near)
            path.lineTo(to);
        drawing = near;
    }
}

} // namespace

QPolygonF arrow(const QPolygonF &route)
{
    const QPointF tip = route.last();
    const double back = route[route.size() - 2].y() <= tip.y() ? -7 : 7;
    return {tip + QPointF(-4, back), tip, tip + QPointF(4, back)};
}

QPainterPath edgePath(const QPolygonF &route)
{
    QPainterPath path(route.first());
    for (qsizetype i = 1; i < route.size(); ++i)
        addBend(path, route[i - 1], route[i]);
    return path;
}

QPainterPath seenPath(const QPolygonF &route, const QRectF &seen)
{
    QPainterPath path;
    for (qsizetype i = 1; i < route.size(); ++i) {
        const QPointF &a = route[i - 1];
        const QPointF &b = route[i];
        if (std::max(a.x(), b.x()) < seen.left() || std::min(a.x(), b.x()) > seen.right()
            || std::max(a.y(), b.y()) < seen.top() || std::min(a.y(), b.y()) > seen.bottom())
            continue;
        if (seen.contains(a) && seen.contains(b)) {
            if (path.isEmpty() || path.currentPosition() != a)
                path.moveTo(a);
            addBend(path, a, b);
        } else {
            addSeenPart(path, a, b, seen);
        }
    }
    return path;
}

} // namespace nestwright::canvas
