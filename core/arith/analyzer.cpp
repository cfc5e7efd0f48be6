// SPDX-License-Identifier: Apache-2.0
#include "core/arith/analyzer.h"

#include "core/arith/canonical.h"
#include "core/arith/same_expr.h"
#include "core/ir/builder.h"

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
void Analyzer::bind(const Var &var, const Expr &value) { m_knowledge->bindValue(var, simplify(value)); }
void Analyzer::bind(const Var &var, ConstIntBound bound) { m_knowledge->bind(var, bound); }

Expr Analyzer::simplify(const Expr &e)
{
    if (!e || asInt(e) || e.as<FloatImm>())
        return e;
    if (const Expr *known = m_knowledge->simplified.find(e))
        return *known;
    // The rules open chances for the normal form and the other way round; a second round finds nearly all
    // there is.
    Expr result = e;
    for (int round = 0; round < 2; ++round) {
        const Expr before = result;
        result = RewriteSimplifier(*m_knowledge).expr(result);
        CanonicalSimplifier canonical(*m_knowledge);
        if (const Expr normal = canonical.expr(result); !canonical.overflowed())
            result = normal;
        if (sameExpr(result, before)) {
            result = before;
            break;
        }
    }
    if (sameExpr(result, e))
        result = e;
    m_knowledge->simplified.insert(e, result);
    return result;
}

Range Analyzer::simplify(const Range &range) { return {simplify(range.min), simplify(range.extent)}; }

bool Analyzer::canProve(const Expr &condition)
{
    if (const std::int64_t *value = asInt(condition))
        return *value != 0;
    if (const auto *node = condition.as<Binary>(); node && node->op == BinaryOp::And)
        return canProve(node->a) && canProve(node->b);
    return isTrue(simplify(condition));
}

bool Analyzer::canProveEqual(const Expr &a, const Expr &b)
{
    if (sameExpr(a, b))
        return true;
    if (a.dtype().isInt() && b.dtype().isInt() && a.dtype().lanes == b.dtype().lanes)
        return m_knowledge->difference(a, b) == ConstIntBound{0, 0} || isConstInt(simplify(a - b), 0);
    return sameExpr(simplify(a), simplify(b));
}

bool Analyzer::canProveLess(const Expr &a, std::int64_t bound) { return constBound(a).max < bound; }
bool Analyzer::canProveGreaterEqual(const Expr &a, std::int64_t bound) { return constBound(a).min >= bound; }

ConstIntBound Analyzer::constBound(const Expr &e) { return m_knowledge->bound(e); }
ModularSet Analyzer::modularSet(const Expr &e) { return m_knowledge->modular(e); }

Assumption Analyzer::assume(const Expr &condition)
{
    m_knowledge->enter(simplify(condition));
    return Assumption(m_knowledge);
}

Expr simplify(const Expr &e) { return Analyzer().simplify(e); }

} // namespace nestwright::arith
