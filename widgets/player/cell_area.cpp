// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/player/cell_area.h"

#include "widgets/look/tokens.h"

#include <QPainter>
#include <QString>
#include <QWidget>

#include <algorithm>

namespace nestwright::player {

namespace {
constexpr int margin = 8, titleGap = 4;
constexpr double largestCell = 32, leastLinedCell = 5;
} // namespace

std::optional<QPoint> CellArea::cellAt(const QPointF &where) const
{
    if (side <= 0 || !area.contains(where))
        return std::nullopt;
    return QPoint(std::min(static_cast<int>((where.x() - area.left()) / side), columns - 1),
                  std::min(static_cast<int>((where.y() - area.top()) / side), rows - 1));
}

CellArea cellArea(const QSize &size, int lineHeight, int rows, int columns)
{
    const QRectF room(margin, margin + lineHeight + titleGap, size.width() - 2.0 * margin,
                      size.height() - 2.0 * margin - lineHeight - titleGap);
    if (rows == 0 || columns == 0)
        return {room, 0, rows, columns};
    const double side = std::max(std::min({room.width() / columns, room.height() / rows, largestCell}), 0.0);
    return {QRectF(room.topLeft(), QSizeF(side * columns, side * rows)), side, rows, columns};
}

void paintGridTitle(QPainter &painter, const QWidget &grid, const QString &title, const QString &detail)
{
    const look::Tokens &t = look::tokens(&grid);
    const QFont plain = painter.font();
    QFont bold = plain;
    bold.setWeight(QFont::DemiBold);
    QRect place(margin, margin, grid.width() - 2 * margin, QFontMetrics(plain).lineSpacing());
    painter.setFont(bold);
    painter.setPen(t.text);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, title);
    place.setLeft(place.left() + QFontMetrics(bold).horizontalAdvance(title) + margin);
    painter.setFont(plain);
    painter.setPen(t.secondary);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(plain).elidedText(detail, Qt::ElideRight, place.width()));
}

void paintCellLines(QPainter &painter, const QWidget &grid, const CellArea &area)
{
    if (area.side < leastLinedCell)
        return;
    painter.setPen(QPen(look::tokens(&grid).pane, 1));
    for (int row = 0; row <= area.rows; ++row) {
        const double y = area.area.top() + row * area.side;
        painter.drawLine(QPointF(area.area.left(), y), QPointF(area.area.right(), y));
    }
    for (int column = 0; column <= area.columns; ++column) {
        const double x = area.area.left() + column * area.side;
        painter.drawLine(QPointF(x, area.area.top()), QPointF(x, area.area.bottom()));
    }
}

} // namespace nestwright::player
