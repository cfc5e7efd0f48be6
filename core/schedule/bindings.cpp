// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/bindings.h"

#include "core/arith/iter_map.h"
#include "core/ir/builder.h"
#include "core/ir/rewriter.h"
#include "core/ir/walk.h"

#include <algorithm>

namespace nestwright::schedule {

arith::VarRange domainOf(const ir::For &loop) { return {loop.var, {loop.min, loop.extent}}; }

arith::Domains domainsAround(const analysis::FunctionIndex &index, StmtId id)
{
    arith::Domains domains;
    for (const StmtId loop : index.loopsOf(id))
        domains.push_back(domainOf(*index.loop(loop)));
    return domains;
}

arith::Domains domainsOf(const ir::Block &block)
{
    arith::Domains domains;
    for (const ir::IterVar &iter : block.iterVars)
        domains.push_back({iter.var, iter.domain});
    return domains;
}

arith::Domains usedIn(const arith::Domains &domains, const std::vector<ir::Expr> &exprs)
{
    arith::Domains used;
    std::ranges::copy_if(domains, std::back_inserter(used), [&](const arith::VarRange &domain) {
        return std::ranges::any_of(exprs, [&](const ir::Expr &e) { return ir::uses(e, domain.var); });
    });
    return used;
}

void bindAll(arith::Analyzer &analyzer, const arith::Domains &domains)
{
    for (const arith::VarRange &domain : domains)
        analyzer.bind(domain.var, domain.range);
}

namespace {

class BindingSimplifier : public ir::Rewriter {
public:
    BindingSimplifier(arith::Domains around, bool preserveUnitIters)
        : m_domains(std::move(around))
        , m_preserveUnitIters(preserveUnitIters)
    {
        bindAll(m_analyzer, m_domains);
    }

    ir::Expr expr(const ir::Expr &e) override { return e; }
    ir::Stmt stmt(const ir::Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>()) {
            m_domains.push_back(domainOf(*loop));
            m_analyzer.bind(loop->var, m_domains.back().range);
            ir::Stmt inside = children(s);
            m_domains.pop_back();
            return inside;
        }
        const auto *block = s.as<ir::Block>();
        return block && !block->iterVars.empty() ? simplified(s, *block) : children(s);
    }

private:
    ir::Stmt simplified(const ir::Stmt &s, const ir::Block &block)
    {
        std::vector<ir::Expr> values =
            arith::iterMapSimplify(block.iterValues, m_domains, block.predicate,
                                   arith::IterMapLevel::Surjective, m_analyzer, !m_preserveUnitIters);
        if (std::ranges::equal(values, block.iterValues,
                               [](const ir::Expr &a, const ir::Expr &b) { return a.same(b); }))
            return s;
        ir::Block copy = block;
        copy.iterValues = std::move(values);
        return ir::make(std::move(copy));
    }

    arith::Domains m_domains;
    arith::Analyzer m_analyzer;
    bool m_preserveUnitIters;
};

class PredicateAdder : public ir::Rewriter {
public:
    explicit PredicateAdder(const ir::Expr &condition) : m_condition(condition) {}

    ir::Expr expr(const ir::Expr &e) override { return e; }
    ir::Stmt stmt(const ir::Stmt &s) override
    {
        const auto *block = s.as<ir::Block>();
        if (!block)
            return children(s);
        ir::Block copy = *block;
        copy.predicate = ir::logicalAnd(copy.predicate, m_condition);
        return ir::make(std::move(copy));
    }

private:
    const ir::Expr &m_condition;
};

} // namespace

ir::Stmt simplifyBindings(const ir::Stmt &s, const arith::Domains &around, bool preserveUnitIters)
{
    return BindingSimplifier(around, preserveUnitIters).stmt(s);
}

ir::Stmt withPredicate(const ir::Stmt &s, const ir::Expr &condition)
{
    return PredicateAdder(condition).stmt(s);
}

ir::VarMap<ir::Expr> valuesOf(const ir::Block &block)
{
    ir::VarMap<ir::Expr> values;
    for (std::size_t i = 0; i < block.iterVars.size(); ++i)
        values[block.iterVars[i].var] = block.iterValues[i];
    return values;
}

} // namespace nestwright::schedule
