// SPDX-License-Identifier: Apache-2.0
/// The lines of a trace: steps with names for their results, and the queries that name what they need.
#pragma once

#include "core/schedule/apply.h"

#include <map>
#include <span>

namespace nestwright::schedule {

using Names = std::map<StmtId, std::string>;

/// One line of a script or entry of a trace.
struct TraceLine {
    Step step;
    Names names;                           ///< of the loops and blocks that the arguments speak of
    std::vector<std::string> outputNames;  ///< one per result: b for blocks, l for loops, v for integers, one counter
};

/// The lines that take `initial` through `steps`. Composite steps appear as what they stand for. Where a step needs a loop or
/// block that has no name yet, get_block and get_loops lines come before it.
Result<std::vector<TraceLine>> planTrace(const State &initial, std::span<const Step> steps);

} // namespace nestwright::schedule
