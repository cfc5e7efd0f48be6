// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/chart_pane.h"

#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QChart>
#include <QChartView>
#include <QFocusEvent>
#include <QGraphicsItem>
#include <QGraphicsLayout>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLegend>
#include <QMouseEvent>
#include <QPainter>
#include <QStyleOptionGraphicsItem>
#include <QToolTip>
#include <QVBoxLayout>

namespace nestwright::charts {

/// Lies over the axes and grid of a chart and paints the data.
class DataLayer : public QGraphicsItem {
public:
    DataLayer(ChartPane *pane, QGraphicsItem *parent) : QGraphicsItem(parent), m_pane(pane)
    {
        setZValue(100);
        setAcceptedMouseButtons(Qt::NoButton);
        setFlag(ItemUsesExtendedStyleOption); // tells what is exposed
    }
    QRectF boundingRect() const override { return m_pane->chartRect(); }
    void paint(QPainter *painter, const QStyleOptionGraphicsItem *option, QWidget *) override
    {
        m_pane->m_exposed = option->exposedRect;
        m_pane->paintLayer(*painter);
    }
    void geometryChanged() { prepareGeometryChange(); }

private:
    ChartPane *m_pane;
};

ChartPane::ChartPane(const QString &name, QWidget *parent)
    : QWidget(parent)
    , AccessibleItems(QAccessible::Chart)
    , m_chart(new QChart)
    , m_view(new QChartView(m_chart, this))
    , m_layer(new DataLayer(this, m_chart))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_view);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setRenderHint(QPainter::Antialiasing);
    m_view->setFocusPolicy(Qt::NoFocus);
    m_view->viewport()->setFocusPolicy(Qt::NoFocus);
    m_view->setBackgroundBrush(Qt::NoBrush);
    m_view->setStyleSheet(QStringLiteral("background: transparent"));
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->viewport()->setMouseTracking(true);
    m_view->viewport()->installEventFilter(this);
    m_chart->setBackgroundVisible(false);
    m_chart->legend()->hide();
    m_chart->setMargins(QMargins());
    // The view sizes the chart, after this widget got its own size.
    connect(m_chart, &QGraphicsWidget::geometryChanged, this, [this] {
        m_layer->geometryChanged();
        refresh();
    });
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(name);
    setMinimumSize(160, 120);
}

void ChartPane::setEmptyText(const QString &title, const QString &hint)
{
    m_emptyTitle = title;
    m_emptyHint = hint;
    repaintData();
}

QRectF ChartPane::chartRect() const { return QRectF(QPointF(), m_chart->size()); }

QWidget *ChartPane::view() const { return m_view; }

void ChartPane::paintOn(QPainter &painter)
{
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF area(QPointF(), m_view->size());
    m_view->scene()->render(&painter, area, area);
}

QPointF ChartPane::positionOfItem(int index) const
{
    return m_view->mapTo(this, m_view->mapFromScene(m_chart->mapToScene(anchorOf(index))));
}

void ChartPane::refresh()
{
    if (m_arranging)
        return;
    m_arranging = true;
    const bool empty = isEmpty();
    const QList<QAbstractAxis *> axes = m_chart->axes();
    for (QAbstractAxis *axis : axes)
        axis->setVisible(!empty);
    arrange(look::tokens(this));
    m_chart->layout()->invalidate();
    m_chart->layout()->activate(); // the axes follow at once, not with the next event
    m_arranging = false;
    m_hovered = -1;
    repaintData();
}

void ChartPane::repaintData()
{
    m_layer->update();
    tellCurrent();
}

void ChartPane::tellCurrent()
{
    const int current = currentIndex();
    if (current != m_told)
        look::tellChosenItem(*this, m_told = current);
}

QString ChartPane::accessibleText(int index) const { return look::plainLine(toolTipOf(index)); }

QRect ChartPane::accessibleRect(int index) const
{
    constexpr int reach = 12; // an item is a bar, a point, a cell
    QRect around(0, 0, 2 * reach, 2 * reach);
    around.moveCenter(positionOfItem(index).toPoint());
    return around;
}

std::optional<int> ChartPane::idAt(const QPointF &at) const
{
    const QWidget *viewport = m_view->viewport();
    if (childAt(at.toPoint()) != viewport)
        return {};
    const QPointF inView = viewport->mapFrom(this, at);
    const int index = itemAt(m_chart->mapFromScene(m_view->mapToScene(inView.toPoint())));
    return index < 0 ? std::nullopt : std::optional(idOf(index));
}

void ChartPane::choose(int id)
{
    for (int i = 0; i < itemCount(); ++i) {
        if (idOf(i) == id)
            return Q_EMIT selected(id);
    }
}

void ChartPane::chooseAccessible(int index)
{
    if (index != currentIndex())
        Q_EMIT selected(idOf(index));
}

/// How much there is, and the current item with its figures.
QString ChartPane::accessibleSummary() const
{
    if (isEmpty())
        return m_emptyHint.isEmpty() ? m_emptyTitle : tr("%1. %2").arg(m_emptyTitle, m_emptyHint);
    const int current = currentIndex();
    return current < 0 ? accessibleDescription()
                       : tr("%1; the current one: %2").arg(accessibleDescription(), accessibleText(current));
}

void ChartPane::repaintData(const QRectF &part) { m_layer->update(part); }

void ChartPane::paintLayer(QPainter &painter) const
{
    const look::Tokens &t = look::tokens(this);
    if (!isEmpty()) {
        paintData(painter, t);
    } else {
        const QRectF box = chartRect().adjusted(16, 0, -16, -20);
        QRectF used;
        painter.setFont(look::interfaceFont(13, QFont::DemiBold));
        painter.setPen(t.text);
        painter.drawText(box, Qt::AlignCenter | Qt::TextWordWrap, m_emptyTitle, &used);
        painter.setFont(look::interfaceFont(12));
        painter.setPen(t.secondary);
        painter.drawText(QRectF(box.left(), used.bottom() + 6, box.width(), 60),
                         Qt::AlignHCenter | Qt::TextWordWrap, m_emptyHint);
    }
    if (m_showFocus && hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(t.accent, 1.5));
        painter.drawRoundedRect(chartRect().adjusted(1, 1, -1, -1), 4, 4);
    }
}

void ChartPane::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        refresh();
}

void ChartPane::setHovered(int index)
{
    if (index == m_hovered)
        return;
    m_hovered = index;
    m_view->viewport()->setCursor(index >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    repaintData();
}

bool ChartPane::eventFilter(QObject *watched, QEvent *event)
{
    if (watched != m_view->viewport())
        return QWidget::eventFilter(watched, event);
    const auto inChart = [this](const QPointF &point) {
        return m_chart->mapFromScene(m_view->mapToScene(point.toPoint()));
    };
    switch (event->type()) {
    case QEvent::MouseMove:
        setHovered(itemAt(inChart(static_cast<QMouseEvent *>(event)->position())));
        return true;
    case QEvent::MouseButtonPress: {
        const auto *mouse = static_cast<QMouseEvent *>(event);
        const int index = itemAt(inChart(mouse->position()));
        setFocus(Qt::MouseFocusReason);
        if (mouse->button() == Qt::LeftButton && index >= 0)
            Q_EMIT selected(idOf(index));
        return true;
    }
    case QEvent::MouseButtonDblClick: return true;
    case QEvent::Leave: setHovered(-1); return false;
    case QEvent::ToolTip: {
        const auto *help = static_cast<QHelpEvent *>(event);
        const int index = itemAt(inChart(help->pos()));
        QToolTip::showText(help->globalPos(), index < 0 ? QString() : toolTipOf(index), this);
        return true;
    }
    default: return false;
    }
}

void ChartPane::keyPressEvent(QKeyEvent *event)
{
    const int count = itemCount();
    const int current = currentIndex();
    int next = -1;
    switch (event->key()) {
    case Qt::Key_Left: next = current < 0 ? count - 1 : current - 1; break;
    case Qt::Key_Right: next = current + 1; break;
    case Qt::Key_Home: next = 0; break;
    case Qt::Key_End: next = count - 1; break;
    default: return QWidget::keyPressEvent(event);
    }
    if (next >= 0 && next < count && next != current)
        Q_EMIT selected(idOf(next));
}

void ChartPane::focusInEvent(QFocusEvent *event)
{
    QWidget::focusInEvent(event);
    m_showFocus = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    repaintData();
}

void ChartPane::focusOutEvent(QFocusEvent *event)
{
    QWidget::focusOutEvent(event);
    repaintData();
}

} // namespace nestwright::charts
