// SPDX-License-Identifier: Apache-2.0
/// Equality of expressions without the bookkeeping of α-equivalence: the simplifier asks it thousands of
/// times.
#pragma once

#include "core/ir/node/buffer.h"

namespace nestwright::arith {

/// Same tree over the same variables and buffers; let-bound variables count as different unless they are one
/// object.
bool sameExpr(const ir::Expr &a, const ir::Expr &b);

/// Number of nodes, counting no further than `limit`.
int sizeOf(const ir::Expr &e, int limit = 1000);

} // namespace nestwright::arith
