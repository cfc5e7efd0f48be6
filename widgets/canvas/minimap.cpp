// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/minimap.h"

#include "widgets/look/tokens.h"

#include <QEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace nestwright::canvas {

namespace {
constexpr double mapMargin = 8;
}

Minimap::Minimap(QWidget *parent) : QWidget(parent), AccessibleItems(QAccessible::Graphic)
{
    setFixedSize(88, 66);
    setAccessibleName(tr("Overview"));
    setToolTip(tr("Drag to move the view"));
}

void Minimap::setBoxes(const std::vector<QRectF> *boxes, const QRectF &bounds)
{
    m_boxes = boxes;
    m_bounds = bounds;
    m_picture = {};
    update();
}

void Minimap::setSeen(const QRectF &seen)
{
    m_seen = seen;
    update();
}

QTransform Minimap::fromGraph() const
{
    const QRectF inner = QRectF(rect()).adjusted(mapMargin, mapMargin, -mapMargin, -mapMargin);
    const double scale = std::min({inner.width() / std::max(1.0, m_bounds.width()),
                                   inner.height() / std::max(1.0, m_bounds.height()), 0.14});
    QTransform transform;
    transform.translate(inner.center().x(), inner.center().y());
    transform.scale(scale, scale);
    transform.translate(-m_bounds.center().x(), -m_bounds.center().y());
    return transform;
}

QPixmap Minimap::picture() const
{
    QPixmap pixmap(size() * devicePixelRatioF());
    pixmap.setDevicePixelRatio(devicePixelRatioF());
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    const QTransform transform = fromGraph();
    painter.setPen(Qt::NoPen);
    painter.setBrush(look::tokens(this).minimapNode);
    for (const QRectF &box : *m_boxes) {
        QRectF small = transform.mapRect(box);
        small.setSize(small.size().expandedTo(QSizeF(1, 1)));
        painter.drawRect(small);
    }
    return pixmap;
}

void Minimap::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const look::Tokens &t = look::tokens(this);
    painter.setPen(QPen(t.hairline, 1));
    painter.setBrush(t.ground);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    if (!m_boxes || m_boxes->empty())
        return;
    if (m_picture.isNull())
        m_picture = picture();
    painter.drawPixmap(0, 0, m_picture);
    const QRectF frame =
        fromGraph().mapRect(m_seen).intersected(QRectF(rect()).adjusted(2.5, 2.5, -2.5, -2.5));
    painter.setPen(QPen(t.accent, 1));
    painter.setBrush(Qt::NoBrush);
    if (frame.isValid())
        painter.drawRoundedRect(frame, 2, 2);
}

void Minimap::mousePressEvent(QMouseEvent *event) { mouseMoveEvent(event); }

void Minimap::mouseMoveEvent(QMouseEvent *event)
{
    if (event->buttons() & Qt::LeftButton)
        Q_EMIT centreWanted(fromGraph().inverted().map(event->position()));
}

void Minimap::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::DevicePixelRatioChange)
        m_picture = {};
}

} // namespace nestwright::canvas
