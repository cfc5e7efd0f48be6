// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/player/layout_grid.h"

#include "widgets/look/tokens.h"
#include "widgets/player/cell_area.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace nestwright::player {

LayoutGrid::LayoutGrid(QWidget *parent) : QWidget(parent), AccessibleItems(QAccessible::Graphic)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void LayoutGrid::setCells(PlaceCells cells)
{
    m_cells = std::move(cells);
    setAccessibleName(m_cells.title + u' ' + m_cells.detail);
    update();
}

/// The order of the first elements, row by row.
QString LayoutGrid::accessibleSummary() const
{
    constexpr std::size_t mostTold = 16;
    QStringList places;
    for (std::size_t i = 0; i < std::min(m_cells.places.size(), mostTold); ++i)
        places << QString::number(m_cells.places[i]);
    if (m_cells.places.size() > mostTold)
        places << QStringLiteral("…");
    return tr("%1 rows, %2 columns; places in memory row by row: %3")
        .arg(m_cells.rows)
        .arg(m_cells.columns)
        .arg(places.join(QStringLiteral(", ")));
}

void LayoutGrid::paintEvent(QPaintEvent * /*event*/)
{
    constexpr double darkest = 0.25, palest = 0.8, leastMargin = 4;
    const look::Tokens &t = look::tokens(this);
    QPainter painter(this);
    paintGridTitle(painter, *this, m_cells.title, m_cells.detail);
    const CellArea area = cellArea(size(), fontMetrics().lineSpacing(), m_cells.rows, m_cells.columns);
    if (area.side <= 0)
        return;
    QFont small = font();
    small.setPointSizeF(font().pointSizeF() * 0.8);
    const qint64 last = m_cells.places.empty() ? 0 : std::ranges::max(m_cells.places);
    const bool hasNumbers =
        QFontMetrics(small).horizontalAdvance(QString::number(last)) + leastMargin <= area.side;
    painter.setFont(small);
    std::size_t next = 0;
    for (int row = 0; row < m_cells.rows; ++row) {
        for (int column = 0; column < m_cells.columns; ++column) {
            const qint64 place = m_cells.places[next++];
            const auto line = static_cast<std::size_t>(place / m_cells.lineElements);
            const QRectF cell = area.cell(row, column);
            const double along =
                static_cast<double>(place % m_cells.lineElements) / static_cast<double>(m_cells.lineElements);
            painter.fillRect(cell, look::mixed(t.axes[line % t.axes.size()], t.pane,
                                               darkest + (palest - darkest) * along));
            painter.setPen(t.text);
            if (hasNumbers)
                painter.drawText(cell, Qt::AlignCenter, QString::number(place));
        }
    }
    paintCellLines(painter, *this, area);
}

bool LayoutGrid::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const CellArea area = cellArea(size(), fontMetrics().lineSpacing(), m_cells.rows, m_cells.columns);
    QString text;
    if (const auto cell = area.cellAt(help->pos())) {
        const qint64 place =
            m_cells.places[static_cast<std::size_t>(cell->y() * m_cells.columns + cell->x())];
        text = tr("row %1, column %2: element %3 of memory, in line %4")
                   .arg(cell->y())
                   .arg(cell->x())
                   .arg(place)
                   .arg(place / m_cells.lineElements);
    }
    QToolTip::showText(help->globalPos(), text, this);
    return true;
}

} // namespace nestwright::player
