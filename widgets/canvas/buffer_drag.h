// SPDX-License-Identifier: GPL-3.0-or-later
/// Dragging of a node that stands for a buffer, from the canvas into the loops.
#pragma once

#include "widgets/canvas/scene/graph_data.h"

class QWidget;

namespace nestwright::canvas {

/// Carries the node's buffer from `canvas` until it is dropped. The wheel works meanwhile, for the widget
/// below the pointer.
void dragBuffer(QWidget &canvas, const GraphNode &node);

} // namespace nestwright::canvas
