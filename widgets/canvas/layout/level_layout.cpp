// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/layout/level_layout.h"

#include "widgets/canvas/layout/dot_layers.h"
#include "widgets/canvas/layout/layered_layout.h"

#include <algorithm>
#include <cmath>

namespace nestwright::canvas {

namespace {

constexpr double gapAcross = 16;
constexpr double gapDown = 64, closeGapDown = 44; // a long graph stands closer
constexpr std::size_t longGraph = 12;             // layers
constexpr double padding = 14;                    // of a frame
constexpr double tallLayer = 60;                  // in which an edge that passes goes straight down
constexpr double belowTitle = 14;                 // from a frame's title to its contents

/// The upper and the lower side of each layer.
std::vector<std::pair<double, double>> stack(const LayeredGraph &layered, const Level &level)
{
    std::vector<std::pair<double, double>> rows;
    const auto isPorts = [&](const std::vector<int> &layer, Pin pin) {
        return !layer.empty() && layered.vertices[static_cast<std::size_t>(layer.front())].pin == pin;
    };
    const double gap = layered.layers.size() > longGraph ? closeGapDown : gapDown;
    double y = level.isFrame ? frameTitleHeight + belowTitle : 0;
    for (const std::vector<int> &layer : layered.layers) {
        if (isPorts(layer, Pin::Top)) {
            rows.emplace_back(0, 0);
            continue;
        }
        if (isPorts(layer, Pin::Bottom)) {
            const double side = rows.empty() ? y : rows.back().second + padding;
            rows.emplace_back(side, side);
            continue;
        }
        double height = 0;
        for (const int v : layer) {
            const Vertex &vertex = layered.vertices[static_cast<std::size_t>(v)];
            if (vertex.node >= 0)
                height = std::max(height, level.sizes[static_cast<std::size_t>(vertex.node)].height());
        }
        rows.emplace_back(y, y + height);
        y += height + gap;
    }
    return rows;
}

void recall(LayeredGraph &layered, const Level &level)
{
    for (std::size_t i = 0; i < level.formerX.size(); ++i)
        layered.vertices[i].formerX = level.formerX[i];
    for (std::size_t i = 0; i < level.formerBends.size(); ++i) {
        const std::vector<int> &chain = layered.chains[i];
        const std::vector<double> &bends = level.formerBends[i];
        if (bends.size() + 2 != chain.size())
            continue;
        for (std::size_t bend = 0; bend < bends.size(); ++bend)
            layered.vertices[static_cast<std::size_t>(chain[bend + 1])].formerX = bends[bend];
    }
}

QPolygonF routeOf(const LayeredGraph &layered, const Level &level, std::size_t edge,
                  const std::vector<std::pair<double, double>> &rows)
{
    const std::vector<int> &chain = layered.chains[edge];
    const QRectF &from = level.boxes[static_cast<std::size_t>(chain.front())];
    const QRectF &to = level.boxes[static_cast<std::size_t>(chain.back())];
    const EdgeShift shift = level.shifts.empty() ? EdgeShift() : level.shifts[edge];
    const bool downward = from.center().y() <= to.center().y(); // else it closes a cycle
    QPolygonF route;
    route.append(QPointF(from.center().x() + shift.from, downward ? from.bottom() : from.top()));
    for (std::size_t bend = 1; bend + 1 < chain.size(); ++bend) {
        const Vertex &vertex = layered.vertices[static_cast<std::size_t>(chain[bend])];
        auto [upper, lower] = rows[static_cast<std::size_t>(vertex.layer)];
        if (lower - upper <= tallLayer) {
            route.append(QPointF(vertex.x, (upper + lower) / 2));
            continue;
        }
        if (!downward)
            std::swap(upper, lower);
        route.append(QPointF(vertex.x, upper));
        route.append(QPointF(vertex.x, lower));
    }
    route.append(QPointF(to.center().x() + shift.to, downward ? to.top() : to.bottom()));
    return route;
}

/// Moves everything so that the frame around it begins at (0, 0), and gives the frame its size.
void encloseInFrame(Level &level, double lower)
{
    double left = std::numeric_limits<double>::max();
    double right = std::numeric_limits<double>::lowest();
    for (const QRectF &box : level.boxes) {
        left = std::min(left, box.left());
        right = std::max(right, box.right());
    }
    for (const QPolygonF &route : level.routes) {
        for (const QPointF &point : route) {
            left = std::min(left, point.x());
            right = std::max(right, point.x());
        }
    }
    const double width = std::max(right - left + 2 * padding, level.leastWidth);
    const QPointF shift((width - (right - left)) / 2 - left, 0);
    for (QRectF &box : level.boxes)
        box.translate(shift);
    for (QPolygonF &route : level.routes)
        route.translate(shift);
    level.size = QSizeF(width, lower);
}

/// The graph in ordered layers. A first layout with crossings is left to dot where dot does better.
LayeredGraph ordered(const Level &level, bool mayAskDot, const std::stop_token &stop)
{
    LayeredGraph layered = makeLayers(level.widths(), level.edges, level.pins, level.shifts);
    recall(layered, level);
    orderLayers(layered, stop);
    const bool isNew = std::ranges::all_of(level.formerX, [](double x) { return std::isnan(x); });
    if (!mayAskDot || !isNew || layered.vertices.size() > mostVerticesForDot)
        return layered;
    if (const long long crossings = countCrossings(layered); crossings > 0) {
        std::optional<LayeredGraph> better = layersByDot(level, stop);
        if (better && countCrossings(*better) < crossings)
            return *std::move(better);
    }
    return layered;
}

} // namespace

std::vector<double> Level::widths() const
{
    std::vector<double> widths;
    widths.reserve(sizes.size());
    for (const QSizeF &each : sizes)
        widths.push_back(each.width());
    return widths;
}

void layOutLevel(Level &level, const LevelOptions &options, const std::stop_token &stop)
{
    LayeredGraph layered = ordered(level, options.mayAskDot, stop);
    if (options.orderOnly) {
        for (Vertex &vertex : layered.vertices)
            vertex.formerX = std::numeric_limits<double>::quiet_NaN();
    }
    placeVertices(layered, gapAcross, stop);

    const std::vector<std::pair<double, double>> rows = stack(layered, level);
    double lower = 0;
    level.boxes.reserve(level.sizes.size());
    for (std::size_t i = 0; i < level.sizes.size(); ++i) {
        const Vertex &vertex = layered.vertices[i];
        const auto &[top, bottom] = rows[static_cast<std::size_t>(vertex.layer)];
        QRectF box(QPointF(), level.sizes[i]);
        box.moveCenter(QPointF(vertex.x, (top + bottom) / 2));
        level.boxes.push_back(box);
        lower = std::max(lower, vertex.pin == Pin::Free ? bottom + padding : bottom);
    }
    level.routes.reserve(level.edges.size());
    for (std::size_t i = 0; i < level.edges.size(); ++i)
        level.routes.push_back(routeOf(layered, level, i, rows));
    if (level.isFrame)
        encloseInFrame(level, lower);
}

} // namespace nestwright::canvas
