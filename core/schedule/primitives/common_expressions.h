// SPDX-License-Identifier: Apache-2.0
/// Expressions that a statement computes several times.
#pragma once

#include "core/ir/node/stmt.h"

#include <vector>

namespace nestwright::schedule {

/// Nodes of the expression.
std::size_t complexityOf(const ir::Expr &e);

/// Expressions in the value that `store` stores which it computes, up to equivalence, at least `threshold`
/// times, the more complex first, then in the order in which they are computed. Expressions that read memory
/// do not count, but those within do; of one that is computed less often the parts count. (The algorithm is
/// that of TVM's CacheIndex, which builds on its common subexpression elimination.)
std::vector<ir::Expr> commonExpressions(const ir::BufferStore &store, std::size_t threshold);

/// `s` with `with` in place of all that is equivalent to `e`.
ir::Stmt replaceEquivalent(const ir::Stmt &s, const ir::Expr &e, const ir::Expr &with);

} // namespace nestwright::schedule
