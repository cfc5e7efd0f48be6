// SPDX-License-Identifier: GPL-3.0-or-later
/// Layered layout of a graph: positions of its nodes and routes of its edges, from top to bottom. Needs no UI
/// thread.
#pragma once

#include "widgets/canvas/scene/graph_data.h"

#include <QHash>
#include <QPolygonF>
#include <QRectF>

#include <stop_token>
#include <vector>

namespace nestwright::canvas {

constexpr double frameTitleHeight = 30;

/// Frames around nodes and around other frames.
struct Nesting {
    struct Frame {
        int id = 0;
        int parent = -1;       ///< in `frames`
        double titleWidth = 0; ///< it is at least as wide
    };
    std::vector<Frame> frames; ///< outer ones first
    std::vector<int> frameOf;  ///< per node the innermost frame, or -1; empty where there are no frames
};

struct GraphLayout {
    std::vector<QRectF> boxes; ///< per node
    std::vector<QPolygonF>
        routes; ///< per edge: from the source's lower to the target's upper edge, with its bends
    std::vector<QRectF> frames; ///< per frame
    QRectF bounds;
};

/// Size of a node's box, from the length of its texts.
QSizeF nodeSize(const GraphNode &node);

/// Former positions of nodes, frames and edges.
struct FormerLayout {
    FormerLayout() = default;
    FormerLayout(const GraphData &graph, const GraphLayout &layout, const Nesting &nesting = {});

    QHash<int, QPointF> centres;                  ///< of nodes and frames, by id
    QHash<std::pair<int, int>, QPolygonF> routes; ///< of edges, by the ids of their nodes
    bool orderOnly =
        false; ///< the order from left to right counts, places do not: where frames are opened and collapsed
};

/// Nodes that were there `before` keep their order and as far as possible their place. Edges that name
/// unknown nodes or lead from a node to itself get an empty route. Stopped, it returns the layout so far.
GraphLayout layOut(const GraphData &graph, const FormerLayout &before = {}, const std::stop_token &stop = {});

/// Lays out frames: each is laid out by itself, the innermost first, and is then one box in the frame around
/// it, so its contents lie together. Edges go through its upper and its lower side.
GraphLayout layOut(const GraphData &graph, const Nesting &nesting, const FormerLayout &before,
                   const std::stop_token &stop = {});

} // namespace nestwright::canvas
