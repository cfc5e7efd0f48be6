// SPDX-License-Identifier: Apache-2.0
/// Reductions whose terms are spread over threads: their loops, and what the variables of their blocks rest
/// on.
#pragma once

#include "core/arith/analyzer.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/stmt.h"
#include "core/ir/threads.h"

#include <vector>

namespace nestwright::lower {

/// The nest of a reduction, from the outermost loop over reduction variables to the block.
struct ReductionNest {
    std::vector<const ir::For *> loops; ///< outermost first
    const ir::Block *block = nullptr;
    ir::VarMap<ir::Expr> values; ///< of the block's variables, simplified
    ir::VarSet reduced;          ///< the loops' variables that reduction variables rest on

    bool isReduced(const ir::For &loop) const { return reduced.contains(loop.var); }
};

inline bool isOfThreads(const ir::For &loop) { return ir::isBoundTo(loop, ir::ThreadRank::Thread); }

/// Whether a block combines or overwrites what it wrote before. Without that each round of its reduction
/// variables writes elements of its own.
bool isReduction(const ir::Block &block);

/// The nest that begins with `s`, with nothing beside its loops; no block where that is none, or no threads
/// reduce in it.
ReductionNest nestAt(const ir::Stmt &s, arith::Analyzer &analyzer);

/// A reduction beside other work: its outermost serial loop is `s`, or it has none and `s` is its block;
/// threads that reduce are among the loops `around` or within. The nest's loops are those from `s` on.
ReductionNest partAt(const ir::Stmt &s, const std::vector<const ir::For *> &around,
                     arith::Analyzer &analyzer);

} // namespace nestwright::lower
