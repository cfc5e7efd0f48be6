// SPDX-License-Identifier: Apache-2.0
/// Outputs of a model that stand for text, or whose columns have names, for people and as files.
#pragma once

#include "core/graph/output_labels.h"
#include "core/ir/ndarray.h"
#include "core/support/errors/result.h"

#include <string>

namespace nestwright::cli {

/// A line about an output: the first of its texts, or the names of its columns; empty where it has neither.
std::string labelLine(const std::string &name, const graph::OutputLabels &labels, const ir::NdArray &array);

/// Whether a file of that name is to hold the text or the names, not the numbers: ".json" or ".txt".
bool holdsLabels(const std::string &path);
/// Text: as a list of lists in JSON, as the dimensions are; or a line each. Named columns: a list of objects
/// by name in JSON; or a line of names and one for each row, separated by tabs. Error: "file.write".
support::Result<void> writeLabelled(const std::string &path, const graph::OutputLabels &labels,
                                    const ir::NdArray &array);

} // namespace nestwright::cli
