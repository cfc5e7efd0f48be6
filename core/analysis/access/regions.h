// SPDX-License-Identifier: Apache-2.0
/// Regions of blocks seen from the loops around them, and whether producers write all that consumers read.
#pragma once

#include "core/analysis/kernel/index.h"
#include "core/arith/int_set.h"

#include <initializer_list>
#include <optional>
#include <string_view>

namespace nestwright::analysis {

/// The loops around `id` and below `outer` (exclusive; none: below the scope's root), outermost first. On the
/// way to `outer` blocks that only hold others together are passed.
arith::Domains loopDomains(const FunctionIndex &index, StmtId id, StmtId outer = {});

/// Binds the variables around `id`: enclosing loops and, for blocks, their iteration variables.
void bindEnclosing(arith::Analyzer &analyzer, const FunctionIndex &index, StmtId id);

/// `region`, given in a block's iteration variables, in terms of the loops around the block.
arith::Region realized(const ir::Block &block, const arith::Region &region);

/// The block's predicate, and a condition on its variables (null: none), in terms of the loops around it.
ir::Expr guarded(const ir::Block &block, const ir::Expr &guard);

/// Upper bound of the elements that `block` accesses as `region` while the loops below `outer` run; the whole
/// buffer where no bound is known. `guard` is a condition on the block's variables without which it does not
/// (null: always).
arith::Region touchedBelow(const FunctionIndex &index, StmtId block, const ir::BufferRegion &region,
                           StmtId outer, arith::Analyzer &analyzer, const ir::Expr &guard = {});

/// Like `touchedBelow`, while the loops around `outer` run too that are bound to threads which share each of
/// the memories (storage scopes).
arith::Region touchedByThreads(const FunctionIndex &index, StmtId block, const ir::BufferRegion &region,
                               StmtId outer, std::initializer_list<std::string_view> memories,
                               arith::Analyzer &analyzer, const ir::Expr &guard = {});

/// Whether `outer` holds all of `inner`, found out for each operand of minima and maxima in turn where need
/// be.
bool provablyCovers(const arith::Region &outer, const arith::Region &inner, arith::Analyzer &analyzer);

/// Why some block of the scope does not write, before `consumer` reads it, all that `consumer` reads of a
/// buffer that the scope's blocks write; nothing where they do (or nobody in the scope writes it). Code
/// "analysis.region-cover".
std::optional<support::Diagnostic> whyNotCovered(const FunctionIndex &index, StmtId consumer);

} // namespace nestwright::analysis
