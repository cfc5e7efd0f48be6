// SPDX-License-Identifier: Apache-2.0
/// Putting the value of a block's store in place of the loads from the buffer that it fills.
#pragma once

#include "core/schedule/edit.h"

#include <functional>

namespace nestwright::schedule {

/// The only store that makes up the block's body; null when the body is anything else.
const ir::BufferStore *onlyStore(const ir::Block &block);

/// The values of variables in terms of indices: from `store`'s indices, which must be different variables of `block` (or constant in
/// dimensions of one element) with all iteration variables that the value uses among them. Throws "schedule.not-inlinable".
std::vector<ir::Var> indexVariables(const ir::Block &block, const ir::BufferStore &store);

/// `value` with the variables `vars` replaced by `indices`; null entries of `vars` are constants.
ir::Expr valueAt(const ir::Expr &value, const std::vector<ir::Var> &vars,
                 const std::vector<ir::Expr> &indices);

/// Gives a block whose body has changed its access regions anew. Pointers in it belong to buffers that it named before.
void renewRegions(ir::Block &block);

/// `scope` (a block's body) with every load from `buffer` replaced by what `replace` makes of it; the blocks concerned get their
/// access regions anew. Throws "schedule.opaque-access" where the buffer is reached in another way.
ir::Stmt withLoadsReplaced(const ir::Stmt &scope, const ir::Buffer &buffer,
                           const std::function<ir::Expr(const ir::BufferLoad &)> &replace);

/// The same in an expression alone.
ir::Expr withLoadsReplaced(const ir::Expr &e, const ir::Buffer &buffer,
                           const std::function<ir::Expr(const ir::BufferLoad &)> &replace);

} // namespace nestwright::schedule
