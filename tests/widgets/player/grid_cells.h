// SPDX-License-Identifier: GPL-3.0-or-later
/// Cells of a grid as they stand in its widget, and what pointing at a place tells.
#pragma once

#include "widgets/player/cell_area.h"

#include <QHelpEvent>
#include <QToolTip>
#include <QtTest>

namespace nestwright::tests {

/// Of a BufferGrid or LayoutGrid.
template <class Grid> player::CellArea areaOf(const Grid &grid)
{
    return player::cellArea(grid.size(), grid.fontMetrics().lineSpacing(), grid.cells().rows,
                            grid.cells().columns);
}

/// The tool tip at a place; empty where there is none.
inline QString tipAt(QWidget &grid, const QPointF &where)
{
    QToolTip::hideText();
    if (!QTest::qWaitFor([] { return !QToolTip::isVisible(); }))
        return QStringLiteral("the tip before stays");
    QHelpEvent help(QEvent::ToolTip, where.toPoint(), grid.mapToGlobal(where.toPoint()));
    QApplication::sendEvent(&grid, &help);
    return QToolTip::isVisible() ? QToolTip::text() : QString();
}

} // namespace nestwright::tests
