// SPDX-License-Identifier: Apache-2.0
/// The pattern of a reduction: an element, combined with one more term in each step.
#pragma once

#include "core/schedule/edit.h"

namespace nestwright::schedule {

/// `buffer[indices] = op(buffer[indices], term)`, begun with `identity`.
struct Reduction {
    ir::Buffer buffer;
    std::vector<ir::Expr> indices;
    ir::BinaryOp op = ir::BinaryOp::Add;
    ir::Expr identity, term;

    /// op(a, b), in the order in which the block has them.
    ir::Expr combine(const ir::Expr &a, const ir::Expr &b) const;
};

/// The reduction that the block carries out: one store in its init and one in its body, combined by +, *, min or max with an
/// init that leaves a term as it is. Throws "schedule.unknown-reducer".
Reduction reductionOf(const ir::Block &block);

} // namespace nestwright::schedule
