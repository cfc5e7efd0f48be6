// SPDX-License-Identifier: Apache-2.0
/// Putting the value of a block's store in place of the loads from the buffer that it fills.
#pragma once

#include "core/schedule/edit.h"

#include <functional>

namespace nestwright::schedule {

/// The only store that makes up the block's body; null when the body is anything else.
const ir::BufferStore *onlyStore(const ir::Block &block);

/// A value in terms of variables for the indices of the element that it goes to.
struct ValueOfIndices {
    std::vector<ir::Var> indices; ///< null in dimensions of one element
    ir::Expr value;

    ir::Expr at(const std::vector<ir::Expr> &place) const;
};

/// The value that `store` gives to the element at its indices. The indices must be different variables of
/// `block`, or determine them in turn: no two iterations store to the same element. Throws
/// "schedule.not-inlinable".
ValueOfIndices valueOfIndices(const ir::Block &block, const ir::BufferStore &store);

/// Gives a block whose body has changed its access regions anew. Pointers in it belong to buffers that it
/// named before.
void renewRegions(ir::Block &block);

/// `scope` (a block's body) with every load from `buffer` replaced by `replace`; the blocks concerned get
/// their access regions anew. Throws "schedule.opaque-access" where the buffer is reached in another way.
ir::Stmt withLoadsReplaced(const ir::Stmt &scope, const ir::Buffer &buffer,
                           const std::function<ir::Expr(const ir::BufferLoad &)> &replace);

/// The same in an expression alone.
ir::Expr withLoadsReplaced(const ir::Expr &e, const ir::Buffer &buffer,
                           const std::function<ir::Expr(const ir::BufferLoad &)> &replace);

} // namespace nestwright::schedule
