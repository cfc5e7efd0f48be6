// SPDX-License-Identifier: GPL-3.0-or-later
/// Geometry of the cells of a grid in a widget.
#pragma once

#include <QPoint>
#include <QRectF>

#include <optional>

class QPainter;
class QString;
class QWidget;

namespace nestwright::player {

struct CellArea {
    QRectF area;
    double side = 0; ///< of a cell; 0: there are none
    int rows = 0, columns = 0;

    QRectF cell(int row, int column) const
    {
        return {area.left() + column * side, area.top() + row * side, side, side};
    }
    /// Row (y) and column (x).
    std::optional<QPoint> cellAt(const QPointF &where) const;
};

/// Square cells as large as they fit below a line of text.
CellArea cellArea(const QSize &size, int lineHeight, int rows, int columns);

/// "A  64 × 64" above the cells.
void paintGridTitle(QPainter &painter, const QWidget &grid, const QString &title, const QString &detail);
/// Thin lines between cells that are large enough.
void paintCellLines(QPainter &painter, const QWidget &grid, const CellArea &area);

} // namespace nestwright::player
