// SPDX-License-Identifier: Apache-2.0
/// Comparisons: only equality and the strict order have rules, the others are negations of them.
#include "core/arith/simplify/rewrite.h"

#include "core/arith/lowest_integer.h"
#include "core/arith/same_expr.h"
#include "core/arith/simplify/prover.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace nestwright::arith {

using namespace ir;

namespace {

struct SharedFactor {
    Expr factor, left, right;
};

/// Two products with a factor in common; a null factor otherwise.
SharedFactor sharedFactor(const Expr &a, const Expr &b)
{
    const auto *x = a.as<Binary>(), *y = b.as<Binary>();
    if (!x || !y || x->op != BinaryOp::Mul || y->op != BinaryOp::Mul)
        return {};
    for (const auto &[factor, left] : {std::pair{x->a, x->b}, std::pair{x->b, x->a}}) {
        if (sameExpr(factor, y->a))
            return {factor, left, y->b};
        if (sameExpr(factor, y->b))
            return {factor, left, y->a};
    }
    return {};
}

struct Scaled {
    Expr part;
    std::int64_t factor = 1;
};

Scaled scaledPart(const Expr &e)
{
    const auto *node = e.as<Binary>();
    const std::int64_t *factor = node && node->op == BinaryOp::Mul ? asInt(node->b) : nullptr;
    return factor ? Scaled{node->a, *factor} : Scaled{e, 1};
}

} // namespace

Order RewriteSimplifier::compare(const Expr &a, const Expr &b)
{
    const Order byBounds = compareTo(a - b, 0);
    if (isDecided(byBounds))
        return byBounds;
    const Order order = byBounds & m_knowledge.order(a, b);
    if (isDecided(order))
        return order;
    const SharedFactor shared = sharedFactor(a, b);
    return shared.factor && m_knowledge.bound(shared.factor).min > 0
               ? order & m_knowledge.order(shared.left, shared.right)
               : order;
}

/// x * y * c < (x + y) * d for positive x and y: x * y / (x + y) grows with both, so that it is enough to
/// look at their greatest values.
bool RewriteSimplifier::isProductBelowSum(const Expr &a, const Expr &b)
{
    const Scaled left = scaledPart(a), right = scaledPart(b);
    const auto *product = left.part.as<Binary>(), *sum = right.part.as<Binary>();
    if (!product || !sum || product->op != BinaryOp::Mul || sum->op != BinaryOp::Add || left.factor <= 0
        || right.factor <= 0)
        return false;
    const bool isInOrder = sameExpr(product->a, sum->a) && sameExpr(product->b, sum->b);
    if (!isInOrder && !(sameExpr(product->a, sum->b) && sameExpr(product->b, sum->a)))
        return false;
    const ConstIntBound x = m_knowledge.bound(product->a), y = m_knowledge.bound(product->b);
    if (x.min <= 0 || y.min <= 0)
        return false;
    const std::int64_t lesser = std::min(x.max, y.max), greater = std::max(x.max, y.max);
    constexpr std::int64_t largest =
        std::numeric_limits<std::int32_t>::max(); // products stay within 128 bits
    if (lesser > largest || left.factor > largest || right.factor > largest)
        return false;
    const auto wide = [](std::int64_t value) { return static_cast<__int128>(value); };
    if (wide(left.factor) * lesser <= right.factor)
        return true; // however great the other is
    return greater <= largest
           && wide(left.factor) * lesser * greater < wide(right.factor) * (wide(lesser) + greater);
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
    if (!a.dtype().isIndex()) {
        if (Expr result = vectorRules(*node))
            return result;
        const bool isScalarInteger = a.dtype().isIntegral() && !a.dtype().isVector(); // NaN is not itself
        return isScalarInteger && sameExpr(a, b) ? boolImm(true) : same;
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
    if (a.dtype().isIndex()) {
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
    if (a.dtype().isFloating()) { // not the opposite of b < a
        const Expr same = ir::le(a, b);
        const auto *node = same.as<Binary>();
        const Expr result = node && node->op == BinaryOp::LE ? vectorRules(*node) : Expr();
        return result ? result : same;
    }
    // Rules first: x <= 2 * y is best as it is, and no sharper for knowing that x < 2 * y.
    Expr result = negated(less(b, a));
    const auto *node = result.as<Binary>();
    if (!node || node->op != BinaryOp::LE || !node->a.dtype().isIndex())
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
    if (!a.dtype().isIndex()) {
        const Expr result = vectorRules(*node);
        return result ? result : same;
    }
    const Order order = compare(a, b);
    if (order == Order::Less)
        return boolImm(true);
    if (order == Order::Equal || order == Order::Greater || order == Order::GreaterEqual)
        return boolImm(false);
    if (isProductBelowSum(a, b))
        return boolImm(true);
    if (Expr result = byRules(BinaryOp::LT, a, b))
        return result;
    if (const Expr merged = mergeConstants(a, b))
        return resimplify(merged);
    if (const Expr divided = withoutCommonFactor(a, b))
        return resimplify(divided);
    return same;
}

namespace {

struct Shifted {
    Expr part;
    std::int64_t offset = 0;
};

Shifted constantOffset(const Expr &e)
{
    const auto *node = e.as<Binary>();
    if (!node)
        return {e, 0};
    if (const std::int64_t *value = asInt(node->b)) {
        if (node->op == BinaryOp::Add)
            return {node->a, *value};
        if (node->op == BinaryOp::Sub && *value != lowestInteger)
            return {node->a, -*value};
    }
    return {e, 0};
}

} // namespace

/// a < b with the constants of both sides as one; null where that changes nothing.
Expr RewriteSimplifier::mergeConstants(const Expr &a, const Expr &b)
{
    const Shifted left = constantOffset(a), right = constantOffset(b);
    std::int64_t difference = 0;
    if ((left.offset == 0 && right.offset == 0)
        || __builtin_sub_overflow(right.offset, left.offset, &difference) || difference == lowestInteger)
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

namespace {

std::ptrdiff_t quotientsIn(const Expr &e)
{
    std::ptrdiff_t count = 0;
    ir::forEachExpr(e, [&](const Expr &part) {
        const auto *node = part.as<Binary>();
        count += node && node->op == BinaryOp::FloorDiv ? 1 : 0;
        return true;
    });
    return count;
}

} // namespace

/// a < b divided by a common factor of both sides; null where there is none, or where a quotient would be
/// left that was not there.
Expr RewriteSimplifier::withoutCommonFactor(const Expr &a, const Expr &b)
{
    const ModularSet left = m_knowledge.modular(a), right = m_knowledge.modular(b);
    if (left.base == lowestInteger || right.base == lowestInteger)
        return {};
    const std::int64_t factor = std::gcd(std::gcd(left.base, left.coeff), std::gcd(right.base, right.coeff));
    if (factor <= 1 || !isConstInt(intImm(factor, a.dtype()), factor))
        return {};
    const Expr smaller = rewrite(ir::floorDiv(a, intImm(factor, a.dtype())));
    const Expr greater = rewrite(ir::floorDiv(b, intImm(factor, b.dtype())));
    if (quotientsIn(smaller) + quotientsIn(greater) > quotientsIn(a) + quotientsIn(b))
        return {};
    return ir::lt(smaller, greater);
}

} // namespace nestwright::arith
