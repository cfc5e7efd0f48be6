// SPDX-License-Identifier: GPL-3.0-or-later
/// A frame's contents cut into segments, which repeated parts are made of.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace nestwright::canvas {

/// A node or a frame that lies directly in a frame.
struct Item {
    int node = -1, frame = -1;
    int first = 0;  // node of the graph, in its order
    int things = 1; // as Frame::count
    std::size_t hash = 0;
};

/// Items of one frame in the order of the graph, with the edges between them.
struct FrameLevel {
    std::vector<Item> items;
    std::vector<std::pair<int, int>> edges; // between items, downwards
};

/// Items from `begin` to `end`: only the result of one item leads into it or out of it.
struct Segment {
    std::size_t begin = 0, end = 0;
    int things = 0;
    std::size_t hash = 0;
};

/// Cut where only one item's result passes on, but for those that go beside the parts: a mask that each layer
/// has, say.
std::vector<Segment> segmentsOf(const FrameLevel &level);

} // namespace nestwright::canvas
