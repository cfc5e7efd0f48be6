// SPDX-License-Identifier: Apache-2.0
/// What a condition says about the variables that are relaxed where it holds.
#pragma once

#include "core/arith/int_set.h"

namespace nestwright::analysis {

using Relaxed = ir::VarMap<arith::IntervalSet>;

/// `relaxed` narrowed by the comparisons of `condition` (a conjunction) that are linear, with coefficient 1
/// or -1, in one of its variables. Whatever else the condition says is ignored.
Relaxed narrowedBy(const ir::Expr &condition, const Relaxed &relaxed, arith::Analyzer &analyzer);

} // namespace nestwright::analysis
