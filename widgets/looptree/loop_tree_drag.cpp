// SPDX-License-Identifier: GPL-3.0-or-later
/// Dragging in the tree of loops: loops and blocks to other places, loops onto axes of threads, buffers of
/// the graph onto loops.
#include "widgets/document/action_list.h"
#include "widgets/document/buffer_mime.h"
#include "widgets/document/document.h"
#include "widgets/document/selection.h"
#include "widgets/document/text.h"
#include "widgets/look/fonts.h"
#include "widgets/look/theme.h"
#include "widgets/look/tokens.h"
#include "widgets/looptree/loop_tree.h"
#include "widgets/models/nest_model.h"

#include <QDragEnterEvent>
#include <QMimeData>
#include <QPainter>
#include <QScrollBar>
#include <QTimer>

#include <algorithm>
#include <cmath>

namespace nestwright::looptree {

using document::NestRow;
using document::toQt;
using suggest::Placement;

namespace {
constexpr int edgeReach = 30; // pixels from an edge within which a drag scrolls
constexpr double widthOfExtent = 44;
constexpr double sameGain = 0.005; // further from 1 the prediction differs

/// "×1.8"
QString gainText(double gain)
{
    const bool isNearOne = std::abs(gain - 1) < 0.1;
    return u'×' + QString::number(gain, 'f', gain < 0.1 || isNearOne ? 2 : gain < 10 ? 1 : 0);
}
} // namespace

double LoopTree::lineOf(const Placement &place) const
{
    const QRect rect = rowRect(place.at);
    switch (place.side) {
    case Placement::Side::Above: return rect.top();
    case Placement::Side::Below: return rect.bottom() + 1;
    case Placement::Side::Into: break;
    }
    return rect.center().y();
}

bool LoopTree::bindsThreads() const
{
    return m_document.isOpen()
           && (m_document.session().target().isGpu() || (m_model->nest() && m_model->nest()->hasThreads));
}

QRect LoopTree::cellOf(std::string_view thread) const
{
    if (!m_drag || !m_drag->shelf)
        return {};
    const auto found = std::ranges::find(m_actions.bindings(), thread, &suggest::Binding::thread);
    return m_drag->shelf->cell(static_cast<int>(found - m_actions.bindings().begin())).toRect();
}

void LoopTree::paintPill(QPainter &painter, QPointF rightMiddle, const QString &text) const
{
    const look::Tokens &t = look::tokens(this);
    painter.setFont(look::interfaceFont(11.5, QFont::Medium));
    const double width = painter.fontMetrics().horizontalAdvance(text) + 28;
    const QRectF pill(rightMiddle.x() - width, std::max(rightMiddle.y() - 11, 1.0), width, 22);
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.accent);
    painter.drawRoundedRect(pill, 11, 11);
    painter.setPen(t.onAccent);
    painter.drawText(pill, Qt::AlignCenter, text);
}

void LoopTree::paintGain(QPainter &painter, double y, double gain) const
{
    const look::Tokens &t = look::tokens(this);
    const bool isSame = std::abs(gain - 1) < sameGain;
    const QString text = isSame ? tr("same") : gainText(gain);
    painter.setFont(look::interfaceFont(11, QFont::DemiBold));
    const double width = painter.fontMetrics().horizontalAdvance(text) + 14;
    const double right = m_columns.extentRight - widthOfExtent; // beside the figures
    const QRectF chip(right - width, std::max(y - 9, 1.0), width, 18);
    const bool isGood = gain > 1;
    painter.setPen(QPen(isSame ? t.hairline : isGood ? t.goodBorder : t.warnBorder, 1));
    painter.setBrush(isSame ? t.chip : isGood ? t.goodFill : t.warnChipFill);
    painter.drawRoundedRect(chip, 9, 9);
    painter.setPen(isSame ? t.chipText : isGood ? t.goodChipText : t.warnChipText);
    painter.drawText(chip, Qt::AlignCenter, text);
}

void LoopTree::paintPlacement(QPainter &painter, const Placement &place, double gain, bool nearest) const
{
    const look::Tokens &t = look::tokens(this);
    QColor color = t.accent;
    if (!nearest)
        color.setAlphaF(0.45F);
    painter.setPen(QPen(color, nearest ? 2 : 1, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    const double y = lineOf(place);
    if (place.side == Placement::Side::Into) {
        painter.drawRoundedRect(QRectF(rowRect(place.at)).adjusted(4.5, 1.5, -4.5, -1.5), 5, 5);
    } else {
        const NestRow *row = m_model->nest()->row(place.at);
        painter.drawLine(QPointF(markLeft(m_columns, row ? row->depth : 0), y), QPointF(m_columns.right, y));
    }
    if (nearest)
        paintPill(painter, QPointF(m_columns.right, y),
                  toQt(place.label) + (gain > 0 ? QStringLiteral("  ") + gainText(gain) : QString()));
    else if (gain > 0)
        paintGain(painter, y, gain);
}

void LoopTree::paintDrag(QPainter &painter) const
{
    const std::vector<Placement> &found = m_actions.placements();
    const std::vector<double> &gains = m_actions.gains();
    const auto paintAt = [&](int index, bool nearest) {
        const auto i = static_cast<std::size_t>(index);
        paintPlacement(painter, found[i], i < gains.size() ? gains[i] : 0, nearest);
    };
    if (m_drag->ready) {
        for (int i = 0; i < static_cast<int>(found.size()); ++i) {
            if (i != m_drag->nearest)
                paintAt(i, false);
        }
        if (m_drag->nearest >= 0)
            paintAt(m_drag->nearest, true);
    }
    const NestRow *row = m_model->nest()->row(m_drag->id);
    if (!row) { // a buffer has its name beside the pointer from where it comes
        if (m_drag->ready && found.empty())
            paintPill(painter, QPointF(m_columns.right, m_drag->at.y()),
                      tr("no loop here can hold a copy of it"));
        return;
    }
    if (m_drag->shelf)
        m_drag->shelf->paint(painter, m_actions.bindings(), row->name, m_drag->binding, look::tokens(this));
    if (m_drag->binding >= 0)
        return; // the shelf says what becomes of it
    // The name that is dragged, beside the pointer.
    const look::Tokens &t = look::tokens(this);
    painter.setFont(look::codeFont(12.5, QFont::DemiBold));
    const double width = painter.fontMetrics().horizontalAdvance(row->name) + 18;
    const QRectF ghost(m_drag->at.x() + 12, m_drag->at.y() + 10, width, 24);
    painter.setPen(QPen(t.selectionBorder, 1));
    painter.setBrush(t.pane);
    painter.drawRoundedRect(ghost, 5, 5);
    painter.setPen(t.text);
    painter.drawText(ghost, Qt::AlignCenter, row->name);
    if (m_drag->ready && found.empty()) {
        painter.setFont(look::interfaceFont(11.5));
        painter.setPen(t.bad);
        painter.drawText(QPointF(ghost.left(), ghost.bottom() + 16), tr("no other place is legal"));
    }
}

void LoopTree::beginDrag(const QPoint &at)
{
    m_drag = Drag{.id = m_pressedId, .at = at};
    m_edgeScroll->start();
    m_document.selection().hover({});
    m_actions.findPlacements(m_pressedId);
    setFocus();
    viewport()->update();
}

void LoopTree::moveDrag(const QPoint &at)
{
    m_drag->at = at;
    m_drag->nearest = -1;
    m_drag->binding = m_drag->shelf ? m_drag->shelf->at(at) : -1;
    const bool isOnShelf = m_drag->shelf && m_drag->shelf->area().contains(at);
    if (m_drag->ready && !isOnShelf && viewport()->rect().adjusted(-40, -40, 40, 40).contains(at)) {
        const std::vector<Placement> &found = m_actions.placements();
        double nearest = 1.5 * looptree::rowHeight;
        for (std::size_t i = 0; i < found.size(); ++i) {
            const double distance = std::abs(lineOf(found[i]) - at.y());
            if (distance < nearest) {
                nearest = distance;
                m_drag->nearest = static_cast<int>(i);
            }
        }
    }
    viewport()->update();
}

void LoopTree::endDrag(bool drop)
{
    const std::vector<Placement> &found = m_actions.placements();
    if (drop && m_drag->binding >= 0) {
        const suggest::Binding &binding = m_actions.bindings()[static_cast<std::size_t>(m_drag->binding)];
        if (!binding.refused)
            m_document.apply(binding.step, document::IfRefused::Drop);
    } else if (drop && m_drag->nearest >= 0) {
        for (const schedule::Step &step : found[static_cast<std::size_t>(m_drag->nearest)].steps)
            m_document.apply(step, document::IfRefused::Drop);
    }
    m_actions.endDragging();
    m_drag.reset();
    m_edgeScroll->stop();
    viewport()->update();
}

void LoopTree::scrollAtEdge()
{
    if (m_drag->shelf && m_drag->shelf->area().contains(m_drag->at))
        return;
    const int height = m_drag->shelf ? static_cast<int>(m_drag->shelf->area().top()) : viewport()->height();
    const int y = std::clamp(m_drag->at.y(), 0, height);
    const int above = edgeReach - y, below = y - (height - edgeReach);
    const int way = above > 0 ? -above : std::max(0, below);
    verticalScrollBar()->setValue(verticalScrollBar()->value() + way / 3);
}

void LoopTree::dragEnterEvent(QDragEnterEvent *event)
{
    const QMimeData *data = event->mimeData();
    const bool isOutput = data->hasFormat(QLatin1String(document::outputMimeType));
    const QLatin1String type(isOutput ? document::outputMimeType : document::bufferMimeType);
    if (!data->hasFormat(type) || !m_model->nest())
        return;
    m_drag = Drag{.id = {}, .at = event->position().toPoint()};
    m_edgeScroll->start();
    m_actions.findPlacementsOfBuffer(QString::fromUtf8(data->data(type)),
                                     isOutput ? suggest::BufferUse::Written
                                              : suggest::BufferUse::ReadOrWritten);
    event->acceptProposedAction();
}

void LoopTree::dragMoveEvent(QDragMoveEvent *event)
{
    if (!m_drag)
        return;
    moveDrag(event->position().toPoint());
    event->acceptProposedAction();
}

void LoopTree::dragLeaveEvent(QDragLeaveEvent *)
{
    if (m_drag)
        endDrag(false);
}

void LoopTree::dropEvent(QDropEvent *event)
{
    if (!m_drag)
        return;
    event->acceptProposedAction();
    endDrag(true);
}

} // namespace nestwright::looptree
