// SPDX-License-Identifier: Apache-2.0
#include "core/arith/knowledge/knowledge.h"

#include "core/arith/same_expr.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/ir/purity.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace nestwright::arith {

using namespace ir;

void Knowledge::changed()
{
    ++m_version;
    m_boundCache.clear();
    simplified.clear();
}

void Knowledge::bind(const Var &var, ConstIntBound bound)
{
    m_values.erase(var);
    forget(var);
    m_bounds[var] = bound;
    changed();
}

void Knowledge::forget(const Var &var)
{
    m_bounds.erase(var);
    if (!m_frames.empty()) // the frames count on the order of the facts
        return;
    m_orders.forget(var);
    std::erase_if(m_facts, [&](const Fact &fact) {
        return std::ranges::any_of(fact.sum.terms,
                                   [&](const LinearTerm &term) { return uses(term.atom, var); });
    });
}

void Knowledge::bind(const Var &var, const Range &range)
{
    if (isConstInt(range.extent, 1))
        return bindValue(var, range.min);
    const ConstIntBound min = bound(range.min);
    const ConstIntBound extent = bound(range.extent);
    bind(var, ConstIntBound{min.min, satAdd(satAdd(min.max, extent.max), -1)});
    // Bindings outlive assumptions, so the bounds below are only for bindings made outside of any.
    if (!m_frames.empty() || !range.extent.dtype().isInt())
        return;
    m_orders.learn(ge(var, range.min));
    m_orders.learn(lt(var, range.min + range.extent));
    if (!asInt(range.min))
        learnDifference(var, range.min, {0, ConstIntBound::posInf});
    if (!asInt(range.min) || !asInt(range.extent))
        learnDifference(var, range.min + range.extent, {ConstIntBound::negInf, -1});
    changed();
}

void Knowledge::bindValue(const Var &var, const Expr &value)
{
    forget(var);
    m_values.insert_or_assign(var, value);
    changed();
}

Expr Knowledge::valueOf(const Var &var) const
{
    if (m_values.empty())
        return {};
    const auto found = m_values.find(var);
    return found == m_values.end() ? Expr() : found->second;
}

void Knowledge::enter()
{
    m_frames.push_back(
        {m_infos.size(), m_facts.size(), m_residues.size(), m_literals.size(), m_orders.size()});
}

void Knowledge::leave()
{
    const Frame frame = m_frames.back();
    m_frames.pop_back();
    m_infos.resize(frame.infos);
    m_facts.resize(frame.facts);
    m_residues.resize(frame.residues);
    m_literals.resize(frame.literals);
    m_orders.shrink(frame.orders);
    changed();
}

namespace {

/// Calls `visit` with each term of a conjunction; the negation of a disjunction is one.
void forEachCondition(const Expr &condition, const std::function<void(const Expr &)> &visit)
{
    for (const Expr &term : conjunctsOf(condition)) {
        const auto *negated = term.as<Not>();
        const Expr inner = negated ? withoutLikely(negated->a) : Expr();
        if (const auto *either = inner.as<Binary>(); either && either->op == BinaryOp::Or)
            forEachCondition(negation(inner), visit);
        else
            visit(term);
    }
}

} // namespace

void Knowledge::learnBounds(const Expr &condition)
{
    const auto learn = [&](const Expr &part) {
        const auto *node = part.as<Binary>();
        if (!node || !isComparison(node->op) || node->a.dtype().isVector() || !node->a.dtype().isIntegral())
            return;
        const bool constantFirst = asInt(node->a) != nullptr;
        const std::int64_t *value = constantFirst ? asInt(node->a) : asInt(node->b);
        const Expr &e = constantFirst ? node->b : node->a;
        if (!value || asInt(e))
            return;
        constexpr std::int64_t posInf = ConstIntBound::posInf, negInf = ConstIntBound::negInf;
        const bool below = node->op == BinaryOp::LT || node->op == BinaryOp::LE;
        const bool above = node->op == BinaryOp::GT || node->op == BinaryOp::GE;
        const std::int64_t strict = node->op == BinaryOp::LT || node->op == BinaryOp::GT ? 1 : 0;
        if (node->op == BinaryOp::EQ)
            m_infos.push_back({e, {*value, *value}});
        else if (constantFirst ? below : above)
            m_infos.push_back({e, {satAdd(*value, strict), posInf}});
        else if (constantFirst ? above : below)
            m_infos.push_back({e, {negInf, satAdd(*value, -strict)}});
        const auto *remainder = node->op == BinaryOp::EQ ? node->a.as<Binary>() : nullptr;
        if (!remainder || constantFirst
            || (remainder->op != BinaryOp::FloorMod && remainder->op != BinaryOp::Mod))
            return;
        const std::int64_t *divisor = asInt(remainder->b);
        if (divisor && *divisor != 0 && remainder->a.as<VarNode>()
            && (remainder->op != BinaryOp::Mod || *value >= 0))
            m_residues.push_back({Var::from(remainder->a), makeModular(*divisor, *value)});
    };
    forEachCondition(condition, learn);
    changed();
}

void Knowledge::learnLiterals(const Expr &condition)
{
    forEachCondition(condition, [&](const Expr &part) {
        if (!part.dtype().isBool() || part.dtype().isVector() || !isPure(part))
            return;
        m_literals.push_back(part);
        m_literals.push_back(logicalNot(negation(part)));
    });
    changed();
}

void Knowledge::learnOrders(const Expr &condition)
{
    forEachCondition(condition, [&](const Expr &part) { m_orders.learn(part); });
    changed();
}

void Knowledge::learnFacts(const Expr &condition)
{
    forEachCondition(condition, [&](const Expr &part) {
        if (const auto *node = part.as<Binary>(); node && isComparison(node->op))
            learnCompare(node->op, node->a, node->b);
    });
    changed();
}

std::optional<bool> Knowledge::assumed(const Expr &condition) const
{
    for (const Expr &literal : m_literals) {
        if (sameExpr(literal, condition))
            return true;
        const auto *negated = literal.as<Not>();
        if (negated && sameExpr(negated->a, condition))
            return false;
    }
    return std::nullopt;
}

void Knowledge::learnCompare(BinaryOp op, const Expr &a, const Expr &b)
{
    if (!a.dtype().isIndex())
        return;
    constexpr std::int64_t inf = ConstIntBound::posInf;
    switch (op) {
    case BinaryOp::LT: return learnDifference(a, b, {-inf, -1});
    case BinaryOp::LE: return learnDifference(a, b, {-inf, 0});
    case BinaryOp::GT: return learnDifference(b, a, {-inf, -1});
    case BinaryOp::GE: return learnDifference(b, a, {-inf, 0});
    case BinaryOp::EQ: return learnDifference(a, b, {0, 0});
    default: return;
    }
}

void Knowledge::learnDifference(const Expr &a, const Expr &b, ConstIntBound bound)
{
    LinearSum sum;
    sum.add(a);
    sum.add(b, -1);
    if (sum.overflow || sum.terms.empty())
        return;
    const std::int64_t base = sum.base;
    sum.base = 0;
    bound = bound - ConstIntBound{base, base};
    std::int64_t divisor = 0;
    for (const LinearTerm &term : sum.terms)
        divisor = std::gcd(divisor, term.coeff);
    if (divisor > 1) {
        for (LinearTerm &term : sum.terms)
            term.coeff /= divisor;
        if (bound.hasLower())
            bound.min = ceilDiv(bound.min, divisor);
        if (bound.hasUpper())
            bound.max = floorDiv(bound.max, divisor);
    }
    if (sum.terms.size() == 1 && sum.terms.front().coeff < 0) {
        sum.terms.front().coeff = -sum.terms.front().coeff;
        bound = {satNeg(bound.max), satNeg(bound.min)};
    }
    m_facts.push_back({std::move(sum), bound});
}

namespace {

/// k such that `whole` contains k times each term of `part`; 0 when there is none.
std::int64_t multipleIn(const LinearSum &whole, const LinearSum &part)
{
    std::int64_t factor = 0;
    for (const LinearTerm &term : part.terms) {
        bool found = false;
        for (const LinearTerm &candidate : whole.terms) {
            if (candidate.coeff % term.coeff != 0 || !sameExpr(candidate.atom, term.atom))
                continue;
            const std::int64_t quotient = candidate.coeff / term.coeff;
            found = factor == 0 || factor == quotient;
            factor = quotient;
        }
        if (!found)
            return 0;
    }
    return factor;
}

} // namespace

ConstIntBound Knowledge::bound(const LinearSum &sum)
{
    if (sum.overflow)
        return {};
    ConstIntBound result{sum.base, sum.base};
    for (const LinearTerm &term : sum.terms)
        result = result + bound(term.atom) * ConstIntBound{term.coeff, term.coeff};
    // A fact about some of the terms may be tighter than the terms by themselves.
    for (const Fact &fact : m_facts) {
        const std::int64_t factor = multipleIn(sum, fact.sum);
        if (factor == 0)
            continue;
        LinearSum remaining = sum;
        for (const LinearTerm &term : fact.sum.terms)
            remaining.add(term.atom, -factor * term.coeff);
        result = intersect(result, bound(remaining) + fact.bound * ConstIntBound{factor, factor});
    }
    return result;
}

ConstIntBound Knowledge::difference(const Expr &a, const Expr &b)
{
    LinearSum sum;
    sum.add(a);
    sum.add(b, -1);
    return bound(sum);
}

} // namespace nestwright::arith
