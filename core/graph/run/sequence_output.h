// SPDX-License-Identifier: Apache-2.0
/// Outputs of a model that are no tensors of its graph.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace nestwright::graph {

/// The tensors of a sequence, by the names of the graph's outputs; or an optional value that is missing.
struct SequenceOutput {
    std::vector<std::string> tensors;
    bool isMissing = false;
};
using SequenceOutputs = std::map<std::string, SequenceOutput>; ///< by the name of the model's output

} // namespace nestwright::graph
