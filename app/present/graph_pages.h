// SPDX-License-Identifier: GPL-3.0-or-later
/// The canvas's data, taken from a kernel or a model.
#pragma once

#include "core/graph/passes/passes.h"
#include "widgets/canvas/scene/graph_data.h"
#include "widgets/document/work/model_measuring.h"

#include <optional>
#include <utility>

namespace nestwright::analysis {
struct StageGraph;
}
namespace nestwright::session {
struct Model;
}

namespace nestwright::app {

/// Placeholders, stages and outputs of a kernel. Ids of stages are those of their blocks, which stay the same
/// from variant to variant; those of parameters are below -1.
canvas::GraphData graphOf(const analysis::StageGraph &stages);

/// Inputs, nodes and outputs, weights in the tool tips of their readers; ids are those of nodes.
canvas::GraphData graphOf(const graph::Function &function);

/// A model's graph with each node's part of the measured time.
canvas::GraphData graphOf(const session::Model &model, const std::optional<document::ModelTime> &time);

/// The graph before and after a pass, with its changes marked.
std::pair<canvas::GraphData, canvas::GraphData> graphsOf(const graph::GraphPassRecord &record);

} // namespace nestwright::app
