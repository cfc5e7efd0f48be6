// SPDX-License-Identifier: Apache-2.0
/// Making a block of a block and the loops around it.
#pragma once

#include "core/schedule/edit.h"

namespace nestwright::schedule {

/// The block that takes the place of `loop`: it holds the loops from there inwards with the one block below
/// them, which keep their ids. Throws "schedule.not-single-block" when something else is below the loop, and
/// "schedule.no-subspace" when the block's variables do not divide between the loops outside and inside.
ir::Block blockizeAt(Edit &edit, StmtId loop, bool preserveUnitIters);

/// The block that takes the place of the parts, each holding one of `blocks`, in the loop or block
/// that holds all of them; `parts` are their outermost loops.
struct BlockizedParts {
    StmtId holder;
    std::vector<StmtId> parts; ///< consecutive, in program order
    ir::Block block;
};
BlockizedParts blockizeAt(Edit &edit, const std::vector<StmtId> &blocks, bool preserveUnitIters);

} // namespace nestwright::schedule
