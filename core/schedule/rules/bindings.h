// SPDX-License-Identifier: Apache-2.0
/// The values that blocks' iteration variables take, as the loops around them change.
#pragma once

#include "core/analysis/kernel/index.h"
#include "core/arith/int_set.h"

#include <string>

namespace nestwright::schedule {

using support::StmtId;

/// The variable of a loop with its range.
arith::VarRange domainOf(const ir::For &loop);
/// Domains of the loops around `id` in its scope, outermost first; `id` itself not included.
arith::Domains domainsAround(const analysis::FunctionIndex &index, StmtId id);
/// The iteration variables of a block with their ranges.
arith::Domains domainsOf(const ir::Block &block);
/// The domains whose variable one of the expressions uses.
arith::Domains usedIn(const arith::Domains &domains, const std::vector<ir::Expr> &exprs);
/// Makes the ranges known to `analyzer`.
void bindAll(arith::Analyzer &analyzer, const arith::Domains &domains);

/// The sizes of the function's buffers are not negative: makes that known of the variables in them.
void bindSizes(arith::Analyzer &analyzer, const ir::PrimFunc &function);
/// Whether a comparison holds over `domains`. Where the rules do not tell, the least difference of its sides
/// may (TVM's symbolic bounds).
bool canProveOver(const ir::Expr &condition, const arith::Domains &domains, arith::Analyzer &analyzer);

/// Refuses places that the loops `around` lead beyond what their type counts, as far as the loops have known
/// lengths: a condition that keeps a block from there would be one on numbers that have wrapped around.
/// `user`: "block 'B' would run". Error: "schedule.index-range".
void requireCounted(const std::vector<ir::Expr> &places, const arith::Domains &around,
                    const std::string &user, StmtId at);

/// Begins of the ranges of a region.
std::vector<ir::Expr> beginsOf(const arith::Region &region);

/// `s` with the iteration values of the blocks in it simplified; `around` are the loops around `s`. With
/// `preserveUnitIters` loops of one iteration stay in the values. Blocks within blocks that have iteration
/// variables are left alone.
ir::Stmt simplifyBindings(const ir::Stmt &s, const arith::Domains &around, bool preserveUnitIters);

/// `s` where the blocks in it (not those within blocks) run only if `condition` holds too.
ir::Stmt withPredicate(const ir::Stmt &s, const ir::Expr &condition);

/// The values of a block's iteration variables, for substituting them.
ir::VarMap<ir::Expr> valuesOf(const ir::Block &block);

} // namespace nestwright::schedule
