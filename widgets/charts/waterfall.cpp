// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/waterfall.h"

#include "widgets/charts/scale.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QChart>
#include <QKeyEvent>
#include <QLayout>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace nestwright::charts {

namespace {

constexpr double leastSlot = 40, printedSlot = 76, mostOfBar = 44;
constexpr double aboveFall = 26, belowFall = 40, besideFall = 16; // margins
constexpr double labelHeight = 15;

/// "1.52×", "0.93×"
QString factorText(double factor) { return shortNumber(factor) + QStringLiteral("×"); }

} // namespace

Waterfall::Waterfall(QWidget *parent)
    : ChartPane(tr("Contributions of steps"), parent)
    , m_scroll(new QScrollBar(Qt::Horizontal, this))
{
    layout()->addWidget(m_scroll);
    m_scroll->hide();
    m_scroll->setFocusPolicy(Qt::NoFocus);
    connect(m_scroll, &QScrollBar::valueChanged, this, [this] { repaintData(); });
    setEmptyText(tr("Nothing is measured yet"), tr("Press Measure to see what each step brings"));
}

void Waterfall::setData(WaterfallData data)
{
    m_data = std::move(data);
    m_focused = -1;
    setAccessibleDescription(tr("%n bar(s)", nullptr, itemCount()));
    refresh();
}

void Waterfall::setFocusedBar(int index)
{
    if (index == m_focused || index >= itemCount())
        return;
    m_focused = index;
    if (index >= 0 && !m_scroll->isHidden()) {
        const double left = index * m_slotWidth, least = left + m_slotWidth - plot().width();
        m_scroll->setValue(static_cast<int>(std::min(left, std::max<double>(least, m_scroll->value()))));
    }
    repaintData();
    Q_EMIT focusedBarChanged(index);
}

int Waterfall::fullWidth() const
{
    return static_cast<int>(std::ceil(itemCount() * printedSlot + m_left + besideFall));
}

QString Waterfall::toolTipOf(int index) const
{
    const WaterfallBar &shown = bar(index);
    QString text = QStringLiteral("<b>%1</b>").arg(shown.label.toHtmlEscaped());
    if (shown.kind == WaterfallBar::Kind::Total)
        text += tr("<br>%1 %2, interval %3 … %4")
                    .arg(shortNumber(shown.to), m_data.unit, shortNumber(shown.low), shortNumber(shown.high));
    if (shown.kind == WaterfallBar::Kind::Step)
        text += tr("<br>%1 as fast, interval %2 … %3%4<br>%5 → %6 %7")
                    .arg(factorText(shown.gain), factorText(shown.gainLow), factorText(shown.gainHigh),
                         shown.significant ? QString() : tr(", not significant"), shortNumber(shown.from),
                         shortNumber(shown.to), m_data.unit);
    if (!shown.note.isEmpty())
        text += QStringLiteral("<br>") + shown.note.toHtmlEscaped();
    return text;
}

QRectF Waterfall::plot() const
{
    const QRectF all = chartRect();
    return {m_left, aboveFall, std::max(20.0, all.width() - m_left - besideFall),
            std::max(20.0, all.height() - aboveFall - belowFall)};
}

void Waterfall::arrange(const look::Tokens &)
{
    double highest = m_data.reference;
    for (const WaterfallBar &each : m_data.bars)
        highest = std::max({highest, each.from, each.to, each.high});
    const double height = std::max(40.0, chartRect().height() - aboveFall - belowFall);
    m_top = (highest > 0 ? highest : 1) * (1 + 20 / height);
    m_step = niceStep(m_top, std::max(2, static_cast<int>(height / 40)));
    m_left = std::max(40.0, QFontMetricsF(look::interfaceFont(11))
                                    .horizontalAdvance(shortNumber(std::floor(m_top / m_step) * m_step))
                                + 22);
    chart()->setPlotArea(plot());
    const double needed = itemCount() * leastSlot, room = plot().width();
    const bool scrolls = needed > room + 0.5;
    m_slotWidth = scrolls ? leastSlot : room / std::max(1, itemCount());
    m_scroll->setRange(0, scrolls ? static_cast<int>(needed - room) : 0);
    m_scroll->setPageStep(static_cast<int>(room));
    m_scroll->setSingleStep(static_cast<int>(leastSlot));
    m_scroll->setVisible(scrolls);
}

double Waterfall::slotLeft(int index) const
{
    return plot().left() + index * m_slotWidth - m_scroll->value();
}

double Waterfall::y(double level) const
{
    const QRectF area = plot();
    return area.bottom() - level / m_top * area.height();
}

QRectF Waterfall::barRect(int index) const
{
    const WaterfallBar &shown = bar(index);
    const double width = std::min(mostOfBar, m_slotWidth * 0.62);
    const double from = shown.kind == WaterfallBar::Kind::Total ? y(0) : y(shown.from);
    const double to = shown.kind == WaterfallBar::Kind::Missing ? from : y(shown.to);
    const double top = std::min(from, to), height = std::max(2.0, std::abs(from - to));
    return {slotLeft(index) + (m_slotWidth - width) / 2, top, width, height};
}

QPointF Waterfall::anchorOf(int index) const { return barRect(index).center(); }

int Waterfall::itemAt(const QPointF &point) const
{
    const QRectF area = plot().adjusted(0, -aboveFall, 0, belowFall);
    if (!area.contains(point))
        return -1; // the whole column counts, so that a bar of hardly any height can be hit
    const int index = static_cast<int>((point.x() - area.left() + m_scroll->value()) / m_slotWidth);
    return index < itemCount() ? index : -1;
}

void Waterfall::keyPressEvent(QKeyEvent *event)
{
    const int last = itemCount() - 1;
    switch (event->key()) {
    case Qt::Key_Left: return setFocusedBar(m_focused < 0 ? last : std::max(0, m_focused - 1));
    case Qt::Key_Right: return setFocusedBar(std::min(last, m_focused + 1));
    case Qt::Key_Home: return setFocusedBar(std::min(0, last));
    case Qt::Key_End: return setFocusedBar(last);
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (m_focused >= 0)
            Q_EMIT activated(m_focused);
        return;
    default: ChartPane::keyPressEvent(event);
    }
}

void Waterfall::paintData(QPainter &painter, const look::Tokens &t) const
{
    const QRectF area = plot();
    painter.setRenderHint(QPainter::Antialiasing);
    paintGrid(painter, t);
    painter.save();
    painter.setClipRect(QRectF(area.left(), 0, area.width(), chartRect().height()));
    if (m_focused >= 0)
        painter.fillRect(QRectF(slotLeft(m_focused), 0, m_slotWidth, chartRect().height()), t.selectionFill);
    for (int i = 0; i < itemCount(); ++i) {
        if (slotLeft(i) + 2 * m_slotWidth < area.left() || slotLeft(i) > area.right())
            continue;
        paintBridge(painter, i, t);
        paintBar(painter, i, t);
        paintInterval(painter, i, t);
        paintGain(painter, i, t);
        paintName(painter, i, t);
    }
    painter.restore();
}

void Waterfall::paintGrid(QPainter &painter, const look::Tokens &t) const
{
    const QRectF area = plot();
    painter.setFont(look::interfaceFont(11));
    for (int i = 0; i * m_step <= m_top; ++i) {
        const double at = y(i * m_step);
        painter.setPen(QPen(i == 0 ? t.nodeBorder : t.grid, 1));
        painter.drawLine(QPointF(area.left(), at), QPointF(area.right(), at));
        painter.setPen(t.secondary);
        painter.drawText(QRectF(0, at - 9, area.left() - 8, 18), Qt::AlignRight | Qt::AlignVCenter,
                         shortNumber(i * m_step));
    }
    painter.drawText(QRectF(10, 0, area.width(), labelHeight), Qt::AlignLeft | Qt::AlignVCenter, m_data.unit);
    if (m_data.reference <= 0)
        return;
    QPen dashes(t.reference, 1);
    dashes.setDashPattern({6, 4});
    painter.setPen(dashes);
    const double at = y(m_data.reference);
    painter.drawLine(QPointF(area.left(), at), QPointF(area.right(), at));
    painter.setPen(t.reference);
    painter.drawText(QRectF(area.left(), 0, area.width(), labelHeight), Qt::AlignRight | Qt::AlignVCenter,
                     tr("whole schedule %1").arg(shortNumber(m_data.reference)));
}

/// A thin line at the level on which the next bar begins.
void Waterfall::paintBridge(QPainter &painter, int index, const look::Tokens &t) const
{
    if (m_data.reference > 0 || index + 1 >= itemCount())
        return;
    const WaterfallBar &shown = bar(index);
    const double level = y(shown.kind == WaterfallBar::Kind::Missing ? shown.from : shown.to);
    painter.setPen(QPen(t.faint, 1));
    painter.drawLine(QPointF(barRect(index).right(), level), QPointF(barRect(index + 1).left(), level));
}

void Waterfall::paintBar(QPainter &painter, int index, const look::Tokens &t) const
{
    const WaterfallBar &shown = bar(index);
    const QRectF rect = barRect(index);
    if (shown.kind == WaterfallBar::Kind::Missing) {
        painter.setPen(QPen(t.faint, 1.2, Qt::DotLine));
        painter.drawLine(rect.topLeft(), rect.topRight());
        return;
    }
    QColor fill = shown.kind == WaterfallBar::Kind::Total ? t.accent : shown.gain >= 1 ? t.good : t.bad;
    if (shown.kind == WaterfallBar::Kind::Step && !shown.significant)
        fill = look::mixed(fill, t.pane, 0.65);
    if (index == hovered())
        fill = look::mixed(fill, t.text, 0.15);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(rect, std::min(2.0, rect.height() / 2), std::min(2.0, rect.height() / 2));
}

void Waterfall::paintInterval(QPainter &painter, int index, const look::Tokens &t) const
{
    const WaterfallBar &shown = bar(index);
    if (shown.kind == WaterfallBar::Kind::Missing || shown.high <= shown.low)
        return;
    const double x = barRect(index).center().x(), low = y(shown.low), high = y(shown.high);
    painter.setPen(QPen(t.text, 1.3));
    painter.drawLine(QPointF(x, low), QPointF(x, high));
    if (low - high > 4) { // feet where there is room for them
        painter.drawLine(QPointF(x - 3, low), QPointF(x + 3, low));
        painter.drawLine(QPointF(x - 3, high), QPointF(x + 3, high));
    }
}

/// Above the bar and its interval.
void Waterfall::paintGain(QPainter &painter, int index, const look::Tokens &t) const
{
    const WaterfallBar &shown = bar(index);
    const bool isTotal = shown.kind == WaterfallBar::Kind::Total;
    const bool isMissing = shown.kind == WaterfallBar::Kind::Missing;
    const QString text = isTotal              ? shortNumber(shown.to)
                         : isMissing          ? QStringLiteral("–")
                         : !shown.significant ? tr("n.s.")
                                              : factorText(shown.gain);
    const bool isPlain = isTotal || (shown.significant && !isMissing);
    painter.setFont(look::interfaceFont(11, isPlain ? QFont::DemiBold : QFont::Normal));
    const QFontMetricsF metrics(painter.font());
    const double width = metrics.horizontalAdvance(text);
    if (width > m_slotWidth - 1)
        return;
    const QRectF rect = barRect(index);
    const double edge = isMissing ? rect.top() : std::min(rect.top(), y(shown.high));
    const QRectF box(rect.center().x() - width / 2 - 1, std::max(0.0, edge - 3 - labelHeight), width + 2,
                     labelHeight);
    painter.setPen(isPlain ? t.text : t.secondary);
    painter.drawText(box, Qt::AlignCenter, text);
}

void Waterfall::paintName(QPainter &painter, int index, const look::Tokens &t) const
{
    const WaterfallBar &shown = bar(index);
    const bool isFocused = index == m_focused;
    painter.setFont(look::interfaceFont(10.5, isFocused ? QFont::DemiBold : QFont::Normal));
    painter.setPen(isFocused ? t.text : t.secondary);
    const QFontMetricsF metrics(painter.font());
    QRectF box(slotLeft(index) + 1, plot().bottom() + 5, m_slotWidth - 2, labelHeight);
    for (const QString &line : {shown.number, shown.name}) {
        painter.drawText(box, Qt::AlignCenter, metrics.elidedText(line, Qt::ElideRight, box.width()));
        box.translate(0, labelHeight);
    }
}

void Waterfall::wheelEvent(QWheelEvent *event)
{
    if (m_scroll->isHidden())
        return event->ignore();
    const QPoint delta = event->angleDelta();
    m_scroll->setValue(m_scroll->value()
                       - (std::abs(delta.x()) > std::abs(delta.y()) ? delta.x() : delta.y()));
    event->accept();
}

} // namespace nestwright::charts
