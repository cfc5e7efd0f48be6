// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/graph_painter.h"

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

constexpr double boxesOnlyBelow = 0.22; // scales: nothing but filled boxes and straight lines …
constexpr double textsFrom = 0.42;      // … titles, subtitles and labels
constexpr double labelsFrom = 0.6;
constexpr double radius = 8;

class GraphPainter {
public:
    GraphPainter(QPainter &painter, const GraphData &graph, const GraphLayout &layout,
                 const GraphMarks &marks, const QRectF &visible, double scale, const look::Tokens &tokens)
        : m_painter(painter)
        , m_graph(graph)
        , m_layout(layout)
        , m_marks(marks)
        , m_visible(visible)
        , m_scale(scale)
        , m_tokens(tokens)
        , m_title(look::interfaceFont(13, QFont::DemiBold))
        , m_subtitle(look::interfaceFont(11.5))
        , m_label(look::interfaceFont(11))
        , m_titleMetrics(m_title)
        , m_subtitleMetrics(m_subtitle)
    {
        if (marks.selected >= 0)
            m_selectedId = graph.nodes[static_cast<std::size_t>(marks.selected)].id;
    }

    void paint()
    {
        if (m_scale < boxesOnlyBelow) {
            paintFarEdges();
            paintFarNodes();
            return;
        }
        m_painter.setRenderHint(QPainter::Antialiasing);
        paintEdges();
        for (std::size_t i = 0; i < m_layout.boxes.size(); ++i) {
            if (m_layout.boxes[i].intersects(m_visible))
                paintNode(static_cast<int>(i));
        }
    }

private:
    bool touchesSelected(const GraphEdge &edge) const
    {
        return m_marks.selected >= 0 && (edge.from == m_selectedId || edge.to == m_selectedId);
    }

    bool isDimmed(std::size_t node) const { return m_marks.found && !(*m_marks.found)[node]; }

    QColor fillOf(std::size_t index) const
    {
        const GraphNode &node = m_graph.nodes[index];
        if (m_marks.overlay && node.share >= 0)
            return look::mixed(m_tokens.pane, m_tokens.builtin,
                               0.06 + 0.44 * std::sqrt(std::clamp(node.share, 0.0, 1.0)));
        if (node.mark != NodeMark::None)
            return look::mixed(m_tokens.pane, colorOf(node.mark), 0.1);
        return m_tokens.pane;
    }

    QColor colorOf(NodeMark mark) const
    {
        return mark == NodeMark::Removed ? m_tokens.bad
               : mark == NodeMark::Added ? m_tokens.good
                                         : m_tokens.warn;
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

    void paintFarEdges()
    {
        QList<QLineF> lines, chosen;
        for (std::size_t i = 0; i < m_layout.routes.size(); ++i) {
            const QPolygonF &route = m_layout.routes[i];
            if (route.isEmpty())
                continue;
            QList<QLineF> &into = touchesSelected(m_graph.edges[i]) ? chosen : lines;
            for (qsizetype point = 1; point < route.size(); ++point) {
                const QPointF a = route[point - 1];
                const QPointF b = route[point];
                if (std::max(a.y(), b.y()) >= m_visible.top() && std::min(a.y(), b.y()) <= m_visible.bottom()
                    && std::max(a.x(), b.x()) >= m_visible.left()
                    && std::min(a.x(), b.x()) <= m_visible.right())
                    into.append(QLineF(a, b));
            }
        }
        m_painter.setRenderHint(QPainter::Antialiasing, false);
        m_painter.setPen(QPen(look::mixed(m_tokens.edge, m_tokens.pane, 0.45), 0));
        m_painter.drawLines(lines);
        m_painter.setPen(QPen(m_tokens.accent, 0));
        m_painter.drawLines(chosen);
    }

    void paintFarNodes()
    {
        std::array<QList<QRectF>, 2> plain; // compute, others
        QList<QRectF> dimmed;
        m_painter.setPen(Qt::NoPen);
        for (std::size_t i = 0; i < m_layout.boxes.size(); ++i) {
            const QRectF &box = m_layout.boxes[i];
            if (!box.intersects(m_visible))
                continue;
            if (isDimmed(i))
                dimmed.append(box);
            else if (m_graph.nodes[i].mark != NodeMark::None)
                m_painter.fillRect(box, colorOf(m_graph.nodes[i].mark));
            else if (m_marks.overlay && m_graph.nodes[i].share >= 0)
                m_painter.fillRect(box, look::mixed(m_tokens.minimapNode, m_tokens.builtin,
                                                    std::sqrt(std::min(1.0, m_graph.nodes[i].share))));
            else
                plain[m_graph.nodes[i].kind == NodeKind::Compute ? 0 : 1].append(box);
        }
        const auto fill = [this](const QList<QRectF> &boxes, const QColor &color) {
            m_painter.setBrush(color);
            m_painter.drawRects(boxes);
        };
        fill(dimmed, look::mixed(m_tokens.pane, m_tokens.nodeBar, 0.2));
        fill(plain[1], m_tokens.minimapNode);
        fill(plain[0], m_tokens.bar);
        for (const int marked : {m_marks.hovered, m_marks.selected}) {
            if (marked >= 0)
                m_painter.fillRect(m_layout.boxes[static_cast<std::size_t>(marked)], m_tokens.accent);
        }
    }

    void paintEdges()
    {
        m_painter.setBrush(Qt::NoBrush);
        for (const bool chosen : {false, true}) {
            m_painter.setPen(QPen(chosen ? m_tokens.accent : m_tokens.edge, chosen ? 1.8 : 1.5, Qt::SolidLine,
                                  Qt::RoundCap, Qt::RoundJoin));
            for (std::size_t i = 0; i < m_layout.routes.size(); ++i) {
                const QPolygonF &route = m_layout.routes[i];
                if (route.isEmpty() || touchesSelected(m_graph.edges[i]) != chosen
                    || !route.boundingRect().adjusted(-12, -12, 120, 12).intersects(m_visible))
                    continue;
                m_painter.drawPath(edgePath(route));
                const QPointF tip = route.last();
                const double back = route[route.size() - 2].y() <= tip.y() ? -7 : 7;
                m_painter.drawPolyline(QPolygonF{tip + QPointF(-4, back), tip, tip + QPointF(4, back)});
            }
        }
        if (m_scale < labelsFrom)
            return;
        m_painter.setFont(m_label);
        m_painter.setPen(m_tokens.secondary);
        for (std::size_t i = 0; i < m_layout.routes.size(); ++i) {
            const QPolygonF &route = m_layout.routes[i];
            if (route.isEmpty() || m_graph.edges[i].label.isEmpty())
                continue;
            const QPointF middle = (route[route.size() - 2] + route.last()) / 2;
            const QRectF box(middle.x() + 10, middle.y() - 8, 180, 16);
            if (box.intersects(m_visible))
                m_painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, m_graph.edges[i].label);
        }
    }

    void paintNode(int index)
    {
        const auto i = static_cast<std::size_t>(index);
        const GraphNode &node = m_graph.nodes[i];
        const QRectF &box = m_layout.boxes[i];
        const bool selected = index == m_marks.selected;
        const bool dimmed = isDimmed(i);
        m_painter.setOpacity(dimmed ? 0.35 : 1);
        QPen border(m_tokens.nodeBorder, 1.2);
        if (selected)
            border = QPen(m_tokens.accent, 2);
        else if (m_marks.found && !dimmed)
            border = QPen(m_tokens.warn, 2);
        else if (index == m_marks.hovered)
            border = QPen(m_tokens.accent, 1.2);
        else if (node.mark != NodeMark::None)
            border = QPen(colorOf(node.mark), 1.6);
        const QRectF frame = selected ? box.adjusted(0.4, 0.4, -0.4, -0.4) : box;
        m_painter.setPen(border);
        m_painter.setBrush(selected ? m_tokens.selectionFill : fillOf(i));
        m_painter.drawRoundedRect(frame, radius, radius);
        paintBar(box, selected                      ? m_tokens.accent
                      : node.mark != NodeMark::None ? colorOf(node.mark)
                                                    : barOf(node.kind));
        if (m_scale >= textsFrom)
            paintTexts(node, box);
        m_painter.setOpacity(1);
    }

    /// The bar at the left fills the rounded corners of the box.
    void paintBar(const QRectF &box, const QColor &color)
    {
        m_painter.save();
        QPainterPath shape;
        shape.addRoundedRect(box, radius, radius);
        QPainterPath strip;
        strip.addRect(QRectF(box.left(), box.top(), 5, box.height()));
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(color);
        m_painter.drawPath(shape.intersected(strip));
        m_painter.restore();
    }

    void paintTexts(const GraphNode &node, const QRectF &box)
    {
        const QRectF inner = box.adjusted(18, 0, -12, 0);
        const bool two = !node.subtitle.isEmpty();
        QRectF title(inner.left(), two ? box.top() + 8 : box.top(), inner.width(), two ? 18 : box.height());
        if (m_marks.overlay && !node.cost.isEmpty()) {
            m_painter.setFont(m_label);
            m_painter.setPen(m_tokens.text);
            m_painter.drawText(title, Qt::AlignRight | Qt::AlignVCenter, node.cost);
            title.setRight(title.right() - QFontMetricsF(m_label).horizontalAdvance(node.cost) - 8);
        }
        m_painter.setFont(m_title);
        m_painter.setPen(m_tokens.text);
        m_painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter,
                           m_titleMetrics.elidedText(node.title, Qt::ElideRight, title.width() + 1));
        if (!two)
            return;
        m_painter.setFont(m_subtitle);
        m_painter.setPen(m_tokens.secondary);
        m_painter.drawText(QRectF(inner.left(), box.top() + 26, inner.width(), 16),
                           Qt::AlignLeft | Qt::AlignVCenter,
                           m_subtitleMetrics.elidedText(node.subtitle, Qt::ElideRight, inner.width() + 1));
    }

    QPainter &m_painter;
    const GraphData &m_graph;
    const GraphLayout &m_layout;
    const GraphMarks &m_marks;
    const QRectF m_visible;
    const double m_scale;
    const look::Tokens &m_tokens;
    const QFont m_title, m_subtitle, m_label;
    const QFontMetricsF m_titleMetrics, m_subtitleMetrics;
    int m_selectedId = 0;
};

} // namespace

QPainterPath edgePath(const QPolygonF &route)
{
    QPainterPath path(route.first());
    for (qsizetype i = 1; i < route.size(); ++i) {
        const QPointF a = route[i - 1];
        const QPointF b = route[i];
        const double half = (b.y() - a.y()) / 2;
        path.cubicTo(a + QPointF(0, half), b - QPointF(0, half), b);
    }
    return path;
}

void paintGraph(QPainter &painter, const GraphData &graph, const GraphLayout &layout, const GraphMarks &marks,
                const QRectF &visible, double scale, const look::Tokens &tokens)
{
    GraphPainter(painter, graph, layout, marks, visible, scale, tokens).paint();
}

} // namespace nestwright::canvas
