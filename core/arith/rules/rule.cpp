// SPDX-License-Identifier: Apache-2.0
#include "core/arith/rules/rule.h"

#include "core/arith/lowest_integer.h"
#include "core/arith/rules/rule_parser.h"
#include "core/arith/same_expr.h"
#include "core/ir/build/builder.h"
#include "core/ir/fold.h"
#include "core/support/errors/errors.h"

#include <utility>

namespace nestwright::arith {

using namespace ir;
using Kind = PatternNode::Kind;

bool Rule::matches(int node, BinaryOp op, const Expr &a, const Expr &b, Bindings &bindings) const
{
    const PatternNode &pattern = at(node);
    return pattern.kind == Kind::Binary && pattern.op == op && matches(pattern.child[0], a, bindings)
           && matches(pattern.child[1], b, bindings);
}

bool Rule::matches(int node, const Expr &e, Bindings &bindings) const
{
    const PatternNode &pattern = at(node);
    switch (pattern.kind) {
    case Kind::Any: {
        const Expr *&slot = bindings.exprs[static_cast<std::size_t>(pattern.value)];
        if (slot)
            return sameExpr(*slot, e);
        slot = &e;
        return true;
    }
    case Kind::Constant: {
        const std::int64_t *value = asInt(e);
        const std::uint32_t bit = 1u << pattern.value;
        std::int64_t &slot = bindings.constants[static_cast<std::size_t>(pattern.value)];
        if (!value || ((bindings.boundConstants & bit) && slot != *value))
            return false;
        bindings.boundConstants |= bit;
        slot = *value;
        return true;
    }
    case Kind::Number: return isConstInt(e, pattern.value);
    case Kind::Binary: {
        const auto *binaryExpr = e.as<Binary>();
        return binaryExpr && matches(node, binaryExpr->op, binaryExpr->a, binaryExpr->b, bindings);
    }
    case Kind::Not: {
        const auto *notExpr = e.as<Not>();
        return notExpr && matches(pattern.child[0], notExpr->a, bindings);
    }
    case Kind::Select: {
        const auto *selectExpr = e.as<Select>();
        return selectExpr && matches(pattern.child[0], selectExpr->condition, bindings)
               && matches(pattern.child[1], selectExpr->trueValue, bindings)
               && matches(pattern.child[2], selectExpr->falseValue, bindings);
    }
    }
    std::unreachable();
}

namespace {

/// A condition or constant of a rule; nothing is divided that has no opposite.
std::optional<std::int64_t> computeBinary(BinaryOp op, std::int64_t a, std::int64_t b)
{
    return isDivision(op) && a == lowestInteger ? std::nullopt : ir::checkedBinary(op, a, b);
}

} // namespace

std::optional<std::int64_t> Rule::compute(int node, const Bindings &bindings) const
{
    const PatternNode &pattern = at(node);
    if (pattern.kind == Kind::Number)
        return pattern.value;
    if (pattern.kind == Kind::Constant)
        return bindings.constants[static_cast<std::size_t>(pattern.value)];
    const auto a = compute(pattern.child[0], bindings);
    if (!a)
        return std::nullopt;
    if (pattern.kind == Kind::Not)
        return *a == 0;
    // A false left side decides, so that "c1 != 0 && c2 % c1 == 0" never divides by 0.
    if (pattern.kind == Kind::Binary && pattern.op == BinaryOp::And && *a == 0)
        return 0;
    const auto b = compute(pattern.child[1], bindings);
    if (!b)
        return std::nullopt;
    return computeBinary(pattern.op, *a, *b);
}

namespace {

// Keys of the index: the operator of an operand, or its kind. Letters fit everything.
constexpr int keyAny = -1;
constexpr int keyConst = 17, keyNot = 18, keySelect = 19, keyOther = 20;

int keyOf(const Expr &e)
{
    if (const auto *node = e.as<Binary>())
        return static_cast<int>(node->op);
    switch (e.kind()) {
    case ExprKind::IntImm: return keyConst;
    case ExprKind::Not: return keyNot;
    case ExprKind::Select: return keySelect;
    default: return keyOther;
    }
}

int keyOf(const PatternNode &node)
{
    switch (node.kind) {
    case Kind::Any: return keyAny;
    case Kind::Constant:
    case Kind::Number: return keyConst;
    case Kind::Binary: return static_cast<int>(node.op);
    case Kind::Not: return keyNot;
    case Kind::Select: return keySelect;
    }
    std::unreachable();
}

} // namespace

RuleSet::RuleSet(BinaryOp op, std::span<const std::string_view> texts)
{
    m_rules.reserve(texts.size()); // candidates point at the rules
    for (const std::string_view text : texts) {
        const Rule &rule = m_rules.emplace_back(parseRule(text));
        for (const int form : rule.forms) {
            const PatternNode &top = rule.at(form);
            NW_ASSERT(top.kind == Kind::Binary && top.op == op,
                      "rule in the wrong table: " + std::string(text));
            const int left = keyOf(rule.at(top.child[0])), right = keyOf(rule.at(top.child[1]));
            for (std::size_t i = 0; i < keys * keys; ++i) {
                const int keyA = static_cast<int>(i / keys), keyB = static_cast<int>(i % keys);
                if ((left == keyAny || left == keyA) && (right == keyAny || right == keyB))
                    m_index[i].push_back({&rule, form});
            }
        }
    }
}

std::span<const RuleSet::Candidate> RuleSet::candidates(const Expr &a, const Expr &b) const
{
    return m_index[static_cast<std::size_t>(keyOf(a)) * keys + static_cast<std::size_t>(keyOf(b))];
}

const RuleSet *rulesFor(BinaryOp op)
{
    static const RuleSet addRulesSet(BinaryOp::Add, addRules());
    static const RuleSet subRulesSet(BinaryOp::Sub, subRules());
    static const RuleSet mulRulesSet(BinaryOp::Mul, mulRules());
    static const RuleSet divRulesSet(BinaryOp::Div, divRules());
    static const RuleSet modRulesSet(BinaryOp::Mod, modRules());
    static const RuleSet floorDivRulesSet(BinaryOp::FloorDiv, floorDivRules());
    static const RuleSet floorModRulesSet(BinaryOp::FloorMod, floorModRules());
    static const RuleSet minRulesSet(BinaryOp::Min, minRules());
    static const RuleSet maxRulesSet(BinaryOp::Max, maxRules());
    static const RuleSet equalRulesSet(BinaryOp::EQ, equalRules());
    static const RuleSet lessRulesSet(BinaryOp::LT, lessRules());
    static const RuleSet andRulesSet(BinaryOp::And, andRules());
    static const RuleSet orRulesSet(BinaryOp::Or, orRules());
    switch (op) {
    case BinaryOp::Add: return &addRulesSet;
    case BinaryOp::Sub: return &subRulesSet;
    case BinaryOp::Mul: return &mulRulesSet;
    case BinaryOp::Div: return &divRulesSet;
    case BinaryOp::Mod: return &modRulesSet;
    case BinaryOp::FloorDiv: return &floorDivRulesSet;
    case BinaryOp::FloorMod: return &floorModRulesSet;
    case BinaryOp::Min: return &minRulesSet;
    case BinaryOp::Max: return &maxRulesSet;
    case BinaryOp::EQ: return &equalRulesSet;
    case BinaryOp::LT: return &lessRulesSet;
    case BinaryOp::And: return &andRulesSet;
    case BinaryOp::Or: return &orRulesSet;
    default: return nullptr;
    }
}

} // namespace nestwright::arith
