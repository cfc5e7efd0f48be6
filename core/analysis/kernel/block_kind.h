// SPDX-License-Identifier: Apache-2.0
/// Kinds of blocks: the properties that scheduling steps require, each with the reason where it does not
/// hold.
///
/// The definitions are TensorIR's (Feng et al., 2023): complete and reduction blocks, dominant blocks,
/// quasi-affine bindings, scopes that are stage pipelines.
#pragma once

#include "core/analysis/kernel/index.h"
#include "core/arith/int_set.h"

#include <optional>

namespace nestwright::analysis {

/// Why a property does not hold, or nothing where it holds.
using Objection = std::optional<support::Diagnostic>;

/// `scope` is the block whose scope is looked at, or a loop: then only blocks below it count. None: the
/// block's own scope.

/// Dominant: the only block that writes its outputs. "analysis.not-dominant".
Objection whyNotDominant(const FunctionIndex &index, StmtId id, StmtId scope = {});
/// Complete: only spatial variables, dominant, and nothing that it writes is read by it.
/// "analysis.not-complete".
Objection whyNotComplete(const FunctionIndex &index, StmtId id, StmtId scope = {});
/// Reduction: has an init, affine bindings (whose predicate may end it early), only spatial and reduction
/// variables, dominant, and no reduction variable in an index of its writes. "analysis.not-reduction".
Objection whyNotReduction(const FunctionIndex &index, StmtId id, StmtId scope = {});
/// "analysis.not-complete-or-reduction" gives both reasons.
Objection whyNotCompleteOrReduction(const FunctionIndex &index, StmtId id, StmtId scope = {});
/// The values of the block's variables are quasi-affine in the loops around it (with `outermost` in those
/// from there inwards, the others taken as constants), each its own and without gaps. "analysis.not-affine".
Objection whyNotAffine(const FunctionIndex &index, StmtId id, StmtId outermost = {});
/// Like `whyNotAffine`, but the predicate may also end reductions early if each runs from its first iteration
/// on: of `k0 * 512 + k1 < 1000` only k0 is a loop of the reduction.
Objection whyNotAffineOrCutShort(const FunctionIndex &index, StmtId id, StmtId outermost = {});
/// Whether the condition holds with loops at the iterations `first` wherever it holds at all: it bounds a sum
/// that only grows with them.
bool holdsFromTheBeginning(const ir::Expr &condition, const ir::VarMap<ir::Expr> &first,
                           arith::Analyzer &analyzer);
/// Condition for the reductions of the block to begin: its predicate where those of `loops` that feed nothing
/// but reduction variables are at their first iteration. Nothing where that is not the first value of these
/// variables.
std::optional<ir::Expr> predicateAtBegin(const ir::Block &block, const arith::Domains &loops);
/// Every block below `loop` (or in a block's scope) is complete or a reduction there. "analysis.not-compact".
Objection whyNotCompactDataFlow(const FunctionIndex &index, StmtId loop);
/// Every child block's reads are covered by earlier writes, no block overwrites the reads of an earlier one,
/// and between the scope's root and its blocks there are only loops. "analysis.not-stage-pipeline".
Objection whyNotStagePipeline(const FunctionIndex &index, StmtId root);

inline bool isDominantBlock(const FunctionIndex &index, StmtId block, StmtId scope = {})
{
    return !whyNotDominant(index, block, scope);
}
inline bool isCompleteBlock(const FunctionIndex &index, StmtId block, StmtId scope = {})
{
    return !whyNotComplete(index, block, scope);
}
inline bool isReductionBlock(const FunctionIndex &index, StmtId block, StmtId scope = {})
{
    return !whyNotReduction(index, block, scope);
}
inline bool hasAffineBindings(const FunctionIndex &index, StmtId block)
{
    return !whyNotAffine(index, block);
}
inline bool isStagePipeline(const FunctionIndex &index, StmtId root)
{
    return !whyNotStagePipeline(index, root);
}

/// Whether a block's value for a variable of this kind uses the loop's variable, as axes of the loop in that
/// block.
struct LoopUse {
    bool spatial = false, reduce = false, opaque = false;
};
LoopUse loopUse(const ir::Block &block, const ir::Var &loopVar);

} // namespace nestwright::analysis
