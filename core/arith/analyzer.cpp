// SPDX-License-Identifier: Apache-2.0
#include "core/arith/analyzer.h"

#include "core/arith/same_expr.h"
#include "core/arith/simplify/prover.h"
#include "core/arith/simplify/simplest.h"
#include "core/ir/build/builder.h"
#include "core/ir/conditions.h"

#include <algorithm>
#include <utility>

namespace nestwright::arith {

using namespace ir;

Assumption::Assumption(Assumption &&other) noexcept : m_knowledge(std::exchange(other.m_knowledge, {})) {}

Assumption::~Assumption()
{
    if (const auto knowledge = m_knowledge.lock())
        knowledge->leave();
}

Analyzer::Analyzer() : m_knowledge(std::make_shared<Knowledge>()) {}
Analyzer::~Analyzer() = default;
Analyzer::Analyzer(Analyzer &&) noexcept = default;
Analyzer &Analyzer::operator=(Analyzer &&) noexcept = default;

void Analyzer::bind(const Var &var, const Range &range)
{
    m_knowledge->bind(var, Range{simplify(range.min), simplify(range.extent)});
}
void Analyzer::bind(const Var &var, const Expr &value)
{
    m_knowledge->bindValue(var, arith::simplifyByRules(*m_knowledge, arith::normalForm(*m_knowledge, value)));
}
void Analyzer::bind(const Var &var, ConstIntBound bound) { m_knowledge->bind(var, bound); }

Expr Analyzer::simplify(const Expr &e) { return simplified(*m_knowledge, e); }
Expr Analyzer::simplest(const Expr &e) { return arith::simplest(*m_knowledge, e); }
Expr Analyzer::simplifyByRules(const Expr &e) { return arith::simplifyByRules(*m_knowledge, e); }
Expr Analyzer::normalForm(const Expr &e) { return arith::normalForm(*m_knowledge, e); }
Range Analyzer::simplify(const Range &range) { return {simplify(range.min), simplify(range.extent)}; }

namespace {

/// Decides a comparison by linear inequalities; nothing when it is none, or they do not decide it.
bool followsFromFacts(Knowledge &knowledge, const Expr &condition)
{
    const auto *node = condition.as<Binary>();
    if (!node || !isComparison(node->op) || !node->a.dtype().isInt() || node->a.dtype().isVector())
        return false;
    const ConstIntBound difference = knowledge.difference(node->a, node->b);
    switch (node->op) {
    case BinaryOp::LT: return difference.max < 0;
    case BinaryOp::LE: return difference.max <= 0;
    case BinaryOp::GT: return difference.min > 0;
    case BinaryOp::GE: return difference.min >= 0;
    case BinaryOp::EQ: return difference == ConstIntBound{0, 0};
    default: return difference.max < 0 || difference.min > 0;
    }
}

} // namespace

bool Analyzer::canProve(const Expr &condition)
{
    return std::ranges::all_of(conjunctsOf(condition), [&](const Expr &term) {
        const Expr result = simplify(term);
        if (const std::int64_t *value = asInt(result))
            return *value != 0;
        return followsFromFacts(*m_knowledge, term) || followsFromFacts(*m_knowledge, result);
    });
}

bool Analyzer::canProveEqual(const Expr &a, const Expr &b)
{
    if (sameExpr(a, b))
        return true;
    if (a.dtype().isInt() && b.dtype().isInt() && a.dtype().lanes == b.dtype().lanes)
        return m_knowledge->difference(a, b) == ConstIntBound{0, 0} || canProve(eq(a - b, 0));
    return sameExpr(simplify(a), simplify(b));
}

bool Analyzer::canProveLess(const Expr &a, std::int64_t bound)
{
    return simplifiedBound(*m_knowledge, a).max < bound;
}
bool Analyzer::canProveGreaterEqual(const Expr &a, std::int64_t bound)
{
    return simplifiedBound(*m_knowledge, a).min >= bound;
}

ConstIntBound Analyzer::constBound(const Expr &e) { return m_knowledge->bound(e); }
ModularSet Analyzer::modularSet(const Expr &e) { return m_knowledge->modular(e); }

Assumption Analyzer::assume(const Expr &condition)
{
    const Expr fact = simplify(condition); // before it counts itself
    arith::assume(*m_knowledge, condition);
    m_knowledge->learnFacts(fact);
    return Assumption(m_knowledge);
}

Expr simplify(const Expr &e) { return Analyzer().simplify(e); }

} // namespace nestwright::arith
