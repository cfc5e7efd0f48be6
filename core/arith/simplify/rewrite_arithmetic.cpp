// SPDX-License-Identifier: Apache-2.0
/// Sums, products, quotients, remainders, minima and maxima: simplification by bounds, and rules that are
/// more than a pattern.
#include "core/arith/simplify/rewrite.h"

#include "core/arith/same_expr.h"
#include "core/arith/simplify/prover.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"
#include "core/ir/calls.h"

#include <cmath>

namespace nestwright::arith {

using namespace ir;

namespace {

/// Whether evaluating `e` changes nothing (it may read memory).
bool hasNoEffect(const Expr &e)
{
    bool pure = true;
    forEachExpr(e, [&](const Expr &part) {
        if (const auto *node = part.as<Call>()) {
            const Intrinsic *intrinsic = node->callee.intrinsic();
            pure = pure && intrinsic && intrinsic->purity != Purity::Opaque;
        }
        return pure;
    });
    return pure;
}

bool isFloat(const Expr &e, double value)
{
    const auto *imm = e.as<FloatImm>();
    return imm && imm->value == value;
}

/// The operand that is the result for every floating-point number: of x - 0.0, x * 1.0, x / 1.0; null
/// otherwise. x + 0.0 would make 0.0 of -0.0, and x * 0.0 is no zero where x is NaN or infinite.
Expr floatNeutral(const Binary &node)
{
    switch (node.op) {
    case BinaryOp::Sub: {
        const auto *zero = node.b.as<FloatImm>();
        return zero && zero->value == 0 && !std::signbit(zero->value) ? node.a : Expr();
    }
    case BinaryOp::Mul: return isFloat(node.a, 1) ? node.b : isFloat(node.b, 1) ? node.a : Expr();
    case BinaryOp::Div: return isFloat(node.b, 1) ? node.a : Expr();
    default: return {};
    }
}

} // namespace

Expr RewriteSimplifier::arithmetic(const Binary &node, const Expr &original)
{
    Expr result;
    if (node.dtype.isVector())
        result = vectorRules(node);
    else if (node.dtype.isIndex())
        result = indexArithmetic(node);
    else
        result = nonIndexArithmetic(node);
    if (!result && !node.dtype.isIndex())
        result = byRules(node.op, node.a, node.b); // those for all types
    return result ? result : original;
}

Expr RewriteSimplifier::nonIndexArithmetic(const Binary &node)
{
    if (Expr neutral = floatNeutral(node))
        return neutral;
    if (Expr known = unsignedQuotient(node))
        return known;
    if (node.op != BinaryOp::Sub || !node.dtype.isIntegral())
        return {};
    Expr zero = constant(0, node.dtype);
    if (sameExpr(node.a, node.b) && hasNoEffect(node.a))
        return zero;
    if (node.dtype.isBool()) // a sum of booleans does not tell its terms
        return {};
    if (const auto *sum = node.a.as<Binary>(); sum && sum->op == BinaryOp::Add && hasNoEffect(node.b)) {
        if (sameExpr(sum->b, node.b))
            return sum->a;
        if (sameExpr(sum->a, node.b))
            return sum->b;
    }
    if (const auto *sum = node.b.as<Binary>(); sum && sum->op == BinaryOp::Add && hasNoEffect(node.a)) {
        if (sameExpr(sum->b, node.a))
            return zero - sum->a;
        if (sameExpr(sum->a, node.a))
            return zero - sum->b;
    }
    return {};
}

/// Quotients and remainders of unsigned numbers that are below the divisor; null for others.
Expr RewriteSimplifier::unsignedQuotient(const Binary &node)
{
    const std::int64_t *divisor = isDivision(node.op) && node.dtype.isUInt() ? asInt(node.b) : nullptr;
    if (!divisor || *divisor <= 0)
        return {};
    const bool isQuotient = node.op == BinaryOp::Div || node.op == BinaryOp::FloorDiv;
    const std::int64_t most = boundOfType(node.dtype).max;
    bool isBelow = (!isQuotient || hasNoEffect(node.a)) && m_knowledge.bound(node.a).max < *divisor;
    if (isBelow) { // bounds say nothing where arithmetic wraps around
        forEachExpr(node.a, [&](const Expr &part) {
            const ConstIntBound bound = part.as<Binary>() ? m_knowledge.bound(part) : ConstIntBound{0, 0};
            isBelow = isBelow && bound.min >= 0 && bound.max <= most;
            return isBelow;
        });
    }
    if (!isBelow || m_knowledge.bound(node.a).min < 0)
        return {};
    return isQuotient ? constant(0, node.dtype) : node.a;
}

Expr RewriteSimplifier::indexArithmetic(const Binary &node)
{
    if (node.op == BinaryOp::Min || node.op == BinaryOp::Max) {
        if (Expr known = byBounds(node))
            return known;
    }
    if (node.op == BinaryOp::FloorDiv) {
        if (isConstInt(node.b, 0))
            return {};
        if (Expr quotient = floorQuotient(node))
            return quotient;
    }
    if (Expr result = byRules(node.op, node.a, node.b))
        return result;
    if (calls(node.a, intrinsics::vscale) || calls(node.b, intrinsics::vscale)) {
        if (Expr known = byProof(node))
            return known;
    }
    return node.op == BinaryOp::FloorMod || node.op == BinaryOp::Mod ? floorRemainder(node) : Expr();
}

/// Minima, maxima, quotients and remainders by comparing the operands; expensive, so only with lengths of
/// scalable vectors, whose bounds say little.
Expr RewriteSimplifier::byProof(const Binary &node)
{
    const auto atMost = [&](const Expr &a, const Expr &b) { return isProvable(m_knowledge, le(a, b)); };
    switch (node.op) {
    case BinaryOp::Min: return atMost(node.a, node.b) ? node.a : atMost(node.b, node.a) ? node.b : Expr();
    case BinaryOp::Max: return atMost(node.a, node.b) ? node.b : atMost(node.b, node.a) ? node.a : Expr();
    case BinaryOp::FloorDiv:
    case BinaryOp::FloorMod:
        if (m_knowledge.bound(node.a).min < 0 || !isProvable(m_knowledge, lt(node.a, node.b)))
            return {};
        return node.op == BinaryOp::FloorDiv ? intImm(0, node.dtype) : node.a;
    default: return {};
    }
}

/// The lesser or greater of two that cannot overtake each other.
Expr RewriteSimplifier::byBounds(const Binary &node)
{
    if (sameExpr(node.a, node.b))
        return node.a;
    const ConstIntBound a = m_knowledge.bound(node.a), b = m_knowledge.bound(node.b);
    const bool isMin = node.op == BinaryOp::Min;
    if (a.max <= b.min)
        return isMin ? node.a : node.b;
    if (b.max <= a.min)
        return isMin ? node.b : node.a;
    return {};
}

namespace {

/// x * factor + addend, where the addend may be 0.
struct ScaledSum {
    Expr x, addend;
    std::int64_t factor = 0;
};

const Binary *asScaled(const Expr &e)
{
    const auto *product = e.as<Binary>();
    return product && product->op == BinaryOp::Mul && asInt(product->b) ? product : nullptr;
}

std::optional<ScaledSum> asScaledSum(const Expr &e)
{
    const Binary *product = asScaled(e);
    Expr addend = intImm(0, e.dtype());
    if (const auto *sum = e.as<Binary>(); sum && sum->op == BinaryOp::Add) {
        product = asScaled(sum->a);
        addend = sum->b;
        if (!product) {
            product = asScaled(sum->b);
            addend = sum->a;
        }
    }
    if (!product)
        return std::nullopt;
    return ScaledSum{product->a, addend, *asInt(product->b)};
}

} // namespace

/// Quotients of quotients, and of x * c1 + y where the part below the multiples of the divisor is known.
Expr RewriteSimplifier::floorQuotient(const Binary &node)
{
    const std::int64_t *divisor = asInt(node.b);
    const auto constant = [&](std::int64_t value) { return intImm(value, node.dtype); };
    if (!divisor)
        return {};
    const auto *inner = node.a.as<Binary>();
    const auto *quotient = inner && inner->op == BinaryOp::Add ? inner->a.as<Binary>() : inner;
    const std::int64_t *offset = inner && inner->op == BinaryOp::Add ? asInt(inner->b) : nullptr;
    if (quotient && quotient->op == BinaryOp::FloorDiv && (quotient == inner || offset) && *divisor > 0) {
        const std::int64_t *first = asInt(quotient->b);
        std::int64_t product = 0, moved = 0;
        const std::int64_t added = offset ? *offset : 0;
        if (first && *first > 0 && !__builtin_mul_overflow(*first, *divisor, &product)
            && !__builtin_mul_overflow(*first, added, &moved) && isConstInt(constant(product), product)
            && isConstInt(constant(moved), moved))
            return ir::floorDiv(quotient->a + constant(moved), constant(product));
    }
    if (inner && inner->op == BinaryOp::Add && asInt(inner->b)) {
        const ConstIntBound known = floorDivBound(m_knowledge.bound(node.a), {*divisor, *divisor});
        if (known.isConst())
            return constant(known.min);
    }
    const auto parts = asScaledSum(node.a);
    if (!parts)
        return {};
    const Expr below = constant(ir::floorMod(parts->factor, *divisor));
    const Expr lowAddend = ir::floorMod(parts->addend, node.b);
    const ConstIntBound extra = m_knowledge.bound(ir::floorDiv(parts->x * below + lowAddend, node.b));
    Expr addendQuotient = ir::floorDiv(parts->addend, node.b);
    if (compareTo(addendQuotient, 0) == Order::Equal)
        addendQuotient = constant(0);
    if (extra.isConst())
        return parts->x * constant(ir::floorDiv(parts->factor, *divisor))
               + (addendQuotient + constant(extra.min));
    if (parts->factor > 0 && *divisor > 0 && *divisor % parts->factor == 0
        && simplifiedBound(m_knowledge, lowAddend).max < parts->factor)
        return ir::floorDiv(parts->x, constant(*divisor / parts->factor)) + addendQuotient;
    return {};
}

/// Remainders known from the modular set or the bounds of the dividend.
Expr RewriteSimplifier::floorRemainder(const Binary &node)
{
    const std::int64_t *divisor = asInt(node.b);
    if (!divisor || *divisor <= 0)
        return {};
    const ModularSet values = m_knowledge.modular(node.a);
    const bool truncates = node.op == BinaryOp::Mod;
    if (values.coeff % *divisor == 0 && (!truncates || simplifiedBound(m_knowledge, node.a).min >= 0))
        return intImm(ir::floorMod(values.base, *divisor), node.dtype);
    const ConstIntBound bound = m_knowledge.bound(node.a);
    return !truncates && bound.min >= 0 && bound.max < *divisor ? node.a : Expr();
}

} // namespace nestwright::arith
