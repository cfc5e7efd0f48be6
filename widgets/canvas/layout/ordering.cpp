// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/layout/layered_graph.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace nestwright::canvas {

namespace {

constexpr int sweepsOfSmallGraphs = 12;
constexpr int sweepsOfLargeGraphs = 6;
constexpr std::size_t largeGraph = 4000;
constexpr double mostlyKnown = 0.7;
constexpr double shiftOfOnePlace = 400; // edges that leave a wide frame at different places are told apart

/// Position of each vertex in its layer.
std::vector<int> positions(const LayeredGraph &graph)
{
    std::vector<int> position(graph.vertices.size());
    for (const std::vector<int> &layer : graph.layers) {
        for (std::size_t i = 0; i < layer.size(); ++i)
            position[static_cast<std::size_t>(layer[i])] = static_cast<int>(i);
    }
    return position;
}

/// Sorts one layer by the mean position of its neighbours on one side; who has none stays where it is.
void sortLayer(LayeredGraph &graph, std::vector<int> &layer, std::vector<int> &position, bool byUpper)
{
    std::vector<std::pair<double, int>> keyed;
    keyed.reserve(layer.size());
    for (const int v : layer) {
        const Vertex &vertex = graph.vertices[static_cast<std::size_t>(v)];
        const std::vector<int> &neighbours = byUpper ? vertex.up : vertex.down;
        const std::vector<double> &shifts = byUpper ? vertex.upShift : vertex.downShift;
        double sum = 0;
        for (std::size_t i = 0; i < neighbours.size(); ++i)
            sum += position[static_cast<std::size_t>(neighbours[i])]
                   + std::clamp(Vertex::shift(shifts, i) / shiftOfOnePlace, -0.45, 0.45);
        const double key = neighbours.empty() ? position[static_cast<std::size_t>(v)]
                                              : sum / static_cast<double>(neighbours.size());
        keyed.emplace_back(key, v);
    }
    std::ranges::stable_sort(keyed, {}, &std::pair<double, int>::first);
    for (std::size_t i = 0; i < layer.size(); ++i) {
        layer[i] = keyed[i].second;
        position[static_cast<std::size_t>(layer[i])] = static_cast<int>(i);
    }
}

/// Former places, and for new nodes and bends the mean of their neighbours', from above and then from below.
std::vector<double> formerPlaces(const LayeredGraph &graph)
{
    std::vector<double> places;
    for (const Vertex &vertex : graph.vertices)
        places.push_back(vertex.formerX);
    const auto fill = [&](int v, const std::vector<int> &neighbours) {
        double &place = places[static_cast<std::size_t>(v)];
        double sum = 0;
        int count = 0;
        for (const int other : neighbours) {
            const double x = places[static_cast<std::size_t>(other)];
            if (!std::isnan(x)) {
                sum += x;
                ++count;
            }
        }
        if (std::isnan(place) && count)
            place = sum / count;
    };
    for (const std::vector<int> &layer : graph.layers) {
        for (const int v : layer)
            fill(v, graph.vertices[static_cast<std::size_t>(v)].up);
    }
    for (auto layer = graph.layers.rbegin(); layer != graph.layers.rend(); ++layer) {
        for (const int v : *layer)
            fill(v, graph.vertices[static_cast<std::size_t>(v)].down);
    }
    for (double &place : places)
        place = std::isnan(place) ? 0 : place;
    return places;
}

/// Counts the inversions of a sequence by merging.
long long inversions(std::vector<int> &values, std::vector<int> &scratch, std::size_t from, std::size_t to)
{
    if (to - from < 2)
        return 0;
    const std::size_t middle = (from + to) / 2;
    long long count = inversions(values, scratch, from, middle) + inversions(values, scratch, middle, to);
    std::size_t left = from, right = middle, out = from;
    while (left < middle || right < to) {
        if (right == to || (left < middle && values[left] <= values[right])) {
            scratch[out++] = values[left++];
        } else {
            count += static_cast<long long>(middle - left);
            scratch[out++] = values[right++];
        }
    }
    std::copy(scratch.begin() + static_cast<std::ptrdiff_t>(from),
              scratch.begin() + static_cast<std::ptrdiff_t>(to),
              values.begin() + static_cast<std::ptrdiff_t>(from));
    return count;
}

} // namespace

long long countCrossings(const LayeredGraph &graph)
{
    const std::vector<int> position = positions(graph);
    long long crossings = 0;
    std::vector<int> ends, scratch;
    for (const std::vector<int> &layer : graph.layers) {
        ends.clear();
        for (const int v : layer) {
            const std::size_t from = ends.size();
            for (const int below : graph.vertices[static_cast<std::size_t>(v)].down)
                ends.push_back(position[static_cast<std::size_t>(below)]);
            std::sort(ends.begin() + static_cast<std::ptrdiff_t>(from), ends.end());
        }
        scratch.resize(ends.size());
        crossings += inversions(ends, scratch, 0, ends.size());
    }
    return crossings;
}

void orderLayers(LayeredGraph &graph, const std::stop_token &stop)
{
    const auto known =
        std::ranges::count_if(graph.vertices, [](const Vertex &v) { return !std::isnan(v.formerX); });
    if (known > 0) {
        const std::vector<double> places = formerPlaces(graph);
        for (std::vector<int> &layer : graph.layers)
            std::ranges::stable_sort(layer, {}, [&](int v) { return places[static_cast<std::size_t>(v)]; });
        if (static_cast<double>(known) > mostlyKnown * static_cast<double>(graph.vertices.size()))
            return; // staying the same is worth more than a few crossings
    }
    std::vector<int> position = positions(graph);
    long long best = countCrossings(graph);
    std::vector<std::vector<int>> bestLayers = graph.layers;
    const int sweeps = graph.vertices.size() > largeGraph ? sweepsOfLargeGraphs : sweepsOfSmallGraphs;
    for (int sweep = 0; sweep < sweeps && best > 0 && !stop.stop_requested(); ++sweep) {
        const bool downward = sweep % 2 == 0;
        const std::size_t count = graph.layers.size();
        for (std::size_t i = 1; i < count; ++i)
            sortLayer(graph, graph.layers[downward ? i : count - 1 - i], position, downward);
        const long long crossings = countCrossings(graph);
        if (crossings < best) {
            best = crossings;
            bestLayers = graph.layers;
        }
    }
    graph.layers = std::move(bestLayers);
}

} // namespace nestwright::canvas
