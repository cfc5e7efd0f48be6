// SPDX-License-Identifier: GPL-3.0-or-later
/// The graph that the canvas shows: plain data, given whole each time.
#pragma once

#include <QMetaType>
#include <QString>

#include <vector>

namespace nestwright::canvas {

enum class NodeKind { Input, Constant, Compute, Output };

/// The change of a node, where a graph is compared with another.
enum class NodeMark { None, Removed, Added, Changed };

/// The costs of a node; negative where they are not known.
struct NodeNumbers {
    double seconds = -1;
    double flops = -1;
    double bytes = -1;        ///< to be moved
    double peakFraction = -1; ///< of the machine's roofline, 0 … 1
};

struct GraphNode {
    /// The caller's; comes back in signals, and says which nodes of two graphs are the same. Ids below -2²⁴
    /// are the canvas's own.
    int id = 0;
    QString title;
    QString subtitle;
    NodeKind kind = NodeKind::Compute;
    QString detail;       ///< further lines of the tool tip, and text to search in: weights, source place
    double share = -1;    ///< of the whole cost, 0 … 1; negative where unknown
    QString cost;         ///< the cost as text: "19 ms"
    QString buffer{};     ///< can be dragged from it into the loops; empty where nothing can
    QString name{};       ///< as the model has it
    QString attributes{}; ///< "strides=[2, 2], padding=[1, 1, 1, 1]"
    /// Frames around it, outer first: "layer1/layer1.0"; empty where there are none.
    QString scope{};
    NodeNumbers numbers{};
    NodeMark mark = NodeMark::None;
    /// Name for people: its own, or that of its layer where its own is made up; may be empty.
    QString label{};
};

/// A tensor from one node to another; `label` is its shape and dtype. Both ids must be nodes of the graph.
struct GraphEdge {
    int from = 0;
    int to = 0;
    QString label;
    QString detail; ///< for the tool tip
};

/// A frame that is one thing to the caller, such as a fused kernel: collapsed, as it is to begin with, it is
/// drawn as `node`. Its nodes are those whose scope is `path`; `node.scope` is not looked at.
struct GraphGroup {
    QString path;
    GraphNode node;
};

struct GraphData {
    /// Origin of the graph: places and open frames are kept from an earlier graph of the same only.
    QString subject{};
    std::vector<GraphNode> nodes;
    std::vector<GraphEdge> edges;
    std::vector<GraphGroup> groups;
};

} // namespace nestwright::canvas
