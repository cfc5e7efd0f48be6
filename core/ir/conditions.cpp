// SPDX-License-Identifier: Apache-2.0
#include "core/ir/conditions.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"

#include <algorithm>

namespace nestwright::ir {

namespace {

void addConjuncts(const Expr &condition, std::vector<Expr> &terms)
{
    const Expr plain = withoutLikely(condition);
    if (const auto *both = plain.as<Binary>(); both && both->op == BinaryOp::And) {
        addConjuncts(both->a, terms);
        addConjuncts(both->b, terms);
    } else if (!isTrue(plain)) {
        terms.push_back(plain);
    }
}

/// The negation of a comparison; null where it has none.
Expr opposite(const Binary &node)
{
    const bool hasNan = node.a.dtype().isFloating();
    switch (node.op) {
    case BinaryOp::EQ: return ne(node.a, node.b);
    case BinaryOp::NE: return eq(node.a, node.b);
    case BinaryOp::LT: return hasNan ? Expr() : le(node.b, node.a);
    case BinaryOp::LE: return hasNan ? Expr() : lt(node.b, node.a);
    case BinaryOp::GT: return hasNan ? Expr() : le(node.a, node.b);
    case BinaryOp::GE: return hasNan ? Expr() : lt(node.a, node.b);
    case BinaryOp::And: return logicalOr(negation(node.a), negation(node.b));
    case BinaryOp::Or: return logicalAnd(negation(node.a), negation(node.b));
    default: return {};
    }
}

} // namespace

Expr withoutLikely(const Expr &condition)
{
    const auto *call = condition.as<Call>();
    return call && call->callee == intrinsics::likely && call->args.size() == 1
               ? withoutLikely(call->args.front())
               : condition;
}

std::vector<Expr> conjunctsOf(const Expr &condition)
{
    std::vector<Expr> terms;
    if (condition)
        addConjuncts(condition, terms);
    return terms;
}

Expr conjunctionOf(const std::vector<Expr> &terms)
{
    Expr all = boolImm(true);
    for (const Expr &term : terms)
        all = logicalAnd(all, term);
    return all;
}

Expr negation(const Expr &condition)
{
    const Expr plain = withoutLikely(condition);
    if (const auto *inner = plain.as<Not>())
        return inner->a;
    if (const auto *splat = plain.as<Broadcast>())
        return broadcast(negation(splat->value), splat->lanes);
    const auto *node = plain.as<Binary>();
    const Expr turned = node ? opposite(*node) : Expr();
    return turned ? turned : logicalNot(plain);
}

bool mayFault(const Expr &e)
{
    bool found = false;
    forEachExpr(e, [&](const Expr &part) {
        found = found || part.as<BufferLoad>();
        if (const auto *node = part.as<Binary>(); node && isDivision(node->op) && node->dtype.isIntegral()) {
            const auto *splat = node->b.as<Broadcast>();
            const std::int64_t *divisor = asInt(splat ? splat->value : node->b);
            found = found || !divisor || *divisor == 0;
        }
        if (const auto *call = part.as<Call>()) {
            const Intrinsic *intrinsic = call->callee.intrinsic();
            found = found || !intrinsic || intrinsic->purity != Purity::Pure
                    || call->callee == intrinsics::callPureExtern;
        }
        return !found;
    });
    return found;
}

Expr guardsFirst(const Expr &condition)
{
    if (!mayFault(condition))
        return condition;
    std::vector<Expr> terms = conjunctsOf(condition);
    if (std::ranges::is_partitioned(terms, [](const Expr &term) { return !mayFault(term); }))
        return condition;
    std::ranges::stable_partition(terms, [](const Expr &term) { return !mayFault(term); });
    return conjunctionOf(terms);
}

} // namespace nestwright::ir
