// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/sweep_curve.h"

#include "widgets/charts/scale.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QChart>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace nestwright::charts {

namespace {

constexpr double curveTop = 30, curveBottom = 40, curveLeft = 64, curveRight = 16; // margins
constexpr double curveReach = 12;                                                  // around a point

QString timeLabel(double seconds)
{
    if (seconds >= 1e-3)
        return shortNumber(seconds * 1e3) + QStringLiteral(" ms");
    return shortNumber(seconds * 1e6) + QStringLiteral(" µs");
}

} // namespace

SweepCurve::SweepCurve(QWidget *parent) : ChartPane(tr("Time over the values"), parent)
{
    setEmptyText(tr("No values yet"), tr("Choose a number of the step"));
}

void SweepCurve::setItems(std::vector<SweepItem> items, int current)
{
    m_items = std::move(items);
    m_current = current;
    setAccessibleDescription(tr("%n value(s)", nullptr, itemCount()));
    refresh();
}

void SweepCurve::setCurrent(int current)
{
    m_current = current;
    repaintData();
}

QString SweepCurve::toolTipOf(int index) const
{
    const SweepItem &at = item(index);
    QString text = QStringLiteral("<b>%1</b>").arg(at.value);
    if (!at.refused.isEmpty())
        return text + QStringLiteral("<br>") + at.refused.toHtmlEscaped();
    if (at.predicted > 0)
        text += tr("<br>predicted %1, limited by %2").arg(timeLabel(at.predicted), at.limit);
    if (at.median > 0)
        text +=
            tr("<br>measured %1 (%2 … %3)").arg(timeLabel(at.median), timeLabel(at.low), timeLabel(at.high));
    return text;
}

QRectF SweepCurve::plot() const
{
    const QRectF all = chartRect();
    return {curveLeft, curveTop, std::max(20.0, all.width() - curveLeft - curveRight),
            std::max(20.0, all.height() - curveTop - curveBottom)};
}

double SweepCurve::x(int index) const
{
    const QRectF area = plot();
    return area.left() + (index + 0.5) * area.width() / std::max(1, itemCount());
}

double SweepCurve::y(double seconds) const
{
    const QRectF area = plot();
    const double share = std::log(seconds / m_least) / std::log(m_most / m_least);
    return area.bottom() - std::clamp(share, 0.0, 1.0) * area.height();
}

void SweepCurve::arrange(const look::Tokens &)
{
    chart()->setPlotArea(plot());
    double least = 0, most = 0;
    for (const SweepItem &each : m_items) {
        for (const double seconds : {each.predicted, each.low, each.high}) {
            if (seconds > 0) {
                least = least > 0 ? std::min(least, seconds) : seconds;
                most = std::max(most, seconds);
            }
        }
    }
    if (most > 0) {
        m_least = least / 1.3;
        m_most = most * 1.3;
    }
}

QPointF SweepCurve::anchorOf(int index) const
{
    const SweepItem &at = item(index);
    const double seconds = at.median > 0 ? at.median : at.predicted;
    return {x(index), seconds > 0 ? y(seconds) : plot().bottom() - 8};
}

int SweepCurve::itemAt(const QPointF &where) const
{
    const QRectF area = plot();
    if (itemCount() == 0 || where.x() < area.left() || where.x() > area.right()
        || where.y() < area.top() - curveReach || where.y() > area.bottom() + curveBottom)
        return -1;
    const double each = area.width() / itemCount();
    return std::clamp(static_cast<int>((where.x() - area.left()) / each), 0, itemCount() - 1);
}

void SweepCurve::paintBands(QPainter &painter, const look::Tokens &t) const
{
    const QRectF area = plot();
    const double each = area.width() / std::max(1, itemCount());
    painter.setFont(look::interfaceFont(10.5));
    const QFontMetricsF metrics(painter.font());
    bool isTinted = false;
    for (int begin = 0; begin < itemCount();) {
        int end = begin + 1;
        while (end < itemCount() && item(end).limit == item(begin).limit)
            ++end;
        const QRectF band(area.left() + begin * each, area.top(), (end - begin) * each, area.height());
        if (isTinted)
            painter.fillRect(band, t.hover);
        isTinted = !isTinted;
        painter.setPen(t.secondary);
        painter.drawText(band.adjusted(4, 3, -2, 0), Qt::AlignLeft | Qt::AlignTop,
                         metrics.elidedText(item(begin).limit, Qt::ElideRight, band.width() - 6));
        begin = end;
    }
}

void SweepCurve::paintAxes(QPainter &painter, const look::Tokens &t) const
{
    const QRectF area = plot();
    painter.setFont(look::interfaceFont(11));
    // 1, 2 and 5 of each power of ten, fewer where they would crowd.
    const double decades = std::log10(m_most / m_least);
    const int first = static_cast<int>(std::floor(std::log10(m_least))),
              last = static_cast<int>(std::floor(std::log10(m_most)));
    for (int exponent = first; exponent <= last; ++exponent) {
        const double power = std::pow(10, exponent);
        for (const double digit : {1.0, 2.0, 5.0}) {
            const double seconds = power * digit;
            if (seconds < m_least || seconds > m_most || (decades > 2 && digit > 1))
                continue;
            painter.setPen(QPen(t.grid, 1));
            painter.drawLine(QPointF(area.left(), y(seconds)), QPointF(area.right(), y(seconds)));
            painter.setPen(t.secondary);
            painter.drawText(QRectF(0, y(seconds) - 9, area.left() - 8, 18),
                             Qt::AlignRight | Qt::AlignVCenter, timeLabel(seconds));
        }
    }
    painter.setPen(QPen(t.nodeBorder, 1));
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    for (int i = 0; i < itemCount(); ++i) {
        const double each = area.width() / itemCount();
        painter.setPen(i == m_current ? t.text : t.secondary);
        painter.setFont(look::interfaceFont(11, i == m_current ? QFont::DemiBold : QFont::Normal));
        painter.drawText(QRectF(area.left() + i * each, area.bottom() + 6, each, 18), Qt::AlignCenter,
                         QString::number(item(i).value));
    }
}

void SweepCurve::paintPredicted(QPainter &painter, const look::Tokens &t) const
{
    QPainterPath line;
    for (int i = 0; i < itemCount(); ++i) {
        if (item(i).predicted <= 0)
            continue;
        const QPointF at(x(i), y(item(i).predicted));
        if (line.elementCount() == 0)
            line.moveTo(at);
        else
            line.lineTo(at);
    }
    painter.setPen(QPen(t.secondary, 1.3, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(line);
    painter.setPen(QPen(t.secondary, 1.3));
    painter.setBrush(t.pane);
    for (int i = 0; i < itemCount(); ++i) {
        if (item(i).predicted > 0)
            painter.drawEllipse(QPointF(x(i), y(item(i).predicted)), 3, 3);
    }
}

void SweepCurve::paintMeasured(QPainter &painter, const look::Tokens &t) const
{
    QPainterPath line;
    for (int i = 0; i < itemCount(); ++i) {
        const SweepItem &at = item(i);
        if (!at.refused.isEmpty()) {
            painter.setPen(QPen(t.bad, 1.4));
            const QPointF cross(x(i), plot().bottom() - 8);
            painter.drawLine(cross + QPointF(-3, -3), cross + QPointF(3, 3));
            painter.drawLine(cross + QPointF(-3, 3), cross + QPointF(3, -3));
        }
        if (at.median <= 0)
            continue;
        const QPointF point(x(i), y(at.median));
        if (line.elementCount() == 0)
            line.moveTo(point);
        else
            line.lineTo(point);
        painter.setPen(QPen(t.accent, 1.3));
        painter.drawLine(QPointF(x(i), y(at.low)), QPointF(x(i), y(at.high)));
    }
    painter.setPen(QPen(t.accent, 1.6));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(line);
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.accent);
    for (int i = 0; i < itemCount(); ++i) {
        if (item(i).median > 0)
            painter.drawEllipse(QPointF(x(i), y(item(i).median)), i == hovered() ? 5 : 4,
                                i == hovered() ? 5 : 4);
    }
}

void SweepCurve::paintData(QPainter &painter, const look::Tokens &t) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    paintBands(painter, t);
    if (m_current >= 0 && m_current < itemCount()) {
        painter.setPen(QPen(t.selectionBorder, 1.2));
        painter.drawLine(QPointF(x(m_current), plot().top()), QPointF(x(m_current), plot().bottom()));
    }
    paintAxes(painter, t);
    paintPredicted(painter, t);
    paintMeasured(painter, t);
    painter.setFont(look::interfaceFont(11));
    painter.setPen(t.secondary);
    painter.drawText(QRectF(plot().left(), 6, plot().width(), 18), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("time of a call: ○ predicted, ● measured"));
}

} // namespace nestwright::charts
