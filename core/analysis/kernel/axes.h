// SPDX-License-Identifier: Apache-2.0
/// Maps each loop to the block axes it drives; the window colours loops by them.
#pragma once

#include "core/analysis/kernel/index.h"

#include <string>
#include <unordered_map>

namespace nestwright::analysis {

/// The axes that a loop's variable drives in one block below it: of those whose bindings use it that which
/// runs most often, the first of several. A copy that is made in the loop changes nothing.
struct LoopAxis {
    StmtId block;          ///< none where no block's bindings use the loop
    std::vector<int> axes; ///< numbers of the block's iteration variables that it feeds, from 0; several
                           ///< where it was fused
    std::vector<std::string> names;
    bool spatial = false, reduce = false, opaque = false; ///< kinds of those that it drives in any block

    /// The one axis; -1 where there is none or more than one.
    int single() const { return axes.size() == 1 ? axes.front() : -1; }
    bool mixed() const { return axes.size() > 1; }
};

/// Every loop of the function.
std::unordered_map<StmtId, LoopAxis> loopAxes(const FunctionIndex &index);

} // namespace nestwright::analysis
