// SPDX-License-Identifier: Apache-2.0
/// How padding introduced by transform_layout is initialised.
#pragma once

#include "core/schedule/edit.h"
#include "core/schedule/layout/layout_map.h"

#include <map>

namespace nestwright::schedule {

/// At most one of these is given.
struct LayoutPlan {
    /// Nothing in the scope writes the buffer: a block that states the value of the padding, to stand before
    /// all else.
    ir::Stmt prologue;
    /// Loops that write every element in order, each with its replacement: loops over the new dimensions, in
    /// which the block that writes puts in the padding itself. Other accesses in there are as before.
    std::map<StmtId, ir::Stmt> replacements;
    /// A block that fills the padding, to stand behind the loop or block `after`.
    ir::Stmt epilogue;
    StmtId after;
};

/// The plan for `before`, which becomes `after` with `layout`; `scope` is the body in which it is used,
/// `padValue` (a map from new indices to one value) gives the padding. The kinds of plan, and which is taken,
/// are those of TVM's transform_layout.
LayoutPlan planLayout(Edit &edit, const ir::Block &scope, const ir::Buffer &before, const ir::Buffer &after,
                      const LayoutMap &layout, const IndexMap &padValue);

} // namespace nestwright::schedule
