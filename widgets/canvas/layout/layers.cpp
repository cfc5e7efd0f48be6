// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/layout/layered_graph.h"

#include <algorithm>

namespace nestwright::canvas {

namespace {

constexpr int longestBentEdge =
    40; // layers; a longer edge is drawn straight instead of pushing nodes aside everywhere

struct Adjacency {
    std::vector<std::vector<int>> out, in;
};

/// The edges without cycles: one that closes a cycle, seen from the earlier nodes, is turned round.
IndexEdges withoutCycles(std::size_t count, const IndexEdges &edges)
{
    std::vector<std::vector<int>> out(count); // edge numbers
    for (std::size_t i = 0; i < edges.size(); ++i)
        out[static_cast<std::size_t>(edges[i].first)].push_back(static_cast<int>(i));
    IndexEdges result = edges;
    enum : char { Unseen, Open, Done };
    std::vector<char> state(count, Unseen);
    struct Frame {
        int node;
        std::size_t next;
    };
    std::vector<Frame> stack;
    for (std::size_t root = 0; root < count; ++root) {
        if (state[root] != Unseen)
            continue;
        stack.push_back({static_cast<int>(root), 0});
        state[root] = Open;
        while (!stack.empty()) {
            Frame &top = stack.back();
            const auto &edgesOut = out[static_cast<std::size_t>(top.node)];
            if (top.next == edgesOut.size()) {
                state[static_cast<std::size_t>(top.node)] = Done;
                stack.pop_back();
                continue;
            }
            const auto edge = static_cast<std::size_t>(edgesOut[top.next++]);
            const auto to = static_cast<std::size_t>(edges[edge].second);
            if (state[to] == Open)
                std::swap(result[edge].first, result[edge].second);
            else if (state[to] == Unseen) {
                state[to] = Open;
                stack.push_back({static_cast<int>(to), 0});
            }
        }
    }
    return result;
}

/// Longest paths from the sources.
std::vector<int> layersOf(std::size_t count, const Adjacency &adjacency, const std::vector<Pin> &pins)
{
    const bool hasTop = std::ranges::contains(pins, Pin::Top);
    std::vector<int> layer(count, hasTop ? 1 : 0);
    for (std::size_t i = 0; i < pins.size(); ++i) {
        if (pins[i] == Pin::Top)
            layer[i] = 0;
    }
    std::vector<int> waiting(count);
    std::vector<int> ready;
    for (std::size_t i = 0; i < count; ++i) {
        waiting[i] = static_cast<int>(adjacency.in[i].size());
        if (!waiting[i])
            ready.push_back(static_cast<int>(i));
    }
    for (std::size_t at = 0; at < ready.size(); ++at) {
        const auto node = static_cast<std::size_t>(ready[at]);
        for (const int to : adjacency.out[node]) {
            const auto target = static_cast<std::size_t>(to);
            layer[target] = std::max(layer[target], layer[node] + 1);
            if (!--waiting[target])
                ready.push_back(to);
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (!adjacency.in[i].empty() || adjacency.out[i].empty() || (!pins.empty() && pins[i] == Pin::Top))
            continue;
        int first = layer[static_cast<std::size_t>(adjacency.out[i].front())];
        for (const int to : adjacency.out[i])
            first = std::min(first, layer[static_cast<std::size_t>(to)]);
        layer[i] = first - 1;
    }
    int last = -1;
    for (std::size_t i = 0; i < count; ++i) {
        if (pins.empty() || pins[i] != Pin::Bottom)
            last = std::max(last, layer[i]);
    }
    for (std::size_t i = 0; i < pins.size(); ++i) {
        if (pins[i] == Pin::Bottom)
            layer[i] = last + 1;
    }
    return layer;
}

/// Puts an edge between two vertices of adjacent layers.
void link(LayeredGraph &graph, int from, int to, const EdgeShift &shift)
{
    Vertex &upper = graph.vertices[static_cast<std::size_t>(from)];
    Vertex &lower = graph.vertices[static_cast<std::size_t>(to)];
    const auto add = [](std::vector<double> &shifts, std::size_t before, double value) {
        if (value == 0 && shifts.empty())
            return;
        shifts.resize(before, 0); // those before joined the middles
        shifts.push_back(value);
    };
    add(upper.downShift, upper.down.size(), shift.to - shift.from);
    add(lower.upShift, lower.up.size(), shift.from - shift.to);
    upper.down.push_back(to);
    lower.up.push_back(from);
}

/// Adds an edge as a chain of vertices.
std::vector<int> addChain(LayeredGraph &graph, int from, int to, const EdgeShift &shift)
{
    std::vector<int> chain{from};
    const int first = graph.vertices[static_cast<std::size_t>(from)].layer;
    const int last = graph.vertices[static_cast<std::size_t>(to)].layer;
    if (last - first > longestBentEdge)
        return {from, to};
    for (int layer = first + 1; layer < last; ++layer) {
        const int bend = static_cast<int>(graph.vertices.size());
        Vertex vertex;
        vertex.layer = layer;
        graph.vertices.push_back(std::move(vertex));
        graph.layers[static_cast<std::size_t>(layer)].push_back(bend);
        chain.push_back(bend);
    }
    chain.push_back(to);
    for (std::size_t i = 0; i + 1 < chain.size(); ++i)
        link(graph, chain[i], chain[i + 1], {i == 0 ? shift.from : 0, i + 2 == chain.size() ? shift.to : 0});
    return chain;
}

} // namespace

LayeredGraph makeLayers(const std::vector<double> &widths, const IndexEdges &given,
                        const std::vector<Pin> &pins, const std::vector<EdgeShift> &shifts)
{
    const std::size_t count = widths.size();
    const IndexEdges edges = withoutCycles(count, given);
    Adjacency adjacency{std::vector<std::vector<int>>(count), std::vector<std::vector<int>>(count)};
    for (const auto &[from, to] : edges) {
        adjacency.out[static_cast<std::size_t>(from)].push_back(to);
        adjacency.in[static_cast<std::size_t>(to)].push_back(from);
    }
    return makeLayers(widths, given, layersOf(count, adjacency, pins), pins, shifts);
}

LayeredGraph makeLayers(const std::vector<double> &widths, const IndexEdges &edges,
                        const std::vector<int> &layerOf, const std::vector<Pin> &pins,
                        const std::vector<EdgeShift> &shifts)
{
    const std::size_t count = widths.size();
    LayeredGraph graph;
    graph.layers.resize(count ? static_cast<std::size_t>(*std::ranges::max_element(layerOf)) + 1 : 0);
    graph.vertices.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        graph.vertices[i].node = static_cast<int>(i);
        graph.vertices[i].layer = layerOf[i];
        graph.vertices[i].width = widths[i];
        graph.vertices[i].pin = pins.empty() ? Pin::Free : pins[i];
        graph.layers[static_cast<std::size_t>(layerOf[i])].push_back(static_cast<int>(i));
    }
    graph.chains.reserve(edges.size());
    for (std::size_t i = 0; i < edges.size(); ++i) {
        auto [from, to] = edges[i];
        const bool turned =
            layerOf[static_cast<std::size_t>(from)] > layerOf[static_cast<std::size_t>(to)]; // of a cycle
        EdgeShift shift = shifts.empty() ? EdgeShift() : shifts[i];
        if (turned) {
            std::swap(from, to);
            std::swap(shift.from, shift.to);
        }
        std::vector<int> chain = addChain(graph, from, to, shift);
        if (turned) // drawn in its own direction
            std::ranges::reverse(chain);
        graph.chains.push_back(std::move(chain));
    }
    return graph;
}

} // namespace nestwright::canvas
