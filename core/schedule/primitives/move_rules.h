// SPDX-License-Identifier: Apache-2.0
/// When a block may go below a loop of other blocks (compute_at, reverse_compute_at).
#pragma once

#include "core/schedule/edit.h"
#include "core/schedule/primitives/iter_domains.h"

namespace nestwright::schedule {

class MovedNest;

enum class MoveDirection { ToConsumers, ToProducers };

/// The loop is in the block's scope but not around the block itself.
void requireElsewhere(Edit &edit, const ir::Block &block, const ir::For &loop, StmtId scope);

/// The block takes new loops, so nothing in it may speak of those that are around it now.
void requireNoLoopsInside(Edit &edit, const ir::Block &block);

/// Refuses reads below the producers' loops that are not declared: nothing tells whether they are made by
/// then.
void requireNoHiddenReads(const analysis::FunctionIndex &index, const ir::Block &block, StmtId loop);

/// Requires each region that the moved block and its consumers read to be written before.
void requireStillCovered(const ir::Function &function, StmtId moved, MoveDirection direction);

/// Below the producers' loops an iteration runs when something that it reads is made, so each must read
/// inside the buffer only.
void requireEachReadsSomething(const ir::Block &block, const std::vector<AccessPair> &pairs);

/// Refuses to move a block whose buffer lives on outside unless all of it is made, and by one iteration after
/// the other where it is initialised in each.
void requireWholeOutput(const analysis::FunctionIndex &index, const ir::Block &block, const ir::For &loop,
                        const MovedNest &nest);

} // namespace nestwright::schedule
