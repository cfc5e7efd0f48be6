// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/scene/folded_graph.h"

#include "widgets/canvas/scene/overlay.h"
#include "widgets/document/text.h"

#include <QCoreApplication>

#include <algorithm>

namespace nestwright::canvas {

namespace {

constexpr double titlePixelsPerLetter = 7.4; // at most, of the title's font
constexpr double titleRoom = 120;            // for the mark before it and the count behind it

struct FoldedText {
    Q_DECLARE_TR_FUNCTIONS(GraphCanvas)
};

class Folding {
public:
    Folding(const GraphData &whole, const FrameTree &tree, const std::vector<char> &open)
        : m_whole(whole)
        , m_tree(tree)
        , m_openAt(tree.frames.size(), -1)
        , m_closedAt(tree.frames.size(), -1)
        , m_shownOfFrame(tree.frames.size(), -1)
    {
        for (std::size_t i = 0; i < tree.frames.size(); ++i) {
            const Frame &frame = tree.frames[i];
            if (frame.parent >= 0)
                m_closedAt[i] = m_closedAt[static_cast<std::size_t>(frame.parent)];
            if (m_closedAt[i] < 0 && !open[i] && i > 0)
                m_closedAt[i] = static_cast<int>(i);
            if (m_closedAt[i] >= 0 || i == 0)
                continue;
            m_openAt[i] = static_cast<int>(m_result.open.size());
            m_result.open.push_back(static_cast<int>(i));
            m_result.frameTitles.push_back(frame.title);
            m_result.frameNotes.push_back(
                frame.group >= 0 ? m_whole.groups[static_cast<std::size_t>(frame.group)].node.subtitle
                                 : document::counted(frame.count, FoldedText::tr("node")));
            m_result.nesting.frames.push_back(
                {frame.id, m_openAt[static_cast<std::size_t>(frame.parent)],
                 static_cast<double>(frame.title.size()) * titlePixelsPerLetter + titleRoom});
        }
    }

    FoldedGraph fold()
    {
        for (std::size_t i = 0; i < m_whole.nodes.size(); ++i)
            addNode(i);
        addEdges();
        return std::move(m_result);
    }

private:
    void addNode(std::size_t node)
    {
        const int frame = m_tree.frameOf[node];
        const int closed = m_closedAt[static_cast<std::size_t>(frame)];
        int shown = closed < 0 ? -1 : m_shownOfFrame[static_cast<std::size_t>(closed)];
        if (shown < 0) {
            shown = static_cast<int>(m_result.shown.nodes.size());
            const int around = closed < 0 ? frame : m_tree.frames[static_cast<std::size_t>(closed)].parent;
            m_result.nesting.frameOf.push_back(m_openAt[static_cast<std::size_t>(around)]);
            m_result.leafOf.push_back(closed < 0 ? static_cast<int>(node) : -1);
            m_result.frameOf.push_back(closed);
            m_result.isGroup.push_back(
                closed >= 0 && m_tree.frames[static_cast<std::size_t>(closed)].group >= 0 ? 1 : 0);
            if (closed < 0) {
                m_result.shown.nodes.push_back(m_whole.nodes[node]);
            } else {
                m_shownOfFrame[static_cast<std::size_t>(closed)] = shown;
                m_result.shown.nodes.push_back(
                    nodeOfFrame(m_whole, m_tree.frames[static_cast<std::size_t>(closed)]));
            }
        }
        m_result.shownOf.push_back(shown);
    }

    void addEdges()
    {
        QHash<int, int> indexOf;
        for (std::size_t i = 0; i < m_whole.nodes.size(); ++i)
            indexOf.insert(m_whole.nodes[i].id, static_cast<int>(i));
        QHash<std::pair<int, int>, int> merged; // edges at collapsed frames by their shown nodes
        QHash<int, int> tensors;                // of a merged edge: how many
        QHash<int, int> lastFrom;
        for (const GraphEdge &edge : m_whole.edges) {
            const int from = shownOf(indexOf.value(edge.from, -1));
            const int to = shownOf(indexOf.value(edge.to, -1));
            if (from < 0 || to < 0 || from == to) {
                m_result.edgeOf.push_back(-1);
                continue;
            }
            const bool atFrame = m_result.leafOf[static_cast<std::size_t>(from)] < 0
                                 || m_result.leafOf[static_cast<std::size_t>(to)] < 0;
            const int next = static_cast<int>(m_result.shown.edges.size());
            const int index = atFrame ? merged.value({from, to}, next) : next;
            m_result.edgeOf.push_back(index);
            if (index < next) {
                if (lastFrom.value(index) != edge.from)
                    ++tensors[index];
                lastFrom[index] = edge.from;
                continue;
            }
            GraphEdge shown = edge;
            shown.from = m_result.shown.nodes[static_cast<std::size_t>(from)].id;
            shown.to = m_result.shown.nodes[static_cast<std::size_t>(to)].id;
            m_result.shown.edges.push_back(std::move(shown));
            if (atFrame) {
                merged.insert({from, to}, index);
                lastFrom[index] = edge.from;
            }
        }
        for (auto more = tensors.cbegin(); more != tensors.cend(); ++more) {
            GraphEdge &edge = m_result.shown.edges[static_cast<std::size_t>(more.key())];
            edge.label = document::counted(more.value() + 1, FoldedText::tr("tensor"));
            edge.detail.clear();
        }
    }

    int shownOf(int node) const { return node < 0 ? -1 : m_result.shownOf[static_cast<std::size_t>(node)]; }

    const GraphData &m_whole;
    const FrameTree &m_tree;
    std::vector<int> m_openAt;   // place in nesting.frames; -1 of the graph itself and of collapsed frames
    std::vector<int> m_closedAt; // the outermost collapsed frame that it is or lies in
    std::vector<int> m_shownOfFrame;
    FoldedGraph m_result;
};

} // namespace

GraphNode nodeOfFrame(const GraphData &whole, const Frame &frame)
{
    if (frame.group >= 0)
        return whole.groups[static_cast<std::size_t>(frame.group)].node;
    GraphNode node;
    node.id = frame.id;
    node.title = frame.title;
    const auto isOf = [&](NodeKind kind) {
        return frame.frames.empty() && std::ranges::all_of(frame.nodes, [&](int inside) {
                   return whole.nodes[static_cast<std::size_t>(inside)].kind == kind;
               });
    };
    node.kind = isOf(NodeKind::Input)    ? NodeKind::Input
                : isOf(NodeKind::Output) ? NodeKind::Output
                                         : NodeKind::Compute;
    node.subtitle = document::counted(frame.count, node.kind == NodeKind::Input    ? FoldedText::tr("input")
                                                   : node.kind == NodeKind::Output ? FoldedText::tr("output")
                                                                                   : FoldedText::tr("node"));
    if (const auto flops = overlayValue(frame.numbers, Overlay::Flops))
        node.subtitle += QStringLiteral(" · ") + overlayText(*flops, Overlay::Flops);
    if (frame.parts > 0)
        node.detail = frame.differences.isEmpty()
                          ? FoldedText::tr("its %n parts are alike", nullptr, frame.parts)
                          : FoldedText::tr("its %n parts differ in:", nullptr, frame.parts) + u'\n'
                                + frame.differences.join(u'\n');
    if (!frame.isMade)
        node.name = frame.path;
    node.numbers = frame.numbers;
    node.share = frame.share;
    node.mark = frame.mark;
    return node;
}

FoldedGraph fold(const GraphData &whole, const FrameTree &tree, const std::vector<char> &open)
{
    return Folding(whole, tree, open).fold();
}

} // namespace nestwright::canvas
