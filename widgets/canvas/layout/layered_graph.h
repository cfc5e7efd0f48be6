// SPDX-License-Identifier: GPL-3.0-or-later
/// The steps of the layout: layers, order within them, places. Used by layered_layout.cpp alone.
#pragma once

#include <limits>
#include <stop_token>
#include <vector>

namespace nestwright::canvas {

/// Ports, at which edges enter and leave a frame, have the first and the last layer to themselves.
enum class Pin : char { Free, Top, Bottom };

/// A node of the graph, or a bend (`node` < 0) where an edge passes a layer.
struct Vertex {
    int node = -1;
    int layer = 0;
    double width = 0;
    double x = 0; ///< of its centre
    double formerX =
        std::numeric_limits<double>::quiet_NaN(); ///< where it was in the layout before, if it was
    Pin pin = Pin::Free;
    std::vector<int> up, down;
    /// Offset of the edge's end at each neighbour relative to its end here, both counted from the middle of
    /// their vertex, where edges do not join the middles. Empty where all join the middles.
    std::vector<double> upShift, downShift;
    bool isSource() const { return node >= 0 && up.empty() && pin == Pin::Free; }
    static double shift(const std::vector<double> &shifts, std::size_t i)
    {
        return shifts.empty() ? 0 : shifts[i];
    }
};

struct LayeredGraph {
    std::vector<Vertex> vertices;         ///< the nodes first, in their order
    std::vector<std::vector<int>> layers; ///< from left to right
    std::vector<std::vector<int>>
        chains; ///< per edge: its vertices from top to bottom; only the ends where it is very long
};

/// Edges as pairs of node indices; loops to itself are not allowed.
using IndexEdges = std::vector<std::pair<int, int>>;

/// How far right of the middles of its nodes an edge begins and ends.
struct EdgeShift {
    double from = 0, to = 0;
};

/// Layers by longest path from the sources, edges against the direction of a cycle turned round; then sources
/// are moved down next to their first user, which keeps the weights of a network beside their operators. Adds
/// the bends. `pins` and `shifts` may be empty: all are free, all join the middles. No edge leads to nodes
/// pinned at the top, none from nodes pinned at the bottom.
LayeredGraph makeLayers(const std::vector<double> &widths, const IndexEdges &given,
                        const std::vector<Pin> &pins = {}, const std::vector<EdgeShift> &shifts = {});

/// Makes layers as given, counted from 0 without gaps: no edge joins nodes of one layer; pinned nodes have
/// theirs alone.
LayeredGraph makeLayers(const std::vector<double> &widths, const IndexEdges &edges,
                        const std::vector<int> &layerOf, const std::vector<Pin> &pins,
                        const std::vector<EdgeShift> &shifts);

/// Sorts each layer to cross few edges: barycentres of the neighbours above and below in turn (K. Sugiyama,
/// S. Tagawa, M. Toda, 1981), the best order seen is kept. Where there are former places it begins with their
/// order, and leaves it at that when most vertices have one.
void orderLayers(LayeredGraph &graph, const std::stop_token &stop);

/// Gives every vertex its x: as near to the mean of its neighbours as order and spacing allow, in sweeps;
/// each layer is solved exactly by pooling adjacent violators (isotonic regression). A node follows the
/// operators above it rather than the inputs and weights beside those, and is held back by its former place.
void placeVertices(LayeredGraph &graph, double gap, const std::stop_token &stop);

/// Crossings between all adjacent layers.
long long countCrossings(const LayeredGraph &graph);

} // namespace nestwright::canvas
