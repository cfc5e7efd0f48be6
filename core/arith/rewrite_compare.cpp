// SPDX-License-Identifier: Apache-2.0
/// Comparisons: only equality and the strict order have rules, the others are negations of them.
#include "core/arith/rewrite.h"

#include "core/arith/prover.h"
#include "core/arith/same_expr.h"
#include "core/ir/builder.h"

#include <numeric>

namespace nestwright::arith {

using namespace ir;

namespace {

bool isIndexType(DataType dtype) { return dtype.isInt() && dtype.bits >= 32 && !dtype.isVector(); }

} // namespace

Order RewriteSimplifier::compare(const Expr &a, const Expr &b)
{
    const Order byBounds = compareTo(a - b, 0);
    return isDecided(byBounds) ? byBounds : byBounds & m_knowledge.order(a, b);
}

Order RewriteSimplifier::compareTo(const Expr &e, std::int64_t value)
{
    const Expr difference = expr(e);
    const ConstIntBound bound = m_knowledge.bound(difference);
    if (bound.min == value && bound.max == value)
        return Order::Equal;
    if (bound.min > value)
        return Order::Greater;
    if (bound.max < value)
        return Order::Less;
    if (bound.min == value)
        return Order::GreaterEqual;
    if (bound.max == value)
        return Order::LessEqual;
    return value == 0 && m_knowledge.modular(difference).base != 0 ? Order::NotEqual : Order::Unknown;
}

Expr RewriteSimplifier::equal(const Expr &a, const Expr &b)
{
    Expr same = ir::eq(a, b);
    const auto *node = same.as<Binary>();
    if (!node || node->op != BinaryOp::EQ)
        return same;
    if (!isIndexType(a.dtype())) {
        if (Expr result = vectorRules(*node))
            return result;
        return sameExpr(a, b) && !a.dtype().isVector() ? boolImm(true) : same;
    }
    const Order order = compare(a, b);
    if (order == Order::Equal)
        return boolImm(true);
    if (order == Order::NotEqual || order == Order::Greater || order == Order::Less)
        return boolImm(false);
    const Expr result = byRules(BinaryOp::EQ, a, b);
    return result ? result : same;
}

Expr RewriteSimplifier::notEqual(const Expr &a, const Expr &b)
{
    if (isIndexType(a.dtype())) {
        switch (compare(a, b)) {
        case Order::NotEqual:
        case Order::Greater:
        case Order::Less: return boolImm(true);
        case Order::Equal: return boolImm(false);
        case Order::GreaterEqual: return less(b, a);
        case Order::LessEqual: return less(a, b);
        default: break;
        }
    }
    return negated(equal(a, b));
}

Expr RewriteSimplifier::lessOrEqual(const Expr &a, const Expr &b)
{
    // Rules first: x <= 2 * y is best as it is, and no sharper for knowing that x < 2 * y.
    Expr result = negated(less(b, a));
    const auto *node = result.as<Binary>();
    if (!node || node->op != BinaryOp::LE || !isIndexType(node->a.dtype()))
        return result;
    switch (compare(node->a, node->b)) {
    case Order::LessEqual:
    case Order::Less:
    case Order::Equal: return boolImm(true);
    case Order::Greater: return boolImm(false);
    case Order::NotEqual: return less(node->a, node->b);
    case Order::GreaterEqual: return equal(node->a, node->b);
    default: return result;
    }
}

Expr RewriteSimplifier::less(const Expr &a, const Expr &b)
{
    Expr same = ir::lt(a, b);
    const auto *node = same.as<Binary>();
    if (!node || node->op != BinaryOp::LT)
        return same;
    if (!isIndexType(a.dtype())) {
        const Expr result = vectorRules(*node);
        return result ? result : same;
    }
    const Order order = compare(a, b);
    if (order == Order::Less)
        return boolImm(true);
    if (order == Order::Equal || order == Order::Greater || order == Order::GreaterEqual)
        return boolImm(false);
    if (Expr result = byRules(BinaryOp::LT, a, b))
        return result;
    if (const Expr merged = mergeConstants(a, b))
        return again(merged);
    if (const Expr divided = withoutCommonFactor(a, b))
        return again(divided);
    return same;
}

namespace {

struct Offset {
    Expr part;
    std::int64_t offset = 0;
};

Offset constantOffset(const Expr &e)
{
    const auto *node = e.as<Binary>();
    if (!node)
        return {e, 0};
    if (const std::int64_t *value = asInt(node->b)) {
        if (node->op == BinaryOp::Add)
            return {node->a, *value};
        if (node->op == BinaryOp::Sub && *value != std::numeric_limits<std::int64_t>::min())
            return {node->a, -*value};
    }
    return {e, 0};
}

} // namespace

/// a < b with the constants of both sides as one; null where that changes nothing.
Expr RewriteSimplifier::mergeConstants(const Expr &a, const Expr &b)
{
    const Offset left = constantOffset(a), right = constantOffset(b);
    std::int64_t difference = 0;
    if ((left.offset == 0 && right.offset == 0)
        || __builtin_sub_overflow(right.offset, left.offset, &difference)
        || difference == std::numeric_limits<std::int64_t>::min())
        return {};
    if (difference == 0)
        return ir::lt(left.part, right.part);
    if (difference == 1)
        return ir::le(left.part, right.part);
    const auto constant = [](std::int64_t value, const Expr &like) { return intImm(value, like.dtype()); };
    if (difference < 0 && right.offset != 0 && isConstInt(constant(-difference, left.part), -difference))
        return ir::lt(left.part + constant(-difference, left.part), right.part);
    if (difference > 0 && left.offset != 0 && isConstInt(constant(difference, right.part), difference))
        return ir::lt(left.part, right.part + constant(difference, right.part));
    return {};
}

/// a < b divided by what divides both sides; null where there is nothing.
Expr RewriteSimplifier::withoutCommonFactor(const Expr &a, const Expr &b)
{
    const ModularSet left = m_knowledge.modular(a), right = m_knowledge.modular(b);
    const auto limit = std::numeric_limits<std::int64_t>::min();
    if (left.base == limit || right.base == limit)
        return {};
    const std::int64_t factor = std::gcd(std::gcd(left.base, left.coeff), std::gcd(right.base, right.coeff));
    if (factor <= 1 || !isConstInt(intImm(factor, a.dtype()), factor))
        return {};
    return ir::lt(ir::floorDiv(a, intImm(factor, a.dtype())), ir::floorDiv(b, intImm(factor, b.dtype())));
}

} // namespace nestwright::arith
