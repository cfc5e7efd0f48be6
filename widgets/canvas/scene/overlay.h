// SPDX-License-Identifier: GPL-3.0-or-later
/// Overlays: numbers that colour the nodes of a graph.
#pragma once

#include "widgets/canvas/scene/graph_data.h"

#include <array>
#include <optional>
#include <vector>

namespace nestwright::canvas {

enum class Overlay : char { None, Time, Flops, Bytes, Intensity, Peak };
constexpr std::array allOverlays{Overlay::None,  Overlay::Time,      Overlay::Flops,
                                 Overlay::Bytes, Overlay::Intensity, Overlay::Peak};

/// "time", "FLOPs", "bytes", "FLOP per byte", "% of peak"; "none".
QString overlayName(Overlay overlay);
/// Stable, for settings and commands: "time", "flops", "bytes", "intensity", "peak", "none".
QString overlayId(Overlay overlay);

/// A node's number, if it is known: seconds, FLOPs, bytes, FLOPs per byte, 0 … 1.
std::optional<double> overlayValue(const NodeNumbers &numbers, Overlay overlay);
/// "1.25 ms", "3.4 GFLOP", "12 MB", "8.1", "43 %".
QString overlayText(double value, Overlay overlay);

/// Range of numbers that the colours span: by logarithm for intensities, by square root for the others,
/// because few nodes have most of the cost. `low` is 0 except for intensities.
struct OverlayScale {
    double low = 0, high = 0;
    bool isKnown = false; ///< whether any node has such a number
    /// 0 … 1.
    double shade(double value, Overlay overlay) const;
};
OverlayScale overlayScale(const std::vector<GraphNode> &nodes, Overlay overlay);

} // namespace nestwright::canvas
