// SPDX-License-Identifier: GPL-3.0-or-later
// Texts about what GraphCanvas shows: tool tips, and its nodes for screen readers.
#include "widgets/canvas/graph_canvas.h"

#include "widgets/look/empty_state.h"

#include <algorithm>
#include <optional>

namespace nestwright::canvas {

namespace {

QString tipLines(const QString &title, std::initializer_list<QString> others)
{
    QString text = QStringLiteral("<b>%1</b>").arg(title.toHtmlEscaped());
    for (const QString &other : others) {
        if (!other.isEmpty())
            text += QStringLiteral("<br>") + other.toHtmlEscaped().replace(u'\n', QLatin1String("<br>"));
    }
    return text;
}

QString tipOf(const GraphNode &node)
{
    QStringList numbers;
    for (const Overlay each : allOverlays) {
        if (const std::optional<double> value = overlayValue(node.numbers, each))
            numbers << (each == Overlay::Peak || each == Overlay::Intensity
                            ? overlayText(*value, each).remove(QStringLiteral(" %")) + u' '
                                  + overlayName(each)
                            : overlayText(*value, each));
    }
    return tipLines(node.title,
                    {node.subtitle, node.label, node.label == node.name ? QString() : node.name,
                     numbers.join(QStringLiteral(" · ")), node.cost, node.attributes, node.detail});
}

QString titleOf(const GraphData &graph, int id)
{
    const auto found = std::ranges::find(graph.nodes, id, &GraphNode::id);
    return found == graph.nodes.end() ? QString() : found->title;
}

} // namespace

QString GraphCanvas::toolTipAt(const QPointF &point) const
{
    if (const int node = nodeAt(point); node >= 0)
        return tipOf(graph().nodes[static_cast<std::size_t>(node)]);
    if (const int edge = edgeAt(point); edge >= 0) {
        const GraphEdge &shown = graph().edges[static_cast<std::size_t>(edge)];
        return tipLines(
            QStringLiteral("%1 → %2").arg(titleOf(graph(), shown.from), titleOf(graph(), shown.to)),
            {shown.label, shown.detail});
    }
    if (const int frame = frameTitleAt(point); frame > 0)
        return tipOf(nodeOfFrame(m_whole->data, m_whole->frames.frames[static_cast<std::size_t>(frame)]));
    return {};
}

/// The node, and those that it takes its inputs from.
QString GraphCanvas::accessibleText(int index) const
{
    const GraphNode &node = graph().nodes[static_cast<std::size_t>(index)];
    QString text = look::plainLine(tipOf(node));
    if (thingAt(index).frame >= 0)
        text += tr(", collapsed");
    QStringList inputs;
    for (const GraphEdge &edge : graph().edges) {
        if (edge.to == node.id)
            inputs << titleOf(graph(), edge.from).simplified();
    }
    return inputs.isEmpty() ? text : tr("%1; from %2").arg(text, inputs.join(QStringLiteral(", ")));
}

/// Chooses the node, and opens it where it is chosen already.
void GraphCanvas::chooseAccessible(int index)
{
    if (index == m_marks.selected)
        activate(thingAt(index));
    else
        select(thingAt(index));
}

QString GraphCanvas::accessibleSummary() const
{
    if (graph().nodes.empty())
        return m_empty->accessibleName();
    return m_marks.selected < 0
               ? accessibleDescription()
               : tr("%1; selected: %2").arg(accessibleDescription(), accessibleText(m_marks.selected));
}

} // namespace nestwright::canvas
