// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/paint/frame_painter.h"

#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace nestwright::canvas {

namespace {

constexpr double frameRadius = 10;
constexpr double titlesFrom = 0.38; // scale
constexpr QSizeF leastForLabel(56, 40);

int depthOf(const Scene &scene, std::size_t frame)
{
    int depth = 0;
    for (int at = scene.folded.nesting.frames[frame].parent; at >= 0;
         at = scene.folded.nesting.frames[static_cast<std::size_t>(at)].parent)
        ++depth;
    return depth;
}

QColor fillOf(const look::Tokens &t, int depth)
{
    return depth % 2 == 0 ? look::mixed(t.pane, t.ground, 0.85) : look::mixed(t.pane, t.ground, 0.15);
}

QString titleOf(const Scene &scene, std::size_t frame) { return scene.folded.frameTitles[frame]; }

void paintTitle(QPainter &painter, const Scene &scene, const GraphLook &look, std::size_t index,
                const look::Tokens &t)
{
    const QRectF &box = scene.layout.frames[index];
    QRectF room(box.left() + 26, box.top(), box.width() - 38, frameTitleHeight);
    paintFold(painter, QPointF(box.left() + 15, room.center().y()), true, t.secondary);
    const QFont font = look::interfaceFont(12, QFont::DemiBold);
    const QFont small = look::interfaceFont(11);
    QString beside = scene.folded.frameNotes[index];
    if (index < look.frameValues.size() && !look.frameValues[index].isEmpty())
        beside = look.frameValues[index];
    const double wide = QFontMetricsF(small).horizontalAdvance(beside);
    const QFontMetricsF metrics(font);
    const QString title = metrics.elidedText(titleOf(scene, index), Qt::ElideMiddle, room.width() - wide - 8);
    painter.setFont(font);
    painter.setPen(t.text);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, title);
    painter.setFont(small);
    painter.setPen(t.secondary);
    painter.drawText(room, Qt::AlignRight | Qt::AlignVCenter, beside);
}

} // namespace

void paintFrames(QPainter &painter, const Scene &scene, const GraphLook &look, const GraphView &view,
                 const look::Tokens &t)
{
    for (std::size_t i = 0; i < scene.layout.frames.size(); ++i) {
        const QRectF &box = scene.layout.frames[i];
        if (!box.intersects(view.visible))
            continue;
        painter.setPen(QPen(look::mixed(t.hairline, t.nodeBorder, 0.5), view.scale < titlesFrom ? 0 : 1));
        painter.setBrush(fillOf(t, depthOf(scene, i)));
        const double round = view.scale * frameRadius < 2 ? 0 : frameRadius;
        painter.drawRoundedRect(box, round, round);
        if (view.scale >= titlesFrom)
            paintTitle(painter, scene, look, i, t);
    }
}

void paintFrameLabels(QPainter &painter, const Scene &scene, const GraphView &view, const look::Tokens &t)
{
    if (view.scale >= titlesFrom)
        return;
    const QTransform toScreen = painter.transform(), toGraph = toScreen.inverted();
    painter.save();
    painter.resetTransform();
    painter.setRenderHint(QPainter::Antialiasing);
    const QFont font = look::interfaceFont(11.5, QFont::DemiBold);
    const QFontMetricsF metrics(font);
    painter.setFont(font);
    std::vector<QRectF> taken;
    for (std::size_t i = 0; i < scene.layout.frames.size(); ++i) {
        if (!scene.layout.frames[i].intersects(view.visible))
            continue;
        const QRectF box = toScreen.mapRect(scene.layout.frames[i]);
        if (box.width() < leastForLabel.width() || box.height() < leastForLabel.height())
            continue;
        const QString title = metrics.elidedText(titleOf(scene, i), Qt::ElideMiddle, box.width() - 22);
        QRectF label(box.left() + 6, box.top() + 6, metrics.horizontalAdvance(title) + 14, 20);
        const auto isFree = [&] {
            return scene.nodeIndex.within(toGraph.mapRect(label)).empty()
                   && std::ranges::none_of(taken,
                                           [&](const QRectF &other) { return other.intersects(label); });
        };
        if (!isFree()) { // on the frame's upper side, where there is no node within
            label.moveCenter({label.center().x(), box.top()});
            if (!isFree())
                continue;
        }
        taken.push_back(label);
        QColor ground = t.pane;
        ground.setAlphaF(0.88F);
        painter.setPen(QPen(t.hairline, 1));
        painter.setBrush(ground);
        painter.drawRoundedRect(label, 5, 5);
        painter.setPen(t.text);
        painter.drawText(label, Qt::AlignCenter, title);
    }
    painter.restore();
}

void paintFrameMark(QPainter &painter, const Scene &scene, int frame, bool selected, const GraphView &view,
                    const look::Tokens &t)
{
    const QRectF &box = scene.layout.frames[static_cast<std::size_t>(frame)];
    const double pixel = view.scale < titlesFrom ? 1 / view.scale : 1;
    painter.setPen(QPen(t.accent, (selected ? 2 : 1.2) * pixel));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(box, frameRadius, frameRadius);
}

void paintFold(QPainter &painter, const QPointF &centre, bool open, const QColor &color)
{
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(
        open ? QPolygonF{centre + QPointF(-3.5, -2), centre + QPointF(0, 2), centre + QPointF(3.5, -2)}
             : QPolygonF{centre + QPointF(-2, -3.5), centre + QPointF(2, 0), centre + QPointF(-2, 3.5)});
}

} // namespace nestwright::canvas
