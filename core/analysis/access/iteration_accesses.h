// SPDX-License-Identifier: Apache-2.0
/// Accesses that one iteration of a loop makes to memory that it shares with others.
#pragma once

#include "core/arith/int_set.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/function.h"

#include <string>
#include <vector>

namespace nestwright::analysis {

/// An access, in terms of loops: variables of blocks and views are replaced by what they stand for.
struct IterationAccess {
    ir::Buffer base; ///< whose dimensions are counted
    bool isWrite = false;
    std::vector<ir::Expr> indices;    ///< one per dimension; null: any
    arith::Domains loops;             ///< below the loop in question; lanes and parts of regions too
    std::vector<ir::Expr> conditions; ///< under which it is made, as far as they are pure
    support::StmtId place;            ///< the nearest block or loop
    std::string placeName;            ///< "block 'B'"
    std::string text;                 ///< "B[vi, vj]"
    bool dependsOnData = false;       ///< an index is read from memory
    /// The statement that writes, where the element tells the value: all variables that it uses are indices
    /// of the element, or from outside of the loop; and memories that the value is read from. Else null.
    const ir::BufferStore *repeatable = nullptr;
    std::vector<ir::Var> sources;
};

struct IterationAccesses {
    std::vector<IterationAccess> accesses;
    arith::Domains around; ///< the loops around, outermost first
    ir::VarSet own;        ///< memories of each iteration that were left out
};

/// The accesses of `loop`, which is in `function`. Memory that is made within an iteration, or that lowering
/// gives to each iteration for itself (allocation_plan.h), is left out. Calls that get pointers access what
/// the nearest block that knows the memory declares, or anything of it.
IterationAccesses accessesOfIterations(const ir::PrimFunc &function, const ir::For &loop);

} // namespace nestwright::analysis
