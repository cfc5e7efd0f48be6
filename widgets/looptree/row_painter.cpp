// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/looptree/row_painter.h"

#include "widgets/document/nest.h"
#include "widgets/look/axis.h"
#include "widgets/look/chip.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace nestwright::looptree {

using document::NestRow;

namespace {

constexpr double markHeight = 17;
constexpr double gap = 8;
constexpr double extentWidth = 34;    // of the column's heading
constexpr double leastNameWidth = 30; // without which a badge tells of nothing

/// Blocks touch no memory by themselves: the kinds of their variables may reach into that column.
bool reachesOn(const NestRow &row) { return row.kind == document::RowKind::Block && row.bytes < 0; }

/// Levels of threads are told apart by colour: blocks, threads, virtual threads.
look::ChipKind chipOf(const NestRow &row)
{
    if (!row.threads)
        return look::ChipKind::Neutral;
    switch (*row.threads) {
    case ir::ThreadRank::Block: return look::ChipKind::Info;
    case ir::ThreadRank::Thread: return look::ChipKind::Good;
    case ir::ThreadRank::Virtual: return look::ChipKind::Warn;
    }
    return look::ChipKind::Neutral;
}

void paintBackground(QPainter &painter, const QRectF &rect, const RowState &state, const look::Tokens &t)
{
    const QRectF frame = rect.adjusted(4.5, 1.5, -4.5, -1.5);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(Qt::NoPen);
    if (state.selected) {
        painter.setPen(QPen(t.selectionBorder, state.focused ? 1.5 : 1));
        painter.setBrush(t.selectionFill);
        painter.drawRoundedRect(frame, 5, 5);
    } else if (state.hovered) {
        painter.setBrush(t.hover);
        painter.drawRoundedRect(frame, 5, 5);
    }
    if (state.target) {
        painter.setPen(QPen(t.accent, 1.5, Qt::DashLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(frame, 5, 5);
    }
}

void paintGuides(QPainter &painter, const QRectF &rect, const NestRow &row, const Columns &columns,
                 const look::Tokens &t)
{
    painter.setPen(QPen(t.hairline, 1));
    for (int depth = 0; depth < row.depth; ++depth) {
        const double x = std::floor(markLeft(columns, depth) + markWidth / 2) + 0.5;
        painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()));
    }
}

/// Returns the right end of the name.
double paintName(QPainter &painter, const QRectF &rect, const NestRow &row, const RowState &state,
                 const Columns &columns, const look::Tokens &t)
{
    double x = markLeft(columns, row.depth);
    const double middle = rect.center().y();
    look::paintAxisMark(painter, QRectF(x, middle - markHeight / 2, markWidth, markHeight), row.axis, t);
    x += markWidth + gap;
    const double extent = QFontMetricsF(look::codeFont(12.5)).horizontalAdvance(row.extent);
    double limit = (reachesOn(row) ? columns.touchesRight : columns.extentRight) - extent - 10;
    if (!row.badge.isEmpty() && x + look::chipSize(row.badge).width() + gap + leastNameWidth < limit)
        x += look::paintChip(painter, QPointF(x, middle), row.badge, chipOf(row), t) + gap;
    painter.setFont(look::codeFont(13, QFont::DemiBold));
    painter.setPen(t.text);
    if (row.kind == document::RowKind::Block && painter.fontMetrics().horizontalAdvance(row.name) > limit - x)
        limit = std::max(limit, columns.extentRight - 10); // the name before the kinds of its variables
    const QString name = painter.fontMetrics().elidedText(row.name, Qt::ElideRight,
                                                          static_cast<int>(std::max(16.0, limit - x)));
    painter.drawText(QRectF(x, rect.top(), std::max(40.0, limit - x + 10), rect.height()),
                     Qt::AlignVCenter | Qt::AlignLeft, name);
    x += painter.fontMetrics().horizontalAdvance(name) + 6;
    if (state.collapsed) {
        painter.setPen(t.secondary);
        painter.drawText(QRectF(x, rect.top(), 20, rect.height()), Qt::AlignVCenter | Qt::AlignLeft,
                         QStringLiteral("…"));
    }
    return x;
}

} // namespace

double markLeft(const Columns &columns, int depth) { return columns.nameLeft + depth * columns.indent; }

void paintRow(QPainter &painter, const QRectF &rect, const NestRow &row, const RowState &state,
              const Columns &columns, const look::Tokens &t)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    paintBackground(painter, rect, state, t);
    paintGuides(painter, rect, row, columns, t);
    if (state.faded)
        painter.setOpacity(0.4);
    const double nameEnd = paintName(painter, rect, row, state, columns, t);

    const auto rightAligned = [&](const QString &text, double right, const QColor &color) {
        painter.setPen(color);
        const double left = std::max(nameEnd, right - 90);
        painter.drawText(QRectF(left, rect.top(), right - left, rect.height()),
                         Qt::AlignVCenter | Qt::AlignRight, text);
    };
    painter.setFont(look::codeFont(12.5));
    if (reachesOn(row)) {
        const double left = std::max(columns.extentRight - extentWidth, nameEnd + 4);
        painter.setPen(t.text);
        painter.drawText(QRectF(left, rect.top(), columns.right - left, rect.height()),
                         Qt::AlignVCenter | Qt::AlignLeft, row.extent);
    } else if (nameEnd + painter.fontMetrics().horizontalAdvance(row.extent) <= columns.extentRight) {
        rightAligned(row.extent, columns.extentRight, t.text);
    }
    painter.setFont(look::codeFont(12));
    if (columns.touchesRight > columns.extentRight)
        rightAligned(document::bytesText(row.bytes), columns.touchesRight, t.secondary);
    if (row.memoryLevel > 0) {
        const QString level =
            row.memoryLevel > 3 ? QStringLiteral("RAM") : QStringLiteral("L%1").arg(row.memoryLevel);
        look::paintChip(painter, QPointF(columns.fitsLeft, rect.center().y()), level,
                        look::cacheChip(row.memoryLevel), t);
    }
    if (columns.cyclesRight > 0)
        rightAligned(state.cycles, columns.cyclesRight, state.putsAside ? t.warn : t.text);
    painter.restore();
}

} // namespace nestwright::looptree
