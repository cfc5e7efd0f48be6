// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/primitives/moved_nest.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/conditions.h"
#include "core/ir/node/equality.h"
#include "core/schedule/primitives/iter_domains.h"
#include "core/schedule/rules/bindings.h"
#include "core/schedule/rules/block_rules.h"
#include "core/schedule/rules/predicates.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

/// The condition without terms that it has already.
ir::Expr eachOnce(const ir::Expr &condition)
{
    std::vector<ir::Expr> terms;
    const std::vector<ir::Expr> all = ir::conjunctsOf(condition);
    for (const ir::Expr &term : all) {
        const auto isTerm = [&](const ir::Expr &known) { return ir::structurallyEqual(known, term); };
        if (std::ranges::none_of(terms, isTerm))
            terms.push_back(term);
    }
    return terms.size() == all.size() ? condition : ir::conjunctionOf(terms);
}

} // namespace

MovedNest::MovedNest(Edit &edit, const ir::Block &block, arith::Domains around, bool preserveUnitLoops)
    : m_edit(edit)
    , m_block(block)
    , m_domains(std::move(around))
    , m_preserveUnitLoops(preserveUnitLoops)
{
    m_block.iterValues.clear();
    m_block.predicate = ir::boolImm(true);
}

void MovedNest::add(const ir::IterVar &iter, const IterDomain &domain, arith::Analyzer &analyzer)
{
    const ir::DataType type = iter.var->dtype;
    const ir::Expr min = analyzer.simplify(domain.values.min);
    const ir::Expr extent = analyzer.simplify(domain.values.max - min + ir::constant(1, type));
    ir::Expr value = min;
    if (m_preserveUnitLoops || !ir::isConstInt(extent, 1)) {
        const ir::Var var("ax" + std::to_string(m_loops.size()), type);
        m_loops.push_back({var, extent});
        m_domains.push_back({var, {ir::constant(0, type), extent}});
        analyzer.bind(var, m_domains.back().range);
        value = min + var;
    }
    m_block.iterValues.push_back(value);
    if (domain.bound.isNothing)
        return;
    require(ir::ge(value, domain.bound.min), analyzer);
    require(ir::lt(value, analyzer.simplify(domain.bound.max + ir::constant(1, type))), analyzer);
}

void MovedNest::requireOfVariables(const ir::Expr &condition, arith::Analyzer &analyzer)
{
    if (!ir::isTrue(condition))
        require(ir::substitute(condition, valuesOf(m_block)), analyzer);
}

void MovedNest::requireGuard(const ir::Expr &condition, arith::Analyzer &analyzer)
{
    for (const ir::Expr &term : ir::conjunctsOf(condition)) {
        const bool isKnown = [&] {
            const auto known = analyzer.assume(m_block.predicate);
            return analyzer.canProve(term);
        }();
        if (!isKnown)
            require(term, analyzer);
    }
}

void MovedNest::require(const ir::Expr &condition, arith::Analyzer &analyzer)
{
    if (!canProveOver(condition, m_domains, analyzer))
        m_block.predicate = ir::logicalAnd(m_block.predicate, condition);
}

ir::Stmt MovedNest::finish(arith::Analyzer &analyzer)
{
    requireCounted(m_block.iterValues, m_domains, "block " + named(m_block) + " would run", m_block.id);
    m_block.predicate = ir::guardsFirst(eachOnce(analyzer.simplify(m_block.predicate)));
    std::vector<StmtId> ids(m_loops.size());
    std::ranges::generate(ids, [&] { return m_edit.newId(); });
    ir::Stmt nest = ir::make(m_block);
    for (std::size_t i = m_loops.size(); i-- > 0;)
        nest =
            ir::serialFor(m_loops[i].var, m_loops[i].extent, nest, ids[i], m_edit.origin("loop", m_block.id));
    return nest;
}

bool MovedNest::runsEverywhere() const { return schedule::runsEverywhere(m_block, m_domains); }

} // namespace nestwright::schedule
