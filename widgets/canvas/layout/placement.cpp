// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/layout/layered_graph.h"

#include <cmath>
#include <cstddef>

namespace nestwright::canvas {

namespace {

constexpr int sweeps = 16;
constexpr double bendWeight = 0.02; // a long edge makes way for the nodes beside it …
constexpr double bendPull = 0.02;   // … and does not bend chains of operators
constexpr double bendGap = 14;
constexpr double sourcePull = 0.02;
constexpr double portPull = 0.1;    // edges from outside a frame hardly bend its contents
constexpr double formerPull = 500;  // known nodes move only when pushed …
constexpr double formerWeight = 50; // … and new nodes make way for it
constexpr double looseWeight = 0.05;
constexpr double sourceWeight = 0.05; // they make way for operators

double spacing(const Vertex &left, const Vertex &right, double gap)
{
    const double between = left.node < 0 || right.node < 0 ? bendGap : gap;
    return left.width / 2 + between + right.width / 2;
}

/// The places nearest to `wanted` (weighted squares) that keep the order and the spacing of a layer.
void solveLayer(LayeredGraph &graph, const std::vector<int> &layer, const std::vector<double> &wanted,
                const std::vector<double> &weights, double gap)
{
    // Taking the least offset of each from the first away leaves "not decreasing" as the only condition.
    struct Pool {
        double sum, weight;
        std::size_t size;
        double mean() const { return sum / weight; }
    };
    std::vector<Pool> pools;
    std::vector<double> offsets(layer.size(), 0);
    for (std::size_t i = 0; i < layer.size(); ++i) {
        if (i > 0)
            offsets[i] = offsets[i - 1]
                         + spacing(graph.vertices[static_cast<std::size_t>(layer[i - 1])],
                                   graph.vertices[static_cast<std::size_t>(layer[i])], gap);
        pools.push_back({(wanted[i] - offsets[i]) * weights[i], weights[i], 1});
        while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
            const Pool last = pools.back();
            pools.pop_back();
            pools.back().sum += last.sum;
            pools.back().weight += last.weight;
            pools.back().size += last.size;
        }
    }
    std::size_t at = 0;
    for (const Pool &pool : pools) {
        for (std::size_t i = 0; i < pool.size; ++i, ++at)
            graph.vertices[static_cast<std::size_t>(layer[at])].x = pool.mean() + offsets[at];
    }
}

double pullOf(const Vertex &neighbour)
{
    if (neighbour.node < 0)
        return bendPull;
    if (neighbour.pin != Pin::Free)
        return portPull;
    return neighbour.isSource() ? sourcePull : 1;
}

/// Mean x of the neighbours that count, and of the former place; its own place where there is neither. Inputs
/// and weights hardly pull at a node that has something computed above it too: else every operator of a
/// network would stand half a weight further to one side. Edges that pass by hardly pull either: else a
/// network of residual blocks would lean to the side of its short cuts.
double wish(const LayeredGraph &graph, const Vertex &vertex, bool up, bool down)
{
    double sum = 0;
    double weight = 0;
    const auto add = [&](const std::vector<int> &neighbours, const std::vector<double> &shifts) {
        for (std::size_t i = 0; i < neighbours.size(); ++i) {
            const Vertex &neighbour = graph.vertices[static_cast<std::size_t>(neighbours[i])];
            const double pull = pullOf(neighbour);
            sum += (neighbour.x + Vertex::shift(shifts, i)) * pull;
            weight += pull;
        }
    };
    if (!std::isnan(vertex.formerX)) {
        sum += vertex.formerX * formerPull;
        weight += formerPull;
    }
    if (up)
        add(vertex.up, vertex.upShift);
    if (down)
        add(vertex.down, vertex.downShift);
    return weight > 0 ? sum / weight : vertex.x;
}

/// How much a vertex insists on its wish.
double weightOf(const Vertex &vertex, bool hasNeighbours)
{
    if (!std::isnan(vertex.formerX))
        return formerWeight;
    if (vertex.node < 0 || vertex.pin != Pin::Free)
        return bendWeight;
    if (!hasNeighbours)
        return looseWeight;
    return vertex.isSource() ? sourceWeight : 1;
}

void placeLayer(LayeredGraph &graph, const std::vector<int> &layer, double gap, bool up, bool down)
{
    std::vector<double> wanted, weights;
    for (const int v : layer) {
        const Vertex &vertex = graph.vertices[static_cast<std::size_t>(v)];
        wanted.push_back(wish(graph, vertex, up, down));
        weights.push_back(weightOf(vertex, (up && !vertex.up.empty()) || (down && !vertex.down.empty())));
    }
    solveLayer(graph, layer, wanted, weights, gap);
}

} // namespace

void placeVertices(LayeredGraph &graph, double gap, const std::stop_token &stop)
{
    for (const std::vector<int> &layer : graph.layers) { // to begin with: packed around zero
        double width = 0;
        for (std::size_t i = 1; i < layer.size(); ++i)
            width += spacing(graph.vertices[static_cast<std::size_t>(layer[i - 1])],
                             graph.vertices[static_cast<std::size_t>(layer[i])], gap);
        double x = -width / 2;
        for (std::size_t i = 0; i < layer.size(); ++i) {
            if (i > 0)
                x += spacing(graph.vertices[static_cast<std::size_t>(layer[i - 1])],
                             graph.vertices[static_cast<std::size_t>(layer[i])], gap);
            graph.vertices[static_cast<std::size_t>(layer[i])].x = x;
        }
    }
    const std::size_t count = graph.layers.size();
    for (int sweep = 0; sweep < sweeps && !stop.stop_requested(); ++sweep) {
        const bool downward = sweep % 2 == 0;
        const bool last = sweep >= sweeps - 2; // both sides count in the end
        for (std::size_t i = 0; i < count; ++i)
            placeLayer(graph, graph.layers[downward ? i : count - 1 - i], gap, downward || last,
                       !downward || last);
    }
    for (Vertex &vertex : graph.vertices)
        vertex.x = std::round(vertex.x);
}

} // namespace nestwright::canvas
