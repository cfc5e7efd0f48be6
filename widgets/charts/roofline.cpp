// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/roofline.h"

#include "widgets/charts/axis_style.h"
#include "widgets/charts/scale.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QChart>
#include <QLineSeries>
#include <QLogValueAxis>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

namespace nestwright::charts {

namespace {

constexpr double bottomMargin = 40;
constexpr double leftMargin = 48;
constexpr double rightMargin = 20;
constexpr double bytesPerMb = 1e6;
constexpr double leastTera = 10'000; // a peak in GFLOPS that is told in TFLOPS
constexpr double reach = 9;          // pixels around a point that count as it

/// Bytes that it holds, to be compared.
double holds(const Roof &roof)
{
    return roof.capacity > 0 ? roof.capacity : std::numeric_limits<double>::infinity();
}

void styleLogAxis(QLogValueAxis *axis, const look::Tokens &t)
{
    axis->setBase(10);
    axis->setLabelFormat(QStringLiteral("%g"));
    axis->setMinorTickCount(0);
    axis->setMinorGridLineVisible(false);
    styleAxis(*axis, t);
}

} // namespace

Roofline::Roofline(QWidget *parent)
    : ChartPane(tr("Roofline"), parent)
    , m_anchor(new QLineSeries(this))
    , m_x(new QLogValueAxis(this))
    , m_y(new QLogValueAxis(this))
{
    chart()->addSeries(m_anchor);
    chart()->addAxis(m_x, Qt::AlignBottom);
    chart()->addAxis(m_y, Qt::AlignLeft);
    m_anchor->attachAxis(m_x);
    m_anchor->attachAxis(m_y);
    m_anchor->append(1, 1); // a logarithmic axis without data has no range
    m_anchor->setVisible(false);
    setEmptyText(tr("Nothing measured yet"), tr("Measured variants appear under the machine's roofs"));
}

void Roofline::setData(RooflineData data)
{
    m_data = std::move(data);
    std::erase_if(m_data.roofs, [](const Roof &roof) { return !(roof.bandwidth > 0); });
    if (m_data.areBytes)
        std::ranges::sort(m_data.roofs, std::less(), &holds);
    else
        std::ranges::sort(m_data.roofs, std::greater(), &Roof::bandwidth);
    std::erase_if(m_data.points,
                  [](const RooflinePoint &one) { return !(one.across > 0) || !(one.rate > 0); });
    setAccessibleDescription(
        m_data.areBytes
            ? tr("%n variant(s) of %1 a call", nullptr, itemCount()).arg(acrossText(acrossOfAll()))
            : tr("%n variant(s) under a peak of %1 GFLOPS", nullptr, itemCount())
                  .arg(shortNumber(m_data.peak)));
    refresh();
}

bool Roofline::showsAwaited() const
{
    return m_data.points.empty() && m_data.across > 0 && (m_data.areBytes || m_data.peak > 0)
           && !m_data.roofs.empty();
}

const Roof *Roofline::holderOf(double bytes) const
{
    const auto found =
        std::ranges::find_if(m_data.roofs, [bytes](const Roof &roof) { return holds(roof) >= bytes; });
    return found == m_data.roofs.end() ? nullptr : &*found;
}

double Roofline::boundAt(double across) const
{
    if (!m_data.areBytes)
        return m_data.roofs.empty() ? m_data.peak
                                    : std::min(m_data.peak, across * m_data.roofs.back().bandwidth);
    const Roof *holder = holderOf(across);
    return holder ? holder->bandwidth : 0;
}

QString Roofline::rateText(double rate) const
{
    return m_data.areBytes ? tr("%1 GB/s").arg(shortNumber(rate))
           : m_areTera     ? tr("%1 TFLOPS").arg(shortNumber(rate / 1000))
                           : tr("%1 GFLOPS").arg(shortNumber(rate));
}

QString Roofline::acrossText(double across) const
{
    return m_data.areBytes ? tr("%1 MB").arg(shortNumber(across / bytesPerMb))
                           : tr("%1 FLOP per byte").arg(shortNumber(across));
}

double Roofline::acrossOfAll() const
{
    return m_data.points.empty() ? m_data.across : m_data.points.front().across;
}

int Roofline::idOf(int index) const { return point(index).id; }

int Roofline::currentIndex() const
{
    const auto found = std::ranges::find(m_data.points, m_data.current, &RooflinePoint::id);
    return found == m_data.points.end() ? -1 : static_cast<int>(found - m_data.points.begin());
}

QString Roofline::toolTipOf(int index) const
{
    const RooflinePoint &shown = point(index);
    QString text = QStringLiteral("<b>%1</b><br>").arg(shown.name.toHtmlEscaped());
    text += (m_data.areBytes ? tr("%1, %2 a call") : tr("%1 at %2"))
                .arg(rateText(shown.rate), acrossText(shown.across));
    if (const Roof *holder = m_data.areBytes ? holderOf(shown.across) : nullptr)
        text += QStringLiteral("<br>")
                + tr("%1 % of %2")
                      .arg(shortNumber(100 * shown.rate / holder->bandwidth), holder->name.toHtmlEscaped());
    if (m_data.peak > 0 && !m_data.areBytes)
        text += QStringLiteral("<br>") + tr("%1 % of peak").arg(shortNumber(100 * shown.rate / m_data.peak));
    if (!shown.note.isEmpty())
        text += QStringLiteral("<br>") + shown.note.toHtmlEscaped();
    return text;
}

void Roofline::findRanges()
{
    m_areTera = m_data.peak >= leastTera && !m_data.areBytes;
    if (m_data.areBytes)
        return findRangesOfBytes();
    double left = 1e300, right = 0, bottom = 1e300, top = m_data.peak;
    for (const Ceiling &ceiling : m_data.ceilings) {
        top = std::max(top, ceiling.gflops);
        if (!m_data.roofs.empty())
            right = std::max(right, 2 * ceiling.gflops / m_data.roofs.front().bandwidth);
    }
    if (showsAwaited()) {
        left = m_data.across;
        right = std::max(right, m_data.across);
        bottom = boundAt(m_data.across) / 10;
    }
    for (const RooflinePoint &one : m_data.points) {
        left = std::min(left, one.across);
        right = std::max(right, one.across);
        bottom = std::min(bottom, one.rate);
        top = std::max({top, one.rate, one.high});
    }
    for (const Roof &roof : m_data.roofs) {
        if (m_data.peak <= 0)
            continue;
        const double ridge = m_data.peak / roof.bandwidth;
        left = std::min(left, ridge / 4);
        right = std::max(right, ridge * 4);
    }
    m_left = left / 2;
    m_right = std::max(right * 2, m_left * 10);
    m_bottom = std::min(bottom / 2, top / 10);
    m_top = top * 1.7;
}

void Roofline::arrange(const look::Tokens &t)
{
    if (!isEmpty())
        findRanges();
    const QRectF all = chartRect();
    chart()->setPlotArea(QRectF(leftMargin, topMargin, std::max(20.0, all.width() - leftMargin - rightMargin),
                                std::max(20.0, all.height() - topMargin - bottomMargin)));
    const double acrossUnit = m_data.areBytes ? bytesPerMb : 1, rateUnit = m_areTera ? 1000 : 1;
    m_x->setRange(m_left / acrossUnit, m_right / acrossUnit);
    m_y->setRange(m_bottom / rateUnit, m_top / rateUnit);
    styleLogAxis(m_x, t);
    styleLogAxis(m_y, t);
    m_x->setGridLineVisible(false);
}

QPointF Roofline::place(double across, double rate) const
{
    // The chart's own mapping, continued beyond the ends of the axes.
    const QRectF plot = chart()->plotArea();
    const auto share = [](double value, double from, double to) {
        return std::log(value / from) / std::log(to / from);
    };
    return {plot.left() + plot.width() * share(across, m_left, m_right),
            plot.bottom() - plot.height() * share(rate, m_bottom, m_top)};
}

QPointF Roofline::anchorOf(int index) const { return place(point(index).across, point(index).rate); }

int Roofline::itemAt(const QPointF &where) const
{
    int nearest = -1;
    double best = reach;
    for (int i = 0; i < itemCount(); ++i) {
        const double distance = QLineF(where, anchorOf(i)).length();
        if (distance < best) {
            best = distance;
            nearest = i;
        }
    }
    return nearest;
}

} // namespace nestwright::charts
