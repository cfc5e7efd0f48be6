// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/rules/predicates.h"

#include "core/analysis/kernel/block_kind.h"
#include "core/arith/iter_map/inverse.h"
#include "core/arith/iter_map/iter_map.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/schedule/edit.h"
#include "core/schedule/rules/bindings.h"

#include <algorithm>
#include <span>

namespace nestwright::schedule {

namespace {

/// The terms of a conjunction that do not use any of `discarded`: the last first as TVM has them, unless one
/// of them needs those before it as its guards.
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
        values = arith::inverseOf(*map, variables);
    }
    for (const arith::VarRange &loop : loops) {
        if (ir::isConstInt(loop.range.extent, 1))
            values[loop.var] = loop.range.min;
    }
    return values;
}

/// Whether each of the block's values stays within its domain, by their iterator map under `predicate` over
/// `loops`: that of all of them, or where they have none that of each.
std::vector<bool> insideByMap(const ir::Block &block, const arith::Domains &loops, const ir::Expr &predicate)
{
    std::vector<bool> inside(block.iterVars.size());
    arith::Analyzer analyzer;
    const auto mapOf = [&](std::span<const ir::Expr> values) {
        return arith::detectIterMap(values, loops, predicate, arith::IterMapLevel::Surjective, analyzer);
    };
    const auto all = mapOf(block.iterValues);
    for (std::size_t i = 0; i < inside.size(); ++i) {
        const auto own = all ? all : mapOf(std::span(&block.iterValues[i], 1));
        if (!own)
            continue;
        const arith::IterSum &sum = own->indices[all ? i : 0];
        const ir::Range &domain = block.iterVars[i].domain;
        ir::Expr end = sum.base + ir::intImm(1, sum.base.dtype());
        if (!sum.args.empty()) {
            const arith::IterSplit &split = sum.args.front();
            end = end + (split.extent - ir::intImm(1, split.extent.dtype())) * split.scale;
        }
        inside[i] = analyzer.canProve(ir::le(end, domain.min + domain.extent));
    }
    return inside;
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
    std::vector<ir::Expr> terms = ir::conjunctsOf(predicate);
    for (ir::Expr &term : terms) {
        if (std::ranges::any_of(only, [&](const auto &loop) { return ir::uses(term, loop.first); }))
            term = arith::simplify(ir::substitute(term, only));
    }
    ir::Expr result = termsWithout(ir::conjunctionOf(terms), gone);
    arith::Analyzer analyzer;
    bindAll(analyzer, loops);
    const arith::Assumption assumed = analyzer.assume(result);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
        const ir::Range &domain = block.iterVars[i].domain;
        if (!analyzer.canProve(ir::lt(block.iterValues[i], domain.min + domain.extent)))
            open.push_back(i);
    }
    const std::vector<bool> inside = open.empty() ? std::vector<bool>() : insideByMap(block, loops, result);
    for (const std::size_t i : open) {
        const ir::Range &domain = block.iterVars[i].domain;
        if (!inside[i])
            result = ir::logicalAnd(result, ir::lt(block.iterValues[i], domain.min + domain.extent));
    }
    return ir::guardsFirst(result);
}

ir::Expr whereBegun(const ir::Block &block, const arith::Domains &gone, const arith::Domains &loops)
{
    ir::VarMap<ir::Expr> first;
    for (const arith::VarRange &loop : gone)
        first[loop.var] = loop.range.min;
    arith::Analyzer analyzer;
    bindAll(analyzer, loops);
    ir::Expr result = ir::boolImm(true);
    for (const ir::Expr &term : ir::conjunctsOf(block.predicate)) {
        if (std::ranges::none_of(first, [&](const auto &loop) { return ir::uses(term, loop.first); }))
            continue;
        const ir::Expr atFirst = analyzer.simplify(ir::substitute(term, first));
        const bool tellsApart = std::ranges::any_of(
            loops, [&](const arith::VarRange &loop) { return ir::uses(atFirst, loop.var); });
        if (!tellsApart || analyzer.canProve(atFirst))
            continue;
        if (!analysis::holdsFromTheBeginning(term, first, analyzer))
            refuse(support::diagnostic("schedule.predicate",
                                       "the predicate of block " + named(block)
                                           + " may leave out the iterations that begin its reductions")
                       .at(block.id)
                       .withHint("split the reduction by a factor that divides it"));
        result = ir::logicalAnd(result, atFirst);
    }
    return result;
}

} // namespace nestwright::schedule
