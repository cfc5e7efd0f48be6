// SPDX-License-Identifier: GPL-3.0-or-later
/// The page about one node of a model.
#pragma once

#include "core/graph/tensor_statistics.h"
#include "widgets/document/work/model_measuring.h"

#include <QString>

#include <map>
#include <optional>
#include <string>

namespace nestwright::look {
struct Tokens;
}
namespace nestwright::session {
struct Model;
}

namespace nestwright::app {

/// Statistics of weights, by their data.
using WeightStatistics = std::map<const ir::NdArray *, graph::TensorStatistics>;

struct Weights {
    std::string name; ///< in the model's file; may be empty
    std::shared_ptr<const ir::NdArray> data;
};

/// The weights that a node reads, and those inside its group.
std::vector<Weights> weightsOf(const session::Model &model, int nodeId);

/// The name by which a node's result is fetched; empty where it has none.
QString nameOf(const session::Model &model, int nodeId);

/// Facts about a model besides its graph.
struct ModelFacts {
    std::optional<document::ModelTime> time;
    WeightStatistics weights;
    std::map<std::string, graph::TensorStatistics> results; ///< of nodes, by their names
    bool isRunning = false;                                 ///< to find the results
};

/// The anchor of the results on the page.
inline const QString resultAnchor = QStringLiteral("gives");

/// HTML: operators with their attributes, kernel, operands and results, weights (with dashes where their
/// statistics are not known). Links are "node:ID", "kernel:PLACE", "results:" (they are wanted) and "save:"
/// (of this node to a file). Empty where there is no such node.
QString nodePage(const session::Model &model, int nodeId, const ModelFacts &facts,
                 const look::Tokens &tokens);

} // namespace nestwright::app
