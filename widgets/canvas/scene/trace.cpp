// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/scene/trace.h"

#include <QHash>

namespace nestwright::canvas {

namespace {

/// Marks the nodes reached from `starts` along `next`.
void reach(const std::vector<std::vector<int>> &next, const std::vector<int> &starts,
           std::vector<char> &reached)
{
    std::vector<char> seen(reached.size(), 0);
    std::vector<int> waiting = starts;
    while (!waiting.empty()) {
        const auto node = static_cast<std::size_t>(waiting.back());
        waiting.pop_back();
        if (seen[node])
            continue;
        seen[node] = reached[node] = 1;
        waiting.insert(waiting.end(), next[node].begin(), next[node].end());
    }
}

} // namespace

std::vector<char> trace(const GraphData &graph, const std::vector<int> &starts, Trace direction)
{
    if (direction == Trace::None)
        return {};
    QHash<int, int> indexOf;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        indexOf.insert(graph.nodes[i].id, static_cast<int>(i));
    std::vector<std::vector<int>> before(graph.nodes.size()), after(graph.nodes.size());
    for (const GraphEdge &edge : graph.edges) {
        const int from = indexOf.value(edge.from, -1);
        const int to = indexOf.value(edge.to, -1);
        if (from < 0 || to < 0)
            continue;
        after[static_cast<std::size_t>(from)].push_back(to);
        before[static_cast<std::size_t>(to)].push_back(from);
    }
    std::vector<char> reached(graph.nodes.size(), 0);
    if (direction != Trace::Outputs)
        reach(before, starts, reached);
    if (direction != Trace::Inputs)
        reach(after, starts, reached);
    return reached;
}

} // namespace nestwright::canvas
