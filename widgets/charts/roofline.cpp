// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/roofline.h"

#include "widgets/charts/axis_style.h"
#include "widgets/charts/scale.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QChart>
#include <QLineSeries>
#include <QLogValueAxis>
#include <QPainter>
#include <QPainterPath>
#include <QTransform>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

namespace nestwright::charts {

namespace {

constexpr double topMargin = 24;
constexpr double bottomMargin = 40;
constexpr double leftMargin = 48;
constexpr double rightMargin = 20;
constexpr double nameInset = 8, nameStep = 8; // of a roof's name along it
constexpr double bytesPerMb = 1e6;
constexpr double leastTera = 10'000; // a peak in GFLOPS that is told in TFLOPS
constexpr double leastArrow = 3, mostBend = 14, arrowHead = 8;
constexpr double nameAside = 16, mostOfName = 150; // of a name on the way, from its point
constexpr double reach = 9;                        // pixels around a point that count as it

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
    // As the chart maps them, but also beyond the axes' ends.
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

/// With the painter's pen, from the steepest of the roofs on.
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

/// Where the program will lie once it is measured, and the bound there.
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

/// At the right of the points, or else at the left; those that have no room have none. The current one comes
/// first, then those with the longest arrows.
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
