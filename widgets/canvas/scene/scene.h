// SPDX-License-Identifier: GPL-3.0-or-later
/// A graph as it is drawn: folded, laid out, with spatial indexes. A value that any thread may read.
#pragma once

#include "widgets/canvas/scene/folded_graph.h"
#include "widgets/canvas/scene/spatial_index.h"

namespace nestwright::canvas {

struct Scene {
    FoldedGraph folded;
    GraphLayout layout;
    SpatialIndex nodeIndex, edgeIndex;

    const GraphData &shown() const { return folded.shown; }
};

Scene makeScene(FoldedGraph folded, GraphLayout layout);

/// The scene with other texts, costs and numbers.
Scene withTexts(const Scene &scene, FoldedGraph folded);

} // namespace nestwright::canvas
