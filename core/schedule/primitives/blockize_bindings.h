// SPDX-License-Identifier: Apache-2.0
/// The variables of an outer and an inner block made of one block, and the inner block over them.
#pragma once

#include "core/schedule/primitives/blockize_division.h"

namespace nestwright::schedule {

/// The variables of the outer and the inner block.
struct Bindings {
    std::vector<ir::IterVar> outerVars, innerVars;
    std::vector<ir::Expr> outerValues, innerValues;
    ir::VarMap<ir::Expr> values; ///< of the original variables
};

/// The outer variables alone.
Bindings outerBindings(const ir::Block &block, const Division &division);
/// The inner variables and what the original ones become; `bindings` has outer variables already where blocks
/// share them.
void bindInner(const ir::Block &block, const Division &division, bool preserveUnitIters, Bindings &bindings);

/// `block` without bindings, its variables replaced and simplified; the inner ones are bound in `analyzer`.
ir::Block replacedIn(const ir::Block &block, const Bindings &bindings, arith::Analyzer &analyzer);
/// The original block as it is inside: over the inner variables.
ir::Block innerBlock(const ir::Block &replaced, const Bindings &bindings, const ir::Expr &predicate);
/// The regions while all of `vars` run; all of a buffer where there is no box.
std::vector<ir::BufferRegion> relaxed(const std::vector<ir::BufferRegion> &regions,
                                      const std::vector<ir::IterVar> &vars, arith::Analyzer &analyzer);
/// `body` in copies of `loops`, innermost first, whose extents take the values of `outside`.
ir::Stmt nested(ir::Stmt body, const std::vector<const ir::For *> &loops,
                const ir::VarMap<ir::Expr> &outside);

bool isReduction(const ir::IterVar &iter);

} // namespace nestwright::schedule
