// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse, wheel and keys of CodeView.
#include "widgets/code/code_view.h"

#include "widgets/code/code_accessible.h"
#include "widgets/code/code_text.h"
#include "widgets/code/find_bar.h"
#include "widgets/code/line_layout.h"
#include "widgets/look/fonts.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>

namespace nestwright::code {

namespace {

constexpr double zoomStep = 1.1;
constexpr int wheelNotch = 120;

} // namespace

void CodeView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    updateScrollBars();
    placeFindBar();
}

void CodeView::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange
        || event->type() == QEvent::FontChange) {
        invalidateLayouts();
        updateMetrics();
    }
}

bool CodeView::event(QEvent *event)
{
    // Keys that the window may use too belong to the code while it has the focus.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto *key = static_cast<QKeyEvent *>(event);
        const bool taken = key->matches(QKeySequence::Copy) || key->matches(QKeySequence::SelectAll)
                           || key->matches(QKeySequence::Find) || key->matches(QKeySequence::FindNext)
                           || (key->modifiers() == Qt::ControlModifier && key->key() == Qt::Key_G);
        if (taken)
            event->accept();
    }
    return QAbstractScrollArea::event(event);
}

bool CodeView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::Leave)
        setHoverLine(-1, {});
    return QAbstractScrollArea::viewportEvent(event);
}

void CodeView::setHoverLine(int line, StmtId id)
{
    if (line == m_hoverLine && id == m_hoverId)
        return;
    m_hoverLine = line;
    m_hoverId = id;
    Q_EMIT lineHovered(line, id);
}

void CodeView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || m_text.isEmpty())
        return;
    m_selecting = true;
    m_dragged = false;
    moveCursor(positionAt(event->position()), event->modifiers() & Qt::ShiftModifier);
}

void CodeView::mouseMoveEvent(QMouseEvent *event)
{
    if (m_text.isEmpty())
        return;
    const QPointF point = event->position();
    if (m_selecting && (event->buttons() & Qt::LeftButton)) {
        const Position to = positionAt(point);
        m_dragged = m_dragged || to != m_cursor;
        moveCursor(to, true);
        if (!viewport()->rect().contains(point.toPoint()))
            m_autoScroll.start();
        else
            m_autoScroll.stop();
        return;
    }
    viewport()->setCursor(point.x() < m_gutterWidth - 4 ? Qt::ArrowCursor : Qt::IBeamCursor);
    const int line = lineAt(point.y());
    if (line < 0 || line >= m_text.lineCount())
        setHoverLine(-1, {});
    else
        setHoverLine(line, stmtAt(positionAt(point)));
}

void CodeView::mouseReleaseEvent(QMouseEvent *event)
{
    m_autoScroll.stop();
    if (!m_selecting || event->button() != Qt::LeftButton)
        return;
    m_selecting = false;
    const int line = lineAt(event->position().y());
    if (!m_dragged && line >= 0 && line < m_text.lineCount() && !(event->modifiers() & Qt::ShiftModifier))
        Q_EMIT lineClicked(line, stmtAt(positionAt(event->position())));
}

void CodeView::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton && !m_text.isEmpty())
        selectWordAt(positionAt(event->position()));
}

void CodeView::selectWordAt(Position position)
{
    const QStringView line = m_text.line(position.line);
    int from = position.column;
    int to = position.column;
    while (from > 0 && isWordCharacter(line[from - 1]))
        --from;
    while (to < line.size() && isWordCharacter(line[to]))
        ++to;
    m_anchor = {position.line, from};
    m_cursor = {position.line, to};
    viewport()->update();
}

void CodeView::scrollWhileSelecting()
{
    const QPoint point = viewport()->mapFromGlobal(QCursor::pos());
    const int beyondY = point.y() < 0 ? point.y() : std::max(0, point.y() - viewport()->height());
    const int beyondX = point.x() < 0 ? point.x() : std::max(0, point.x() - viewport()->width());
    verticalScrollBar()->setValue(verticalScrollBar()->value() + beyondY);
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + beyondX);
    moveCursor(positionAt(point), true);
}

void CodeView::wheelEvent(QWheelEvent *event)
{
    if (!(event->modifiers() & Qt::ControlModifier))
        return QAbstractScrollArea::wheelEvent(event);
    m_wheelRest += event->angleDelta().y();
    for (; m_wheelRest >= wheelNotch; m_wheelRest -= wheelNotch)
        setZoom(m_zoom * zoomStep);
    for (; m_wheelRest <= -wheelNotch; m_wheelRest += wheelNotch)
        setZoom(m_zoom / zoomStep);
    event->accept();
}

void CodeView::focusInEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusInEvent(event);
    m_showFocus = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    viewport()->update();
}

void CodeView::focusOutEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

void CodeView::moveCursor(Position to, bool select, bool keepGoal)
{
    m_cursor = m_text.clamped(to);
    if (!select)
        m_anchor = m_cursor;
    if (!keepGoal)
        m_goalColumn = m_cursor.column;
    setAccessibleDescription(tr("line %1: %2").arg(m_cursor.line + 1).arg(m_text.line(m_cursor.line)));
    viewport()->update();
    tellCursor(*this);
    Q_EMIT cursorMoved();
}

void CodeView::ensureCursorVisible()
{
    const QRectF place = rectOf(m_cursor, 1);
    QScrollBar *vertical = verticalScrollBar();
    if (place.top() < 0)
        vertical->setValue(vertical->value() + static_cast<int>(place.top()) - 4);
    else if (place.bottom() > viewport()->height())
        vertical->setValue(vertical->value() + static_cast<int>(place.bottom()) - viewport()->height() + 4);
    QScrollBar *horizontal = horizontalScrollBar();
    if (place.left() < m_gutterWidth)
        horizontal->setValue(horizontal->value()
                             + static_cast<int>(place.left() - m_gutterWidth - m_charWidth * 4));
    else if (place.right() > viewport()->width())
        horizontal->setValue(horizontal->value()
                             + static_cast<int>(place.right() - viewport()->width() + m_charWidth * 4));
}

bool CodeView::moveByKey(QKeyEvent *event)
{
    const bool control = event->modifiers() & Qt::ControlModifier;
    const int page = std::max(1, static_cast<int>(viewport()->height() / m_lineHeight) - 1);
    const int lineEnd = static_cast<int>(m_text.line(m_cursor.line).size());
    Position to = m_cursor;
    bool vertical = true;
    switch (event->key()) {
    case Qt::Key_Up: to = {m_cursor.line - 1, m_goalColumn}; break;
    case Qt::Key_Down: to = {m_cursor.line + 1, m_goalColumn}; break;
    case Qt::Key_PageUp: to = {m_cursor.line - page, m_goalColumn}; break;
    case Qt::Key_PageDown: to = {m_cursor.line + page, m_goalColumn}; break;
    case Qt::Key_Left:
        to = m_cursor.column > 0 ? Position{m_cursor.line, m_cursor.column - 1}
                                 : Position{m_cursor.line - 1, 1 << 20};
        vertical = false;
        break;
    case Qt::Key_Right:
        to = m_cursor.column < lineEnd ? Position{m_cursor.line, m_cursor.column + 1}
                                       : Position{m_cursor.line + 1, 0};
        vertical = false;
        break;
    case Qt::Key_Home:
        to = control ? Position{0, 0} : Position{m_cursor.line, 0};
        vertical = false;
        break;
    case Qt::Key_End:
        to = control ? Position{m_text.lineCount() - 1, 1 << 20} : Position{m_cursor.line, lineEnd};
        vertical = false;
        break;
    default: return false;
    }
    // Past the first or last line the cursor stays, and does not slide along it.
    if (to.line < 0 || to.line >= m_text.lineCount())
        to = to.line < 0 ? Position{0, vertical ? m_goalColumn : 0}
                         : Position{m_text.lineCount() - 1, vertical ? m_goalColumn : 1 << 20};
    moveCursor(to, event->modifiers() & Qt::ShiftModifier, vertical);
    ensureCursorVisible();
    return true;
}

void CodeView::keyPressEvent(QKeyEvent *event)
{
    const bool control = event->modifiers() & Qt::ControlModifier;
    if (event->matches(QKeySequence::Copy))
        return copy();
    if (event->matches(QKeySequence::SelectAll))
        return selectAll();
    if (event->matches(QKeySequence::Find))
        return openFind();
    if (event->key() == Qt::Key_F3)
        return event->modifiers() & Qt::ShiftModifier ? m_findBar->previous() : m_findBar->next();
    if (control && event->key() == Qt::Key_G)
        return openGoToLine();
    if (control && (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal))
        return setZoom(m_zoom * zoomStep);
    if (control && event->key() == Qt::Key_Minus)
        return setZoom(m_zoom / zoomStep);
    if (control && event->key() == Qt::Key_0)
        return setZoom(1);
    if (event->key() == Qt::Key_Escape && m_findBar->isVisible())
        return m_findBar->close();
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        Q_EMIT lineClicked(m_cursor.line, stmtAt(m_cursor));
        return;
    }
    if (m_text.isEmpty() || !moveByKey(event))
        event->ignore(); // a single letter is a command of the window
}

void CodeView::contextMenuEvent(QContextMenuEvent *event)
{
    QMenu menu(this);
    QAction *copyAction = menu.addAction(tr("Copy"), QKeySequence::Copy, this, &CodeView::copy);
    copyAction->setEnabled(!m_text.isEmpty());
    menu.addAction(tr("Select All"), QKeySequence::SelectAll, this, &CodeView::selectAll);
    menu.addSeparator();
    menu.addAction(tr("Find…"), QKeySequence::Find, this, &CodeView::openFind);
    menu.addAction(tr("Go to Line…"), QKeySequence(Qt::CTRL | Qt::Key_G), this, &CodeView::openGoToLine);
    Q_EMIT menuOpening(&menu);
    menu.exec(event->globalPos());
}

} // namespace nestwright::code
