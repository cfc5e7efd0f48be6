// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/paint/edge_path.h"

#include <algorithm>

namespace nestwright::canvas {

namespace {

/// Adds the curve from one point of a route to the next; it leaves and arrives straight down.
void addBend(QPainterPath &path, const QPointF &a, const QPointF &b)
{
    if (a.x() == b.x())
        return path.lineTo(b);
    const double half = (b.y() - a.y()) / 2;
    path.cubicTo(a + QPointF(0, half), b - QPointF(0, half), b);
}

/// The point of such a bend at 0 … 1.
QPointF bendAt(const QPointF &a, const QPointF &b, double t)
{
    const double half = (b.y() - a.y()) / 2;
    return {a.x() + (b.x() - a.x()) * t * t * (3 - 2 * t),
            a.y() + 3 * half * t * (1 - t) * (1 - t) + 3 * half * t * t * (1 - t) + 2 * half * t * t * t};
}

/// Whether two points lie on the same side of a box.
bool isBeside(const QPointF &a, const QPointF &b, const QRectF &box)
{
    return std::max(a.x(), b.x()) < box.left() || std::min(a.x(), b.x()) > box.right()
           || std::max(a.y(), b.y()) < box.top() || std::min(a.y(), b.y()) > box.bottom();
}

/// The part of such a bend near `seen`: lines of many screens' length take long to stroke.
void addSeenPart(QPainterPath &path, const QPointF &a, const QPointF &b, const QRectF &seen)
{
    constexpr int steps = 32;
    bool drawing = false;
    for (int i = 0; i < steps; ++i) {
        const QPointF from = bendAt(a, b, static_cast<double>(i) / steps);
        const QPointF to = bendAt(a, b, static_cast<double>(i + 1) / steps);
        const bool near = !isBeside(from, to, seen);
        if (near && !drawing)
            path.moveTo(from);
        if (near)
            path.lineTo(to);
        drawing = near;
    }
}

} // namespace

bool passes(const QPolygonF &route, const QRectF &box)
{
    constexpr int steps = 12;
    for (qsizetype i = 1; i < route.size(); ++i) {
        if (isBeside(route[i - 1], route[i], box))
            continue;
        QPointF from = route[i - 1];
        for (int step = 1; step <= steps; ++step) {
            const QPointF to = bendAt(route[i - 1], route[i], static_cast<double>(step) / steps);
            if (!isBeside(from, to, box))
                return true;
            from = to;
        }
    }
    return false;
}

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
        if (isBeside(a, b, seen))
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
