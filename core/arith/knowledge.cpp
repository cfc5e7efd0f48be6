// SPDX-License-Identifier: Apache-2.0
#include "core/arith/knowledge.h"

#include "core/arith/same_expr.h"
#include "core/ir/builder.h"
#include "core/ir/walk.h"

#include <algorithm>
#include <numeric>

namespace nestwright::arith {

using namespace ir;

void Knowledge::changed()
{
    m_boundCache.clear();
    simplified.clear();
}

void Knowledge::bind(const Var &var, ConstIntBound bound)
{
    m_values.erase(var);
    m_bounds[var] = bound;
    forget(var);
    changed();
}

void Knowledge::forget(const Var &var)
{
    if (!m_frames.empty()) // the frames count on the order of the facts
        return;
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
    // Symbolic ends are remembered as facts: var - min >= 0, var - (min + extent) <= -1. Bindings outlive
    // assumptions, so this is only for bindings made outside of any.
    if (!m_frames.empty() || !range.extent.dtype().isInt())
        return;
    if (!asInt(range.min))
        learnDifference(var, range.min, {0, ConstIntBound::posInf});
    if (!asInt(range.min) || !asInt(range.extent))
        learnDifference(var, range.min + range.extent, {ConstIntBound::negInf, -1});
    changed();
}

void Knowledge::bindValue(const Var &var, const Expr &value)
{
    m_bounds.erase(var);
    m_values.insert_or_assign(var, value);
    forget(var);
    changed();
}

Expr Knowledge::valueOf(const Var &var) const
{
    if (m_values.empty())
        return {};
    const auto found = m_values.find(var);
    return found == m_values.end() ? Expr() : found->second;
}

void Knowledge::enter(const Expr &condition)
{
    m_frames.push_back({m_facts.size(), m_residues.size(), m_literals.size()});
    learn(condition);
    changed();
}

void Knowledge::leave()
{
    const Frame frame = m_frames.back();
    m_frames.pop_back();
    m_facts.resize(frame.facts);
    m_residues.resize(frame.residues);
    m_literals.resize(frame.literals);
    changed();
}

std::optional<bool> Knowledge::assumed(const Expr &condition) const
{
    for (const Literal &literal : m_literals) {
        if (sameExpr(literal.condition, condition))
            return literal.value;
    }
    return std::nullopt;
}

void Knowledge::learn(const Expr &condition)
{
    if (asInt(condition))
        return;
    if (const auto *node = condition.as<Not>())
        return learnNot(node->a);
    if (const auto *callNode = condition.as<Call>(); callNode && callNode->name == "likely")
        return learn(callNode->args.front());
    const auto *node = condition.as<Binary>();
    if (node && node->op == BinaryOp::And) {
        learn(node->a);
        return learn(node->b);
    }
    m_literals.push_back({condition, true});
    if (node && isComparison(node->op))
        learnCompare(node->op, node->a, node->b);
}

void Knowledge::learnNot(const Expr &condition)
{
    m_literals.push_back({condition, false});
    const auto *node = condition.as<Binary>();
    if (!node)
        return;
    switch (node->op) {
    case BinaryOp::Or: learnNot(node->a); return learnNot(node->b);
    case BinaryOp::NE: return learnCompare(BinaryOp::EQ, node->a, node->b);
    case BinaryOp::LT: return learnCompare(BinaryOp::GE, node->a, node->b);
    case BinaryOp::LE: return learnCompare(BinaryOp::GT, node->a, node->b);
    case BinaryOp::GT: return learnCompare(BinaryOp::LE, node->a, node->b);
    case BinaryOp::GE: return learnCompare(BinaryOp::LT, node->a, node->b);
    default: return;
    }
}

void Knowledge::learnCompare(BinaryOp op, const Expr &a, const Expr &b)
{
    if (!a.dtype().isInt() || a.dtype().isVector())
        return;
    constexpr std::int64_t inf = ConstIntBound::posInf;
    // The opposite of each literal is known as well: x < y tells y <= x.
    const auto opposite = [&](BinaryOp negated, const Expr &left, const Expr &right) {
        m_literals.push_back({binaryNode(negated, left, right), false});
    };
    switch (op) {
    case BinaryOp::LT: opposite(BinaryOp::LE, b, a); return learnDifference(a, b, {-inf, -1});
    case BinaryOp::LE: opposite(BinaryOp::LT, b, a); return learnDifference(a, b, {-inf, 0});
    case BinaryOp::GT: return learnCompare(BinaryOp::LT, b, a);
    case BinaryOp::GE: return learnCompare(BinaryOp::LE, b, a);
    case BinaryOp::EQ:
        opposite(BinaryOp::NE, a, b);
        if (const std::int64_t *value = asInt(b))
            learnRest(a, *value);
        return learnDifference(a, b, {0, 0});
    case BinaryOp::NE: opposite(BinaryOp::EQ, a, b); return;
    default: return;
    }
}

void Knowledge::learnRest(const Expr &rest, std::int64_t value)
{
    const auto *node = rest.as<Binary>();
    if (!node || (node->op != BinaryOp::FloorMod && node->op != BinaryOp::Mod))
        return;
    const std::int64_t *divisor = asInt(node->b);
    if (!divisor || *divisor == 0 || (node->op == BinaryOp::Mod && value < 0))
        return;
    m_residues.push_back({node->a, makeModular(*divisor, value)});
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
            bound.min = -floorDiv(-bound.min, divisor);
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
    if (sum.terms.size() < 2)
        return result;
    // A fact about some of the terms may be tighter than the terms by themselves.
    for (const Fact &fact : m_facts) {
        const std::int64_t factor = fact.sum.terms.size() < 2 ? 0 : multipleIn(sum, fact.sum);
        if (factor == 0)
            continue;
        LinearSum rest = sum;
        for (const LinearTerm &term : fact.sum.terms)
            rest.add(term.atom, -factor * term.coeff);
        result = intersect(result, bound(rest) + fact.bound * ConstIntBound{factor, factor});
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
