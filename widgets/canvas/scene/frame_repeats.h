// SPDX-License-Identifier: GPL-3.0-or-later
/// Frames around the repeated parts of a graph, such as the blocks of a network. Used by frame_tree.cpp
/// alone.
#pragma once

#include "widgets/canvas/scene/frame_tree.h"

namespace nestwright::canvas {

/// The tree with a frame around each part of a large graph that has another like it, and one around those
/// that follow each other. Parts are alike where they have the same operators, joined in the same way: shapes
/// and attributes may differ, which the outer frame tells. Inputs or outputs that only a number in their
/// names tells apart, as those of a cache by layer, have a frame too. Sums are not computed yet.
FrameTree withRepeats(const GraphData &graph, FrameTree tree);

} // namespace nestwright::canvas
