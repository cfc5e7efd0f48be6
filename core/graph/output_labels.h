// SPDX-License-Identifier: Apache-2.0
/// Words beside the numbers of a model's outputs: kernels compute no text, but places in a table of it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace nestwright::graph {

/// A table of text; null where there is none.
using Texts = std::shared_ptr<const std::vector<std::string>>;

struct OutputLabels {
    Texts texts{};   ///< each element, an int64, is a place in it
    Texts columns{}; ///< names of the places along the last axis
};
using LabelTable = std::map<std::string, OutputLabels, std::less<>>; ///< by the name of the output

} // namespace nestwright::graph
