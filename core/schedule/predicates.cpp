// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/predicates.h"

#include "core/ir/builder.h"
#include "core/ir/conditions.h"
#include "core/ir/substitute.h"
#include "core/ir/walk.h"
#include "core/schedule/bindings.h"
#include "core/schedule/edit.h"
#include "core/schedule/iter_inverse.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

/// The terms of a conjunction that do not use any of `discarded`: the last first as TVM has them, unless one of them needs those
/// before it as its guards.
ir::Expr termsWithout(const ir::Expr &condition, const ir::VarSet &discarded)
{
    std::vector<ir::Expr> terms = ir::conjunctsOf(condition);
    std::erase_if(terms, [&](const ir::Expr &term) { return ir::usesAny(term, discarded); });
    if (std::ranges::none_of(terms, ir::mayFault))
        std::ranges::reverse(terms);
    return ir::conjunctionOf(terms);
}

/// The terms of a conjunction that cannot be proved.
ir::Expr openTerms(const ir::Expr &condition, arith::Analyzer &analyzer)
{
    std::vector<ir::Expr> terms = ir::conjunctsOf(condition);
    std::erase_if(terms, [&](const ir::Expr &term) { return analyzer.canProve(term); });
    return ir::conjunctionOf(terms);
}

/// The loops in terms of the block's variables, as far as these tell.
ir::VarMap<ir::Expr> loopsOfVariables(const ir::Block &block, const arith::Domains &loops)
{
    arith::Analyzer analyzer;
    bindAll(analyzer, loops);
    bindAll(analyzer, domainsOf(block));
    const auto map =
        arith::detectIterMap(block.iterValues, loops, {}, arith::IterMapLevel::Bijective, analyzer);
    ir::VarMap<ir::Expr> values;
    if (map) {
        std::vector<ir::Expr> variables;
        for (const ir::IterVar &iter : block.iterVars)
            variables.push_back(iter.var);
        values = inverseOf(*map, variables);
    }
    for (const arith::VarRange &loop : loops) {
        if (ir::isConstInt(loop.range.extent, 1))
            values[loop.var] = loop.range.min;
    }
    return values;
}

} // namespace

ir::Expr predicateOfVariables(const ir::Block &block, const arith::Domains &loops, const ir::VarSet &outer)
{
    arith::Analyzer analyzer;
    bindAll(analyzer, loops);
    ir::Expr inside = ir::boolImm(true);
    for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
        const ir::Range &domain = block.iterVars[i].domain;
        inside = ir::logicalAnd(inside, ir::ge(block.iterValues[i], domain.min));
        inside = ir::logicalAnd(inside, ir::lt(block.iterValues[i], domain.min + domain.extent));
    }
    const arith::Assumption assumed = analyzer.assume(inside);
    const ir::Expr open = openTerms(block.predicate, analyzer);
    const ir::Expr result = ir::substitute(open, loopsOfVariables(block, loops));
    for (const arith::VarRange &loop : loops) {
        if (!outer.contains(loop.var) && ir::uses(result, loop.var))
            refuse(
                support::diagnostic("schedule.predicate", "the predicate of block " + named(block)
                                                              + " depends on loop '" + loop.var.name()
                                                              + "' other than through its variables")
                    .at(block.id)
                    .withHint("take this step before the loops that brought the predicate about are split"));
    }
    return result;
}

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
    return ir::guardsFirst(result);
}

} // namespace nestwright::schedule
