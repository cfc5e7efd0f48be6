// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/predicates.h"

#include "core/ir/builder.h"

namespace nestwright::schedule {

ir::Expr termsWithout(const ir::Expr &condition, const ir::VarSet &discarded)
{
    const auto *both = condition.as<ir::Binary>();
    if (both && both->op == ir::BinaryOp::And)
        return ir::logicalAnd(termsWithout(both->a, discarded), termsWithout(both->b, discarded));
    return ir::usesAny(condition, discarded) ? ir::boolImm(true) : condition;
}

} // namespace nestwright::schedule
