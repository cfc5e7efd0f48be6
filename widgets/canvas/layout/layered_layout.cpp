// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/layout/layered_layout.h"

#include "widgets/canvas/layout/dot_layers.h"
#include "widgets/canvas/layout/level_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestwright::canvas {

namespace {

constexpr double narrowest = 120, widest = 264;
constexpr double roomForNumber = 60; // beside the title
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

double median(std::vector<double> &values)
{
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::ranges::nth_element(values, middle);
    return std::round(*middle);
}

/// Moves the layout so that most nodes that were there before stay where they were.
QPointF shiftTo(const GraphData &graph, const std::vector<QRectF> &boxes, const FormerLayout &before)
{
    std::vector<double> across, down;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const auto was = before.centres.constFind(graph.nodes[i].id);
        if (was == before.centres.constEnd())
            continue;
        across.push_back(was->x() - boxes[i].center().x());
        down.push_back(was->y() - boxes[i].center().y());
    }
    return across.empty() ? QPointF() : QPointF(median(across), median(down));
}

/// One frame within another: every frame is a level, the graph itself is level 0. An edge between frames is
/// one piece in every level that it passes; edges from the same node leave a frame through the same port.
class Nested {
public:
    Nested(const GraphData &graph, const Nesting &nesting, const FormerLayout &before)
        : m_graph(graph)
        , m_nesting(nesting)
        , m_before(before)
        , m_count(graph.nodes.size())
        , m_levels(nesting.frames.size() + 1)
        , m_ports(m_levels.size())
        , m_pieces(graph.edges.size())
    {
        addItems();
        addEdges();
    }

    GraphLayout layOut(const std::stop_token &stop)
    {
        const LevelOptions options{.orderOnly = m_before.orderOnly,
                                   .mayAskDot = m_vertexOf.size() <= mostVerticesForDot};
        for (std::size_t i = m_levels.size(); i-- > 0;) { // inner ones first
            fillInFrames(i);
            layOutLevel(m_levels[i], options, stop);
        }
        return together();
    }

private:
    /// A piece of an edge: `edge` of `level`.
    struct Piece {
        std::size_t level, edge;
    };
    struct Ports {
        QHash<int, int> top, bottom; // by the node that an edge comes from: the vertex
        QHash<std::pair<std::pair<int, int>, int>, int> edges; // by ends and source
        std::vector<std::pair<int, int>>
            keys; // per edge: the source; 1 if it begins at a frame + 2 if it ends at one
    };

    std::size_t levelOf(std::size_t item) const
    {
        if (item >= m_count)
            return static_cast<std::size_t>(std::int64_t{m_nesting.frames[item - m_count].parent} + 1);
        return m_nesting.frameOf.empty()
                   ? 0
                   : static_cast<std::size_t>(std::int64_t{m_nesting.frameOf[item]} + 1);
    }

    void addItems()
    {
        const std::size_t frames = m_nesting.frames.size();
        m_vertexOf.resize(m_count + frames);
        m_depth.resize(frames + 1, 0);
        for (std::size_t item = 0; item < m_count + frames; ++item) {
            const std::size_t at = levelOf(item);
            Level &level = m_levels[at];
            m_vertexOf[item] = static_cast<int>(level.items.size());
            level.items.push_back(static_cast<int>(item));
            level.sizes.push_back(item < m_count ? nodeSize(m_graph.nodes[item]) : QSizeF());
            const int id = item < m_count ? m_graph.nodes[item].id : m_nesting.frames[item - m_count].id;
            level.formerX.push_back(formerX(id, at));
            if (item >= m_count)
                m_depth[item - m_count + 1] = m_depth[at] + 1;
        }
        for (std::size_t i = 0; i < frames; ++i) {
            m_levels[i + 1].isFrame = true;
            m_levels[i + 1].leastWidth = m_nesting.frames[i].titleWidth;
        }
    }

    /// Former x of a node or frame, relative to the middle of the frame that it is in now.
    double formerX(int id, std::size_t level) const
    {
        const auto was = m_before.centres.constFind(id);
        if (was == m_before.centres.constEnd())
            return nothing;
        if (level == 0)
            return was->x();
        const auto frame = m_before.centres.constFind(m_nesting.frames[level - 1].id);
        return frame == m_before.centres.constEnd() ? nothing : was->x() - frame->x();
    }

    int port(std::size_t level, Pin pin, int source)
    {
        QHash<int, int> &ports = pin == Pin::Top ? m_ports[level].top : m_ports[level].bottom;
        const auto found = ports.constFind(source);
        if (found != ports.constEnd())
            return *found;
        Level &in = m_levels[level];
        const int vertex = static_cast<int>(in.sizes.size());
        in.pins.resize(in.sizes.size(), Pin::Free);
        in.pins.push_back(pin);
        in.sizes.emplace_back(0, 0);
        in.formerX.push_back(nothing);
        ports.insert(source, vertex);
        return vertex;
    }

    /// A piece from one vertex of a level to another; where it begins or ends at a frame, the port there is
    /// that of `source`.
    Piece piece(std::size_t level, int from, int to, int source, bool fromFrame, bool toFrame)
    {
        Level &in = m_levels[level];
        Ports &ports = m_ports[level];
        const bool shared = fromFrame || toFrame || level > 0;
        const std::pair<std::pair<int, int>, int> key{{from, to}, source};
        if (const auto known = shared ? ports.edges.constFind(key) : ports.edges.constEnd();
            known != ports.edges.constEnd())
            return {level, static_cast<std::size_t>(*known)};
        const int edge = static_cast<int>(in.edges.size());
        in.edges.emplace_back(from, to);
        ports.keys.emplace_back(source, (fromFrame ? 1 : 0) + (toFrame ? 2 : 0));
        if (shared)
            ports.edges.insert(key, edge);
        return {level, static_cast<std::size_t>(edge)};
    }

    void addEdges()
    {
        QHash<int, int> indexOf;
        for (std::size_t i = 0; i < m_count; ++i)
            indexOf.insert(m_graph.nodes[i].id, static_cast<int>(i));
        for (std::size_t i = 0; i < m_graph.edges.size(); ++i) {
            const int from = indexOf.value(m_graph.edges[i].from, -1);
            const int to = indexOf.value(m_graph.edges[i].to, -1);
            if (from >= 0 && to >= 0 && from != to)
                addEdge(i, static_cast<std::size_t>(from), static_cast<std::size_t>(to));
        }
        for (Level &level : m_levels) {
            if (!level.pins.empty())
                level.pins.resize(level.sizes.size(), Pin::Free);
        }
    }

    void addEdge(std::size_t index, std::size_t from, std::size_t to)
    {
        const int source = static_cast<int>(from);
        std::vector<Piece> &pieces = m_pieces[index];
        std::vector<Piece> entering;
        std::size_t upper = levelOf(from), lower = levelOf(to);
        const auto leave = [&] {
            pieces.push_back(piece(upper, m_vertexOf[from], port(upper, Pin::Bottom, source), source,
                                   from >= m_count, false));
            from = m_count + upper - 1;
            upper = levelOf(from);
        };
        const auto enter = [&] {
            entering.push_back(
                piece(lower, port(lower, Pin::Top, source), m_vertexOf[to], source, false, to >= m_count));
            to = m_count + lower - 1;
            lower = levelOf(to);
        };
        while (upper != lower) {
            if (m_depth[upper] >= m_depth[lower])
                leave();
            else
                enter();
        }
        pieces.push_back(
            piece(upper, m_vertexOf[from], m_vertexOf[to], source, from >= m_count, to >= m_count));
        pieces.insert(pieces.end(), entering.rbegin(), entering.rend());
        if (pieces.size() == 1)
            recallBends(index);
    }

    void recallBends(std::size_t index)
    {
        const GraphEdge &edge = m_graph.edges[index];
        const auto route = m_before.routes.constFind({edge.from, edge.to});
        if (route == m_before.routes.constEnd() || route->size() < 3 || m_pieces[index][0].level > 0)
            return;
        std::vector<std::vector<double>> &all = m_levels[0].formerBends;
        all.resize(std::max(all.size(), m_pieces[index][0].edge + 1));
        for (qsizetype bend = 1; bend + 1 < route->size(); ++bend)
            all[m_pieces[index][0].edge].push_back((*route)[bend].x());
    }

    /// The inner frames of a level are laid out: now their sizes and the places of their ports are known.
    void fillInFrames(std::size_t index)
    {
        Level &level = m_levels[index];
        for (std::size_t vertex = 0; vertex < level.items.size(); ++vertex) {
            const auto item = static_cast<std::size_t>(level.items[vertex]);
            if (item >= m_count)
                level.sizes[vertex] = m_levels[item - m_count + 1].size;
        }
        const Ports &ports = m_ports[index];
        const auto portAt = [&](int vertex, int source, bool top) {
            const std::size_t inner =
                static_cast<std::size_t>(level.items[static_cast<std::size_t>(vertex)]) - m_count + 1;
            const QHash<int, int> &of = top ? m_ports[inner].top : m_ports[inner].bottom;
            return m_levels[inner].boxes[static_cast<std::size_t>(of.value(source))].center().x()
                   - m_levels[inner].size.width() / 2;
        };
        for (std::size_t edge = 0; edge < level.edges.size(); ++edge) {
            const auto &[source, ends] = ports.keys[edge];
            if (ends == 0)
                continue;
            level.shifts.resize(level.edges.size());
            const auto &[from, to] = level.edges[edge];
            if (ends & 1)
                level.shifts[edge].from = portAt(from, source, false);
            if (ends & 2)
                level.shifts[edge].to = portAt(to, source, true);
        }
    }

    GraphLayout together()
    {
        GraphLayout layout;
        layout.boxes.resize(m_count);
        layout.frames.resize(m_nesting.frames.size());
        std::vector<QPointF> origins(m_levels.size());
        for (std::size_t i = 0; i < m_levels.size(); ++i) {
            const Level &level = m_levels[i];
            for (std::size_t vertex = 0; vertex < level.items.size(); ++vertex) {
                const auto item = static_cast<std::size_t>(level.items[vertex]);
                const QRectF box = level.boxes[vertex].translated(origins[i]);
                if (item < m_count)
                    layout.boxes[item] = box;
                else
                    layout.frames[item - m_count] = box;
                if (item >= m_count)
                    origins[item - m_count + 1] = box.topLeft();
            }
        }
        const QPointF shift = shiftTo(m_graph, layout.boxes, m_before);
        for (std::vector<QRectF> *boxes : {&layout.boxes, &layout.frames}) {
            for (QRectF &box : *boxes) {
                box.translate(shift);
                layout.bounds |= box;
            }
        }
        layout.routes.resize(m_pieces.size());
        for (std::size_t i = 0; i < m_pieces.size(); ++i) {
            for (const Piece &piece : m_pieces[i])
                append(layout.routes[i], m_levels[piece.level].routes[piece.edge],
                       origins[piece.level] + shift);
            layout.bounds |= layout.routes[i].boundingRect();
        }
        return layout;
    }

    /// Joins two pieces that meet in a port, whose point is kept once.
    static void append(QPolygonF &route, const QPolygonF &piece, const QPointF &by)
    {
        for (qsizetype i = route.isEmpty() ? 0 : 1; i < piece.size(); ++i)
            route.append(piece[i] + by);
    }

    const GraphData &m_graph;
    const Nesting &m_nesting;
    const FormerLayout &m_before;
    const std::size_t m_count; // items below are nodes, the others frames
    std::vector<Level> m_levels;
    std::vector<Ports> m_ports;               // per level
    std::vector<int> m_vertexOf;              // per item, in its level
    std::vector<int> m_depth;                 // per level
    std::vector<std::vector<Piece>> m_pieces; // per edge
};

} // namespace

QSizeF nodeSize(const GraphNode &node)
{
    const NodeNumbers &of = node.numbers;
    const bool hasNumbers = std::max({of.seconds, of.flops, of.bytes, of.peakFraction}) >= 0;
    const double text =
        std::max(static_cast<double>(node.title.size()) * 7.9 + (hasNumbers ? roomForNumber : 0),
                 static_cast<double>(node.subtitle.size()) * 7.1);
    return {std::clamp(std::ceil((text + 34) / 8) * 8, narrowest, widest),
            node.subtitle.isEmpty() ? 36.0 : 50.0};
}

FormerLayout::FormerLayout(const GraphData &graph, const GraphLayout &layout, const Nesting &nesting)
{
    for (std::size_t i = 0; i < layout.frames.size(); ++i)
        centres.insert(nesting.frames[i].id, layout.frames[i].center());
    for (std::size_t i = 0; i < layout.boxes.size(); ++i)
        centres.insert(graph.nodes[i].id, layout.boxes[i].center());
    for (std::size_t i = 0; i < layout.routes.size(); ++i)
        routes.insert({graph.edges[i].from, graph.edges[i].to}, layout.routes[i]);
}

GraphLayout layOut(const GraphData &graph, const FormerLayout &before, const std::stop_token &stop)
{
    return layOut(graph, Nesting(), before, stop);
}

GraphLayout layOut(const GraphData &graph, const Nesting &nesting, const FormerLayout &before,
                   const std::stop_token &stop)
{
    return Nested(graph, nesting, before).layOut(stop);
}

} // namespace nestwright::canvas
