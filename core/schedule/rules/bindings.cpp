// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/rules/bindings.h"

#include "core/arith/iter_map/iter_map.h"
#include "core/arith/type_range.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/schedule/edit.h"

#include <algorithm>
#include <format>
#include <limits>

namespace nestwright::schedule {

namespace {
/// Offsets in sizes beyond this tell nothing that matters; below it sums of them stay within 64 bits.
constexpr std::int64_t maxOffset = std::int64_t{1} << 40;
} // namespace

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

namespace {

/// The values of a place that its type does not hold, or of what is divided in it: a quotient is small, but
/// of what wrapped around.
std::optional<arith::ConstIntBound> beyondCount(const ir::Expr &place, arith::Analyzer &analyzer)
{
    auto beyond = arith::beyondType(place, analyzer);
    ir::forEachExpr(place, [&](const ir::Expr &part) {
        const auto *node = part.as<ir::Binary>();
        if (!beyond && node && (node->op == ir::BinaryOp::FloorDiv || node->op == ir::BinaryOp::FloorMod))
            beyond = arith::beyondType(node->a, analyzer);
        return !beyond;
    });
    return beyond;
}

} // namespace

void requireCounted(const std::vector<ir::Expr> &places, const arith::Domains &around,
                    const std::string &user, StmtId at)
{
    arith::Analyzer analyzer;
    bindAll(analyzer, around);
    const auto isKnown = [&](const ir::Var &var) {
        const auto domain = std::ranges::find(around, var, &arith::VarRange::var);
        return domain != around.end() && ir::asInt(domain->range.min) && ir::asInt(domain->range.extent);
    };
    for (const ir::Expr &place : places) {
        if (!std::ranges::all_of(ir::variablesOf(place), isKnown))
            continue;
        if (const auto values = beyondCount(place, analyzer))
            refuse(support::diagnostic("schedule.index-range",
                                       std::format("{} at places up to {}, more than {} counts ({})", user,
                                                   std::max(values->max, -values->min), place.dtype().str(),
                                                   std::numeric_limits<std::int32_t>::max()))
                       .at(at)
                       .withHint("split the loops so that they end where the buffer does"));
    }
}

std::vector<ir::Expr> beginsOf(const arith::Region &region)
{
    std::vector<ir::Expr> begins;
    for (const ir::Range &range : region)
        begins.push_back(range.min);
    return begins;
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

/// Binds the variable in `size`, which is the variable, or it times a positive number, plus a number.
void bindSize(arith::Analyzer &analyzer, const ir::Expr &size, std::int64_t least)
{
    const auto *node = size.as<ir::Binary>();
    const std::int64_t *number = node ? ir::asInt(node->b) : nullptr;
    if (size.as<ir::VarNode>()) {
        const ir::Var var = ir::Var::from(size);
        const arith::ConstIntBound known = analyzer.constBound(size);
        if (var->dtype.isInt() && known.min < least)
            analyzer.bind(var, arith::ConstIntBound{least, known.max});
    } else if (number && node->op == ir::BinaryOp::Add && *number > -maxOffset && *number < maxOffset) {
        bindSize(analyzer, node->a, least - *number);
    } else if (number && node->op == ir::BinaryOp::Sub && *number > -maxOffset && *number < maxOffset) {
        bindSize(analyzer, node->a, least + *number);
    } else if (number && node->op == ir::BinaryOp::Mul && *number > 0) {
        bindSize(analyzer, node->a, ir::ceilDiv(least, *number));
    }
}

/// The difference, and the least value of it for which the comparison holds.
std::pair<ir::Expr, std::int64_t> difference(const ir::Binary &comparison)
{
    switch (comparison.op) {
    case ir::BinaryOp::LT: return {comparison.b - comparison.a, 1};
    case ir::BinaryOp::LE: return {comparison.b - comparison.a, 0};
    case ir::BinaryOp::GT: return {comparison.a - comparison.b, 1};
    case ir::BinaryOp::GE: return {comparison.a - comparison.b, 0};
    default: return {};
    }
}

} // namespace

void bindSizes(arith::Analyzer &analyzer, const ir::PrimFunc &function)
{
    for (const ir::Param &param : function.params) {
        if (!param.buffer)
            continue;
        for (const ir::Expr &size : param.buffer.shape())
            bindSize(analyzer, size, 0);
    }
}

bool canProveOver(const ir::Expr &condition, const arith::Domains &domains, arith::Analyzer &analyzer)
{
    if (analyzer.canProve(condition))
        return true;
    const ir::Expr simple = ir::withoutLikely(analyzer.simplify(condition));
    const auto *comparison = simple.as<ir::Binary>();
    if (!comparison || !comparison->a.dtype().isInt())
        return false;
    const auto [gap, least] = difference(*comparison);
    if (!gap)
        return false;
    ir::VarMap<arith::IntervalSet> sets;
    for (const arith::VarRange &domain : domains)
        sets[domain.var] = arith::IntervalSet::of(domain.range);
    const arith::IntervalSet gaps = arith::evalSet(analyzer.simplify(gap), sets, analyzer);
    return !gaps.isNothing && gaps.min && analyzer.constBound(analyzer.simplify(gaps.min)).min >= least;
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
        copy.predicate = ir::guardsFirst(ir::logicalAnd(copy.predicate, m_condition));
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
