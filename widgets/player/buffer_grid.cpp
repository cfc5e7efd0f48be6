// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/player/buffer_grid.h"

#include "widgets/look/tokens.h"
#include "widgets/player/reuse_colors.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <array>

namespace nestwright::player {

namespace {

constexpr int leastSide = 110;

} // namespace

BufferGrid::BufferGrid(QWidget *parent) : QWidget(parent), AccessibleItems(QAccessible::Graphic)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void BufferGrid::setCells(GridCells cells)
{
    m_cells = std::move(cells);
    setAccessibleName(tr("Elements of %1").arg(m_cells.title));
    update();
}

/// How much of it was touched, and what the step touches.
QString BufferGrid::accessibleSummary() const
{
    constexpr qsizetype mostTold = 4;
    qsizetype present = 0, touched = 0;
    QStringList now;
    for (std::size_t i = 0; i < m_cells.cells.size(); ++i) {
        const quint8 cell = m_cells.cells[i];
        if (cell == absentCell)
            continue;
        ++present;
        touched += (cell & Touched) != 0;
        if ((cell & (ReadNow | WrittenNow)) == 0 || now.size() > mostTold)
            continue;
        const int row = static_cast<int>(i) / m_cells.columns, column = static_cast<int>(i) % m_cells.columns;
        now << (now.size() == mostTold     ? QStringLiteral("…")
                : (cell & WrittenNow) != 0 ? tr("writes row %1, column %2").arg(row).arg(column)
                                           : tr("reads row %1, column %2").arg(row).arg(column));
    }
    now.prepend(tr("%1; %2 of %3 elements touched").arg(m_cells.detail).arg(touched).arg(present));
    return now.join(QStringLiteral("; "));
}

QSize BufferGrid::minimumSizeHint() const { return {leastSide, leastSide + fontMetrics().lineSpacing()}; }

QSize BufferGrid::sizeHint() const { return 2 * minimumSizeHint(); }

CellArea BufferGrid::areaOfCells() const
{
    return cellArea(size(), fontMetrics().lineSpacing(), m_cells.rows, m_cells.columns);
}

/// One pixel a cell.
QImage BufferGrid::picture() const
{
    const look::Tokens &t = look::tokens(this);
    std::array<QRgb, 256> colors{};
    for (int code = 0; code < 256; ++code) {
        const QColor color = reuseColor(code & ClassBits, static_cast<int>(m_classes.size()), t);
        const bool isStrong = (code & (Recent | ReadNow | WrittenNow)) != 0;
        colors[static_cast<std::size_t>(code)] =
            (code & Touched) ? (isStrong ? color : fadedColor(color, t)).rgb() : t.grid.rgb();
    }
    colors[absentCell] = t.pane.rgb();
    QImage image(m_cells.columns, m_cells.rows, QImage::Format_RGB32);
    std::size_t next = 0;
    for (int row = 0; row < m_cells.rows; ++row) {
        auto *line = reinterpret_cast<QRgb *>(image.scanLine(row));
        for (int column = 0; column < m_cells.columns; ++column)
            line[column] = colors[m_cells.cells[next++]];
    }
    return image;
}

void BufferGrid::paintEvent(QPaintEvent * /*event*/)
{
    ++m_frames;
    QPainter painter(this);
    paintGridTitle(painter, *this, m_cells.title, m_cells.detail);
    const CellArea area = areaOfCells();
    if (area.side <= 0)
        return;
    painter.drawImage(area.area, picture());
    paintCellLines(painter, *this, area);
    paintNow(painter, area);
}

/// Frames around what the step touches: thin where it reads, thick where it writes.
void BufferGrid::paintNow(QPainter &painter, const CellArea &area) const
{
    constexpr double leastFrame = 7, readWidth = 1.5, writeWidth = 2.5;
    const look::Tokens &t = look::tokens(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < m_cells.cells.size(); ++i) {
        const quint8 cell = m_cells.cells[i];
        if ((cell & (ReadNow | WrittenNow)) == 0 || cell == absentCell)
            continue;
        const int row = static_cast<int>(i) / m_cells.columns, column = static_cast<int>(i) % m_cells.columns;
        const QPointF center = area.cell(row, column).center();
        const double side = std::max(area.side, leastFrame);
        painter.setPen(QPen(t.text, (cell & WrittenNow) ? writeWidth : readWidth));
        painter.drawRect(QRectF(center.x() - side / 2, center.y() - side / 2, side, side));
    }
}

QString BufferGrid::toolTipAt(const QPointF &where) const
{
    const auto found = areaOfCells().cellAt(where);
    if (!found)
        return {};
    const int row = found->y(), column = found->x();
    const quint8 cell = m_cells.cells[static_cast<std::size_t>(row * m_cells.columns + column)];
    if (cell == absentCell)
        return {};
    const QString place = tr("%1, row %2, column %3").arg(m_cells.title).arg(row).arg(column);
    if ((cell & Touched) == 0)
        return place + u'\n' + tr("Not touched yet");
    return place + u'\n' + m_classes.value(cell & ClassBits);
}

bool BufferGrid::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    QToolTip::showText(help->globalPos(), toolTipAt(help->pos()), this);
    return true;
}

} // namespace nestwright::player
