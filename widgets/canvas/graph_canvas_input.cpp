// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse, wheel and keys of GraphCanvas.
#include "widgets/canvas/graph_canvas.h"

#include "widgets/canvas/buffer_drag.h"
#include "widgets/canvas/paint/edge_path.h"
#include "widgets/canvas/search_box.h"

#include <QApplication>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainterPath>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nestwright::canvas {

namespace {

constexpr double zoomPerNotch = 1.18;
constexpr double edgeReach = 6; // pixels beside an edge that count as it

} // namespace

void GraphCanvas::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    if (m_seen == Seen::Part && event->oldSize().isValid()) // the row at the top stays there
        m_centre.ry() += (height() - event->oldSize().height()) / (2 * m_scale);
    roomChanged();
}

int GraphCanvas::nodeAt(const QPointF &point) const
{
    if (!m_room.contains(point))
        return -1;
    const QPointF where = toGraph(point);
    const std::vector<int> found = m_scene->nodeIndex.within(QRectF(where, QSizeF(0, 0)));
    return found.empty() ? -1 : found.back();
}

/// The innermost open frame whose title is there.
int GraphCanvas::frameTitleAt(const QPointF &point) const
{
    int found = -1;
    for (const int frame : m_scene->folded.open) { // inner ones come later
        if (m_room.contains(point) && frameTitleRect(frame).contains(point))
            found = frame;
    }
    return found;
}

int GraphCanvas::edgeAt(const QPointF &point) const
{
    const QPointF where = toGraph(point);
    const double reach = edgeReach / m_scale;
    const QPointF corner(reach, reach);
    if (!m_room.contains(point))
        return -1;
    for (const int edge : m_scene->edgeIndex.within(QRectF(where - corner, where + corner))) {
        QPainterPathStroker stroker;
        stroker.setWidth(2 * reach);
        if (stroker.createStroke(edgePath(m_scene->layout.routes[static_cast<std::size_t>(edge)]))
                .contains(where))
            return edge;
    }
    return -1;
}

void GraphCanvas::mousePressEvent(QMouseEvent *event)
{
    m_pressed = event->position();
    m_panning = m_doubleClicked = false;
}

void GraphCanvas::mouseMoveEvent(QMouseEvent *event)
{
    if (event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) {
        const QPointF way = event->position() - m_pressed;
        if (!m_panning && way.manhattanLength() < QApplication::startDragDistance())
            return;
        if (const int node = m_panning ? -1 : nodeAt(m_pressed);
            node >= 0 && (event->buttons() & Qt::LeftButton)
            && !graph().nodes[static_cast<std::size_t>(node)].buffer.isEmpty())
            return dragBuffer(*this, graph().nodes[static_cast<std::size_t>(node)]);
        if (!m_panning)
            setCursor(Qt::ClosedHandCursor);
        m_panning = true;
        m_seen = Seen::Chosen;
        m_centre -= way / m_scale;
        m_pressed = event->position();
        return moved();
    }
    const int node = nodeAt(event->position());
    const int title = node >= 0 ? -1 : frameTitleAt(event->position());
    const int frame = title > 0 ? openPlace(title) : -1;
    if (node == m_marks.hovered && frame == m_marks.hoveredFrame)
        return;
    const bool other = node != m_marks.hovered;
    m_marks.hovered = node;
    m_marks.hoveredFrame = frame;
    setCursor(node >= 0 || frame >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
    if (other)
        Q_EMIT nodeHovered(node < 0 ? -1 : idToTell(thingAt(node)));
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent *event)
{
    if (m_panning) {
        m_panning = false;
        setCursor(Qt::ArrowCursor);
        return;
    }
    if (event->button() != Qt::LeftButton || std::exchange(m_doubleClicked, false))
        return;
    Thing thing = thingAt(nodeAt(event->position()));
    if (const int title = thing ? -1 : frameTitleAt(event->position()); title > 0)
        thing = {-1, title};
    if (!thing)
        return;
    select(thing);
    if (event->modifiers() & Qt::AltModifier)
        setTrace(Trace::Both);
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_doubleClicked = true; // its release is no further click
    if (const Thing thing = thingAt(nodeAt(event->position())))
        activate(thing);
    else
        toggle(frameTitleAt(event->position()));
}

void GraphCanvas::leaveEvent(QEvent *)
{
    if (m_marks.hovered < 0 && m_marks.hoveredFrame < 0)
        return;
    m_marks.hovered = m_marks.hoveredFrame = -1;
    update();
    Q_EMIT nodeHovered(-1);
}

void GraphCanvas::wheelEvent(QWheelEvent *event)
{
    if (m_scene->layout.boxes.empty())
        return;
    const QPoint pixels = event->pixelDelta();
    if (!pixels.isNull() && !(event->modifiers() & Qt::ControlModifier)) { // a touchpad pans
        m_centre -= QPointF(pixels) / m_scale;
        m_seen = Seen::Chosen;
        return moved();
    }
    zoomAt(event->position(), m_scale * std::pow(zoomPerNotch, event->angleDelta().y() / 120.0));
}

void GraphCanvas::step(int key)
{
    const auto centreOf = [this](int node) {
        return m_scene->layout.boxes[static_cast<std::size_t>(node)].center();
    };
    if (m_marks.selected < 0) {
        const Thing first = thingAt(0);
        select(first);
        return bringIntoView(boxOfThing(first));
    }
    const QPointF here = centreOf(m_marks.selected);
    const int id = graph().nodes[static_cast<std::size_t>(m_marks.selected)].id;
    const bool along = key == Qt::Key_Up || key == Qt::Key_Down;
    std::vector<int> allowed;
    if (along) {
        QHash<int, int> indexOf;
        for (std::size_t i = 0; i < graph().nodes.size(); ++i)
            indexOf.insert(graph().nodes[i].id, static_cast<int>(i));
        for (const GraphEdge &edge : graph().edges) {
            const int from = key == Qt::Key_Down ? edge.from : edge.to;
            const int to = key == Qt::Key_Down ? edge.to : edge.from;
            if (from == id && indexOf.contains(to))
                allowed.push_back(indexOf.value(to));
        }
    } else {
        const QRectF &bounds = m_scene->layout.bounds;
        allowed = m_scene->nodeIndex.within(QRectF(bounds.left(), here.y() - 8, bounds.width(), 16));
    }
    int nearest = -1;
    double best = std::numeric_limits<double>::max();
    for (const int node : allowed) {
        const QPointF way = centreOf(node) - here;
        const bool beside = key == Qt::Key_Left ? way.x() < -1 : way.x() > 1;
        if (node == m_marks.selected || (!along && (!beside || std::abs(way.y()) > 8)))
            continue;
        if (const double distance = std::hypot(way.x(), way.y()); distance < best) {
            best = distance;
            nearest = node;
        }
    }
    if (nearest < 0)
        return;
    select(thingAt(nearest));
    bringIntoView(m_scene->layout.boxes[static_cast<std::size_t>(nearest)]);
}

void GraphCanvas::keyPressEvent(QKeyEvent *event)
{
    if (m_scene->layout.boxes.empty())
        return event->ignore();
    if (event->matches(QKeySequence::Find))
        return openSearch();
    const bool shift = event->modifiers() & Qt::ShiftModifier;
    switch (event->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
        if (shift)
            return setTrace(event->key() == Qt::Key_Up ? Trace::Inputs : Trace::Outputs);
        return step(event->key());
    case Qt::Key_Left:
    case Qt::Key_Right: return step(event->key());
    case Qt::Key_Return:
    case Qt::Key_Enter: return activate(m_marks.selected >= 0 ? thingAt(m_marks.selected) : m_selected);
    case Qt::Key_Space:
        if (const int frame = frameAround(m_marks.selected >= 0 ? thingAt(m_marks.selected) : m_selected);
            frame > 0) {
            toggle(frame);
            return;
        }
        break;
    case Qt::Key_Plus:
    case Qt::Key_Equal: return zoomTo(m_scale * zoomPerNotch);
    case Qt::Key_Minus: return zoomTo(m_scale / zoomPerNotch);
    case Qt::Key_0: return fit();
    case Qt::Key_Escape:
        if (m_search->isVisible())
            return m_search->close();
        if (m_trace != Trace::None)
            return setTrace(Trace::None);
        break;
    default: break;
    }
    event->ignore(); // a single letter is a command of the window
}

void GraphCanvas::focusInEvent(QFocusEvent *event)
{
    QWidget::focusInEvent(event);
    m_showFocus = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    update();
}

void GraphCanvas::focusOutEvent(QFocusEvent *event)
{
    QWidget::focusOutEvent(event);
    update();
}

bool GraphCanvas::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        QToolTip::showText(help->globalPos(), toolTipAt(help->pos()), this);
        return true;
    }
    if (event->type() == QEvent::ShortcutOverride
        && static_cast<QKeyEvent *>(event)->matches(QKeySequence::Find))
        event->accept();
    if (event->type() == QEvent::FontChange) // the links have theirs after this
        QMetaObject::invokeMethod(this, &GraphCanvas::placeOverlays, Qt::QueuedConnection);
    return QWidget::event(event);
}

} // namespace nestwright::canvas
