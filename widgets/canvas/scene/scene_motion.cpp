// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/scene/scene_motion.h"

#include <algorithm>

namespace nestwright::canvas {

namespace {

QPointF between(const QPointF &a, const QPointF &b, double progress) { return a + (b - a) * progress; }

QRectF between(const QRectF &a, const QRectF &b, double progress)
{
    return {between(a.topLeft(), b.topLeft(), progress), between(a.bottomRight(), b.bottomRight(), progress)};
}

/// The box after the frame around it has shrunk to another rectangle.
QRectF within(const QRectF &box, const QRectF &frame, const QRectF &shrunk)
{
    const double x = shrunk.width() / std::max(1.0, frame.width());
    const double y = shrunk.height() / std::max(1.0, frame.height());
    const QPointF corner = box.topLeft() - frame.topLeft();
    return {shrunk.topLeft() + QPointF(corner.x() * x, corner.y() * y),
            QSizeF(box.width() * x, box.height() * y)};
}

/// Boxes of nodes and of open frames, by id.
QHash<int, QRectF> boxesOf(const Scene &scene, const QTransform &transform)
{
    QHash<int, QRectF> boxes;
    for (std::size_t i = 0; i < scene.layout.boxes.size(); ++i)
        boxes.insert(scene.shown().nodes[i].id, transform.mapRect(scene.layout.boxes[i]));
    for (std::size_t i = 0; i < scene.layout.frames.size(); ++i)
        boxes.insert(scene.folded.nesting.frames[i].id, transform.mapRect(scene.layout.frames[i]));
    return boxes;
}

bool isFar(const QRectF &a, const QRectF &b)
{
    return QPointF(a.topLeft() - b.topLeft()).manhattanLength() > 1
           || QPointF(a.bottomRight() - b.bottomRight()).manhattanLength() > 1;
}

} // namespace

SceneMotion::SceneMotion(const Scene &from, std::shared_ptr<const Scene> to, const QTransform &toNew)
    : m_to(std::move(to))
    , m_start(m_to->layout)
{
    const QHash<int, QRectF> before = boxesOf(from, toNew);
    const Nesting &nesting = m_to->folded.nesting;
    const auto start = [&](QRectF &box, int id, int frame) {
        if (const auto was = before.constFind(id); was != before.constEnd())
            box = *was;
        else if (frame >= 0)
            box = within(box, m_to->layout.frames[static_cast<std::size_t>(frame)],
                         m_start.frames[static_cast<std::size_t>(frame)]);
    };
    for (std::size_t i = 0; i < m_start.frames.size(); ++i) { // outer ones first
        start(m_start.frames[i], nesting.frames[i].id, nesting.frames[i].parent);
        m_visible = m_visible || isFar(m_start.frames[i], m_to->layout.frames[i]);
    }
    for (std::size_t i = 0; i < m_start.boxes.size(); ++i) {
        start(m_start.boxes[i], m_to->shown().nodes[i].id, nesting.frameOf.empty() ? -1 : nesting.frameOf[i]);
        m_visible = m_visible || isFar(m_start.boxes[i], m_to->layout.boxes[i]);
    }
    startRoutes();
}

/// The ends of a route move with their nodes, the bends between with both.
void SceneMotion::startRoutes()
{
    QHash<int, QPointF> moves;
    for (std::size_t i = 0; i < m_start.boxes.size(); ++i)
        moves.insert(m_to->shown().nodes[i].id, m_start.boxes[i].center() - m_to->layout.boxes[i].center());
    for (std::size_t i = 0; i < m_start.routes.size(); ++i) {
        QPolygonF &route = m_start.routes[i];
        const GraphEdge &edge = m_to->shown().edges[i];
        const QPointF first = moves.value(edge.from), last = moves.value(edge.to);
        for (qsizetype point = 0; point < route.size(); ++point)
            route[point] +=
                between(first, last, static_cast<double>(point) / static_cast<double>(route.size() - 1));
    }
}

Scene SceneMotion::at(double progress) const
{
    GraphLayout layout = m_start;
    const auto advance = [&](std::vector<QRectF> &boxes, const std::vector<QRectF> &ends) {
        for (std::size_t i = 0; i < boxes.size(); ++i)
            boxes[i] = between(boxes[i], ends[i], progress);
    };
    advance(layout.boxes, m_to->layout.boxes);
    advance(layout.frames, m_to->layout.frames);
    for (std::size_t i = 0; i < layout.routes.size(); ++i) {
        for (qsizetype point = 0; point < layout.routes[i].size(); ++point)
            layout.routes[i][point] =
                between(layout.routes[i][point], m_to->layout.routes[i][point], progress);
    }
    return makeScene(m_to->folded, std::move(layout));
}

} // namespace nestwright::canvas
