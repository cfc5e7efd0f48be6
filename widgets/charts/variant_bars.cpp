// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/variant_bars.h"

#include "widgets/charts/scale.h"
#include "widgets/look/fonts.h"
#include "widgets/look/theme.h"
#include "widgets/look/tokens.h"

#include <QChart>
#include <QLayout>
#include <QLineSeries>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <QValueAxis>
#include <QVariantAnimation>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace nestwright::charts {

namespace {

constexpr double narrowestSlot = 48;
constexpr double exportSlot = 80; // of a picture, which cannot be scrolled or pointed at
constexpr double widestBar = 56;
constexpr double rightOfBars = 16;
constexpr double aboveBars = 24;
constexpr double belowBars = 42; // two lines
constexpr double radius = 3;
constexpr double unitLeft = 10; // of the unit, above the axis

/// A text on a strip of the ground, so that lines behind it do not cross it.
void paintLabel(QPainter &painter, const QPointF &middle, const QString &text, const QColor &ground)
{
    const QFontMetricsF metrics(painter.font());
    const double width = metrics.horizontalAdvance(text);
    const QRectF box(middle.x() - width / 2, middle.y() - metrics.height() / 2, width, metrics.height());
    painter.fillRect(box.adjusted(-3, 1, 3, -1), ground);
    painter.drawText(box.adjusted(-2, 0, 2, 0), Qt::AlignCenter, text);
}

/// A bar whose upper corners are round.
QPainterPath barShape(const QRectF &rect)
{
    const double r = std::min({radius, rect.height(), rect.width() / 2});
    QPainterPath path(rect.bottomLeft());
    path.lineTo(rect.left(), rect.top() + r);
    path.quadTo(rect.topLeft(), QPointF(rect.left() + r, rect.top()));
    path.lineTo(rect.right() - r, rect.top());
    path.quadTo(rect.topRight(), QPointF(rect.right(), rect.top() + r));
    path.lineTo(rect.bottomRight());
    path.closeSubpath();
    return path;
}

} // namespace

VariantBars::VariantBars(QWidget *parent)
    : ChartPane(tr("Variants"), parent)
    , m_animation(new QVariantAnimation(this))
    , m_anchor(new QLineSeries(this))
    , m_x(new QValueAxis(this))
    , m_y(new QValueAxis(this))
    , m_scroll(new QScrollBar(Qt::Horizontal, this))
{
    chart()->addSeries(m_anchor);
    chart()->addAxis(m_x, Qt::AlignBottom);
    chart()->addAxis(m_y, Qt::AlignLeft);
    m_anchor->attachAxis(m_x);
    m_anchor->attachAxis(m_y);
    m_x->setLabelsVisible(false);
    m_x->setGridLineVisible(false);
    m_x->setLineVisible(false);
    m_y->setLineVisible(false);
    m_y->setTickType(QValueAxis::TicksDynamic);
    layout()->addWidget(m_scroll);
    m_scroll->hide();
    m_scroll->setFocusPolicy(Qt::NoFocus);
    connect(m_scroll, &QScrollBar::valueChanged, this, [this] { repaintData(); });
    m_animation->setStartValue(0.0);
    m_animation->setEndValue(1.0);
    m_animation->setEasingCurve(QEasingCurve::OutCubic);
    connect(m_animation, &QVariantAnimation::valueChanged, this, [this] { repaintData(); });
    setEmptyText(tr("Nothing measured yet"), tr("Measure a variant and its bar appears here"));
}

VariantBars::~VariantBars() = default;

void VariantBars::setData(BarData data)
{
    QHash<int, double> before;
    for (int i = 0; i < itemCount(); ++i)
        before.insert(bar(i).id, shownValue(i));
    const bool moved = [&] {
        for (const Bar &next : data.bars) {
            if (next.value != before.value(next.id, 0))
                return true;
        }
        return false;
    }();
    m_animation->stop();
    if (data.current != m_data.current)
        m_revealed = -1;
    m_before = std::move(before);
    m_data = std::move(data);
    setAccessibleDescription(tr("%n variant(s)", nullptr, itemCount()));
    refresh();
    scrollToKept();
    if (moved)
        startMoving();
}

void VariantBars::reveal(int id)
{
    m_revealed = id;
    scrollToKept();
}

void VariantBars::scrollToKept()
{
    const auto found = std::ranges::find(m_data.bars, m_revealed, &Bar::id);
    const int kept =
        found == m_data.bars.end() ? currentIndex() : static_cast<int>(found - m_data.bars.begin());
    if (kept >= 0 && !m_scroll->isHidden()) {
        const double left = kept * m_slotWidth;
        const double least =
            left + m_slotWidth - chart()->plotArea().width(); // beyond `left` in a narrow plot
        m_scroll->setValue(static_cast<int>(std::min(left, std::max<double>(least, m_scroll->value()))));
    }
}

void VariantBars::startMoving()
{
    const int duration = look::motionMs(this);
    if (duration <= 0 || !isVisible())
        return;
    m_animation->setDuration(duration);
    m_animation->start();
}

double VariantBars::shownValue(int index) const
{
    const double value = bar(index).value;
    if (m_animation->state() != QAbstractAnimation::Running)
        return value;
    const double from = m_before.value(bar(index).id, 0);
    return from + (value - from) * m_animation->currentValue().toDouble();
}

int VariantBars::idOf(int index) const { return bar(index).id; }

int VariantBars::currentIndex() const
{
    const auto found = std::ranges::find(m_data.bars, m_data.current, &Bar::id);
    return found == m_data.bars.end() ? -1 : static_cast<int>(found - m_data.bars.begin());
}

QString VariantBars::failureOf(const Bar &shown)
{
    return shown.failure.isEmpty() ? tr("failed") : shown.failure;
}

QString VariantBars::toolTipOf(int index) const
{
    const Bar &shown = bar(index);
    QString text =
        QStringLiteral("<b>%1</b><br>").arg((shown.name + u' ' + shown.detail).trimmed().toHtmlEscaped());
    if (shown.outcome == Outcome::Failed)
        text += failureOf(shown).toHtmlEscaped();
    else if (shown.outcome == Outcome::Running)
        text += tr("being measured");
    else
        text +=
            tr("%1 %2, interval %3 … %4")
                .arg(shortNumber(shown.value), m_data.unit, shortNumber(shown.low), shortNumber(shown.high));
    if (!shown.note.isEmpty())
        text += QStringLiteral("<br>") + shown.note.toHtmlEscaped();
    return text;
}

double VariantBars::maximum() const
{
    double highest = 0;
    for (const Bar &one : m_data.bars)
        highest = std::max({highest, one.value, one.high});
    for (const Reference &one : m_data.references)
        highest = std::max(highest, one.value);
    return highest > 0 ? highest : 1;
}

int VariantBars::fullWidth() const
{
    return static_cast<int>(std::ceil(itemCount() * exportSlot + rightOfBars + 60));
}

void VariantBars::arrange(const look::Tokens &t)
{
    // Room above the highest bar for its label.
    const QFont small = look::interfaceFont(11);
    const double height = std::max(40.0, chartRect().height() - aboveBars - belowBars);
    m_top = maximum() * (1 + 18 / height);
    const double step = niceStep(m_top, std::max(2, static_cast<int>(height / 36)));
    const double labels =
        QFontMetricsF(small).horizontalAdvance(shortNumber(std::floor(m_top / step) * step));
    const double left = std::max(34.0, labels + 22);
    const QRectF plot(left, aboveBars, std::max(10.0, chartRect().width() - left - rightOfBars), height);
    chart()->setPlotArea(plot);

    const double needed = itemCount() * narrowestSlot;
    const bool scrolls = needed > plot.width() + 0.5;
    m_slotWidth = scrolls ? narrowestSlot : plot.width() / std::max(1, itemCount());
    m_scroll->setRange(0, scrolls ? static_cast<int>(needed - plot.width()) : 0);
    m_scroll->setPageStep(static_cast<int>(plot.width()));
    m_scroll->setSingleStep(static_cast<int>(narrowestSlot));
    m_scroll->setVisible(scrolls);

    m_x->setRange(0, 1);
    m_y->setTickAnchor(0);
    // The axis makes its ticks at each call: a wide range with the fine step of before would be thousands of
    // them.
    if (step > m_y->tickInterval())
        m_y->setTickInterval(step);
    m_y->setRange(0, m_top);
    m_y->setTickInterval(step);
    m_y->setLabelFormat(step < 1 ? QStringLiteral("%.1f") : QStringLiteral("%.0f"));
    m_y->setLabelsFont(small);
    m_y->setLabelsColor(t.secondary);
    m_y->setGridLinePen(QPen(t.grid, 1));
}

double VariantBars::slotLeft(int index) const
{
    return chart()->plotArea().left() + index * m_slotWidth - m_scroll->value();
}

double VariantBars::yOf(double value) const
{
    return chart()->mapToPosition(QPointF(0, value), m_anchor).y();
}

QRectF VariantBars::barRect(int index) const
{
    const double width = std::min(widestBar, m_slotWidth * 0.62);
    const double bottom = yOf(0);
    const double top = std::min(yOf(shownValue(index)), bottom - 1.5);
    return {slotLeft(index) + (m_slotWidth - width) / 2, top, width, bottom - top};
}

QPointF VariantBars::anchorOf(int index) const
{
    const QRectF rect = barRect(index);
    return {rect.center().x(), rect.bottom() - std::min(3.0, rect.height() / 2)};
}

int VariantBars::itemAt(const QPointF &point) const
{
    const QRectF plot = chart()->plotArea().adjusted(0, 0, 0, belowBars);
    if (!plot.contains(point))
        return -1;
    // The whole column counts, so that a bar of hardly any height can be hit.
    const int index = static_cast<int>((point.x() - plot.left() + m_scroll->value()) / m_slotWidth);
    return index < itemCount() ? index : -1;
}

void VariantBars::paintData(QPainter &painter, const look::Tokens &t) const
{
    const QRectF plot = chart()->plotArea();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(look::interfaceFont(11));
    painter.setPen(t.secondary);
    painter.drawText(QRectF(unitLeft, 0, plot.width(), 15), Qt::AlignLeft | Qt::AlignVCenter, m_data.unit);
    paintReferences(painter, t);
    painter.save();
    painter.setClipRect(QRectF(plot.left(), 0, plot.width(), chartRect().height()));
    for (int i = 0; i < itemCount(); ++i) {
        if (slotLeft(i) + m_slotWidth < plot.left() || slotLeft(i) > plot.right())
            continue;
        paintBar(painter, i, t);
        paintName(painter, i, t);
    }
    painter.restore();
}

void VariantBars::paintReferences(QPainter &painter, const look::Tokens &t) const
{
    const QRectF plot = chart()->plotArea();
    painter.setFont(look::interfaceFont(11, QFont::Medium));
    const QFontMetricsF metrics(painter.font());
    // The free room in the row above the plot, behind the unit.
    const double left = unitLeft + QFontMetricsF(look::interfaceFont(11)).horizontalAdvance(m_data.unit) + 8;
    double right = plot.right();
    for (const Reference &reference : m_data.references) {
        const bool peak = reference.kind == Reference::Kind::Peak;
        const QColor color = peak ? t.secondary : t.reference;
        const double y = std::round(yOf(reference.value)) + 0.5;
        QPen pen(color, 1);
        pen.setDashPattern(peak ? QList<qreal>{2, 3} : QList<qreal>{6, 4});
        painter.setPen(pen);
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        const QString value =
            shortNumber(reference.value >= 100 ? std::round(reference.value) : reference.value);
        const QString text = QStringLiteral("%1 %2").arg(reference.name, value);
        const double width = metrics.horizontalAdvance(text);
        const QPointF besideLine(plot.left() + 6 + width / 2, y - 10);
        if (peak && isFree(QRectF(besideLine.x() - width / 2, y - 18, width, 16))) {
            painter.setPen(color);
            paintLabel(painter, besideLine, text, t.pane);
            continue;
        }
        // A line among the bars and their figures has its name above them.
        constexpr double sample = 20, between = 6;
        const double room = right - left - sample - between;
        if (metrics.horizontalAdvance(value) > room)
            continue; // the line says it alone
        // The name is cut short before the value is.
        const double ofName = room - metrics.horizontalAdvance(u' ' + value);
        const QString name = metrics.elidedText(reference.name, Qt::ElideMiddle, ofName);
        const QString shown = name.size() > 1 ? name + u' ' + value : value;
        const double shownWidth = metrics.horizontalAdvance(shown);
        const QRectF place(right - shownWidth, 0, shownWidth, 15);
        painter.drawLine(QPointF(place.left() - between - sample, place.center().y()),
                         QPointF(place.left() - between, place.center().y()));
        painter.setPen(color);
        painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter, shown);
        right = place.left() - 2 * between - sample;
    }
}

/// Whether no bar that is in sight has its figure there.
bool VariantBars::isFree(const QRectF &place) const
{
    constexpr double figureWidth = 40, figureHeight = 20;
    for (int i = 0; i < itemCount(); ++i) {
        const QRectF rect = barRect(i);
        const double edge = std::min(rect.top(), yOf(bar(i).high));
        if (place.intersects(
                {rect.center().x() - figureWidth / 2, edge - figureHeight, figureWidth, figureHeight}))
            return false;
    }
    return true;
}

void VariantBars::paintBar(QPainter &painter, int index, const look::Tokens &t) const
{
    const Bar &shown = bar(index);
    const QRectF rect = barRect(index);
    const bool current = shown.id == m_data.current;
    painter.setFont(look::interfaceFont(11.5, QFont::DemiBold));
    const QPointF above(rect.center().x(), rect.top() - 13);
    if (shown.outcome == Outcome::Failed) {
        painter.fillPath(barShape(QRectF(rect.left(), rect.bottom() - 3, rect.width(), 3)), t.bad);
        painter.setPen(t.bad);
        const QString words = failureOf(shown);
        const bool fits = QFontMetricsF(painter.font()).horizontalAdvance(words) < m_slotWidth - 6;
        paintLabel(painter, QPointF(above.x(), rect.bottom() - 14), fits ? words : tr("failed"), t.pane);
        return;
    }
    if (shown.outcome == Outcome::Running) {
        painter.setPen(QPen(t.accent, 1.2, Qt::DotLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(barShape(QRectF(rect.left(), rect.bottom() - 14, rect.width(), 14)));
        painter.setPen(t.secondary);
        paintLabel(painter, QPointF(above.x(), rect.bottom() - 25), QStringLiteral("…"), t.pane);
        return;
    }
    QColor fill = current ? t.accent : t.bar;
    if (index == hovered() && !current)
        fill = look::mixed(fill, t.accent, 0.25);
    if (shown.compares) {
        painter.fillPath(barShape(rect), fill);
    } else {
        painter.setPen(QPen(fill, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(barShape(rect.adjusted(0.75, 0.75, -0.75, 0)));
    }
    const double x = rect.center().x();
    const double low = yOf(shown.low);
    const double high = yOf(shown.high);
    const bool settled = m_animation->state() != QAbstractAnimation::Running;
    if (settled && shown.high > shown.low) {
        painter.setPen(QPen(t.text, 1.3));
        painter.drawLine(QPointF(x, low), QPointF(x, high));
        if (low - high > 5) { // feet where there is room for them
            painter.drawLine(QPointF(x - 3, low), QPointF(x + 3, low));
            painter.drawLine(QPointF(x - 3, high), QPointF(x + 3, high));
        }
    }
    painter.setPen(shown.compares ? t.text : t.secondary);
    const double edge = settled ? std::min(rect.top(), high) : rect.top();
    paintLabel(painter, QPointF(x, edge - 11), shortNumber(shown.value), t.pane);
}

void VariantBars::paintName(QPainter &painter, int index, const look::Tokens &t) const
{
    const Bar &shown = bar(index);
    const bool current = shown.id == m_data.current;
    painter.setFont(
        look::interfaceFont(m_slotWidth < 60 ? 10.5 : 11.5, current ? QFont::DemiBold : QFont::Normal));
    painter.setPen(shown.outcome == Outcome::Failed ? t.bad : current ? t.text : t.secondary);
    QRectF box(slotLeft(index) + 1, chart()->plotArea().bottom() + 5, m_slotWidth - 2, 16);
    for (const QString &line : {shown.name, shown.detail}) {
        painter.drawText(box, Qt::AlignCenter,
                         QFontMetricsF(painter.font()).elidedText(line, Qt::ElideMiddle, box.width()));
        box.translate(0, 15);
    }
}

void VariantBars::wheelEvent(QWheelEvent *event)
{
    if (m_scroll->isHidden())
        return event->ignore();
    const QPoint delta = event->angleDelta();
    const int by = std::abs(delta.x()) > std::abs(delta.y()) ? delta.x() : delta.y();
    m_scroll->setValue(m_scroll->value() - by);
    event->accept();
}

} // namespace nestwright::charts
