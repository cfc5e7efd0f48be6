// SPDX-License-Identifier: Apache-2.0
/// The steps of simplification as they are put together, and the proofs that rest on them.
#pragma once

#include "core/arith/knowledge/knowledge.h"

namespace nestwright::arith {

/// Simplifies by rules only, at most two passes.
ir::Expr simplifyByRules(Knowledge &knowledge, const ir::Expr &e);
/// Into the normal form of canonical_sum.h, one pass.
ir::Expr normalForm(Knowledge &knowledge, const ir::Expr &e);
/// Normal form, rules, normal form: the steps of Analyzer::simplify.
ir::Expr simplified(Knowledge &knowledge, const ir::Expr &e);

/// Whether `condition` simplifies to true; nothing else is tried.
bool isProvable(Knowledge &knowledge, const ir::Expr &condition);
/// Bounds of `e` once simplified by rules.
ConstIntBound simplifiedBound(Knowledge &knowledge, const ir::Expr &e);

/// `condition` holds until `knowledge.leave()`.
void assume(Knowledge &knowledge, const ir::Expr &condition);

} // namespace nestwright::arith
