// SPDX-License-Identifier: Apache-2.0
/// Blocks that read what other iterations of theirs write: the order of the iterations decides what they
/// compute, whatever the kinds of their variables say.
#pragma once

#include "core/schedule/edit.h"

namespace nestwright::schedule {

/// The blocks below loop `outermost` that declare to read and write one buffer, unless they only accumulate
/// over reduction variables.
std::vector<StmtId> blocksInPlace(const analysis::FunctionIndex &index, StmtId outermost);

/// The iterations of `blocks` that touch one element stay in order where the loops `before` of the function
/// are nested as `after` in `changed`. A pair of such iterations is in the order of the first loop in which
/// it differs, so those loops, of both nests, must keep their order ("schedule.order-of-accesses").
void requireSameOrder(Edit &edit, const std::vector<StmtId> &blocks,
                      const std::vector<const ir::For *> &before, const std::vector<const ir::For *> &after,
                      const ir::PrimFunc &changed);

/// No two iterations of block `id`, all of whose loops are `loops`, touch one element that one of them writes
/// ("schedule.order-of-accesses").
void requireAnyOrder(Edit &edit, StmtId id, const std::vector<StmtId> &loops);

/// The iterations of each parallel loop keep apart in `after`, the function that a step has made of `before`
/// ("analysis.parallel-conflict"). Loops whose iterations met before the step stay as they are, those that
/// it made of such loops, too.
void requireApart(const ir::PrimFunc &before, const ir::PrimFunc &after);

} // namespace nestwright::schedule
