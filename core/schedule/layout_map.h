// SPDX-License-Identifier: Apache-2.0
/// Index maps applied to domains: what they map to, and back.
#pragma once

#include "core/arith/int_set.h"
#include "core/schedule/value.h"

namespace nestwright::schedule {

/// An index map on a domain of which it uses every point exactly once.
struct LayoutMap {
    std::vector<ir::Expr> outputs; ///< in terms of the domain's variables
    std::vector<ir::Expr> extents; ///< the outputs' ranges are [0, extent)
    std::vector<ir::Var> indices;  ///< a variable for each output
    ir::VarMap<ir::Expr> inverse;  ///< the domain's variables in terms of `indices`
};

/// The map on `domain` (one variable per input, from 0). Throws "schedule.index-map" when the number of inputs is wrong, and
/// "schedule.not-bijective" when some target is hit never or twice; `what` names the domain for the message.
LayoutMap layoutMapOn(const IndexMap &map, const arith::Domains &domain, const std::string &what);

/// The outputs at these inputs.
std::vector<ir::Expr> mapped(const IndexMap &map, const std::vector<ir::Expr> &inputs);

} // namespace nestwright::schedule
