// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse, wheel and keys of GraphCanvas.
#include "widgets/canvas/graph_canvas.h"

#include "widgets/canvas/search_box.h"
#include "widgets/document/drop_slots.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QApplication>
#include <QDrag>
#include <QHelpEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestwright::canvas {

namespace {

constexpr double zoomPerNotch = 1.18;
constexpr double edgeReach = 6; // pixels beside an edge that count as it

} // namespace

void GraphCanvas::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    if (m_fitted)
        fit();
    else
        moved();
    placeOverlays();
}

int GraphCanvas::nodeAt(const QPointF &point) const
{
    const QPointF where = toGraph(point);
    for (std::size_t i = m_layout.boxes.size(); i-- > 0;) {
        if (m_layout.boxes[i].contains(where))
            return static_cast<int>(i);
    }
    return -1;
}

int GraphCanvas::edgeAt(const QPointF &point) const
{
    const QPointF where = toGraph(point);
    const double reach = edgeReach / m_scale;
    for (std::size_t i = 0; i < m_layout.routes.size(); ++i) {
        const QPolygonF &route = m_layout.routes[i];
        if (route.isEmpty() || !route.boundingRect().adjusted(-reach, -reach, reach, reach).contains(where))
            continue;
        QPainterPathStroker stroker;
        stroker.setWidth(2 * reach);
        if (stroker.createStroke(edgePath(route)).contains(where))
            return static_cast<int>(i);
    }
    return -1;
}

QString GraphCanvas::toolTipAt(const QPointF &point) const
{
    const auto lines = [](const QString &title, std::initializer_list<QString> others) {
        QString text = QStringLiteral("<b>%1</b>").arg(title.toHtmlEscaped());
        for (const QString &other : others) {
            if (!other.isEmpty())
                text += QStringLiteral("<br>") + other.toHtmlEscaped().replace(u'\n', QLatin1String("<br>"));
        }
        return text;
    };
    if (const int node = nodeAt(point); node >= 0) {
        const GraphNode &shown = m_graph->nodes[static_cast<std::size_t>(node)];
        return lines(shown.title, {shown.subtitle, shown.cost, shown.detail});
    }
    const int edge = edgeAt(point);
    if (edge < 0)
        return {};
    const GraphEdge &shown = m_graph->edges[static_cast<std::size_t>(edge)];
    const auto title = [this](int id) {
        const auto found = std::ranges::find(m_graph->nodes, id, &GraphNode::id);
        return found == m_graph->nodes.end() ? QString() : found->title;
    };
    return lines(QStringLiteral("%1 → %2").arg(title(shown.from), title(shown.to)),
                 {shown.label, shown.detail});
}

void GraphCanvas::select(int index)
{
    m_marks.selected = index;
    update();
    if (index >= 0)
        Q_EMIT nodeClicked(m_graph->nodes[static_cast<std::size_t>(index)].id);
}

void GraphCanvas::mousePressEvent(QMouseEvent *event)
{
    m_pressed = event->position();
    m_panning = false;
}

void GraphCanvas::mouseMoveEvent(QMouseEvent *event)
{
    if (event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) {
        const QPointF way = event->position() - m_pressed;
        if (!m_panning && way.manhattanLength() < QApplication::startDragDistance())
            return;
        if (const int node = m_panning ? -1 : nodeAt(m_pressed);
            node >= 0 && (event->buttons() & Qt::LeftButton)
            && !m_graph->nodes[static_cast<std::size_t>(node)].buffer.isEmpty())
            return dragBuffer(m_graph->nodes[static_cast<std::size_t>(node)]);
        if (!m_panning)
            setCursor(Qt::ClosedHandCursor);
        m_panning = true;
        m_fitted = false;
        m_centre -= way / m_scale;
        m_pressed = event->position();
        return moved();
    }
    const int node = nodeAt(event->position());
    if (node == m_marks.hovered)
        return;
    m_marks.hovered = node;
    setCursor(node >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
    Q_EMIT nodeHovered(node < 0 ? -1 : m_graph->nodes[static_cast<std::size_t>(node)].id);
}

void GraphCanvas::dragBuffer(const GraphNode &node)
{
    const look::Tokens &t = look::tokens(this);
    const QFont font = look::codeFont(12.5, QFont::DemiBold);
    const QSize size(QFontMetrics(font).horizontalAdvance(node.buffer) + 18, 24);
    QPixmap chip(size * devicePixelRatio());
    chip.setDevicePixelRatio(devicePixelRatio());
    chip.fill(Qt::transparent);
    QPainter painter(&chip);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(t.selectionBorder, 1));
    painter.setBrush(t.pane);
    painter.drawRoundedRect(QRectF(QPointF(0.5, 0.5), QSizeF(size) - QSizeF(1, 1)), 5, 5);
    painter.setPen(t.text);
    painter.setFont(font);
    painter.drawText(QRectF(QPointF(0, 0), size), Qt::AlignCenter, node.buffer);
    painter.end();
    auto *data = new QMimeData;
    data->setData(QLatin1String(document::bufferMimeType), node.buffer.toUtf8());
    auto *drag = new QDrag(this);
    drag->setMimeData(data);
    drag->setPixmap(chip);
    drag->setHotSpot(QPoint(-12, -10)); // beside the pointer, as in the tree
    drag->exec(Qt::CopyAction);
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent *event)
{
    if (m_panning) {
        m_panning = false;
        setCursor(Qt::ArrowCursor);
        return;
    }
    if (event->button() == Qt::LeftButton) {
        if (const int node = nodeAt(event->position()); node >= 0)
            select(node);
    }
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent *event)
{
    const int node = nodeAt(event->position());
    if (event->button() == Qt::LeftButton && node >= 0)
        Q_EMIT nodeActivated(m_graph->nodes[static_cast<std::size_t>(node)].id);
}

void GraphCanvas::leaveEvent(QEvent *)
{
    if (m_marks.hovered < 0)
        return;
    m_marks.hovered = -1;
    update();
    Q_EMIT nodeHovered(-1);
}

void GraphCanvas::wheelEvent(QWheelEvent *event)
{
    if (m_layout.boxes.empty())
        return;
    const QPoint pixels = event->pixelDelta();
    if (!pixels.isNull() && !(event->modifiers() & Qt::ControlModifier)) { // a touchpad pans
        m_centre -= QPointF(pixels) / m_scale;
        m_fitted = false;
        return moved();
    }
    zoomAt(event->position(), m_scale * std::pow(zoomPerNotch, event->angleDelta().y() / 120.0));
}

void GraphCanvas::step(int key)
{
    if (m_marks.selected < 0) {
        select(0);
        return bringIntoView(0);
    }
    const QPointF here = m_layout.boxes[static_cast<std::size_t>(m_marks.selected)].center();
    const int id = m_graph->nodes[static_cast<std::size_t>(m_marks.selected)].id;
    const bool along = key == Qt::Key_Up || key == Qt::Key_Down;
    std::vector<char> allowed(m_graph->nodes.size(), along ? 0 : 1);
    if (along) {
        QHash<int, std::size_t> indexOf;
        for (std::size_t i = 0; i < m_graph->nodes.size(); ++i)
            indexOf.insert(m_graph->nodes[i].id, i);
        for (const GraphEdge &edge : m_graph->edges) {
            const int from = key == Qt::Key_Down ? edge.from : edge.to;
            const int to = key == Qt::Key_Down ? edge.to : edge.from;
            if (from == id && indexOf.contains(to))
                allowed[indexOf.value(to)] = 1;
        }
    }
    int nearest = -1;
    double best = std::numeric_limits<double>::max();
    for (std::size_t i = 0; i < allowed.size(); ++i) {
        const QPointF way = m_layout.boxes[i].center() - here;
        const bool beside = key == Qt::Key_Left ? way.x() < -1 : way.x() > 1;
        if (!allowed[i] || static_cast<int>(i) == m_marks.selected
            || (!along && (!beside || std::abs(way.y()) > 8)))
            continue;
        if (const double distance = std::hypot(way.x(), way.y()); distance < best) {
            best = distance;
            nearest = static_cast<int>(i);
        }
    }
    if (nearest < 0)
        return;
    select(nearest);
    bringIntoView(nearest);
}

void GraphCanvas::keyPressEvent(QKeyEvent *event)
{
    if (m_layout.boxes.empty())
        return event->ignore();
    if (event->matches(QKeySequence::Find))
        return openSearch();
    switch (event->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Left:
    case Qt::Key_Right: return step(event->key());
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_marks.selected >= 0)
            Q_EMIT nodeActivated(m_graph->nodes[static_cast<std::size_t>(m_marks.selected)].id);
        return;
    case Qt::Key_Plus:
    case Qt::Key_Equal: return zoomTo(m_scale * zoomPerNotch);
    case Qt::Key_Minus: return zoomTo(m_scale / zoomPerNotch);
    case Qt::Key_0: return fit();
    case Qt::Key_Escape:
        if (m_search->isVisible())
            return m_search->close();
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
    return QWidget::event(event);
}

} // namespace nestwright::canvas
