// SPDX-License-Identifier: Apache-2.0
/// The predicate of a block that is left with only some of its loops.
#pragma once

#include "core/arith/int_set.h"
#include "core/ir/stmt.h"

namespace nestwright::schedule {

/// What is left of `predicate` for `block` (whose variables and values count) when it no longer runs under the loops `discarded`: a
/// term that uses one of those goes, with its only value where it has one iteration. Where the block's variables could then leave
/// their domains, that is added. `loops` are all loops of before.
ir::Expr predicateWithout(const ir::Block &block, const ir::Expr &predicate, const arith::Domains &discarded,
                          const arith::Domains &loops);

} // namespace nestwright::schedule
