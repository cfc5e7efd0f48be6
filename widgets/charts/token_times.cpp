// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/token_times.h"

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

constexpr double tokensTop = 30, tokensBottom = 44, tokensLeft = 56, tokensRight = 20; // margins
constexpr int mostSteps = 6;                                                           // of an axis
/// Pixels around a point that count as it, and its radius.
constexpr double pointReach = 9, pointRadius = 2.5;

} // namespace

TokenTimes::TokenTimes(QWidget *parent)
    : ChartPane(tr("Time per token"), parent)
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
    setEmptyText(tr("No token yet"), tr("Each token appears with its time as it is generated"));
}

void TokenTimes::setTimes(std::vector<double> seconds, int expected)
{
    m_seconds = std::move(seconds);
    m_expected = std::max(expected, itemCount());
    setAccessibleDescription(tr("%n token(s)", nullptr, itemCount()));
    refresh();
}

QString TokenTimes::toolTipOf(int index) const
{
    return tr("<b>Token %1</b><br>%2 ms").arg(index + 1).arg(shortNumber(milliseconds(index)));
}

void TokenTimes::arrange(const look::Tokens &t)
{
    const QRectF all = chartRect();
    chart()->setPlotArea(QRectF(tokensLeft, tokensTop, std::max(20.0, all.width() - tokensLeft - tokensRight),
                                std::max(20.0, all.height() - tokensTop - tokensBottom)));
    double most = 0;
    for (int i = 0; i < itemCount(); ++i)
        most = std::max(most, milliseconds(i));
    // One slow token, as the first is, must not flatten all others.
    if (itemCount() > 1) {
        std::vector<double> sorted = m_seconds;
        std::ranges::sort(sorted);
        most = std::min(most, 3e3 * sorted[sorted.size() / 2]);
    }
    const auto setEnd = [](QValueAxis *axis, double end) {
        const double step = niceStep(end, mostSteps), steps = std::ceil(end / step);
        axis->setTickCount(static_cast<int>(steps) + 1);
        axis->setRange(0, steps * step);
    };
    setEnd(m_y, std::max(most, 1e-6) * 1.05);
    setEnd(m_x, std::max(1, m_expected));
    for (QValueAxis *axis : {m_x, m_y}) {
        axis->setLabelFormat(QStringLiteral("%g"));
        styleAxis(*axis, t);
    }
}

QPointF TokenTimes::anchorOf(int index) const
{
    return chart()->mapToPosition(QPointF(index + 1, std::min(milliseconds(index), m_y->max())), m_anchor);
}

int TokenTimes::itemAt(const QPointF &where) const
{
    const double token = chart()->mapToValue(where, m_anchor).x();
    const int index = std::clamp(static_cast<int>(std::lround(token)) - 1, 0, std::max(0, itemCount() - 1));
    if (itemCount() == 0)
        return -1;
    const QPointF distance = anchorOf(index) - where;
    return std::abs(distance.x()) <= pointReach && std::abs(distance.y()) <= 2 * pointReach ? index : -1;
}

void TokenTimes::paintData(QPainter &painter, const look::Tokens &t) const
{
    const QRectF plot = chart()->plotArea();
    painter.setPen(t.secondary);
    painter.setFont(look::interfaceFont(11));
    painter.drawText(QRectF(plot.left() - tokensLeft + 8, 6, plot.width(), 18),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("ms per token"));
    painter.drawText(QRectF(plot.left(), plot.bottom() + 22, plot.width(), 18),
                     Qt::AlignRight | Qt::AlignVCenter, tr("token"));
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath line;
    for (int i = 0; i < itemCount(); ++i) {
        if (i == 0)
            line.moveTo(anchorOf(i));
        else
            line.lineTo(anchorOf(i));
    }
    painter.setPen(QPen(t.accent, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(line);
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.accent);
    const double room = plot.width() / std::max(1, m_expected);
    for (int i = 0; i < itemCount(); ++i) {
        if (room >= 3 * pointRadius || i == hovered())
            painter.drawEllipse(anchorOf(i), i == hovered() ? 4.5 : pointRadius,
                                i == hovered() ? 4.5 : pointRadius);
    }
}

} // namespace nestwright::charts
