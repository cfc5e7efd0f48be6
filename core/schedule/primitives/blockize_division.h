// SPDX-License-Identifier: Apache-2.0
/// How the variables of a block divide between loops outside and loops inside.
#pragma once

#include "core/arith/analyzer.h"
#include "core/schedule/edit.h"

#include <vector>

namespace nestwright::schedule {

/// One side of a binding: its value, and the number of values.
struct Side {
    ir::Expr value, extent;
    ir::Expr min{}; ///< of the values; 0 where there is none
};
struct Divided {
    Side outer, inner;
};
struct Division {
    std::vector<Divided> bindings;
    ir::Expr outerPredicate, innerPredicate;
};

/// The loops from the innermost one around `block` outwards to `outermost`. Throws
/// "schedule.not-single-block" where one holds more than the block.
std::vector<const ir::For *> loopsUpTo(const analysis::FunctionIndex &index, StmtId block, StmtId outermost);

/// The part of each binding that `loops`, the innermost around the block, give. Throws "schedule.no-subspace"
/// where one does not divide, "schedule.iter-start" where a variable that divides does not begin at 0.
Division divisionOf(Edit &edit, const ir::Block &block, const std::vector<const ir::For *> &loops,
                    arith::Analyzer &analyzer, bool preserveUnitIters);

} // namespace nestwright::schedule
