// SPDX-License-Identifier: GPL-3.0-or-later
/// Roofs, points and the way from variant to variant, as they are drawn.
#include "widgets/charts/roofline.h"
#include "widgets/charts/scale.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QChart>
#include <QPainter>
#include <QPainterPath>
#include <QTransform>

#include <algorithm>
#include <cmath>
#include <ranges>

namespace nestwright::charts {

namespace {

constexpr double nameInset = 8, nameStep = 8; ///< of a roof's name along it
constexpr double leastArrow = 3, mostBend = 14, arrowHead = 8;
constexpr double nameAside = 16, mostOfName = 150; ///< of a name on the way, from its point

} // namespace

void Roofline::paintData(QPainter &painter, const look::Tokens &t) const
{
    const QRectF plot = chart()->plotArea();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(look::interfaceFont(11));
    painter.setPen(t.secondary);
    painter.drawText(QRectF(10, 0, 200, 15), Qt::AlignLeft | Qt::AlignVCenter,
                     m_data.areBytes ? tr("GB/s")
                     : m_areTera     ? tr("TFLOPS")
                                     : tr("GFLOPS"));
    painter.drawText(QRectF(plot.left(), plot.bottom() + 21, plot.width(), 16),
                     Qt::AlignRight | Qt::AlignVCenter,
                     m_data.areBytes ? tr("MB that a call moves") : tr("FLOP per byte"));
    painter.save();
    painter.setClipRect(plot.adjusted(0, -topMargin, 0, 0));
    std::vector<QRectF> taken;
    if (m_data.areBytes)
        taken = paintMemories(painter, t);
    else
        paintRoofs(painter, t);
    if (showsAwaited())
        paintAwaited(painter, t);
    else
        paintPoints(painter, t, taken);
    painter.restore();
}

void Roofline::paintRoofs(QPainter &painter, const look::Tokens &t) const
{
    if (m_data.peak <= 0)
        return;
    for (const Roof &roof : m_data.roofs) {
        const bool lowest = &roof == &m_data.roofs.back();
        painter.setPen(QPen(lowest ? t.text : t.faint, lowest ? 1.6 : 1.2, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(lineOf(roof));
    }
    painter.setPen(QPen(t.text, 1.6, Qt::SolidLine, Qt::RoundCap));
    paintFlatRoof(painter, t, m_data.peak, tr("peak"));
    for (const Ceiling &ceiling : m_data.ceilings) {
        painter.setPen(QPen(t.faint, 1.2, Qt::DashLine, Qt::FlatCap));
        if (!m_data.roofs.empty()) { // the steepest goes on to it
            const double bandwidth = m_data.roofs.front().bandwidth;
            painter.drawLine(place(m_data.peak / bandwidth, m_data.peak),
                             place(ceiling.gflops / bandwidth, ceiling.gflops));
        }
        paintFlatRoof(painter, t, ceiling.gflops, ceiling.name);
    }
    paintRoofNames(painter, t);
}

/// Paints a flat roof with the painter's pen, from the steepest of the roofs on.
void Roofline::paintFlatRoof(QPainter &painter, const look::Tokens &t, double gflops,
                             const QString &name) const
{
    const double highest = m_data.roofs.empty() ? 0 : m_data.roofs.front().bandwidth;
    const double from = highest > 0 ? std::max(m_left, gflops / highest) : m_left;
    const QPointF right = place(m_right, gflops);
    if (from < m_right)
        painter.drawLine(place(from, gflops), right);
    painter.setFont(look::interfaceFont(11, QFont::Medium));
    painter.setPen(t.secondary);
    painter.drawText(QRectF(right.x() - 300, right.y() - 18, 298, 15), Qt::AlignRight | Qt::AlignBottom,
                     name + u' ' + rateText(gflops));
}

/// Marks the intensity of the program before it is measured, and the bound there.
void Roofline::paintAwaited(QPainter &painter, const look::Tokens &t) const
{
    const double bound = boundAt(m_data.across);
    const QPointF top = place(m_data.across, bound), foot = place(m_data.across, m_bottom);
    painter.setPen(QPen(t.accent, 1.2, Qt::DashLine, Qt::FlatCap));
    painter.drawLine(foot, top);
    painter.setBrush(t.pane);
    painter.setPen(QPen(t.accent, 1.6));
    painter.drawEllipse(top, 4.5, 4.5);
    painter.setFont(look::interfaceFont(11));
    painter.setPen(t.secondary);
    const QString text = tr("at most %1").arg(rateText(bound));
    const double width = QFontMetricsF(painter.font()).horizontalAdvance(text);
    const QRectF plot = chart()->plotArea();
    const double below = (top.y() + foot.y()) / 2;
    const bool isLeft = top.x() + width + 12 > plot.right();
    painter.drawText(QPointF(isLeft ? top.x() - width - 8 : top.x() + 8, below), text);
}

QLineF Roofline::lineOf(const Roof &roof) const
{
    const double entry = std::max(m_left, m_bottom / roof.bandwidth); // where it comes into the picture
    return {place(entry, entry * roof.bandwidth), place(m_data.peak / roof.bandwidth, m_data.peak)};
}

void Roofline::paintRoofNames(QPainter &painter, const look::Tokens &t) const
{
    // The roofs are parallel: in their direction a name is an interval, across it a distance.
    struct Placed {
        double from, to, across;
    };
    std::vector<Placed> placed;
    painter.setFont(look::interfaceFont(11));
    const QFontMetricsF metrics(painter.font());
    for (const Roof &roof : std::views::reverse(m_data.roofs)) {
        const QLineF line = lineOf(roof);
        if (line.p1().x() >= line.p2().x())
            continue;
        const QTransform turn = QTransform().rotate(line.angle()); // to a horizontal line
        const QPointF start = turn.map(line.p1());
        const auto isFree = [&](const Placed &wanted) {
            return std::ranges::none_of(placed, [&](const Placed &other) {
                return std::abs(other.across - wanted.across) < metrics.height() && wanted.from < other.to + 6
                       && other.from < wanted.to + 6;
            });
        };
        const auto tryPlace = [&](const QString &text) {
            const double width = metrics.horizontalAdvance(text) + 6;
            for (double at = nameInset; at + width + nameInset < line.length(); at += nameStep) {
                const Placed wanted{start.x() + at, start.x() + at + width, start.y()};
                if (!isFree(wanted))
                    continue;
                placed.push_back(wanted);
                painter.save();
                painter.translate(line.p1());
                painter.rotate(-line.angle());
                const QRectF box(at, -metrics.height() / 2, width, metrics.height());
                painter.fillRect(box.adjusted(0, 2, 0, -2), t.pane);
                painter.setPen(t.secondary);
                painter.drawText(box, Qt::AlignCenter, text);
                painter.restore();
                return true;
            }
            return false;
        };
        if (!tryPlace(tr("%1 %2 GB/s").arg(roof.name, shortNumber(std::round(roof.bandwidth)))))
            tryPlace(roof.name);
    }
}

/// Points of one kernel often have one intensity: bends keep arrows apart that lie on one line.
void Roofline::paintWay(QPainter &painter, const look::Tokens &t) const
{
    for (int i = 0; i + 1 < itemCount(); ++i) {
        const QLineF straight(anchorOf(i), anchorOf(i + 1));
        if (straight.length() < leastArrow)
            continue;
        const bool isFaster = point(i + 1).rate >= point(i).rate;
        const QColor color = look::mixed(isFaster ? t.good : t.bad, t.pane, 0.25);
        const QPointF side = QPointF(straight.dy(), -straight.dx()) / straight.length();
        const double bend = std::min(mostBend, straight.length() * 0.35);
        const QPointF control = straight.center() + side * bend; // to the left of who goes along
        QPainterPath arrow(straight.p1());
        arrow.quadTo(control, straight.p2());
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(color, 1.6, Qt::SolidLine, Qt::RoundCap));
        painter.drawPath(arrow);
        // The head touches the point.
        const double head = std::min(arrowHead, straight.length() * 0.5);
        const QLineF tangent(control, straight.p2());
        const QPointF along = (tangent.p2() - tangent.p1()) / std::max(1.0, tangent.length());
        const QPointF tip = straight.p2() - along * std::min(4.0, straight.length() * 0.2);
        const QPointF across(-along.y(), along.x());
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawPolygon(QPolygonF{tip, tip - along * head + across * head * 0.45,
                                      tip - along * head - across * head * 0.45});
    }
}

/// Paints the names right of their points, or else left of them; names without room are left out. The current
/// one comes first, then those with the longest arrows.
void Roofline::paintWayNames(QPainter &painter, const look::Tokens &t, std::vector<QRectF> taken) const
{
    std::vector<int> order;
    for (int i = 0; i < itemCount(); ++i)
        order.push_back(i);
    const int current = currentIndex();
    const auto weight = [&](int i) {
        return i == current ? 1e9 : i == 0 ? 1e8 : QLineF(anchorOf(i - 1), anchorOf(i)).length();
    };
    std::ranges::stable_sort(order, std::greater(), weight);
    painter.setFont(look::interfaceFont(10.5));
    const QFontMetricsF metrics(painter.font());
    const QRectF area = chart()->plotArea();
    for (const int i : order) {
        const QPointF at = anchorOf(i);
        const double room = std::max(40.0, std::max(area.right() - at.x(), at.x() - area.left()) - 30);
        const QString name =
            metrics.elidedText(point(i).name.trimmed(), Qt::ElideMiddle, std::min(room, mostOfName));
        const double width = metrics.horizontalAdvance(name) + 4, height = metrics.height() - 1;
        for (const double left : {at.x() + nameAside, at.x() - nameAside - width}) {
            const QRectF box(left, at.y() - height / 2, width, height);
            const bool isFree = area.contains(box) && std::ranges::none_of(taken, [&](const QRectF &other) {
                                    return other.intersects(box);
                                });
            if (!isFree)
                continue;
            taken.push_back(box);
            QColor ground = t.pane;
            ground.setAlphaF(0.85F);
            painter.fillRect(box, ground);
            painter.setPen(i == current ? t.text : t.secondary);
            painter.drawText(box, Qt::AlignCenter, name);
            break;
        }
    }
}

void Roofline::paintPoints(QPainter &painter, const look::Tokens &t, const std::vector<QRectF> &taken) const
{
    if (m_data.showsWay) {
        paintWay(painter, t);
        paintWayNames(painter, t, taken);
    }
    const int current = currentIndex();
    const auto paintPoint = [&](int index, double size, const QColor &fill) {
        const RooflinePoint &shown = point(index);
        const QPointF at = anchorOf(index);
        if (shown.low > 0 && shown.high > shown.low) {
            painter.setPen(QPen(t.text, 1.2));
            painter.drawLine(place(shown.across, shown.low), place(shown.across, shown.high));
        }
        painter.setPen(QPen(t.pane, 1.5));
        painter.setBrush(fill);
        painter.drawEllipse(at, size, size);
    };
    for (int i = 0; i < itemCount(); ++i) {
        if (i != current)
            paintPoint(i, i == hovered() ? 5.5 : 4.5,
                       i == hovered() ? look::mixed(t.bar, t.accent, 0.35) : t.bar);
    }
    if (current >= 0)
        paintPoint(current, 6.5, t.accent);
}

} // namespace nestwright::charts
