// SPDX-License-Identifier: Apache-2.0
#include "core/arith/simplify/prover.h"

#include "core/arith/same_expr.h"
#include "core/arith/simplify/canonical.h"
#include "core/ir/build/builder.h"

namespace nestwright::arith {

using namespace ir;

namespace {

/// Proofs within proofs go no deeper than this.
constexpr int deepestProof = 12;

struct Nested {
    explicit Nested(Knowledge &knowledge) : m_knowledge(knowledge)
    {
        if (m_knowledge.depth++ == 0)
            m_knowledge.steps = 0;
    }
    ~Nested() { --m_knowledge.depth; }
    Nested(const Nested &) = delete;
    Nested &operator=(const Nested &) = delete;
    bool tooDeep() const { return m_knowledge.depth > deepestProof; }

private:
    Knowledge &m_knowledge;
};

} // namespace

Expr simplifyByRules(Knowledge &knowledge, const Expr &e)
{
    const Nested nested(knowledge);
    if (nested.tooDeep())
        return e;
    RewriteSimplifier simplifier(knowledge);
    const Expr once = simplifier.expr(e);
    return once.same(e) ? once : simplifier.expr(once);
}

Expr normalForm(Knowledge &knowledge, const Expr &e)
{
    const Nested nested(knowledge);
    if (nested.tooDeep())
        return e;
    CanonicalSimplifier canonical(knowledge);
    Expr result = canonical.expr(e);
    return canonical.overflowed() ? e : result;
}

Expr simplified(Knowledge &knowledge, const Expr &e)
{
    if (!e || asInt(e))
        return e;
    if (const Expr *known = knowledge.simplified.find(e))
        return *known;
    Expr result = normalForm(knowledge, e);
    if (!asInt(result))
        result = simplifyByRules(knowledge, result);
    if (!asInt(result))
        result = normalForm(knowledge, result);
    if (sameExpr(result, e))
        result = e;
    if (knowledge.depth < deepestProof)
        knowledge.simplified.insert(e, result);
    return result;
}

bool isProvable(Knowledge &knowledge, const Expr &condition)
{
    if (const std::int64_t *value = asInt(condition))
        return *value != 0;
    const Expr result = simplified(knowledge, condition);
    const std::int64_t *value = asInt(result);
    return value && *value != 0;
}

ConstIntBound simplifiedBound(Knowledge &knowledge, const Expr &e)
{
    return knowledge.bound(asInt(e) ? e : simplifyByRules(knowledge, e));
}

void assume(Knowledge &knowledge, const Expr &condition)
{
    knowledge.enter();
    knowledge.learnBounds(condition);
    knowledge.learnLiterals(RewriteSimplifier(knowledge).expr(condition));
    knowledge.learnOrders(condition);
}

} // namespace nestwright::arith
