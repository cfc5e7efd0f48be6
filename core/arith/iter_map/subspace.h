// SPDX-License-Identifier: Apache-2.0
/// Dividing an affine map of loops into the part of the outer loops and the part of the inner ones.
#pragma once

#include "core/arith/iter_map/iter_map.h"

namespace nestwright::arith {

/// One side of a divided binding: values in [base, base + extent).
struct SubspacePart {
    IterSum value;
    ir::Expr extent;
};

/// binding = outer.value * inner.extent + inner.value
struct DividedBinding {
    SubspacePart outer, inner;
};

struct Subspaces {
    std::vector<DividedBinding> bindings;    ///< one per binding
    ir::Expr outerPredicate, innerPredicate; ///< remaining predicate on either side; never null
};

/// The bindings divided into the contributions of the loops outside and inside of `inner` (variables of
/// `domains`): each becomes outer * extent(inner) + inner. `toExpr` gives the expressions of the parts. Fails
/// with "arith.not-affine" where the bindings are no affine map, with "arith.no-subspace" where outer and
/// inner loops mix in one digit. Follows the subspace division of TensorIR's iterator maps, on which
/// blockizing rests.
support::Result<Subspaces> subspaceDivide(std::span<const ir::Expr> bindings, const Domains &domains,
                                          std::span<const ir::Var> inner, const ir::Expr &predicate,
                                          IterMapLevel level, Analyzer &analyzer,
                                          bool simplifyTrivialIterators = true);

} // namespace nestwright::arith
