// SPDX-License-Identifier: GPL-3.0-or-later
// The view of GraphCanvas: the visible part of the graph and its scale, and the room beside the widgets
// around it.
#include "widgets/canvas/graph_canvas.h"

#include "widgets/canvas/legend.h"
#include "widgets/canvas/minimap.h"
#include "widgets/canvas/paint/edge_path.h"
#include "widgets/canvas/search_box.h"
#include "widgets/look/empty_state.h"
#include "widgets/look/link_button.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestwright::canvas {

namespace {

constexpr double legibleScale = 0.8; // texts are painted, and can be read
constexpr double smallestScale = 0.002, largestScale = 4;
constexpr double fitMargin = 12;
constexpr double leastInSight = 24;        // pixels of a node
constexpr int side = 12, betweenLinks = 6; // of the links
constexpr int leastHeightForMap = 260;

/// The scale from which texts can be read just so, where all is in sight: less where a pixel is smaller.
double leastLegible(const QWidget &canvas) { return canvas.devicePixelRatioF() >= 1.4 ? 0.52 : 0.7; }

/// How far a span must move to reach into another by `reach`.
double wayInto(double from, double to, double low, double high, double reach)
{
    reach = std::min(reach, to - from);
    return to < low + reach ? low + reach - to : from > high - reach ? high - reach - from : 0;
}

} // namespace

QPointF GraphCanvas::toGraph(const QPointF &point) const
{
    return m_centre + (point - QRectF(rect()).center()) / m_scale;
}

QPointF GraphCanvas::fromGraph(const QPointF &point) const
{
    return QRectF(rect()).center() + (point - m_centre) * m_scale;
}

QTransform GraphCanvas::toWidget() const
{
    const QPointF middle = QRectF(rect()).center();
    return QTransform::fromTranslate(-m_centre.x(), -m_centre.y()) * QTransform::fromScale(m_scale, m_scale)
           * QTransform::fromTranslate(middle.x(), middle.y());
}

QRectF GraphCanvas::rectOf(const QRectF &box) const
{
    return {fromGraph(box.topLeft()), fromGraph(box.bottomRight())};
}

QRectF GraphCanvas::visibleRect() const
{
    return {toGraph(QPointF(0, 0)), toGraph(QPointF(width(), height()))};
}

QRectF GraphCanvas::nodeRect(int index) const
{
    return rectOf(m_scene->layout.boxes[static_cast<std::size_t>(index)]);
}

/// Puts a place of the graph at one of the widget.
void GraphCanvas::putAt(const QPointF &place, const QPointF &point)
{
    m_centre = place - (point - QRectF(rect()).center()) / m_scale;
}

void GraphCanvas::fit()
{
    fit(1);
    m_fittedScale = m_scale;
}

/// Shows the whole graph, no larger than `largest`.
void GraphCanvas::fit(double largest)
{
    if (m_scene->layout.boxes.empty())
        return placeOverlays();
    const QRectF &bounds = m_scene->layout.bounds;
    m_seen = Seen::Whole;
    placeOverlays();
    const QRectF inner = m_room.adjusted(fitMargin, fitMargin, -fitMargin, -fitMargin);
    m_scale = std::clamp(std::min(inner.width() / std::max(1.0, bounds.width()),
                                  inner.height() / std::max(1.0, bounds.height())),
                         smallestScale, largest);
    // The graph begins at the top, as a text does, and does not move when it grows or shrinks below.
    putAt({bounds.center().x(), bounds.top()}, {inner.center().x(), inner.top()});
    moved();
}

void GraphCanvas::showFirst()
{
    fit();
    if (m_scale >= leastLegible(*this) || m_scene->layout.boxes.empty())
        return;
    // A graph fitted as a whole would be a thin line; its beginning can be read instead.
    const QRectF &bounds = m_scene->layout.bounds;
    const QRectF first = *std::ranges::min_element(m_scene->layout.boxes, {}, &QRectF::top);
    m_scale = m_fittedScale = legibleScale;
    m_seen = Seen::Part;
    const double half = (m_room.width() / 2 - fitMargin) / m_scale;
    const double x = bounds.width() <= 2 * half
                         ? bounds.center().x()
                         : std::clamp(first.center().x(), bounds.left() + half, bounds.right() - half);
    putAt({x, bounds.top()}, {m_room.center().x(), m_room.top() + fitMargin});
    moved();
}

/// The graph has changed below a view that is not the user's: nodes that stay keep their scale, if there is
/// room. A part is left for the whole once that can be read.
void GraphCanvas::refit()
{
    const bool wasPart = m_seen == Seen::Part, wasLegible = m_fittedScale >= leastLegible(*this);
    const double scale = m_scale;
    const QPointF centre = m_centre;
    fit(m_fittedScale);
    if (m_scale >= leastLegible(*this))
        return;
    if (wasPart) {
        m_seen = Seen::Part;
        m_scale = scale;
        m_centre = centre;
        moved();
    } else if (wasLegible) {
        showFirst();
    }
}

void GraphCanvas::zoomAt(const QPointF &point, double scale)
{
    scale = std::clamp(scale, smallestScale, largestScale);
    const QPointF fixed = toGraph(point);
    m_scale = scale;
    putAt(fixed, point);
    m_seen = Seen::Chosen;
    moved();
}

void GraphCanvas::zoomTo(double scale) { zoomAt(m_room.center(), scale); }

void GraphCanvas::openSearch()
{
    if (m_scene->shown().nodes.empty())
        return;
    m_search->open();
    roomChanged();
}

void GraphCanvas::bringIntoView(const QRectF &box)
{
    const QRectF room = m_room.adjusted(8, 8, -8, -8), shown = rectOf(box);
    if (!room.contains(shown)) {
        // The view moves in the direction only in which it has to.
        const bool isWide = shown.left() < room.left() || shown.right() > room.right();
        const bool isHigh = shown.top() < room.top() || shown.bottom() > room.bottom();
        QPointF point = shown.center();
        if (isWide)
            point.setX(room.center().x());
        if (isHigh)
            point.setY(shown.height() > room.height() ? room.top() + shown.height() / 2 : room.center().y());
        putAt(box.center(), point);
        if (m_seen == Seen::Whole)
            m_seen = Seen::Part;
        moved();
    }
    update();
}

/// Called when the free area around the graph may have changed.
void GraphCanvas::roomChanged()
{
    const QRectF before = m_room;
    placeOverlays();
    if (m_seen == Seen::Whole && m_room != before)
        fit();
    else
        moved();
}

void GraphCanvas::moved()
{
    placeOverlays();
    keepInSight();
    m_minimap->setSeen({toGraph(m_room.topLeft()), toGraph(m_room.bottomRight())});
    update();
}

/// Moves the view back to the nearest node where nothing of the graph is left in it.
void GraphCanvas::keepInSight()
{
    const std::vector<QRectF> &boxes = m_scene->layout.boxes;
    const QRectF room(toGraph(m_room.topLeft()), toGraph(m_room.bottomRight()));
    if (boxes.empty() || room.isEmpty())
        return;
    const auto wayOf = [&](const QRectF &box) {
        const double reach = leastInSight / m_scale;
        return QPointF(wayInto(box.left(), box.right(), room.left(), room.right(), reach),
                       wayInto(box.top(), box.bottom(), room.top(), room.bottom(), reach));
    };
    const auto isSeen = [&](int node) { return wayOf(boxes[static_cast<std::size_t>(node)]).isNull(); };
    const auto passesBy = [&](int edge) {
        return passes(m_scene->layout.routes[static_cast<std::size_t>(edge)], room);
    };
    if (std::ranges::any_of(m_scene->nodeIndex.within(room), isSeen)
        || std::ranges::any_of(m_scene->edgeIndex.within(room), passesBy))
        return;
    QPointF nearest(std::numeric_limits<double>::max(), 0);
    for (const QRectF &box : boxes) {
        if (const QPointF way = wayOf(box); way.manhattanLength() < nearest.manhattanLength())
            nearest = way;
    }
    m_centre -= nearest;
}

/// Places the widgets above and below the graph, and gives the graph the room between.
void GraphCanvas::placeOverlays()
{
    m_empty->setGeometry(rect());
    m_zoomLink->setText(m_scale < 0.01 ? tr("%1 %").arg(m_scale * 100, 0, 'f', 1)
                                       : tr("%1 %").arg(std::round(m_scale * 100)));
    m_traceLink->resize(m_traceLink->sizeHint().boundedTo(QSize(width() - 2 * side, height())));
    m_traceLink->move(side, 8);
    const int wanted = std::min(width() - 16, std::max(330, m_search->sizeHint().width()));
    m_search->setGeometry(width() - wanted - 8, 6, wanted, m_search->sizeHint().height());
    int top = 0;
    if (m_traceLink->isVisibleTo(this))
        top = m_traceLink->geometry().bottom() + 7;
    if (m_search->isVisibleTo(this)) {
        m_traceLink->move(side, m_traceLink->isVisibleTo(this) ? m_search->geometry().bottom() + 7 : 8);
        top = std::max(m_search->geometry().bottom(), m_traceLink->geometry().bottom()) + 7;
    }

    m_room = QRectF(0, top, width(), placeLinks(width() - side) - 8 - top);
    const QSizeF whole = m_scene->layout.bounds.size() * m_scale;
    const bool needsMap =
        m_seen != Seen::Whole && (whole.width() > m_room.width() || whole.height() > m_room.height());
    const bool hasMap = needsMap && width() > 200 && height() >= leastHeightForMap;
    if (hasMap) {
        m_minimap->move(width() - m_minimap->width() - side, height() - m_minimap->height() - 10);
        m_room.setBottom(std::min(placeLinks(m_minimap->x() - 8), m_minimap->y()) - 8);
    }
    m_minimap->setVisible(hasMap);
}

/// Places the links and the legend in rows from the bottom up; gives the upper side of the highest.
int GraphCanvas::placeLinks(int right)
{
    const int row = m_fitLink->sizeHint().height();
    int x = side, y = height() - row - 10;
    for (QWidget *widget : {static_cast<QWidget *>(m_fitLink), static_cast<QWidget *>(m_zoomLink),
                            static_cast<QWidget *>(m_overlayLink), static_cast<QWidget *>(m_legend)}) {
        if (!widget->isVisibleTo(this))
            continue;
        widget->resize(widget->sizeHint());
        if (x > side && x + widget->width() > right) {
            x = side;
            y -= row + betweenLinks;
        }
        widget->resize(std::min(widget->width(), right - x), widget->height());
        widget->move(x, y + (row - widget->height()) / 2);
        x += widget->width() + 14;
    }
    return y;
}

} // namespace nestwright::canvas
