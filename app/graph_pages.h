// SPDX-License-Identifier: GPL-3.0-or-later
/// What the canvas shows of a kernel and of a model.
#pragma once

#include "widgets/canvas/graph_data.h"
#include "widgets/document/model_measuring.h"
#include "widgets/models/kernels_model.h"

#include <optional>
#include <utility>

namespace nestwright::graph {
struct Function;
struct GraphPassRecord;
} // namespace nestwright::graph
namespace nestwright::session {
struct Model;
}
namespace nestwright::te {
struct StageGraph;
}

namespace nestwright::app {

/// Placeholders, stages and outputs of a kernel; ids are places in `stages`.
canvas::GraphData graphOf(const te::StageGraph &stages);

/// Inputs, nodes and outputs, weights in the tool tips of what reads them; ids are those of nodes.
canvas::GraphData graphOf(const graph::Function &function);

/// A model's graph with each node's part of the measured time.
canvas::GraphData graphOf(const session::Model &model, const std::optional<document::ModelTime> &time);

/// The graph before and after a pass, with what it changed marked.
std::pair<canvas::GraphData, canvas::GraphData> graphsOf(const graph::GraphPassRecord &record);

/// What the table of kernels shows. Where the machine's peak is not known, all of a kernel's time could be gained.
std::vector<models::KernelRow> kernelRows(const session::Model &model,
                                          const document::ModelMeasuring &measuring);

/// "model 12.30 ms (−8 %)": the last measurement, and what changed since the one before.
QString modelTimeText(const document::ModelMeasuring &measuring);

/// The id of a node that the kernel computes: `preferred` if it is one, else the first; -1: none.
int nodeOfKernel(const session::Model &model, int kernel, int preferred);

} // namespace nestwright::app
