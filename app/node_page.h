// SPDX-License-Identifier: GPL-3.0-or-later
/// What there is to say of one node of a model, as a page.
#pragma once

#include "core/graph/tensor_statistics.h"
#include "widgets/document/model_measuring.h"

#include <QString>

#include <map>
#include <optional>

namespace nestwright::look {
struct Tokens;
}
namespace nestwright::session {
struct Model;
}

namespace nestwright::app {

/// Of weights, by their data.
using WeightStatistics = std::map<const ir::NdArray *, graph::TensorStatistics>;

/// The weights that a node reads, and those inside its group.
std::vector<std::shared_ptr<const ir::NdArray>> weightsOf(const session::Model &model, int nodeId);

/// HTML: operators with their attributes, kernel, what is read and given, weights (with dashes where their statistics are not
/// known). Links are "node:ID" and "kernel:PLACE". Empty where there is no such node.
QString nodePage(const session::Model &model, int nodeId, const std::optional<document::ModelTime> &time,
                 const WeightStatistics &statistics, const look::Tokens &tokens);

} // namespace nestwright::app
