// SPDX-License-Identifier: Apache-2.0
/// Applying rules: matching, proving the condition, building the result.
#include "core/arith/simplify/rewrite.h"

#include "core/arith/simplify/prover.h"
#include "core/ir/build/builder.h"

#include <algorithm>
#include <utility>

namespace nestwright::arith {

using namespace ir;
using Kind = PatternNode::Kind;

namespace {

/// Types that the rules about comparisons hold for: the order of floating-point numbers is not total (NaN),
/// and narrow and unsigned sums wrap around.
bool isIntegerOrUnbound(const Expr *e) { return !e || e->dtype().element().isIndex() || e->dtype().isBool(); }

} // namespace

Expr RewriteSimplifier::byRules(BinaryOp op, const Expr &a, const Expr &b)
{
    const RuleSet *set = rulesFor(op);
    if (!set)
        return {};
    const bool all = isLogical(op) || a.dtype().isIndex();
    const DataType dtype = isComparison(op) ? DataType::boolean(a.dtype().lanes) : a.dtype();
    for (const RuleSet::Candidate &candidate : set->candidates(a, b)) {
        const Rule &rule = *candidate.rule;
        Bindings bindings;
        if ((!all && !rule.allTypes) || !rule.matches(candidate.form, op, a, b, bindings))
            continue;
        if (isLogical(op) && !rule.allTypes && !std::ranges::all_of(bindings.exprs, isIntegerOrUnbound))
            continue;
        if (rule.condition >= 0 && !holds(rule, rule.condition, bindings))
            continue;
        if (Expr result = build(rule, rule.to, bindings, dtype))
            return rule.resimplifies ? resimplify(result) : result;
    }
    return {};
}

/// Type of a comparison's operands: that of the first expression among them.
DataType RewriteSimplifier::operandType(const Rule &rule, int node, const Bindings &bindings) const
{
    const PatternNode &pattern = rule.at(node);
    if (pattern.kind == Kind::Any)
        return bindings.exprs[static_cast<std::size_t>(pattern.value)]->dtype();
    if (pattern.computed)
        return DataType::void_();
    // The condition of a select says nothing of its value's type.
    const std::size_t first = pattern.kind == Kind::Select ? 1 : 0;
    const DataType left = operandType(rule, pattern.child[first], bindings);
    return left != DataType::void_() ? left : operandType(rule, pattern.child[first + 1], bindings);
}

Expr RewriteSimplifier::build(const Rule &rule, int node, const Bindings &bindings, DataType dtype)
{
    const PatternNode &pattern = rule.at(node);
    if (pattern.computed) {
        const auto value = rule.compute(node, bindings);
        if (!value)
            return {};
        if (!dtype.isIntegral() || dtype.isVector())
            return constant(static_cast<double>(*value), dtype);
        Expr result = intImm(*value, dtype);
        return isConstInt(result, *value) ? result : Expr();
    }
    switch (pattern.kind) {
    case Kind::Any: return *bindings.exprs[static_cast<std::size_t>(pattern.value)];
    case Kind::Not: {
        const Expr a = build(rule, pattern.child[0], bindings, dtype);
        return a ? ir::logicalNot(a) : Expr();
    }
    case Kind::Select: {
        const Expr condition = build(rule, pattern.child[0], bindings, DataType::boolean());
        const Expr a = build(rule, pattern.child[1], bindings, dtype);
        const Expr b = build(rule, pattern.child[2], bindings, dtype);
        return condition && a && b ? ir::select(condition, a, b) : Expr();
    }
    case Kind::Binary: {
        const DataType operands = isComparison(pattern.op) ? operandType(rule, node, bindings) : dtype;
        const Expr a = build(rule, pattern.child[0], bindings, operands);
        const Expr b = a ? build(rule, pattern.child[1], bindings, operands) : Expr();
        return b ? ir::binary(pattern.op, a, b) : Expr();
    }
    case Kind::Constant:
    case Kind::Number: break;
    }
    std::unreachable();
}

bool RewriteSimplifier::holds(const Rule &rule, int node, const Bindings &bindings)
{
    const PatternNode &pattern = rule.at(node);
    if (pattern.computed) {
        const auto value = rule.compute(node, bindings);
        return value && *value != 0;
    }
    const int left = pattern.child[0], right = pattern.child[1];
    if (pattern.op == BinaryOp::And)
        return holds(rule, left, bindings) && holds(rule, right, bindings);
    if (pattern.op == BinaryOp::Or)
        return holds(rule, left, bindings) || holds(rule, right, bindings);
    const DataType operands = operandType(rule, node, bindings);
    const auto value = rule.compute(right, bindings);
    const Expr e = operands.isInt() && value ? build(rule, left, bindings, operands) : Expr();
    if (!e)
        return false;
    switch (pattern.op) {
    case BinaryOp::EQ: return compareTo(e, *value) == Order::Equal;
    case BinaryOp::GE: return simplifiedBound(m_knowledge, e).min >= *value;
    default: std::unreachable();
    }
}

} // namespace nestwright::arith
