// SPDX-License-Identifier: GPL-3.0-or-later
/// The frames of a graph: its groups, and the scopes in the names of its nodes.
#pragma once

#include "widgets/canvas/scene/graph_data.h"

#include <QStringList>

#include <vector>

namespace nestwright::canvas {

struct Frame {
    int id = 0;    ///< of its group's node, else made from the path, so that it stays the same
    QString path;  ///< "layer1/layer1.0"
    QString title; ///< the part of the path that its outer frame does not say
    int parent = -1;
    int group = -1;                 ///< in GraphData::groups
    std::vector<int> frames, nodes; ///< directly inside, in the order of the graph
    bool isRepeat = false;          ///< there are others like it, or it holds some: collapsed to begin with
    bool isMade = false;            ///< around such, where the names have no scope; its path is no name
    /// Around parts that repeat: what is not the same in all of them, a line each.
    QStringList differences;
    int parts = 0;       ///< of a frame around such: how many
    int count = 0;       ///< things inside at any depth; a group counts once
    NodeNumbers numbers; ///< sums; of the group's node where it is one
    double share = -1;
    NodeMark mark = NodeMark::None; ///< Changed where anything inside has a mark; of a group its own
};

/// Outer frames come before inner ones; the first is the graph itself. A scope with only one thing inside
/// makes no frame. In a large graph repeats have frames too (frame_repeats.h).
struct FrameTree {
    std::vector<Frame> frames;
    std::vector<int> frameOf; ///< per node: the innermost frame around it
};

FrameTree makeFrames(const GraphData &graph);

/// Nodes and groups; the nodes of one group count once.
int countThings(const GraphData &graph);

/// Frames to open to begin with: scopes level by level while no more than `limit` things are to be seen; no
/// groups, and nothing that repeats unless it has marks.
std::vector<char> readableFrames(const FrameTree &tree, int limit);

} // namespace nestwright::canvas
