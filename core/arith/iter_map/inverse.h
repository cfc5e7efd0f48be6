// SPDX-License-Identifier: Apache-2.0
/// The inverse of an affine map of iterators.
#pragma once

#include "core/arith/iter_map/iter_map.h"

namespace nestwright::arith {

/// The values of the map's variables at which its indices are `outputs`. Variables that the map does not use
/// are left out. `map` must be bijective for the result to be unique. Not simplified.
ir::VarMap<ir::Expr> inverseOf(const IterMap &map, const std::vector<ir::Expr> &outputs);

} // namespace nestwright::arith
