// SPDX-License-Identifier: GPL-3.0-or-later
/// The layout of one frame's own contents, where inner frames are boxes. Used by layered_layout.cpp alone.
#pragma once

#include "widgets/canvas/layout/layered_graph.h"

#include <QPolygonF>
#include <QRectF>

#include <stop_token>
#include <vector>

namespace nestwright::canvas {

/// Nodes, inner frames and ports of one frame, or of the graph. Coordinates are its own.
struct Level {
    bool isFrame = false;
    double leastWidth = 0;
    std::vector<int>
        items; ///< node, or number of nodes + frame, for as many vertices as there are; ports follow
    std::vector<QSizeF> sizes; ///< per vertex, ports included
    std::vector<Pin> pins;
    std::vector<double> formerX; ///< per vertex; NaN where there was none
    IndexEdges edges;
    std::vector<EdgeShift> shifts; ///< per edge
    std::vector<std::vector<double>>
        formerBends; ///< per edge: the x of its bends, if they are as many as then

    std::vector<QRectF> boxes;     ///< result, per vertex; of a frame they begin at (0, 0)
    std::vector<QPolygonF> routes; ///< result, per edge
    QSizeF size;                   ///< result: of a frame, with its title

    std::vector<double> widths() const; ///< per vertex
};

struct LevelOptions {
    bool orderOnly = false; ///< the former places give the order and no more
    bool mayAskDot = false; ///< the graph is so small that there is time for it
};

/// Fills in the results.
void layOutLevel(Level &level, const LevelOptions &options, const std::stop_token &stop);

} // namespace nestwright::canvas
