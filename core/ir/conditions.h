// SPDX-License-Identifier: Apache-2.0
/// Conditions taken apart: conjunctions, negations, hints, and expressions to be computed only under a guard.
#pragma once

#include "core/ir/node/expr.h"

#include <vector>

namespace nestwright::ir {

/// The condition within the hint that it mostly holds; any other as it is.
Expr withoutLikely(const Expr &condition);

/// The terms of a conjunction from left to right, hints taken off; none where it is `true` (or null).
std::vector<Expr> conjunctsOf(const Expr &condition);

/// The terms joined in their order, to the left: `(a and b) and c`; `true` where there are none.
Expr conjunctionOf(const std::vector<Expr> &terms);

/// The opposite, without "not" as far as there is a form without. Exact for every value: the order of
/// floating-point numbers has no opposite (a comparison with NaN is false both ways), so that "not" stays
/// there.
Expr negation(const Expr &condition);

/// Whether computing `e` may end the program or touch memory that is not there: it loads, divides integers by
/// a divisor that is no constant, or calls a function that is not pure. Such an expression is computed only
/// where the condition before it asks for it.
bool mayFault(const Expr &e);

/// The condition with the terms that cannot fault before those that may, in their order otherwise: the terms
/// of a conjunction are computed from left to right until one does not hold.
Expr guardsFirst(const Expr &condition);

} // namespace nestwright::ir
