// SPDX-License-Identifier: Apache-2.0
/// Outputs of a model with a size that is known only at run time: in the graph they have the maximum size.
#pragma once

#include "core/graph/graph.h"

#include <span>

namespace nestwright::graph {

struct LateOutput {
    std::string name;     ///< of the output
    std::size_t axis = 0; ///< whose size is known late
    std::string sizeName; ///< the output, an int64 without dimensions, that holds the size
};

/// Takes away from results of the function, in the order of its outputs, what does not count.
void cutLateOutputs(const Function &function, std::span<const LateOutput> late,
                    std::vector<ir::NdArray> &results);

} // namespace nestwright::graph
