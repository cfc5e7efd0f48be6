// SPDX-License-Identifier: GPL-3.0-or-later
/// The whole graph as a file, as it is folded, coloured and marked on the canvas.
#pragma once

#include "core/support/errors/result.h"
#include "widgets/canvas/paint/graph_painter.h"

#include <QString>

#include <memory>

namespace nestwright::canvas {

/// A value that a job may hold.
struct GraphPicture {
    std::shared_ptr<const Scene> scene;
    std::shared_ptr<const GraphLook> look;
    QString title;
};

/// Writes "….svg" at 100 %, or "….png" with two dots a pixel, less where the picture would have more than 64
/// million. Needs no UI thread. Errors: those of look::writePicture; "graph.empty".
support::Result<void> writeGraph(const GraphPicture &picture, const QString &path, bool dark);

} // namespace nestwright::canvas
