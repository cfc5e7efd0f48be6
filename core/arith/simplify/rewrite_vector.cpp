// SPDX-License-Identifier: Apache-2.0
/// Rules for vectors: ramps and broadcasts.
#include "core/arith/simplify/rewrite.h"

#include "core/arith/same_expr.h"
#include "core/arith/simplify/prover.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/purity.h"

#include <algorithm>
#include <numeric>

namespace nestwright::arith {

using namespace ir;

namespace {

/// A ramp, or a broadcast as the ramp that does not rise; the stride of a broadcast is null.
struct Line {
    Expr base, stride;
    int lanes = 0;
};

std::optional<Line> lineOf(const Expr &e)
{
    if (const auto *node = e.as<Ramp>())
        return Line{node->base, node->stride, node->lanes};
    if (const auto *node = e.as<Broadcast>())
        return Line{node->value, {}, node->lanes};
    return std::nullopt;
}

/// a op b of two lines that have at least one stride; null where that is no line.
Expr combined(BinaryOp op, const Line &a, const Line &b)
{
    if (op == BinaryOp::Mul) {
        if (a.stride && b.stride)
            return {};
        const Line &rising = a.stride ? a : b, &flat = a.stride ? b : a;
        return ir::ramp(rising.base * flat.base, rising.stride * flat.base, a.lanes);
    }
    if (op != BinaryOp::Add && op != BinaryOp::Sub)
        return {};
    const Expr zero = constant(0, a.base.dtype());
    const Expr stride = a.stride && b.stride ? ir::binary(op, a.stride, b.stride)
                        : a.stride           ? a.stride
                                             : ir::binary(op, zero, b.stride);
    return ir::ramp(ir::binary(op, a.base, b.base), stride, a.lanes);
}

/// min(min(x, broadcast y), broadcast z) with the broadcasts joined; null otherwise.
Expr joinedBroadcasts(const Binary &node)
{
    const auto *inner = node.a.as<Binary>();
    const auto *outer = node.b.as<Broadcast>();
    const auto *first = inner && inner->op == node.op ? inner->b.as<Broadcast>() : nullptr;
    if (!outer || !first || first->lanes != outer->lanes || node.dtype.isFloating()) // NaN: the order matters
        return {};
    return ir::binary(node.op, inner->a,
                      ir::broadcast(ir::binary(node.op, first->value, outer->value), outer->lanes));
}

/// Whether an expression is the same wherever it is computed, so that it is equal to itself.
bool isNumber(const Expr &e) { return e.dtype().isIntegral() && isPure(e); }

} // namespace

/// Two lines that are compared lane by lane, where all lanes agree; null otherwise.
Expr RewriteSimplifier::vectorComparison(const Binary &node)
{
    const auto a = lineOf(node.a), b = lineOf(node.b);
    if (!a || !b || a->lanes != b->lanes || !a->base.dtype().isIndex())
        return {};
    const std::int64_t *risesA = a->stride ? asInt(a->stride) : nullptr,
                       *risesB = b->stride ? asInt(b->stride) : nullptr;
    if ((a->stride && !risesA) || (b->stride && !risesB))
        return {};
    const std::int64_t rise = satAdd(risesA ? *risesA : 0, satNeg(risesB ? *risesB : 0));
    const ConstIntBound first = simplifiedBound(m_knowledge, a->base - b->base);
    const std::int64_t reach = satMul(rise, a->lanes - 1);
    const std::int64_t least = satAdd(first.min, std::min<std::int64_t>(reach, 0)),
                       greatest = satAdd(first.max, std::max<std::int64_t>(reach, 0));
    const auto all = [&](bool value) { return ir::broadcast(boolImm(value), a->lanes); };
    if (node.op == BinaryOp::LT)
        return greatest < 0 ? all(true) : least >= 0 ? all(false) : Expr();
    if (node.op == BinaryOp::EQ)
        return greatest < 0 || least > 0 ? all(false) : least == 0 && greatest == 0 ? all(true) : Expr();
    return {};
}

Expr RewriteSimplifier::vectorRules(const Binary &node)
{
    if (!node.dtype.isVector())
        return {};
    if (sameExpr(node.a, node.b) && isNumber(node.a)) {
        if (node.op == BinaryOp::Min || node.op == BinaryOp::Max)
            return node.a;
        if (node.op == BinaryOp::EQ || node.op == BinaryOp::LT)
            return ir::broadcast(boolImm(node.op == BinaryOp::EQ), node.dtype.lanes);
    }
    if (Expr known = isComparison(node.op) ? vectorComparison(node) : Expr())
        return known;
    if (node.op == BinaryOp::Min || node.op == BinaryOp::Max) {
        if (Expr joined = joinedBroadcasts(node))
            return joined;
    }
    const auto a = lineOf(node.a), b = lineOf(node.b);
    if (!a || !b || a->lanes != b->lanes)
        return {};
    if (!a->stride && !b->stride)
        return ir::broadcast(ir::binary(node.op, a->base, b->base), a->lanes);
    const bool isIndex = a->base.dtype().element().isIndex(); // the others wrap around
    if (isIndex && node.op == BinaryOp::LT && a->stride && b->stride && sameExpr(a->stride, b->stride))
        return ir::broadcast(ir::lt(a->base, b->base), a->lanes);
    const bool isQuotient = node.op >= BinaryOp::Div && node.op <= BinaryOp::FloorMod;
    if (isQuotient && a->stride && !b->stride && isIndex)
        return vectorQuotient(node.op, *node.a.as<Ramp>(), b->base);
    return combined(node.op, *a, *b);
}

/// `and` and `or` of conditions that are the same in all lanes, which the script reader writes as bitwise
/// calls, as one condition; null otherwise.
Expr RewriteSimplifier::vectorCondition(const Call &node)
{
    const bool isAnd = node.callee == intrinsics::bitwiseAnd;
    if ((!isAnd && node.callee != intrinsics::bitwiseOr) || node.args.size() != 2)
        return {};
    const auto *a = node.args[0].as<Broadcast>(), *b = node.args[1].as<Broadcast>();
    if (!a || !b || a->lanes != b->lanes || !a->value.dtype().isBool() || !b->value.dtype().isBool())
        return {};
    const Expr joined = isAnd ? ir::logicalAnd(a->value, b->value) : ir::logicalOr(a->value, b->value);
    return ir::broadcast(joined, a->lanes);
}

/// A ramp divided by one number: again a ramp, or all lanes fall between two multiples; null otherwise.
Expr RewriteSimplifier::vectorQuotient(BinaryOp op, const Ramp &a, const Expr &divisor)
{
    const std::int64_t *number = asInt(divisor);
    const std::int64_t *stride = asInt(a.stride);
    if (!number || !stride || *number == 0)
        return {};
    const bool isQuotient = op == BinaryOp::FloorDiv || op == BinaryOp::Div;
    const bool truncates = op == BinaryOp::Div || op == BinaryOp::Mod;
    const Expr end = a.base + intImm(satMul(*stride, a.lanes - 1), a.base.dtype());
    const bool isNatural =
        !truncates
        || (simplifiedBound(m_knowledge, a.base).min >= 0 && simplifiedBound(m_knowledge, end).min >= 0);
    const Expr first = ir::binary(op, a.base, divisor);
    if (*stride % *number == 0 && isNatural) {
        if (!isQuotient)
            return ir::broadcast(first, a.lanes);
        return ir::ramp(first, intImm(*stride / *number, a.stride.dtype()), a.lanes);
    }
    const ModularSet base = m_knowledge.modular(a.base);
    const std::int64_t reach = satMul(*stride, a.lanes - 1);
    if (!isNatural || *number < 0 || reach < 0)
        return {};
    const bool divides = base.coeff % *number == 0;
    const Expr lowest = intImm(ir::floorMod(base.base, *number), a.base.dtype());
    if (divides && ir::floorDiv(base.base, *number) == ir::floorDiv(satAdd(base.base, reach), *number))
        return isQuotient ? ir::broadcast(first, a.lanes) : ir::ramp(lowest, a.stride, a.lanes);
    // All lanes stay between two multiples of a number that divides the divisor.
    const std::int64_t step = std::gcd(base.coeff, *number);
    if (!truncates && base.coeff != 0 && satAdd(ir::floorMod(base.base, step), reach) < step)
        return isQuotient ? ir::broadcast(first, a.lanes) : ir::ramp(first, a.stride, a.lanes);
    if (!divides || isQuotient)
        return {};
    const Expr reduced = ir::ramp(lowest, a.stride, a.lanes);
    if (isConstInt(a.base, ir::floorMod(base.base, *number)))
        return {}; // as it is already
    return ir::binary(op, reduced, ir::broadcast(divisor, a.lanes));
}

} // namespace nestwright::arith
