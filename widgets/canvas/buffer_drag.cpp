// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/buffer_drag.h"

#include "widgets/document/buffer_mime.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QDrag>
#include <QMimeData>
#include <QPainter>
#include <QScrollBar>
#include <QTimer>
#include <QWheelEvent>
#include <QWindow>

namespace nestwright::canvas {

namespace {

/// Gives turns of the wheel to the canvas and to scroll areas. Qt drops them while something is dragged, in a
/// filter of its own; this one must be installed later, and hands them to the widget past that.
class WheelWhileDragging : public QObject {
public:
    explicit WheelWhileDragging(QWidget &canvas) : m_canvas(canvas)
    {
        QTimer::singleShot(0, this, [this] { qApp->installEventFilter(this); });
    }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() != QEvent::Wheel || !qobject_cast<QWindow *>(watched))
            return false;
        const auto *turn = static_cast<QWheelEvent *>(event);
        QWidget *below = QApplication::widgetAt(turn->globalPosition().toPoint());
        for (; below; below = below->parentWidget()) {
            auto *area = qobject_cast<QAbstractScrollArea *>(below);
            if (below != &m_canvas && !area)
                continue;
            QObject *taker = area ? static_cast<QObject *>(area->verticalScrollBar()) : &m_canvas;
            QWheelEvent copy(below->mapFromGlobal(turn->globalPosition()), turn->globalPosition(),
                             turn->pixelDelta(), turn->angleDelta(), turn->buttons(), turn->modifiers(),
                             turn->phase(), turn->inverted());
            taker->event(&copy);
            break;
        }
        return true;
    }

private:
    QWidget &m_canvas;
};

/// The buffer's name on a chip.
QPixmap chipOf(const QWidget &canvas, const QString &name)
{
    const look::Tokens &t = look::tokens(&canvas);
    const QFont font = look::codeFont(12.5, QFont::DemiBold);
    const QSize size(QFontMetrics(font).horizontalAdvance(name) + 18, 24);
    QPixmap chip(size * canvas.devicePixelRatio());
    chip.setDevicePixelRatio(canvas.devicePixelRatio());
    chip.fill(Qt::transparent);
    QPainter painter(&chip);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(t.selectionBorder, 1));
    painter.setBrush(t.pane);
    painter.drawRoundedRect(QRectF(QPointF(0.5, 0.5), QSizeF(size) - QSizeF(1, 1)), 5, 5);
    painter.setPen(t.text);
    painter.setFont(font);
    painter.drawText(QRectF(QPointF(0, 0), size), Qt::AlignCenter, name);
    return chip;
}

} // namespace

void dragBuffer(QWidget &canvas, const GraphNode &node)
{
    auto *data = new QMimeData;
    data->setData(
        QLatin1String(node.kind == NodeKind::Output ? document::outputMimeType : document::bufferMimeType),
        node.buffer.toUtf8());
    auto *drag = new QDrag(&canvas);
    drag->setMimeData(data);
    drag->setPixmap(chipOf(canvas, node.buffer));
    drag->setHotSpot(QPoint(-12, -10)); // beside the pointer, as in the tree
    const WheelWhileDragging wheel(canvas);
    drag->exec(Qt::CopyAction);
}

} // namespace nestwright::canvas
