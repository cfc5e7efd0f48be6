// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/axis.h"

#include "widgets/look/tokens.h"

#include <QPainter>
#include <QPainterPath>
#include <QString>

#include <algorithm>

namespace nestwright::look {

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
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath shape;
    shape.addRoundedRect(rect, 2, 2);
    painter.fillPath(shape, axisColor(axis, tokens));
    painter.setClipPath(shape, Qt::IntersectClip);
    if (axis == mixedAxis) {
        painter.setPen(QPen(tokens.pane, 1.5));
        const int stripes = static_cast<int>((rect.height() + rect.width()) / 5) + 1;
        for (int i = 0; i < stripes; ++i) {
            const double y = rect.top() - rect.width() + i * 5;
            painter.drawLine(QPointF(rect.left(), y + rect.width()), QPointF(rect.right(), y));
        }
    } else if (axis > 0) {
        const int notches = std::min(axis, 3);
        const double step = rect.height() / (notches + 1);
        for (int i = 1; i <= notches; ++i)
            painter.fillRect(QRectF(rect.center().x() + 0.5, rect.top() + step * i - 0.75, rect.width(), 1.5),
                             tokens.pane);
    }
    painter.restore();
}

} // namespace nestwright::look
