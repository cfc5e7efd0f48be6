// SPDX-License-Identifier: Apache-2.0
/// Time of a processor's units for a block: its arithmetic at the width that its loops give it, its loads and
/// stores, the loops themselves.
#pragma once

#include "core/analysis/kernel/index.h"
#include "core/target/machine.h"

#include <span>
#include <vector>

namespace nestwright::explore {

using analysis::StmtId;

/// Operations of a function of mathematics, about: exp, tanh, ….
inline constexpr double operationsOfFunction = 20;

/// Times in cycles of one vector multiply-add.
struct UnitTime {
    double computing = 0, loading = 0, loops = 0;
    bool waits = false; ///< for results, more than for units
};

/// A loop around a block.
struct EnclosingLoop {
    StmtId id;
    double extent = 1;
    ir::ForKind kind = ir::ForKind::Serial;
    bool isReduction = false;
    bool reassociates = false; ///< its terms may be summed up in any order
};

double iterationsOf(std::span<const EnclosingLoop> loops);

/// Time of all iterations of `loops`, the loops around the block from the outermost inwards.
UnitTime unitTimeOf(const analysis::FunctionIndex &index, StmtId block, std::vector<EnclosingLoop> loops,
                    const target::Machine &machine);

} // namespace nestwright::explore
