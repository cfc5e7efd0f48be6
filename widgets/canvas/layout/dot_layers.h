// SPDX-License-Identifier: GPL-3.0-or-later
/// Layers and order of small graphs by Graphviz' program dot, where it is installed.
#pragma once

#include "widgets/canvas/layout/level_layout.h"

#include <optional>

namespace nestwright::canvas {

/// Most vertices, bends included, that are left to dot: it then answers in a fraction of a second
/// (`bench_canvas order` shows how long it takes beside our own order).
constexpr std::size_t mostVerticesForDot = 1000;

/// Whether the program can be started.
bool hasDot();

/// The level in the layers and the order that dot finds: shortest edges by network simplex, few crossings by
/// medians and exchanges (E. Gansner, E. Koutsofios, S. North, K.-P. Vo, 1993). It runs as a process of its
/// own (its licence cannot be linked), which is killed when `stop` asks for it. Nothing without dot, when
/// stopped, or when it takes two seconds.
std::optional<LayeredGraph> layersByDot(const Level &level, const std::stop_token &stop);

} // namespace nestwright::canvas
