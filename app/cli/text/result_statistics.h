// SPDX-License-Identifier: Apache-2.0
/// Statistics of the results of a model's nodes as a table.
#pragma once

#include "core/workbench/answers/model_answers.h"

#include <string>
#include <vector>

namespace nestwright::cli {

/// A line each; outputs of the model are marked at its end.
std::string table(const std::vector<workbench::ResultStatistics> &results);
} // namespace nestwright::cli
