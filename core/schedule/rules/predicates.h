// SPDX-License-Identifier: Apache-2.0
/// Restricts a block predicate to its surviving loops.
#pragma once

#include "core/arith/int_set.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/stmt.h"

namespace nestwright::schedule {

/// Restricts `predicate` to the surviving loops of `block` (whose variables and values count) when it no
/// longer runs under the loops `discarded`: a term that uses one of those goes, with its only value where it
/// has one iteration. Where the block's variables could then leave their domains, that is added. `loops` are
/// all loops of before.
ir::Expr predicateWithout(const ir::Block &block, const ir::Expr &predicate, const arith::Domains &discarded,
                          const arith::Domains &loops);

/// Condition under which the reductions of `block` begin, as far as it differs between the loops that stay:
/// the terms of its predicate that use the loops `gone`, with these at their first iteration. Throws
/// "schedule.predicate" where a later iteration may run without the first.
ir::Expr whereBegun(const ir::Block &block, const arith::Domains &gone, const arith::Domains &loops);

/// The predicate of `block` without the bounds of its variables' domains, as a condition on the variables and
/// on `outer`, the loops that stay around it when `loops` go. Throws "schedule.predicate" where there is no
/// such form.
ir::Expr predicateOfVariables(const ir::Block &block, const arith::Domains &loops, const ir::VarSet &outer);

} // namespace nestwright::schedule
