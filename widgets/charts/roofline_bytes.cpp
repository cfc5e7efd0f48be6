// SPDX-License-Identifier: GPL-3.0-or-later
/// The bounds of kernels that only move bytes: a step per memory, as wide as what it holds and as high as it
/// is read.
#include "widgets/charts/roofline.h"
#include "widgets/charts/scale.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QChart>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace nestwright::charts {

namespace {
constexpr double besides = 4;    ///< times as far the axis goes on beyond what it shows
constexpr double ofMemory = 12;  ///< the same at the right, where the name of the memory stands
constexpr double nameIndent = 5; ///< from the beginning of a step
} // namespace

void Roofline::findRangesOfBytes()
{
    double left = acrossOfAll(), right = left, bottom = 1e300, top = 0;
    for (const Roof &roof : m_data.roofs) {
        if (roof.capacity > 0) {
            left = std::min(left, roof.capacity);
            right = std::max(right, roof.capacity);
        }
        bottom = std::min(bottom, roof.bandwidth);
        top = std::max(top, roof.bandwidth);
    }
    for (const RooflinePoint &one : m_data.points) {
        left = std::min(left, one.across);
        right = std::max(right, one.across);
        bottom = std::min({bottom, one.rate, one.low > 0 ? one.low : one.rate});
        top = std::max({top, one.rate, one.high});
    }
    m_left = left / besides;
    m_right = right * ofMemory;
    m_bottom = std::min(bottom / 2, top / 10);
    m_top = top * 1.7;
}

std::vector<QRectF> Roofline::paintMemories(QPainter &painter, const look::Tokens &t) const
{
    const QRectF plot = chart()->plotArea();
    painter.setFont(look::interfaceFont(11));
    const QFontMetricsF metrics(painter.font());
    std::vector<QRectF> taken, risers;
    double from = m_left, before = 0;
    for (const Roof &roof : m_data.roofs) {
        const double to = roof.capacity > 0 ? roof.capacity : m_right;
        const QPointF begin = place(from, roof.bandwidth), end = place(to, roof.bandwidth);
        painter.setPen(QPen(t.text, 1.6, Qt::SolidLine, Qt::RoundCap));
        if (before > 0) {
            const QPointF above = place(from, before);
            painter.drawLine(above, begin);
            risers.push_back(QRectF(above, begin).adjusted(-2, 0, 2, 0));
        }
        painter.drawLine(begin, end);
        for (const QString &name :
             {tr("%1 %2 GB/s").arg(roof.name, shortNumber(std::round(roof.bandwidth))), roof.name}) {
            const QRectF box(begin.x() + nameIndent, begin.y() - metrics.height() - 1,
                             metrics.horizontalAdvance(name), metrics.height());
            const bool isFree =
                box.right() <= plot.right() && std::ranges::none_of(taken, [&](const QRectF &other) {
                    return other.adjusted(-4, 0, 4, 0).intersects(box);
                });
            if (!isFree)
                continue;
            taken.push_back(box);
            painter.setPen(t.secondary);
            painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, name);
            break;
        }
        from = to;
        before = roof.bandwidth;
    }
    taken.insert(taken.end(), risers.begin(), risers.end());
    return taken;
}

} // namespace nestwright::charts
