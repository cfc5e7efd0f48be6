// SPDX-License-Identifier: Apache-2.0
/// Bounds that a condition puts on relaxed variables.
#pragma once

#include "core/arith/int_set.h"

namespace nestwright::analysis {

using Relaxed = ir::VarMap<arith::IntervalSet>;

/// `relaxed` narrowed by the comparisons of `condition` (a conjunction) that are linear, with coefficient 1
/// or -1, in one of its variables. Other parts of the condition are ignored.
Relaxed narrowedBy(const ir::Expr &condition, const Relaxed &relaxed, arith::Analyzer &analyzer);

} // namespace nestwright::analysis
