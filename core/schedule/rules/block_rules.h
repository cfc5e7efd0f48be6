// SPDX-License-Identifier: Apache-2.0
/// Rules about blocks that several primitives share. Each throws a UserError that says which rule is
/// broken; those that core/analysis decides keep its codes ("analysis.not-complete", …).
#pragma once

#include "core/arith/int_set.h"
#include "core/schedule/edit.h"

namespace nestwright::schedule {

/// The block in whose scope `id` (a block or loop) stands; throws "schedule.root-block" for the root block
/// itself.
StmtId scopeOf(Edit &edit, StmtId id);

/// Every value of the block's iteration variables is an independent affine function of the loops.
void requireAffineBindings(Edit &edit, StmtId block);
/// Like `requireAffineBindings`, but for the loops from `outermost` inwards alone (none: all), with variables
/// further out as constants; and a predicate may end reductions early (analysis::whyNotAffineOrCutShort).
void requireAffineOrCutShort(Edit &edit, StmtId block, StmtId outermost = {});

void requireComplete(Edit &edit, StmtId block);
void requireReduction(Edit &edit, StmtId block);
void requireCompleteOrReduction(Edit &edit, StmtId block);
/// Requires that every value in the scope of `root` is written before it is read and never overwritten.
void requireStagePipeline(Edit &edit, StmtId root);
/// The block says of each buffer that it reads or writes that it does so ("schedule.hidden-access").
void requireNothingHidden(const analysis::FunctionIndex &index, StmtId block);
/// Each block below the loop is complete or a reduction.
void requireCompactDataFlow(Edit &edit, StmtId loop);
/// No buffer that the block writes lives on outside its scope ("schedule.output-block").
void requireNotOutput(Edit &edit, StmtId block);

/// "'B' writes B[vi, vj], 'C' reads B[vi, vj]": the two accesses, as the blocks declare them, where that of
/// `from` must come before that of `to`, a block of the same scope; of several the first. Empty where none
/// are declared.
std::string describeDependence(const analysis::FunctionIndex &index, StmtId from, StmtId to);

/// The loops of `loops` that drive data-parallel and reduction variables of the block at once, as fused loops
/// do. The init of a reduction runs where its variables begin, so the order of these loops among each other
/// decides whether that comes first.
std::vector<const ir::For *> mixedLoops(const ir::Block &block, const std::vector<const ir::For *> &loops);

/// Requires that, from loop `outermost` inwards, the block runs once for each of its points, so that its
/// terms may be added in any order after one init ("schedule.reduction-repeated"). A window that is computed
/// anew for each of its users runs more often.
void requireEachPointOnce(const analysis::FunctionIndex &index, const ir::Block &block, StmtId outermost,
                          const std::string &hint);
/// Like `requireEachPointOnce`, unless `order`, the loops from the outermost one concerned inwards, has all
/// loops of the reduction innermost: then each repetition begins with an init of its own and ends before the
/// next.
void requireWholeRepetitions(const analysis::FunctionIndex &index, const ir::Block &block,
                             const std::vector<const ir::For *> &order);

/// The block has no init ("schedule.has-init").
void requireNoInit(const ir::Block &block);

/// The block, and those in it, write all of `buffer` that they are said to, so that a copy that is written
/// back overwrites nothing else. Throws "schedule.not-written".
void requireAsDeclared(Edit &edit, StmtId id, const ir::Buffer &buffer);
/// The block runs at every point of its domain, so that a copy of its writes is complete. Throws
/// "schedule.predicate".
void requireRunsEverywhere(Edit &edit, const ir::Block &block);
/// Whether the block runs at every point of its domain while the loops of `around` run.
bool runsEverywhere(const ir::Block &block, const arith::Domains &around);
/// Whether something that the block writes lives on outside its scope.
bool isOutput(Edit &edit, StmtId block);

} // namespace nestwright::schedule
