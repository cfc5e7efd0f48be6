// SPDX-License-Identifier: Apache-2.0
/// Index maps applied to domains: images and inverses.
#pragma once

#include "core/arith/int_set.h"
#include "core/ir/node/function.h"
#include "core/schedule/value.h"

namespace nestwright::schedule {

/// An injective index map on a domain.
struct LayoutMap {
    std::vector<ir::Var> inputs;   ///< the domain's variables
    std::vector<ir::Expr> outputs; ///< in terms of the domain's variables
    std::vector<ir::Expr> extents; ///< the outputs' ranges are [0, extent)
    std::vector<ir::Var> indices;  ///< a variable for each output
    ir::VarMap<ir::Expr> inverse;  ///< the domain's variables in terms of `indices`
    ir::Expr padding; ///< in terms of `indices`: where no point of the domain is mapped to; constant false
                      ///< when everywhere some is
};

/// The map on `domain` (one variable per input, from 0), with its indices named `prefix`0, `prefix`1, …. A
/// quotient or remainder of a single variable may leave a part of the last group empty: that is padding.
/// Throws "schedule.index-map" when the number of inputs is wrong, and "schedule.not-injective" when it
/// cannot be turned round; `what` names the domain for the message.
LayoutMap layoutMapOn(const IndexMap &map, const arith::Domains &domain, const std::string &what,
                      const std::string &prefix);

/// A layout map that leaves nothing out; else "schedule.not-bijective".
LayoutMap bijectionOn(const IndexMap &map, const arith::Domains &domain, const std::string &what,
                      const std::string &prefix);

/// The extents of the outputs alone, whether the map can be turned round or not.
std::vector<ir::Expr> mappedExtents(const IndexMap &map, const arith::Domains &domain,
                                    const std::string &what);

/// The results of the map at these inputs.
std::vector<ir::Expr> valuesAt(const IndexMap &map, const std::vector<ir::Expr> &inputs);
/// The mapped indices: constants get the inputs' type.
std::vector<ir::Expr> mapped(const IndexMap &map, const std::vector<ir::Expr> &inputs);

/// `e` with values of any type in place of variables: operators match their operands anew.
ir::Expr applied(const ir::Expr &e, const ir::VarMap<ir::Expr> &values);

/// `map` with the sizes of the function that it names put in. Throws "schedule.index-map" for a name that is
/// no size.
IndexMap withSizes(const IndexMap &map, const ir::PrimFunc &function);

/// Throws "schedule.index-map" when `map` does not take `count` indices.
void requireInputs(const IndexMap &map, std::size_t count, const std::string &what);

} // namespace nestwright::schedule
