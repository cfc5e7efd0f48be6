// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/scaling_curve.h"

#include "widgets/charts/axis_style.h"
#include "widgets/charts/scale.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QChart>
#include <QLineSeries>
#include <QPainter>
#include <QPainterPath>
#include <QValueAxis>

#include <algorithm>
#include <cmath>

namespace nestwright::charts {

namespace {

constexpr double scalingTop = 34, scalingBottom = 48, scalingLeft = 60, scalingRight = 24; // margins
constexpr int scalingSteps = 6;                                                            // of an axis
constexpr double scalingReach = 12; ///< pixels around a column that count as it

} // namespace

ScalingCurve::ScalingCurve(QWidget *parent)
    : ChartPane(tr("Scaling"), parent)
    , m_anchor(new QLineSeries(this))
    , m_x(new QValueAxis(this))
    , m_y(new QValueAxis(this))
{
    chart()->addSeries(m_anchor);
    chart()->addAxis(m_x, Qt::AlignBottom);
    chart()->addAxis(m_y, Qt::AlignLeft);
    m_anchor->attachAxis(m_x);
    m_anchor->attachAxis(m_y);
    m_anchor->setVisible(false);
    m_x->setLabelsVisible(false);
    m_x->setGridLineVisible(false);
    setEmptyText(tr("Not measured yet"), tr("Measure times the variant with each number of threads"));
}

void ScalingCurve::setItems(std::vector<ScalingItem> items, const QString &unit)
{
    m_items = std::move(items);
    m_unit = unit;
    setAccessibleDescription(tr("%n number(s) of threads", nullptr, itemCount()));
    refresh();
}

QString ScalingCurve::toolTipOf(int index) const
{
    const ScalingItem &item = m_items[static_cast<std::size_t>(index)];
    QString text = QStringLiteral("<b>%1</b>")
                       .arg(item.threads == 1 ? tr("1 thread") : tr("%1 threads").arg(item.threads));
    if (item.median > 0) {
        text += tr("<br>%1 %2 (%3 … %4)")
                    .arg(shortNumber(item.median), m_unit, shortNumber(item.low), shortNumber(item.high));
        if (item.ideal > 0)
            text += tr("<br>%1 % of the ideal, %2")
                        .arg(std::lround(100 * item.median / item.ideal))
                        .arg(shortNumber(item.ideal));
        if (item.roof > 0)
            text += tr("<br>the machine's roof: %1").arg(shortNumber(item.roof));
    }
    return item.limit.isEmpty() ? text : text + QStringLiteral("<br>") + item.limit.toHtmlEscaped();
}

void ScalingCurve::arrange(const look::Tokens &t)
{
    const QRectF all = chartRect();
    chart()->setPlotArea(QRectF(scalingLeft, scalingTop,
                                std::max(20.0, all.width() - scalingLeft - scalingRight),
                                std::max(20.0, all.height() - scalingTop - scalingBottom)));
    double most = 0;
    for (const ScalingItem &item : m_items)
        most = std::max({most, item.high, item.ideal, item.roof});
    const double end = 1.05 * std::max(most, 1e-6), step = niceStep(end, scalingSteps),
                 steps = std::ceil(end / step);
    m_y->setTickCount(static_cast<int>(steps) + 1);
    m_y->setRange(0, steps * step);
    m_y->setLabelFormat(QStringLiteral("%g"));
    m_x->setRange(-0.5, std::max(0.5, itemCount() - 0.5));
    for (QValueAxis *axis : {m_x, m_y})
        styleAxis(*axis, t);
    m_x->setGridLineVisible(false);
}

QPointF ScalingCurve::at(int index, double rate) const
{
    return chart()->mapToPosition(QPointF(index, std::min(rate, m_y->max())), m_anchor);
}

QPointF ScalingCurve::anchorOf(int index) const
{
    return at(index, m_items[static_cast<std::size_t>(index)].median);
}

int ScalingCurve::itemAt(const QPointF &where) const
{
    for (int i = 0; i < itemCount(); ++i) {
        if (std::abs(at(i, 0).x() - where.x()) <= scalingReach && chart()->plotArea().contains(where))
            return i;
    }
    return -1;
}

void ScalingCurve::paintLine(QPainter &painter, double ScalingItem::*rate) const
{
    QPainterPath line;
    for (int i = 0; i < itemCount(); ++i) {
        const double value = m_items[static_cast<std::size_t>(i)].*rate;
        if (value <= 0)
            continue;
        if (line.elementCount() == 0)
            line.moveTo(at(i, value));
        else
            line.lineTo(at(i, value));
    }
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(line);
}

void ScalingCurve::paintMeasured(QPainter &painter, const look::Tokens &t) const
{
    painter.setPen(QPen(t.accent, 1.6));
    paintLine(painter, &ScalingItem::median);
    for (int i = 0; i < itemCount(); ++i) {
        const ScalingItem &item = m_items[static_cast<std::size_t>(i)];
        if (item.median <= 0)
            continue;
        painter.setPen(QPen(t.accent, 1.3));
        painter.drawLine(at(i, item.low), at(i, item.high));
        painter.setPen(Qt::NoPen);
        painter.setBrush(t.accent);
        const double radius = i == hovered() ? 5.5 : 4;
        painter.drawEllipse(at(i, item.median), radius, radius);
        painter.setPen(t.text);
        painter.drawText(QRectF(at(i, item.median) + QPointF(8, 2), QSizeF(80, 16)),
                         Qt::AlignLeft | Qt::AlignVCenter, shortNumber(item.median));
    }
}

void ScalingCurve::paintData(QPainter &painter, const look::Tokens &t) const
{
    const QRectF plot = chart()->plotArea();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(look::interfaceFont(11));
    painter.setPen(t.secondary);
    painter.drawText(QRectF(8, 8, plot.right() - 8, 18), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("%1: ● measured, ‑ ‑ ideal, ── the machine's roof").arg(m_unit));
    painter.drawText(QRectF(plot.left(), plot.bottom() + 26, plot.width(), 18),
                     Qt::AlignRight | Qt::AlignVCenter, tr("threads"));
    for (int i = 0; i < itemCount(); ++i)
        painter.drawText(QRectF(at(i, 0) + QPointF(-30, 6), QSizeF(60, 18)), Qt::AlignCenter,
                         QString::number(m_items[static_cast<std::size_t>(i)].threads));
    painter.setPen(QPen(t.secondary, 1.3, Qt::DashLine));
    paintLine(painter, &ScalingItem::ideal);
    painter.setPen(QPen(t.secondary, 1.3));
    paintLine(painter, &ScalingItem::roof);
    paintMeasured(painter, t);
}

} // namespace nestwright::charts
