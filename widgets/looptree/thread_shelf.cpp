// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/looptree/thread_shelf.h"

#include "core/ir/threads.h"
#include "widgets/document/text.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QPainter>

namespace nestwright::looptree {

namespace {
constexpr double cellHeight = 24, cellGap = 4, margin = 10, titleHeight = 24;
constexpr int rows = 2;
constexpr double columns = 3.5; // x, y and z, and half of one for vthread's longer name
} // namespace

ThreadShelf::ThreadShelf(const QRectF &viewport, std::span<const suggest::Binding> bindings)
{
    const double height = titleHeight + rows * (cellHeight + cellGap) + margin - cellGap;
    m_area = {viewport.left(), viewport.bottom() - height, viewport.width(), height};
    const double width = (m_area.width() - 2 * margin) / (columns + 0.5);
    for (const suggest::Binding &binding : bindings) {
        const ir::ThreadAxis axis = *ir::threadAxisOf(binding.thread);
        const bool isVirtual = axis.rank == ir::ThreadRank::Virtual;
        const int row = axis.rank == ir::ThreadRank::Thread ? 1 : 0;
        const double column = isVirtual ? 3 : static_cast<double>(axis.dimension);
        m_cells.emplace_back(m_area.left() + margin + column * width,
                             m_area.top() + titleHeight + row * (cellHeight + cellGap), width - cellGap,
                             cellHeight);
    }
}

QRectF ThreadShelf::cell(int binding) const
{
    return binding >= 0 && binding < std::ssize(m_cells) ? m_cells[static_cast<std::size_t>(binding)]
                                                         : QRectF();
}

int ThreadShelf::at(const QPointF &point) const
{
    for (std::size_t i = 0; i < m_cells.size(); ++i) {
        if (m_cells[i].adjusted(-cellGap / 2, -cellGap / 2, cellGap / 2, cellGap / 2).contains(point))
            return static_cast<int>(i);
    }
    return -1;
}

void ThreadShelf::paint(QPainter &painter, std::span<const suggest::Binding> bindings, const QString &loop,
                        int pointed, const look::Tokens &t) const
{
    painter.fillRect(m_area, t.pane);
    painter.setPen(QPen(t.hairline, 1));
    painter.drawLine(m_area.topLeft(), m_area.topRight());

    const suggest::Binding *chosen = pointed < 0 ? nullptr : &bindings[static_cast<std::size_t>(pointed)];
    const bool isRefused = chosen && chosen->refused;
    QString title = QStringLiteral("Drop %1 here to bind it to threads").arg(loop);
    if (isRefused)
        title = document::sentence(chosen->refused->message);
    else if (chosen)
        title = QStringLiteral("Bind %1 to %2").arg(loop, document::toQt(chosen->thread));
    painter.setFont(look::interfaceFont(11.5));
    painter.setPen(isRefused ? t.bad : t.secondary);
    const QRectF line(m_area.left() + margin, m_area.top(), m_area.width() - 2 * margin, titleHeight);
    painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(title, Qt::ElideRight, static_cast<int>(line.width())));

    painter.setFont(look::interfaceFont(11.5, QFont::Medium));
    for (int i = 0; i < std::ssize(bindings); ++i) {
        const suggest::Binding &binding = bindings[static_cast<std::size_t>(i)];
        const bool isPointed = i == pointed;
        QColor ink = binding.refused ? t.faint : t.text;
        painter.setBrush(Qt::NoBrush);
        painter.setPen(
            QPen(binding.refused ? t.hairline : t.accent, 1, binding.refused ? Qt::SolidLine : Qt::DashLine));
        if (isPointed && isRefused) {
            painter.setPen(QPen(t.badBorder, 1));
        } else if (isPointed) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(t.accent);
            ink = t.onAccent;
        }
        const QRectF frame = cell(i).adjusted(0.5, 0.5, -0.5, -0.5);
        painter.drawRoundedRect(frame, 5, 5);
        painter.setPen(ink);
        painter.drawText(frame, Qt::AlignCenter, document::toQt(binding.thread));
    }
}

} // namespace nestwright::looptree
