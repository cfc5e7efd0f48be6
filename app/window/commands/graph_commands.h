// SPDX-License-Identifier: GPL-3.0-or-later
/// Commands of the canvas: frames, traces, overlays, search.
#pragma once

namespace nestwright::canvas {
class GraphCanvas;
}
namespace nestwright::document {
class CommandRegistry;
}

namespace nestwright::app {

class WindowSettings;

/// Puts the overlay that is remembered onto the graph.
void addGraphCommands(document::CommandRegistry &commands, WindowSettings &settings,
                      canvas::GraphCanvas &graph);

} // namespace nestwright::app
