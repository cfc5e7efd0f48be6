// SPDX-License-Identifier: GPL-3.0-or-later
/// Mouse and keys of the history.
#include "widgets/document/document.h"
#include "widgets/history/history_edits.h"
#include "widgets/history/history_view.h"
#include "widgets/models/variants_model.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QScrollBar>

namespace nestwright::history {

namespace {
constexpr int scrollPx = 9; ///< at a time, of a row that is dragged to an edge
} // namespace

void HistoryView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton)
        m_pressed = event->position().toPoint();
    setFocus(Qt::MouseFocusReason);
}

void HistoryView::mouseMoveEvent(QMouseEvent *event)
{
    const QPoint at = event->position().toPoint();
    if (m_pressed && m_dragged < 0
        && (at - *m_pressed).manhattanLength() >= QApplication::startDragDistance()) {
        const int row = indexAt(*m_pressed).row();
        if (row >= 0 && !m_model.isRefused(row)) {
            m_dragged = row;
            setCursor(Qt::ClosedHandCursor);
            m_scrolling.start();
        }
    }
    const int row = indexAt(at).row();
    if (row != m_hovered) {
        m_hovered = row;
        viewport()->update();
    }
    QTreeView::mouseMoveEvent(event);
}

void HistoryView::scrollWhileDragging()
{
    const QPoint at = viewport()->mapFromGlobal(QCursor::pos());
    const int by = at.y() < rowHeightPx / 2                          ? -scrollPx
                   : at.y() > viewport()->height() - rowHeightPx / 2 ? scrollPx
                                                                     : 0;
    if (by != 0)
        verticalScrollBar()->setValue(verticalScrollBar()->value() + by);
}

void HistoryView::endDrag()
{
    m_dragged = -1;
    m_pressed.reset();
    m_scrolling.stop();
    unsetCursor();
    viewport()->update();
}

void HistoryView::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || !m_pressed)
        return;
    const QPoint from = *m_pressed;
    const int dragged = m_dragged, row = indexAt(event->position().toPoint()).row();
    endDrag();
    if (dragged < 0 && row >= 0 && foldMark(visualRect(m_model.index(row, 0)), row).contains(from))
        m_model.toggleFold(m_model.idAt(row));
    else if (dragged < 0)
        choose(indexAt(from).row());
    else if (row >= 0 && row != dragged)
        Q_EMIT dropped(m_model.idAt(dragged).value, m_model.idAt(row).value,
                       event->globalPosition().toPoint());
}

void HistoryView::leaveEvent(QEvent *event)
{
    m_hovered = -1;
    viewport()->update();
    QTreeView::leaveEvent(event);
}

void HistoryView::look(int row)
{
    if (row < 0 || row >= m_model.rowCount())
        return;
    m_looked = row;
    setCurrentIndex(m_model.index(row, 0));
    scrollTo(m_model.index(row, 0));
    viewport()->update();
}

bool HistoryView::editByKey(const QKeyEvent &event)
{
    if (!m_document.isOpen())
        return false;
    for (const EditOffer &offer : editsOf(m_document.tree(), focused())) {
        if (offer.keys != QKeySequence(event.keyCombination()))
            continue;
        if (offer.unavailable.isEmpty())
            m_document.edit(offer.edit);
        return true;
    }
    return false;
}

void HistoryView::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape && m_dragged >= 0) {
        endDrag();
        return;
    }
    if (editByKey(*event))
        return;
    const int row = currentIndex().row();
    const auto go = [&](int to) { (event->modifiers() & Qt::ControlModifier) ? look(to) : choose(to); };
    switch (event->key()) {
    case Qt::Key_Up: go(row - 1); return;
    case Qt::Key_Down: go(row + 1); return;
    case Qt::Key_Home: go(0); return;
    case Qt::Key_End: go(m_model.rowCount() - 1); return;
    case Qt::Key_Left:
    case Qt::Key_Right:
        if (row >= 0 && !foldMark(QRectF(0, 0, 1, 1), row).isEmpty()
            && m_model.isUnfolded(row) == (event->key() == Qt::Key_Left))
            m_model.toggleFold(m_model.idAt(row));
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter: choose(row); return;
    default: QTreeView::keyPressEvent(event);
    }
}

void HistoryView::contextMenuEvent(QContextMenuEvent *event)
{
    int row = indexAt(event->pos()).row();
    QPoint at = event->globalPos();
    if (event->reason() == QContextMenuEvent::Keyboard) {
        row = currentIndex().row();
        at = viewport()->mapToGlobal(visualRect(currentIndex()).center());
    }
    if (row >= 0)
        Q_EMIT menuRequested(m_model.idAt(row).value, at);
}

} // namespace nestwright::history
