// SPDX-License-Identifier: Apache-2.0
/// How far inwards the memory of a buffer may move.
#pragma once

#include "core/ir/node/function.h"

#include <unordered_map>

namespace nestwright::analysis {

/// For a loop: the buffers whose memory is needed within one round of it only.
using AllocationPlan = std::unordered_map<const ir::StmtNode *, std::vector<ir::Buffer>>;

/// Each buffer that a block allocates goes to the innermost loop that holds all its uses, if no iteration
/// reads elements written by an earlier one; it is left out where that is no loop of the block, or where
/// other buffers have its memory too. Lowering gives it its memory there.
AllocationPlan planAllocations(const ir::PrimFunc &function);

/// The same by ids, as the interpreter takes it: pointers of the memories of one round of a loop.
std::unordered_map<support::StmtId, std::vector<ir::Var>> memoriesOfRounds(const ir::PrimFunc &function);

} // namespace nestwright::analysis
