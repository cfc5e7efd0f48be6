// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/paint/graph_painter.h"

#include "widgets/canvas/paint/edge_path.h"
#include "widgets/canvas/paint/frame_painter.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <array>
#include <cmath>

namespace nestwright::canvas {

namespace {

constexpr double labelsFrom = 0.6; // a scale
constexpr double nodeRadius = 8;
constexpr double leastPixels = 0.6;           // a shorter line is not seen
constexpr double oneLine = 22, twoLines = 44; // heights that texts need
constexpr double leastContrast = 4.6;         // of texts

class GraphPainter {
public:
    GraphPainter(QPainter &painter, const Scene &scene, const GraphLook &graphLook, const GraphView &view,
                 const look::Tokens &tokens)
        : m_painter(painter)
        , m_scene(scene)
        , m_look(graphLook)
        , m_view(view)
        , m_tokens(tokens)
        , m_title(look::interfaceFont(13, QFont::DemiBold))
        , m_subtitle(look::interfaceFont(11.5))
        , m_label(look::interfaceFont(11))
        , m_titleMetrics(m_title)
        , m_subtitleMetrics(m_subtitle)
        , m_labelMetrics(m_label)
    {
    }

    void paint()
    {
        const bool far = m_view.scale < boxesOnlyBelow;
        m_painter.setRenderHint(QPainter::Antialiasing, !far);
        paintFrames(m_painter, m_scene, m_look, m_view, m_tokens);
        const std::vector<int> nodes = m_scene.nodeIndex.within(m_view.visible.adjusted(-6, -6, 6, 6));
        const std::vector<int> edges = m_scene.edgeIndex.within(m_view.visible.adjusted(-12, -12, 12, 12));
        if (far) {
            paintFarEdges(edges);
            paintFarNodes(nodes);
        } else {
            paintEdges(edges);
            for (const int node : nodes)
                paintNode(node, {});
            paintLabels();
        }
        paintFrameLabels(m_painter, m_scene, m_view, m_tokens);
    }

    void paintMarked(const GraphMarks &marks)
    {
        m_painter.setRenderHint(QPainter::Antialiasing);
        for (const int frame : {marks.hoveredFrame, marks.selectedFrame}) {
            if (frame >= 0)
                paintFrameMark(m_painter, m_scene, frame, frame == marks.selectedFrame, m_view, m_tokens);
        }
        if (marks.selected >= 0)
            paintEdgesOf(marks.selected);
        for (const int node : {marks.hovered, marks.selected, marks.current}) {
            if (node < 0 || !boxOf(node).intersects(m_view.visible))
                continue;
            if (m_view.scale < boxesOnlyBelow)
                m_painter.fillRect(atLeastPixels(boxOf(node), node == marks.current ? 7 : 3),
                                   node == marks.current ? m_tokens.warn : m_tokens.accent);
            else
                paintNode(node, marks);
        }
    }

private:
    const QRectF &boxOf(int node) const { return m_scene.layout.boxes[static_cast<std::size_t>(node)]; }
    const GraphNode &nodeAt(int node) const { return m_scene.shown().nodes[static_cast<std::size_t>(node)]; }

    static bool isSet(const std::vector<char> &of, int index)
    {
        return !of.empty() && of[static_cast<std::size_t>(index)];
    }

    double shadeOf(int node) const
    {
        return m_look.shade.empty() ? -1.0
                                    : static_cast<double>(m_look.shade[static_cast<std::size_t>(node)]);
    }

    QRectF atLeastPixels(QRectF box, double pixels) const
    {
        const double least = pixels / m_view.scale;
        const QPointF centre = box.center();
        box.setSize(box.size().expandedTo(QSizeF(least, least)));
        box.moveCenter(centre);
        return box;
    }

    QColor colorOf(NodeMark mark) const
    {
        return mark == NodeMark::Removed ? m_tokens.bad
               : mark == NodeMark::Added ? m_tokens.good
                                         : m_tokens.warn;
    }

    QColor fillOf(int index) const
    {
        if (const double shade = shadeOf(index); shade >= 0)
            return shadeColor(m_tokens, shade);
        const NodeMark mark = nodeAt(index).mark;
        return mark == NodeMark::None ? m_tokens.pane : look::mixed(m_tokens.pane, colorOf(mark), 0.1);
    }

    QColor barOf(NodeKind kind) const
    {
        switch (kind) {
        case NodeKind::Input:
        case NodeKind::Output: return m_tokens.nodeBar;
        case NodeKind::Constant: return look::mixed(m_tokens.nodeBar, m_tokens.pane, 0.5);
        case NodeKind::Compute: return look::mixed(m_tokens.accent, m_tokens.nodeBar, 0.35);
        }
        return m_tokens.nodeBar;
    }

    void paintFarEdges(const std::vector<int> &edges)
    {
        std::array<QList<QLineF>, 2> lines; // plain, dimmed
        const double least = leastPixels / m_view.scale;
        const QRectF &seen = m_view.visible;
        for (const int edge : edges) {
            QList<QLineF> &into = lines[isSet(m_look.dimmedEdges, edge) ? 1 : 0];
            const QPolygonF &route = m_scene.layout.routes[static_cast<std::size_t>(edge)];
            QPointF a = route.first();
            for (qsizetype point = 1; point < route.size(); ++point) {
                const QPointF b = route[point];
                if (std::abs(a.x() - b.x()) + std::abs(a.y() - b.y()) < least && point + 1 < route.size())
                    continue;
                if (std::max(a.y(), b.y()) >= seen.top() && std::min(a.y(), b.y()) <= seen.bottom()
                    && std::max(a.x(), b.x()) >= seen.left() && std::min(a.x(), b.x()) <= seen.right())
                    into.append(QLineF(a, b));
                a = b;
            }
        }
        for (const std::size_t dimmed : {1U, 0U}) {
            m_painter.setPen(QPen(look::mixed(m_tokens.edge, m_tokens.pane, dimmed ? 0.85 : 0.45), 0));
            m_painter.drawLines(lines[dimmed]);
        }
    }

    void paintFarNodes(const std::vector<int> &nodes)
    {
        enum : std::uint8_t { Compute, Other, Dimmed, Found, Kinds };
        std::array<QList<QRectF>, Kinds> boxes;
        m_painter.setPen(Qt::NoPen);
        for (const int node : nodes) {
            const double shade = shadeOf(node);
            const NodeMark mark = nodeAt(node).mark;
            if (isSet(m_look.dimmed, node))
                boxes[Dimmed].append(boxOf(node));
            else if (mark != NodeMark::None)
                m_painter.fillRect(atLeastPixels(boxOf(node), 2), colorOf(mark));
            else if (isSet(m_look.found, node))
                boxes[Found].append(atLeastPixels(boxOf(node), 3));
            else if (shade >= 0)
                m_painter.fillRect(boxOf(node), look::mixed(m_tokens.minimapNode, m_tokens.builtin, shade));
            else
                boxes[nodeAt(node).kind == NodeKind::Compute ? Compute : Other].append(boxOf(node));
        }
        const std::array<QColor, Kinds> colors{m_tokens.bar, m_tokens.minimapNode,
                                               look::mixed(m_tokens.pane, m_tokens.nodeBar, 0.2),
                                               m_tokens.warn};
        for (const std::size_t kind : {Dimmed, Other, Compute, Found}) {
            m_painter.setBrush(colors[kind]);
            m_painter.drawRects(boxes[kind]);
        }
    }

    void paintEdge(const QPolygonF &route)
    {
        const QRectF seen = m_view.visible.adjusted(-8, -8, 8, 8);
        m_painter.drawPath(seenPath(route, seen));
        if (seen.contains(route.last()))
            m_painter.drawPolyline(arrow(route));
    }

    void paintEdges(const std::vector<int> &edges)
    {
        m_painter.setBrush(Qt::NoBrush);
        for (const bool dimmed : {true, false}) {
            m_painter.setPen(QPen(dimmed ? look::mixed(m_tokens.edge, m_tokens.pane, 0.7) : m_tokens.edge,
                                  1.5, Qt::SolidLine, Qt::FlatCap, Qt::BevelJoin));
            for (const int edge : edges) {
                if (isSet(m_look.dimmedEdges, edge) == dimmed)
                    paintEdge(m_scene.layout.routes[static_cast<std::size_t>(edge)]);
            }
        }
    }

    void paintLabels()
    {
        if (m_view.scale < labelsFrom)
            return;
        m_painter.setFont(m_label);
        const std::vector<int> edges = m_scene.edgeIndex.within(m_view.visible.adjusted(-200, -12, 200, 12));
        std::vector<QRectF> titles, taken;
        for (const QRectF &frame : m_scene.layout.frames) {
            if (frame.intersects(m_view.visible))
                titles.emplace_back(frame.topLeft(), QSizeF(frame.width(), frameTitleHeight));
        }
        for (const int edge : edges) {
            const QString &label = m_scene.shown().edges[static_cast<std::size_t>(edge)].label;
            const QRectF box = label.isEmpty() ? QRectF() : placeOfLabel(edge, label, edges, titles, taken);
            if (box.isEmpty())
                continue;
            taken.push_back(box);
            if (!box.intersects(m_view.visible))
                continue;
            m_painter.setPen(isSet(m_look.dimmedEdges, edge) ? m_tokens.faint : m_tokens.secondary);
            m_painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, label);
        }
    }

    /// Rectangle for an edge's label: beside the curve, preferably on the right, on no node and no other
    /// label, and if possible on no line; empty where there is no such place.
    QRectF placeOfLabel(int edge, const QString &label, const std::vector<int> &edges,
                        const std::vector<QRectF> &titles, const std::vector<QRectF> &taken) const
    {
        const QPolygonF &route = m_scene.layout.routes[static_cast<std::size_t>(edge)];
        const QPointF middle = (route[route.size() - 2] + route.last()) / 2;
        QRectF right(middle.x() + 10, middle.y() - 8, m_labelMetrics.horizontalAdvance(label), 16);
        if (passes(route, right)) // its own line slopes
            right.translate(0, route[route.size() - 2].x() > middle.x() ? 9 : -9);
        for (const QRectF &title : titles) {
            if (title.intersects(right))
                right.moveTop(title.bottom() - 2);
        }
        QRectF left = right;
        left.moveRight(middle.x() - 10);
        QRectF best;
        for (const QRectF &box : {right, left}) {
            if (std::ranges::any_of(taken, [&](const QRectF &other) { return other.intersects(box); })
                || !m_scene.nodeIndex.within(box).empty())
                continue;
            const bool isCrossed = std::ranges::any_of(edges, [&](int other) {
                return other != edge && passes(m_scene.layout.routes[static_cast<std::size_t>(other)], box);
            });
            if (!isCrossed)
                return box;
            if (best.isEmpty())
                best = box;
        }
        return best;
    }

    void paintEdgesOf(int node)
    {
        const int id = nodeAt(node).id;
        const double pixel = m_view.scale < boxesOnlyBelow ? 1 / m_view.scale : 1;
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(m_tokens.accent, 1.8 * pixel, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        for (const int edge : m_scene.edgeIndex.within(m_view.visible.adjusted(-12, -12, 12, 12))) {
            const GraphEdge &shown = m_scene.shown().edges[static_cast<std::size_t>(edge)];
            if (shown.from == id || shown.to == id)
                paintEdge(m_scene.layout.routes[static_cast<std::size_t>(edge)]);
        }
    }

    void paintNode(int index, const GraphMarks &marks)
    {
        const GraphNode &node = nodeAt(index);
        const QRectF &box = boxOf(index);
        const bool selected = index == marks.selected;
        const bool dimmed = isSet(m_look.dimmed, index);
        QPen border(m_tokens.nodeBorder, 1.2);
        if (selected)
            border = QPen(m_tokens.accent, 2);
        else if (isSet(m_look.found, index))
            border = QPen(m_tokens.warn, 2);
        else if (index == marks.hovered)
            border = QPen(m_tokens.accent, 1.2);
        else if (node.mark != NodeMark::None)
            border = QPen(colorOf(node.mark), 1.6);
        const QRectF frame = selected ? box.adjusted(0.4, 0.4, -0.4, -0.4) : box;
        const bool current = index == marks.current;
        const QColor fill = selected  ? m_tokens.selectionFill
                            : current ? look::mixed(m_tokens.pane, m_tokens.warn, 0.22)
                                      : fillOf(index);
        if (current)
            paintRing(box);
        m_painter.setOpacity(dimmed && !selected && !current ? 0.35 : 1);
        m_painter.setPen(border);
        if (isScope(index)) { // a pile: there is more below
            m_painter.setBrush(m_tokens.pane);
            m_painter.drawRoundedRect(box.translated(4, 4), nodeRadius, nodeRadius);
        }
        m_painter.setBrush(fill);
        m_painter.drawRoundedRect(frame, nodeRadius, nodeRadius);
        paintBar(box, selected                      ? m_tokens.accent
                      : node.mark != NodeMark::None ? colorOf(node.mark)
                                                    : barOf(node.kind));
        if (m_view.scale >= textsFrom)
            paintTexts(index, box, fill);
        m_painter.setOpacity(1);
    }

    /// Round the node that a search is at, as wide on the screen however far the graph is.
    void paintRing(const QRectF &box)
    {
        const double pixel = 1 / std::min(1.0, m_view.scale);
        m_painter.setOpacity(1);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(m_tokens.warn, 3 * pixel));
        const double out = 5 * pixel;
        m_painter.drawRoundedRect(box.adjusted(-out, -out, out, out), nodeRadius + out, nodeRadius + out);
    }

    bool isFrame(int index) const { return m_scene.folded.frameOf[static_cast<std::size_t>(index)] >= 0; }
    /// A collapsed frame of the names; groups look like nodes.
    bool isScope(int index) const
    {
        return isFrame(index) && m_scene.folded.isGroup[static_cast<std::size_t>(index)] == 0;
    }

    /// The bar at the left fills the rounded corners of the box.
    void paintBar(const QRectF &box, const QColor &color)
    {
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(color);
        if (m_view.scale < textsFrom) {
            m_painter.drawRect(QRectF(box.left(), box.top() + 4, 5, box.height() - 8));
            return;
        }
        if (m_bar.isEmpty() || m_barHeight != box.height()) {
            m_barHeight = box.height();
            QPainterPath shape, strip;
            shape.addRoundedRect(QRectF(0, 0, 40, m_barHeight), nodeRadius, nodeRadius);
            strip.addRect(QRectF(0, 0, 5, m_barHeight));
            m_bar = shape.intersected(strip);
        }
        m_painter.translate(box.topLeft());
        m_painter.drawPath(m_bar);
        m_painter.translate(-box.topLeft());
    }

    void paintTexts(int index, const QRectF &box, const QColor &ground)
    {
        if (box.height() < oneLine) // on its way out of a frame
            return;
        const GraphNode &node = nodeAt(index);
        QRectF inner = box.adjusted(18, 0, -12, 0);
        if (isFrame(index)) {
            paintFold(m_painter, QPointF(box.right() - 12, box.bottom() - 14), false, m_tokens.secondary);
            inner.setRight(inner.right() - 8);
        }
        const bool two = !node.subtitle.isEmpty() && box.height() >= twoLines;
        QRectF title(inner.left(), two ? box.top() + 8 : box.top(), box.right() - 12 - inner.left(),
                     two ? 18 : box.height());
        const QString value =
            m_look.values.empty() ? QString() : m_look.values[static_cast<std::size_t>(index)];
        if (!value.isEmpty()) {
            m_painter.setFont(m_label);
            m_painter.setPen(m_tokens.text);
            m_painter.drawText(title, Qt::AlignRight | Qt::AlignVCenter, value);
            title.setRight(title.right() - m_labelMetrics.horizontalAdvance(value) - 8);
        }
        m_painter.setFont(m_title);
        m_painter.setPen(m_tokens.text);
        m_painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter,
                           m_titleMetrics.elidedText(node.title, Qt::ElideRight, title.width() + 1));
        if (!two)
            return;
        m_painter.setFont(m_subtitle);
        m_painter.setPen(quietText(m_tokens, ground));
        m_painter.drawText(QRectF(inner.left(), box.top() + 26, inner.width(), 16),
                           Qt::AlignLeft | Qt::AlignVCenter,
                           m_subtitleMetrics.elidedText(node.subtitle, Qt::ElideRight, inner.width() + 1));
    }

    QPainter &m_painter;
    const Scene &m_scene;
    const GraphLook &m_look;
    const GraphView m_view;
    const look::Tokens &m_tokens;
    const QFont m_title, m_subtitle, m_label;
    const QFontMetricsF m_titleMetrics, m_subtitleMetrics, m_labelMetrics;
    QPainterPath m_bar;
    double m_barHeight = 0;
};

} // namespace

QColor shadeColor(const look::Tokens &tokens, double shade)
{
    const double strongest = tokens.dark ? 0.38 : 0.5;
    return look::mixed(tokens.pane, tokens.builtin, 0.06 + (strongest - 0.06) * std::clamp(shade, 0.0, 1.0));
}

QColor quietText(const look::Tokens &tokens, const QColor &ground)
{
    QColor ink = tokens.secondary;
    for (double share = 0.1; share < 1 && look::contrast(ink, ground) < leastContrast; share += 0.1)
        ink = look::mixed(tokens.secondary, tokens.text, share);
    return ink;
}

void paintGraph(QPainter &painter, const Scene &scene, const GraphLook &graphLook, const GraphView &view,
                const look::Tokens &tokens)
{
    GraphPainter(painter, scene, graphLook, view, tokens).paint();
}

void paintMarks(QPainter &painter, const Scene &scene, const GraphLook &graphLook, const GraphMarks &marks,
                const GraphView &view, const look::Tokens &tokens)
{
    GraphPainter(painter, scene, graphLook, view, tokens).paintMarked(marks);
}

} // namespace nestwright::canvas
