// SPDX-License-Identifier: Apache-2.0
/// The ends of the values that an index takes.
#pragma once

#include "core/arith/knowledge/const_int_bound.h"
#include "core/ir/node/function.h"

#include <optional>

namespace nestwright::arith {

/// The values that `index` takes while its variables run over all of their ranges, where it is a sum of
/// multiples of them: both ends are reached, so that a report about them is never wrong. Nothing where it is
/// another, a variable has no constant, non-empty range, or a number does not fit.
std::optional<ConstIntBound> reachedBound(const ir::Expr &index, const ir::VarMap<ir::Range> &ranges);

} // namespace nestwright::arith
