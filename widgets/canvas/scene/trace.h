// SPDX-License-Identifier: GPL-3.0-or-later
/// Paths that lead to some nodes, and from them.
#pragma once

#include "widgets/canvas/scene/graph_data.h"

#include <vector>

namespace nestwright::canvas {

enum class Trace : char { None, Inputs, Outputs, Both };

/// Whether each node is one of `starts` (places of nodes), or lies on a way to one of them (Inputs) or from
/// one of them (Outputs), at any distance. Empty for None.
std::vector<char> trace(const GraphData &graph, const std::vector<int> &starts, Trace direction);

} // namespace nestwright::canvas
