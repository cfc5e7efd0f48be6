// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/layered_layout.h"

#include "widgets/canvas/layered_graph.h"

#include <algorithm>
#include <cmath>

namespace nestwright::canvas {

namespace {

constexpr double gapAcross = 16;
constexpr double gapDown = 64;
constexpr double narrowest = 120, widest = 240;

/// Moves the layout so that nodes that were there before stay where they were on average.
QPointF shiftTo(const GraphData &graph, const std::vector<QRectF> &boxes, const FormerLayout &before)
{
    QPointF sum;
    int count = 0;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const auto was = before.centres.constFind(graph.nodes[i].id);
        if (was == before.centres.constEnd())
            continue;
        sum += *was - boxes[i].center();
        ++count;
    }
    return count ? (sum / count).toPoint().toPointF() : QPointF();
}

/// Tells the vertices where they were.
void recall(LayeredGraph &layered, const GraphData &graph, const std::vector<std::size_t> &drawn,
            const FormerLayout &before)
{
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const auto was = before.centres.constFind(graph.nodes[i].id);
        if (was != before.centres.constEnd())
            layered.vertices[i].formerX = was->x();
    }
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        const GraphEdge &edge = graph.edges[drawn[i]];
        const std::vector<int> &chain = layered.chains[i];
        const QPolygonF route = before.routes.value({edge.from, edge.to});
        if (route.size() != static_cast<qsizetype>(chain.size()))
            continue;
        for (std::size_t bend = 1; bend + 1 < chain.size(); ++bend)
            layered.vertices[static_cast<std::size_t>(chain[bend])].formerX =
                route[static_cast<qsizetype>(bend)].x();
    }
}

} // namespace

QSizeF nodeSize(const GraphNode &node)
{
    const double text = std::max(static_cast<double>(node.title.size()) * 7.9,
                                 static_cast<double>(node.subtitle.size()) * 7.1);
    return {std::clamp(std::ceil((text + 34) / 8) * 8, narrowest, widest),
            node.subtitle.isEmpty() ? 36.0 : 50.0};
}

FormerLayout::FormerLayout(const GraphData &graph, const GraphLayout &layout)
{
    for (std::size_t i = 0; i < layout.boxes.size(); ++i)
        centres.insert(graph.nodes[i].id, layout.boxes[i].center());
    for (std::size_t i = 0; i < layout.routes.size(); ++i)
        routes.insert({graph.edges[i].from, graph.edges[i].to}, layout.routes[i]);
}

GraphLayout layOut(const GraphData &graph, const FormerLayout &before, const std::stop_token &stop)
{
    GraphLayout layout;
    QHash<int, int> indexOf;
    std::vector<double> widths;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        indexOf.insert(graph.nodes[i].id, static_cast<int>(i));
        const QSizeF size = nodeSize(graph.nodes[i]);
        layout.boxes.emplace_back(QPointF(), size);
        widths.push_back(size.width());
    }
    IndexEdges edges;
    std::vector<std::size_t> drawn; // which edges of the graph these are
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
        const int from = indexOf.value(graph.edges[i].from, -1);
        const int to = indexOf.value(graph.edges[i].to, -1);
        if (from < 0 || to < 0 || from == to)
            continue;
        edges.emplace_back(from, to);
        drawn.push_back(i);
    }
    LayeredGraph layered = makeLayers(widths, edges);
    recall(layered, graph, drawn, before);
    orderLayers(layered, stop);
    placeVertices(layered, gapAcross, stop);

    std::vector<double> middle(layered.layers.size(), 0);
    double y = 0;
    for (std::size_t i = 0; i < layered.layers.size(); ++i) {
        double height = 0;
        for (const int v : layered.layers[i]) {
            const int node = layered.vertices[static_cast<std::size_t>(v)].node;
            if (node >= 0)
                height = std::max(height, layout.boxes[static_cast<std::size_t>(node)].height());
        }
        middle[i] = y + height / 2;
        y += height + gapDown;
    }
    for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
        const Vertex &vertex = layered.vertices[i];
        layout.boxes[i].moveCenter(QPointF(vertex.x, middle[static_cast<std::size_t>(vertex.layer)]));
    }
    const QPointF shift = shiftTo(graph, layout.boxes, before);
    for (QRectF &box : layout.boxes) {
        box.translate(shift);
        layout.bounds |= box;
    }
    layout.routes.resize(graph.edges.size());
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        QPolygonF &route = layout.routes[drawn[i]];
        const std::vector<int> &chain = layered.chains[i];
        const QRectF &from = layout.boxes[static_cast<std::size_t>(chain.front())];
        const QRectF &to = layout.boxes[static_cast<std::size_t>(chain.back())];
        const bool downward = from.center().y() <= to.center().y(); // else it closes a cycle
        route.append(QPointF(from.center().x(), downward ? from.bottom() : from.top()));
        for (std::size_t bend = 1; bend + 1 < chain.size(); ++bend) {
            const Vertex &vertex = layered.vertices[static_cast<std::size_t>(chain[bend])];
            route.append(QPointF(vertex.x, middle[static_cast<std::size_t>(vertex.layer)]) + shift);
        }
        route.append(QPointF(to.center().x(), downward ? to.top() : to.bottom()));
        layout.bounds |= route.boundingRect();
    }
    return layout;
}

} // namespace nestwright::canvas
