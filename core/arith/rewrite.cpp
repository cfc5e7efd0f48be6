// SPDX-License-Identifier: Apache-2.0
#include "core/arith/rewrite.h"

#include "core/arith/same_expr.h"
#include "core/ir/builder.h"
#include "core/ir/fold.h"
#include "core/ir/substitute.h"

namespace nestwright::arith {

using namespace ir;

namespace {

constexpr int deepest = 40;

bool isIndexType(DataType dtype) { return dtype.isInt() && dtype.bits >= 32 && !dtype.isVector(); }

} // namespace

Expr RewriteSimplifier::expr(const Expr &e)
{
    switch (e.kind()) {
    case ExprKind::IntImm:
    case ExprKind::FloatImm:
    case ExprKind::StringImm: return e;
    case ExprKind::Var: {
        const Expr value = m_knowledge.valueOf(Var::from(e));
        return value && value.dtype() == e.dtype() ? expr(value) : e;
    }
    case ExprKind::Binary: return finishBinary(*e.as<Binary>(), e);
    case ExprKind::Cast: return finishCast(*e.as<Cast>(), e);
    case ExprKind::Not: {
        const auto &node = *e.as<Not>();
        const Expr a = expr(node.a);
        const Expr result = logicalNot(a);
        const auto *same = result.as<Not>();
        return same && same->a.same(node.a) ? e : result;
    }
    case ExprKind::Select: {
        const auto &node = *e.as<Select>();
        const Expr condition = expr(node.condition);
        Expr a, b;
        if (Expr decided = conditional(condition, node.trueValue, node.falseValue, &a, &b))
            return decided;
        const bool unchanged =
            condition.same(node.condition) && a.same(node.trueValue) && b.same(node.falseValue);
        const Expr result = select(condition, a, b);
        const auto *same = result.as<Select>();
        return unchanged && same && same->condition.same(condition) && same->trueValue.same(a) ? e : result;
    }
    case ExprKind::Let: return letNode(*e.as<Let>(), e);
    case ExprKind::Call: return callNode(*e.as<Call>(), e);
    case ExprKind::Broadcast: {
        const auto &node = *e.as<Broadcast>();
        const Expr value = expr(node.value);
        return value.same(node.value) ? e : ir::broadcast(value, node.lanes);
    }
    case ExprKind::Ramp: {
        const auto &node = *e.as<Ramp>();
        const Expr base = expr(node.base), stride = expr(node.stride);
        if (isConstInt(stride, 0))
            return ir::broadcast(base, node.lanes);
        return base.same(node.base) && stride.same(node.stride) ? e : ir::ramp(base, stride, node.lanes);
    }
    case ExprKind::BufferLoad: return children(e);
    }
    return e;
}

namespace {

/// x, where `high` is (x // c) * c and `low` is x % c; null otherwise.
Expr wholeOf(const Expr &high, const Expr &low)
{
    const auto *product = high.as<Binary>();
    const auto *rest = low.as<Binary>();
    if (!product || product->op != BinaryOp::Mul || !rest || rest->op != BinaryOp::FloorMod)
        return {};
    const auto *quotient = product->a.as<Binary>();
    if (!quotient || quotient->op != BinaryOp::FloorDiv || !asInt(rest->b))
        return {};
    const bool same =
        sameExpr(quotient->b, rest->b) && sameExpr(product->b, rest->b) && sameExpr(quotient->a, rest->a);
    return same ? rest->a : Expr();
}

} // namespace

Expr RewriteSimplifier::finishBinary(const Binary &node, const Expr &original)
{
    if (node.op == BinaryOp::Add && isIndexType(node.dtype)) {
        // Simplified by themselves, quotient and rest may no longer fit together.
        Expr whole = wholeOf(node.a, node.b);
        whole = whole ? whole : wholeOf(node.b, node.a);
        if (whole)
            return expr(whole);
    }
    const Expr a = expr(node.a), b = expr(node.b);
    const Expr result = binary(node.op, a, b);
    const auto *same = result.as<Binary>();
    return same && same->op == node.op && same->a.same(node.a) && same->b.same(node.b) ? original : result;
}

Expr RewriteSimplifier::finishCast(const Cast &node, const Expr &original)
{
    const Expr value = expr(node.value);
    if (value.same(node.value))
        return original;
    return ir::cast(node.dtype, value);
}

Expr RewriteSimplifier::callNode(const Call &node, const Expr &original)
{
    if (node.name == "if_then_else" && node.args.size() == 3) {
        const Expr condition = expr(node.args[0]);
        Expr a, b;
        if (Expr decided = conditional(condition, node.args[1], node.args[2], &a, &b))
            return decided;
        if (sameExpr(a, b))
            return a;
        if (condition.same(node.args[0]) && a.same(node.args[1]) && b.same(node.args[2]))
            return original;
        return ir::call(node.dtype, node.name, {condition, a, b});
    }
    const Expr result = children(original);
    if (node.name == "likely") {
        const Expr &condition = result.as<Call>()->args.front();
        if (asInt(condition))
            return condition;
    }
    return result;
}

Expr RewriteSimplifier::letNode(const Let &node, const Expr &original)
{
    const Expr value = expr(node.value);
    if (asInt(value) || value.as<FloatImm>() || value.as<VarNode>())
        return expr(substitute(node.body, {{node.var, value}}));
    if (value.dtype().isIntegral() && !value.dtype().isVector())
        m_knowledge.bind(node.var, m_knowledge.bound(value));
    const Expr body = expr(node.body);
    return value.same(node.value) && body.same(node.body) ? original : ir::let(node.var, value, body);
}

/// The arms simplified, each where the condition says so; returns the arm when the condition is constant.
Expr RewriteSimplifier::conditional(const Expr &condition, const Expr &a, const Expr &b, Expr *simplifiedA,
                                    Expr *simplifiedB)
{
    if (isTrue(condition))
        return expr(a);
    if (isFalse(condition))
        return expr(b);
    if (condition.dtype().isVector()) {
        *simplifiedA = expr(a);
        *simplifiedB = expr(b);
        return {};
    }
    m_knowledge.enter(condition);
    *simplifiedA = expr(a);
    m_knowledge.leave();
    m_knowledge.enter(logicalNot(condition));
    *simplifiedB = expr(b);
    m_knowledge.leave();
    return {};
}

Expr RewriteSimplifier::logicalNot(const Expr &a)
{
    if (asInt(a))
        return boolImm(isFalse(a));
    if (const auto *node = a.as<Broadcast>())
        return ir::broadcast(logicalNot(node->value), node->lanes);
    if (const auto *node = a.as<Not>())
        return node->a;
    if (const auto *node = a.as<Binary>()) {
        switch (node->op) {
        case BinaryOp::EQ: return binaryNode(BinaryOp::NE, node->a, node->b);
        case BinaryOp::NE: return binaryNode(BinaryOp::EQ, node->a, node->b);
        case BinaryOp::And: return binary(BinaryOp::Or, logicalNot(node->a), logicalNot(node->b));
        case BinaryOp::Or: return binary(BinaryOp::And, logicalNot(node->a), logicalNot(node->b));
        default: break;
        }
        if (node->a.dtype().isFloating()) // comparisons with NaN have no opposite
            return ir::logicalNot(a);
        switch (node->op) {
        case BinaryOp::LT: return binaryNode(BinaryOp::LE, node->b, node->a);
        case BinaryOp::LE: return binaryNode(BinaryOp::LT, node->b, node->a);
        case BinaryOp::GT: return binaryNode(BinaryOp::LE, node->a, node->b);
        case BinaryOp::GE: return binaryNode(BinaryOp::LT, node->a, node->b);
        default: break;
        }
    }
    return ir::logicalNot(a);
}

Expr RewriteSimplifier::select(const Expr &condition, const Expr &a, const Expr &b)
{
    if (isTrue(condition))
        return a;
    if (isFalse(condition))
        return b;
    if (const auto *splat = condition.as<Broadcast>(); splat && asInt(splat->value))
        return isTrue(splat->value) ? a : b;
    if (sameExpr(a, b))
        return a;
    return ir::select(condition, a, b);
}

Expr RewriteSimplifier::binary(BinaryOp op, const Expr &a, const Expr &b)
{
    if (a.dtype().isVector())
        return vectorBinary(op, a, b);
    if (m_depth > deepest)
        return ir::binary(op, a, b);
    ++m_depth;
    Expr result;
    if (op == BinaryOp::And || op == BinaryOp::Or) {
        result = byRules(op, a, b);
        if (!result)
            result = ir::binary(op, a, b);
    } else if (isIndexType(a.dtype())) {
        result = isComparison(op) ? comparison(op, a, b) : scalarInt(op, a, b);
    } else if (op == BinaryOp::GT || op == BinaryOp::GE) {
        // Of other types too, only < and <= are left; for floats the operands are swapped, so that NaN
        // compares the same.
        result = ir::binary(op == BinaryOp::GT ? BinaryOp::LT : BinaryOp::LE, b, a);
    } else {
        result = ir::binary(op, a, b);
    }
    --m_depth;
    return result;
}

Expr RewriteSimplifier::scalarInt(BinaryOp op, const Expr &a, const Expr &b)
{
    if (Expr folded = foldBinary(op, a, b))
        return folded;
    if (op == BinaryOp::Div || op == BinaryOp::Mod)
        return truncated(op, a, b);
    if (Expr known = byBounds(op, a, b))
        return known;
    if (Expr rewritten = byRules(op, a, b))
        return rewritten;
    return ir::binary(op, a, b);
}

/// Division of what is not negative truncates as it floors.
Expr RewriteSimplifier::truncated(BinaryOp op, const Expr &a, const Expr &b)
{
    if (Expr folded = foldBinary(op, a, b))
        return folded;
    const bool isDivision = op == BinaryOp::Div;
    if (const auto *inner = a.as<Binary>(); isDivision && inner && inner->op == BinaryOp::Div) {
        const std::int64_t *c1 = asInt(inner->b), *c2 = asInt(b);
        std::int64_t product = 0;
        if (c1 && c2 && *c1 > 0 && *c2 > 0 && !__builtin_mul_overflow(*c1, *c2, &product)
            && isConstInt(intImm(product, a.dtype()), product))
            return truncated(op, inner->a, intImm(product, a.dtype()));
    }
    if (m_knowledge.bound(a).min >= 0 && m_knowledge.bound(b).min > 0) {
        const BinaryOp floorOp = isDivision ? BinaryOp::FloorDiv : BinaryOp::FloorMod;
        const Expr result = scalarInt(floorOp, a, b);
        const auto *node = result.as<Binary>();
        // Keep the spelling of the program where the division stays.
        if (node && node->op == floorOp && m_knowledge.bound(node->a).min >= 0
            && m_knowledge.bound(node->b).min > 0)
            return ir::binary(op, node->a, node->b);
        return result;
    }
    const ConstIntBound divisor = m_knowledge.bound(b);
    if (divisor.isConst() && divisor.min != 0) {
        const ConstIntBound quotient = truncDivBound(m_knowledge.bound(a), divisor);
        if (quotient == ConstIntBound{0, 0})
            return isDivision ? constant(0, a.dtype()) : a;
        const ModularSet rests = m_knowledge.modular(a);
        if (rests.coeff % divisor.min == 0 && rests.base % divisor.min == 0) // nothing is rounded
            return scalarInt(isDivision ? BinaryOp::FloorDiv : BinaryOp::FloorMod, a, b);
    }
    return ir::binary(op, a, b);
}

/// What follows from bounds alone; null when nothing does.
Expr RewriteSimplifier::byBounds(BinaryOp op, const Expr &a, const Expr &b)
{
    if (op == BinaryOp::Min || op == BinaryOp::Max) {
        const ConstIntBound difference = compare(a, b);
        if (difference.max <= 0)
            return op == BinaryOp::Min ? a : b;
        return difference.min >= 0 ? (op == BinaryOp::Min ? b : a) : Expr();
    }
    if (op != BinaryOp::FloorDiv && op != BinaryOp::FloorMod)
        return {};
    const ConstIntBound value = m_knowledge.bound(a), divisor = m_knowledge.bound(b);
    if (divisor.contains(0))
        return {};
    const std::int64_t *number = asInt(b);
    const ModularSet rests = m_knowledge.modular(a);
    if (op == BinaryOp::FloorMod && number && rests.coeff % *number == 0)
        return intImm(floorMod(rests.base, *number), a.dtype());
    ConstIntBound quotient = floorDivBound(value, divisor);
    if (!quotient.isConst() && !number && divisor.min > 0 && value.min >= 0 && compare(a, b).max < 0)
        quotient = {0, 0}; // a symbolic divisor above the value
    if (!quotient.isConst())
        return {};
    if (op == BinaryOp::FloorDiv)
        return intImm(quotient.min, a.dtype());
    if (quotient.min == 0)
        return a;
    return number ? binary(BinaryOp::Sub, a, intImm(quotient.min * *number, a.dtype())) : Expr();
}

/// a <= b as the negation of b < a, after the factor that both sides share has gone.
Expr RewriteSimplifier::lessOrEqual(const Expr &a, const Expr &b)
{
    const auto *left = a.as<Binary>();
    const auto *right = b.as<Binary>();
    if (left && right && left->op == BinaryOp::Mul && right->op == BinaryOp::Mul) {
        const std::int64_t *c1 = asInt(left->b), *c2 = asInt(right->b);
        if (c1 && c2 && *c1 == *c2 && *c1 > 0)
            return comparison(BinaryOp::LE, left->a, right->a);
    }
    const Expr result = logicalNot(comparison(BinaryOp::LT, b, a));
    const auto *node = result.as<Binary>();
    if (node && node->op == BinaryOp::LE && compare(node->a, node->b).min == 0) // a is never below b
        return comparison(BinaryOp::EQ, node->a, node->b);
    return result;
}

Expr RewriteSimplifier::comparison(BinaryOp op, const Expr &a, const Expr &b)
{
    if (Expr folded = foldBinary(op, a, b))
        return folded;
    switch (op) {
    case BinaryOp::GT: return comparison(BinaryOp::LT, b, a);
    case BinaryOp::GE: return comparison(BinaryOp::LE, b, a);
    case BinaryOp::LE: return lessOrEqual(a, b);
    case BinaryOp::NE: {
        const ConstIntBound difference = compare(a, b);
        if (difference.min == 0)
            return comparison(BinaryOp::LT, b, a);
        return difference.max == 0 ? comparison(BinaryOp::LT, a, b)
                                   : logicalNot(comparison(BinaryOp::EQ, a, b));
    }
    default: break;
    }
    const ConstIntBound difference = compare(a, b);
    if (op == BinaryOp::LT && (difference.max < 0 || difference.min >= 0))
        return boolImm(difference.max < 0);
    if (op == BinaryOp::EQ) {
        if (difference == ConstIntBound{0, 0})
            return boolImm(true);
        const ModularSet rests = m_knowledge.modular(a) - m_knowledge.modular(b);
        if (!difference.contains(0) || (rests.coeff != 1 && rests.base != 0))
            return boolImm(false);
    }
    Expr result = byRules(op, a, b);
    if (!result)
        result = binaryNode(op, a, b);
    if (m_knowledge.hasAssumptions()) {
        if (const auto known = m_knowledge.assumed(result))
            return boolImm(*known);
    }
    return result;
}

ConstIntBound RewriteSimplifier::compare(const Expr &a, const Expr &b)
{
    const ConstIntBound quick = m_knowledge.difference(a, b);
    if (quick.max < 0 || quick.min > 0 || quick.isConst() || m_comparing > 1)
        return quick;
    if (asInt(a) || asInt(b) || (a.as<VarNode>() && b.as<VarNode>()))
        return quick;
    ++m_comparing;
    const ConstIntBound slow = m_knowledge.bound(binary(BinaryOp::Sub, a, b));
    --m_comparing;
    return intersect(quick, slow);
}

} // namespace nestwright::arith
