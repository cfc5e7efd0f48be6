// SPDX-License-Identifier: GPL-3.0-or-later
/// A graph with some of its frames collapsed: the graph drawn, and the part of the whole graph that each
/// thing stands for.
#pragma once

#include "widgets/canvas/layout/layered_layout.h"
#include "widgets/canvas/scene/frame_tree.h"

#include <vector>

namespace nestwright::canvas {

struct FoldedGraph {
    GraphData shown; ///< without groups; a collapsed frame is one node, edges between the same nodes are one
    std::vector<int> leafOf;   ///< per shown node: the node of the whole graph, or -1
    std::vector<int> frameOf;  ///< per shown node: the collapsed frame in the tree, or -1
    std::vector<char> isGroup; ///< per shown node: a collapsed group, which looks like a node
    std::vector<int> shownOf;  ///< per node of the whole: the shown node that it is, or lies in
    std::vector<int> edgeOf;   ///< per edge of the whole: the shown edge; -1 inside a collapsed frame
    std::vector<int> open;     ///< the open frames in the tree, as in nesting.frames
    std::vector<QString> frameTitles, frameNotes; ///< per open frame: "layer1", "12 nodes"
    Nesting nesting;
};

/// `open` says per frame of the tree whether it is open; a frame in a collapsed one is not seen.
FoldedGraph fold(const GraphData &whole, const FrameTree &tree, const std::vector<char> &open);

/// The node that a collapsed frame is drawn as.
GraphNode nodeOfFrame(const GraphData &whole, const Frame &frame);

} // namespace nestwright::canvas
