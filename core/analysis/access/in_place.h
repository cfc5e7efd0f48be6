// SPDX-License-Identifier: Apache-2.0
/// Whether a result may take the memory of an operand.
#pragma once

#include "core/arith/int_set.h"
#include "core/ir/node/function.h"

#include <vector>

namespace nestwright::analysis {

/// Whether no two points of the loops (outermost first) at which `predicate` (null: always) holds have the
/// same indices; false where the indices are more than arithmetic on the variables of the loops.
bool meetsEachElementOnce(const std::vector<ir::Expr> &indices, const arith::Domains &loops,
                          const ir::Expr &predicate);

/// Two parameters of a function, by their places.
struct InPlace {
    int read = 0, written = 0;
    auto operator<=>(const InPlace &) const = default;
};

/// Pairs of buffers that may be one piece of memory: all that the function does with `read` is to load the
/// element at the same place of the memory for the one store that writes `written`, which is never read; and
/// no two runs of that store's block write the same element, so that overwritten elements are needed no more.
/// A function with blocks, as scheduled (they and loops have ids).
std::vector<InPlace> inPlacePairs(const ir::Function &function);

} // namespace nestwright::analysis
