// SPDX-License-Identifier: Apache-2.0
/// The inverse of an affine map of iterators.
#pragma once

#include "core/arith/iter_map.h"

#include <optional>

namespace nestwright::schedule {

/// The values of the map's variables at which its indices are `outputs`, or nothing where the map's form does not tell. Variables
/// that the map does not use are left out. `map` must be bijective for the result to be unique.
std::optional<ir::VarMap<ir::Expr>> inverseOf(const arith::IterMap &map, const std::vector<ir::Expr> &outputs,
                                              arith::Analyzer &analyzer);

/// The parts of a sum; those of the source where one fused source stands for the whole sum.
const std::vector<arith::IterSplit> &partsOf(const arith::IterSum &sum);

} // namespace nestwright::schedule
