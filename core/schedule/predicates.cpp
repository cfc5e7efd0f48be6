// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/predicates.h"

#include "core/ir/builder.h"
#include "core/ir/substitute.h"
#include "core/ir/walk.h"
#include "core/schedule/bindings.h"

namespace nestwright::schedule {

namespace {

/// The terms of a conjunction that do not use any of `discarded`.
ir::Expr termsWithout(const ir::Expr &condition, const ir::VarSet &discarded)
{
    const auto *both = condition.as<ir::Binary>();
    if (both && both->op == ir::BinaryOp::And)
        return ir::logicalAnd(termsWithout(both->a, discarded), termsWithout(both->b, discarded));
    return ir::usesAny(condition, discarded) ? ir::boolImm(true) : condition;
}

} // namespace

ir::Expr predicateWithout(const ir::Block &block, const ir::Expr &predicate, const arith::Domains &discarded,
                          const arith::Domains &loops)
{
    ir::VarSet gone;
    ir::VarMap<ir::Expr> only;
    for (const arith::VarRange &loop : discarded) {
        if (ir::isConstInt(loop.range.extent, 1))
            only[loop.var] = loop.range.min;
        else
            gone.insert(loop.var);
    }
    ir::Expr result = termsWithout(ir::substitute(predicate, only), gone);
    arith::Analyzer analyzer;
    bindAll(analyzer, loops);
    const arith::Assumption assumed = analyzer.assume(result);
    for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
        const ir::Range &domain = block.iterVars[i].domain;
        const ir::Expr inside = ir::lt(block.iterValues[i], domain.min + domain.extent);
        if (!analyzer.canProve(inside))
            result = ir::logicalAnd(result, inside);
    }
    return result;
}

} // namespace nestwright::schedule
