// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/axis.h"

#include "widgets/look/tokens.h"

#include <QPainter>
#include <QPainterPath>
#include <QPolygonF>
#include <QString>

#include <algorithm>

namespace nestwright::look {

namespace {
constexpr double segmentGap = 2;
constexpr double stripeEvery = 5.5, stripeGap = 2; // downwards
} // namespace

QColor axisColor(int axis, const Tokens &tokens)
{
    if (axis >= 0)
        return tokens.axes[static_cast<std::size_t>(axis) % tokens.axes.size()];
    if (axis == blockAxis)
        return tokens.block;
    return axis == mixedAxis ? tokens.mixedAxis : tokens.nodeBar;
}

QString axisLetter(int axis)
{
    if (axis >= 0)
        return QChar(static_cast<char16_t>(u'a' + axis % 26));
    return axis == mixedAxis ? QStringLiteral("+") : QString();
}

void paintAxisMark(QPainter &painter, const QRectF &rect, int axis, const Tokens &tokens)
{
    QPainterPath gaps; // left free, so that the mark looks right on any ground
    gaps.setFillRule(Qt::WindingFill);
    if (axis == mixedAxis) {
        const int stripes = static_cast<int>((rect.height() + rect.width()) / stripeEvery) + 1;
        for (int i = 0; i < stripes; ++i) {
            const double y = rect.top() - rect.width() + i * stripeEvery;
            gaps.addPolygon(QPolygonF{{rect.left(), y + rect.width()},
                                      {rect.right(), y},
                                      {rect.right(), y + stripeGap},
                                      {rect.left(), y + rect.width() + stripeGap}});
        }
    }
    const int segments = std::clamp(axis + 1, 1, 4);
    const double step = (rect.height() + segmentGap) / segments;
    for (int i = 1; i < segments; ++i)
        gaps.addRect(QRectF(rect.left(), rect.top() + step * i - segmentGap, rect.width(), segmentGap));
    QPainterPath shape;
    shape.addRoundedRect(rect, 2, 2);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillPath(shape.subtracted(gaps), axisColor(axis, tokens));
    painter.restore();
}

} // namespace nestwright::look
