// SPDX-License-Identifier: Apache-2.0
/// Applying rules: matching, proving the condition, building the result.
#include "core/arith/rewrite.h"

#include "core/ir/builder.h"

#include <utility>

namespace nestwright::arith {

using namespace ir;
using Kind = PatternNode::Kind;

Expr RewriteSimplifier::byRules(BinaryOp op, const Expr &a, const Expr &b)
{
    const RuleSet *set = rulesFor(op);
    if (!set)
        return {};
    for (const RuleSet::Candidate &candidate : set->candidates(a, b)) {
        const Rule &rule = *candidate.rule;
        Bindings bindings;
        if (!rule.matches(candidate.variant, op, a, b, bindings))
            continue;
        if (rule.condition >= 0 && !holds(rule, rule.condition, bindings, a.dtype()))
            continue;
        const bool isBool = isComparison(op) || op == BinaryOp::And || op == BinaryOp::Or;
        if (Expr result = build(rule, rule.to, bindings, isBool ? DataType::boolean() : a.dtype()))
            return result;
    }
    return {};
}

/// The type in which the operands of a comparison are: that of the first expression among them.
DataType RewriteSimplifier::operandType(const Rule &rule, int node, const Bindings &bindings) const
{
    const PatternNode &pattern = rule.at(node);
    if (pattern.kind == Kind::Any)
        return bindings.exprs[static_cast<std::size_t>(pattern.value)]->dtype();
    if (pattern.computed)
        return DataType::void_();
    // The condition of a select says nothing of its value's type.
    const int first = pattern.kind == Kind::Select ? 1 : 0;
    const DataType left = operandType(rule, pattern.child[static_cast<std::size_t>(first)], bindings);
    return left != DataType::void_()
               ? left
               : operandType(rule, pattern.child[static_cast<std::size_t>(first + 1)], bindings);
}

Expr RewriteSimplifier::build(const Rule &rule, int node, const Bindings &bindings, DataType dtype)
{
    const PatternNode &pattern = rule.at(node);
    if (pattern.computed) {
        const auto value = rule.compute(node, bindings);
        if (!value)
            return {};
        Expr result = intImm(*value, dtype);
        return isConstInt(result, *value) ? result : Expr();
    }
    switch (pattern.kind) {
    case Kind::Any: return *bindings.exprs[static_cast<std::size_t>(pattern.value)];
    case Kind::Not: {
        const Expr a = build(rule, pattern.child[0], bindings, dtype);
        return a ? logicalNot(a) : Expr();
    }
    case Kind::Select: {
        const Expr condition = build(rule, pattern.child[0], bindings, DataType::boolean());
        const Expr a = build(rule, pattern.child[1], bindings, dtype);
        const Expr b = build(rule, pattern.child[2], bindings, dtype);
        return condition && a && b ? select(condition, a, b) : Expr();
    }
    case Kind::Binary: {
        const DataType operands = isComparison(pattern.op) ? operandType(rule, node, bindings) : dtype;
        const Expr a = build(rule, pattern.child[0], bindings, operands);
        const Expr b = a ? build(rule, pattern.child[1], bindings, operands) : Expr();
        if (rule.ordered && node == rule.to)
            return b ? ir::binary(pattern.op, a, b) : Expr();
        return b ? binary(pattern.op, a, b) : Expr();
    }
    case Kind::Constant:
    case Kind::Number: break;
    }
    std::unreachable();
}

bool RewriteSimplifier::holds(const Rule &rule, int node, const Bindings &bindings, DataType dtype)
{
    const PatternNode &pattern = rule.at(node);
    if (pattern.computed) {
        const auto value = rule.compute(node, bindings);
        return value && *value != 0;
    }
    const int left = pattern.child[0], right = pattern.child[1];
    if (pattern.op == BinaryOp::And)
        return holds(rule, left, bindings, dtype) && holds(rule, right, bindings, dtype);
    if (pattern.op == BinaryOp::Or)
        return holds(rule, left, bindings, dtype) || holds(rule, right, bindings, dtype);
    const DataType operands = operandType(rule, node, bindings);
    if (!operands.isInt())
        return false;
    const Expr a = build(rule, left, bindings, operands);
    const Expr b = build(rule, right, bindings, operands);
    if (!a || !b)
        return false;
    const ConstIntBound difference = compare(a, b);
    switch (pattern.op) {
    case BinaryOp::EQ: return difference == ConstIntBound{0, 0};
    case BinaryOp::NE: return difference.max < 0 || difference.min > 0;
    case BinaryOp::LT: return difference.max < 0;
    case BinaryOp::LE: return difference.max <= 0;
    case BinaryOp::GT: return difference.min > 0;
    case BinaryOp::GE: return difference.min >= 0;
    default: std::unreachable();
    }
}

} // namespace nestwright::arith
