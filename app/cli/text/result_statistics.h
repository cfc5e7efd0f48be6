// SPDX-License-Identifier: Apache-2.0
/// Statistics of the results of a model's nodes, as a table and as JSON.
#pragma once

#include "core/graph/tensor_statistics.h"
#include "core/ops/table/tensor_op.h"
#include "core/support/text/json_fwd.h"

#include <string>
#include <vector>

namespace nestwright::cli {

struct ResultStatistics {
    std::string name;
    ops::TensorType type;
    graph::TensorStatistics statistics;
    bool isOutput = false; ///< of the model itself
};

/// A line each; outputs of the model are marked at its end.
std::string table(const std::vector<ResultStatistics> &results);
/// {"nodes": [{"name", "type", "output", "elements", "zeros", "not_finite", "least", "greatest", "mean",
/// "deviation", "histogram"}]}
support::Json toJson(const std::vector<ResultStatistics> &results);

} // namespace nestwright::cli
