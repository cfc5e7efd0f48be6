// SPDX-License-Identifier: Apache-2.0
#include "core/arith/simplify/rewrite.h"

#include "core/arith/same_expr.h"
#include "core/arith/simplify/prover.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/substitute.h"
#include "core/ir/conditions.h"
#include "core/ir/fold.h"
#include "core/support/errors/stop.h"

#include <cmath>

namespace nestwright::arith {

using namespace ir;

namespace {

constexpr int mostRepeats = 5;
/// Steps of one simplification; the rest of an expression stays as it is. Choices within conditions of
/// choices would else be looked at again and again.
constexpr int mostSteps = 100'000;

} // namespace

Expr RewriteSimplifier::resimplify(const Expr &e)
{
    if (m_repeats >= mostRepeats)
        return e;
    ++m_repeats;
    Expr result = expr(e);
    --m_repeats;
    return result;
}

Expr RewriteSimplifier::rewrite(const Expr &e)
{
    support::checkStop();
    if (++m_knowledge.steps > mostSteps)
        return e;
    switch (e.kind()) {
    case ExprKind::IntImm:
    case ExprKind::FloatImm:
    case ExprKind::StringImm: return e;
    case ExprKind::Var: return variable(e);
    case ExprKind::Binary: return binaryExpr(*e.as<Binary>(), e);
    case ExprKind::Cast: return castExpr(*e.as<Cast>(), e);
    case ExprKind::Not: return notExpr(*e.as<Not>(), e);
    case ExprKind::Select: return selectExpr(*e.as<Select>(), e);
    case ExprKind::Let: return letExpr(*e.as<Let>(), e);
    case ExprKind::Call: return callExpr(*e.as<Call>(), e);
    case ExprKind::Ramp: {
        Expr result = children(e);
        const auto *node = result.as<Ramp>();
        const bool isFlat = node && isConstInt(node->stride, 0) && !node->base.dtype().isVector();
        return isFlat ? ir::broadcast(node->base, node->lanes) : result;
    }
    case ExprKind::Broadcast:
    case ExprKind::BufferLoad: return children(e);
    }
    return e;
}

std::optional<bool> RewriteSimplifier::assumed(const Expr &condition) const
{
    return knowsLiterals() ? m_knowledge.assumed(condition) : std::nullopt;
}

Expr RewriteSimplifier::variable(const Expr &e)
{
    if (e.dtype() == DataType::boolean()) {
        if (const auto known = assumed(e))
            return boolImm(*known);
    }
    const Expr value = m_knowledge.valueOf(Var::from(e));
    return value && value.dtype() == e.dtype() ? value : e;
}

Expr RewriteSimplifier::castExpr(const Cast &node, const Expr &original)
{
    const Expr value = expr(node.value);
    const Expr result = ir::cast(node.dtype, value);
    const auto *same = result.as<Cast>();
    return same && same->value.same(node.value) ? original : result;
}

/// `e` simplified where `condition` holds.
Expr RewriteSimplifier::under(const Expr &condition, const Expr &e)
{
    if (condition.dtype().isVector() || asInt(e) || e.as<FloatImm>())
        return expr(e);
    assume(m_knowledge, condition);
    Expr result = expr(e);
    m_knowledge.leave();
    return result;
}

Expr RewriteSimplifier::selectExpr(const Select &node, const Expr &original)
{
    const Expr condition = expr(node.condition);
    if (isTrue(condition))
        return expr(node.trueValue);
    Expr a = under(condition, node.trueValue);
    Expr b = under(simplifyByRules(m_knowledge, ir::logicalNot(condition)), node.falseValue);
    if (isFalse(condition))
        return b;
    if (sameExpr(a, b))
        return a;
    if (condition.same(node.condition) && a.same(node.trueValue) && b.same(node.falseValue))
        return original;
    return ir::select(condition, a, b);
}

Expr RewriteSimplifier::ifThenElse(const Call &node, const Expr &original)
{
    const Expr condition = expr(node.args[0]);
    if (isTrue(condition))
        return expr(node.args[1]);
    Expr a = under(condition, node.args[1]);
    Expr b = under(ir::logicalNot(condition), node.args[2]);
    if (isFalse(condition))
        return b;
    // Nested choices with one constant for both "else" are one choice.
    const auto *inner = a.as<Call>();
    const auto isNumber = [](const Expr &e) { return e.as<IntImm>() || e.as<FloatImm>(); };
    if (inner && inner->callee == intrinsics::ifThenElse && isNumber(b) && sameExpr(inner->args[2], b))
        return ir::call(node.dtype, node.callee,
                        {ir::logicalAnd(condition, inner->args[0]), inner->args[1], b});
    if (condition.same(node.args[0]) && a.same(node.args[1]) && b.same(node.args[2]))
        return original;
    return ir::call(node.dtype, node.callee, {condition, a, b});
}

Expr RewriteSimplifier::callExpr(const Call &node, const Expr &original)
{
    if (node.callee == intrinsics::ifThenElse && node.args.size() == 3)
        return ifThenElse(node, original);
    Expr result = children(original);
    if (Expr joined = vectorCondition(*result.as<Call>()))
        return resimplify(joined);
    const auto &args = result.as<Call>()->args;
    const std::int64_t *number = args.empty() ? nullptr : asInt(args[0]);
    const std::int64_t *shift = args.size() == 2 ? asInt(args[1]) : nullptr;
    if (node.callee == intrinsics::likely) {
        if (number)
            return args[0];
        if (const auto known = assumed(args[0]))
            return boolImm(*known);
    } else if (node.callee == intrinsics::shiftRight && number && shift) {
        return intImm(ir::shiftRight(*number, *shift, node.dtype), node.dtype);
    } else if (node.callee == intrinsics::shiftLeft && number && shift) {
        return intImm(ir::shiftLeft(*number, *shift, node.dtype), node.dtype);
    } else if (node.callee == intrinsics::ceil) {
        if (number)
            return ir::cast(node.dtype, args[0]);
        if (const auto *imm = args[0].as<FloatImm>())
            return ir::cast(node.dtype, floatImm(std::ceil(imm->value), imm->dtype));
    } else if (node.callee == intrinsics::clz && number) {
        return intImm(ir::leadingZeroBits(*number, args[0].dtype()), node.dtype);
    }
    return result;
}

Expr RewriteSimplifier::letExpr(const Let &node, const Expr &original)
{
    const Expr value = expr(node.value);
    if (asInt(node.value) || node.value.as<FloatImm>() || node.value.as<VarNode>())
        return expr(substitute(node.body, {{node.var, value}}));
    const Expr body = expr(node.body);
    return value.same(node.value) && body.same(node.body) ? original : ir::let(node.var, value, body);
}

Expr RewriteSimplifier::notExpr(const Not &node, const Expr &original)
{
    const Expr a = expr(node.a);
    if (asInt(a))
        return boolImm(isFalse(a));
    const Expr same = a.same(node.a) ? original : ir::logicalNot(a);
    if (const auto known = assumed(same))
        return boolImm(*known);
    Expr result = negated(a);
    return sameExpr(result, original) ? original : result;
}

Expr RewriteSimplifier::negated(const Expr &e)
{
    if (asInt(e))
        return boolImm(isFalse(e));
    const auto *node = e.as<Binary>();
    const Expr result = ir::negation(e);
    return node && isLogical(node->op) ? resimplify(result) : result;
}

Expr RewriteSimplifier::binaryExpr(const Binary &node, const Expr &original)
{
    if (node.op == BinaryOp::GT || node.op == BinaryOp::GE)
        return expr(ir::binary(node.op == BinaryOp::GT ? BinaryOp::LT : BinaryOp::LE, node.b, node.a));
    const Expr a = expr(node.a), b = expr(node.b);
    Expr same = a.same(node.a) && b.same(node.b) ? original : ir::binary(node.op, a, b);
    const auto *kept = same.as<Binary>();
    const bool isFolded = !kept || kept->op != node.op || !kept->a.same(a) || !kept->b.same(b);
    if (isFolded)
        return same;
    if (isComparison(node.op))
        return comparison(*kept, same);
    if (isLogical(node.op))
        return logical(*kept, same);
    return arithmetic(*kept, same);
}

Expr RewriteSimplifier::logical(const Binary &node, const Expr &original)
{
    const bool isAnd = node.op == BinaryOp::And;
    for (const bool left : {true, false}) {
        const Expr &side = left ? node.a : node.b;
        if (asInt(side))
            return isTrue(side) == isAnd ? (left ? node.b : node.a) : side;
    }
    if (const auto known = assumed(original))
        return boolImm(*known);
    if (Expr result = vectorRules(node))
        return result;
    Expr result = byRules(node.op, node.a, node.b);
    return result ? result : original;
}

Expr RewriteSimplifier::comparison(const Binary &node, const Expr &original)
{
    const auto dtype = [&] { return node.dtype; };
    if (const auto known = assumed(original)) {
        const Expr value = boolImm(*known);
        return dtype().isVector() ? ir::broadcast(value, dtype().lanes) : value;
    }
    Expr result;
    switch (node.op) {
    case BinaryOp::EQ: result = equal(node.a, node.b); break;
    case BinaryOp::NE: result = notEqual(node.a, node.b); break;
    case BinaryOp::LE: result = lessOrEqual(node.a, node.b); break;
    default: result = less(node.a, node.b); break;
    }
    const auto *same = result.as<Binary>();
    return same && same->op == node.op && same->a.same(node.a) && same->b.same(node.b) ? original : result;
}

} // namespace nestwright::arith
