// SPDX-License-Identifier: Apache-2.0
/// Operators for writing index expressions in tests, their value for given variables, and a readable form.
#pragma once

#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

namespace nestwright::arith::testing {

using ir::Expr;
using ir::Var;

// `/` and `%` round towards minus infinity.
inline Expr operator/(const Expr &a, const Expr &b) { return ir::floorDiv(a, b); }
inline Expr operator%(const Expr &a, const Expr &b) { return ir::floorMod(a, b); }
inline Expr operator<(const Expr &a, const Expr &b) { return ir::lt(a, b); }
inline Expr operator<=(const Expr &a, const Expr &b) { return ir::le(a, b); }
inline Expr operator>(const Expr &a, const Expr &b) { return ir::gt(a, b); }
inline Expr operator>=(const Expr &a, const Expr &b) { return ir::ge(a, b); }
inline Expr operator&&(const Expr &a, const Expr &b) { return ir::logicalAnd(a, b); }
inline Expr operator||(const Expr &a, const Expr &b) { return ir::logicalOr(a, b); }
inline Expr operator!(const Expr &a) { return ir::logicalNot(a); }

/// Value of an integer or boolean expression; every variable must be given, no divisor may be 0.
inline std::int64_t valueOf(const Expr &e, const ir::VarMap<std::int64_t> &vars)
{
    if (const std::int64_t *number = ir::asInt(e))
        return *number;
    if (e.as<ir::VarNode>())
        return vars.at(Var::from(e));
    if (const auto *node = e.as<ir::Not>())
        return !valueOf(node->a, vars);
    if (const auto *node = e.as<ir::Cast>())
        return valueOf(node->value, vars);
    if (const auto *node = e.as<ir::Select>())
        return valueOf(node->condition, vars) ? valueOf(node->trueValue, vars)
                                              : valueOf(node->falseValue, vars);
    const auto &node = *e.as<ir::Binary>();
    const std::int64_t a = valueOf(node.a, vars), b = valueOf(node.b, vars);
    switch (node.op) {
    case ir::BinaryOp::Add: return a + b;
    case ir::BinaryOp::Sub: return a - b;
    case ir::BinaryOp::Mul: return a * b;
    case ir::BinaryOp::Div: return a / b;
    case ir::BinaryOp::Mod: return a % b;
    case ir::BinaryOp::FloorDiv: return ir::floorDiv(a, b);
    case ir::BinaryOp::FloorMod: return ir::floorMod(a, b);
    case ir::BinaryOp::Min: return std::min(a, b);
    case ir::BinaryOp::Max: return std::max(a, b);
    case ir::BinaryOp::EQ: return a == b;
    case ir::BinaryOp::NE: return a != b;
    case ir::BinaryOp::LT: return a < b;
    case ir::BinaryOp::LE: return a <= b;
    case ir::BinaryOp::GT: return a > b;
    case ir::BinaryOp::GE: return a >= b;
    case ir::BinaryOp::And: return a && b;
    case ir::BinaryOp::Or: return a || b;
    }
    std::unreachable();
}

/// Fully parenthesised, for messages of failures.
inline std::string show(const Expr &e)
{
    if (e.get() == nullptr)
        return "nothing";
    if (const std::int64_t *number = ir::asInt(e))
        return e.dtype().isBool() ? (*number ? "True" : "False") : std::to_string(*number);
    if (e.as<ir::VarNode>())
        return Var::from(e).name();
    if (const auto *node = e.as<ir::Not>())
        return "!" + show(node->a);
    if (const auto *node = e.as<ir::Cast>())
        return node->dtype.str() + '(' + show(node->value) + ')';
    if (const auto *node = e.as<ir::Select>())
        return "select(" + show(node->condition) + ", " + show(node->trueValue) + ", "
               + show(node->falseValue) + ')';
    if (const auto *node = e.as<ir::Ramp>())
        return "ramp(" + show(node->base) + ", " + show(node->stride) + ", " + std::to_string(node->lanes)
               + ')';
    if (const auto *node = e.as<ir::Broadcast>())
        return "broadcast(" + show(node->value) + ", " + std::to_string(node->lanes) + ')';
    if (const auto *node = e.as<ir::Call>()) {
        std::string text = node->callee.name() + '(';
        for (const Expr &argument : node->args)
            text += (&argument == &node->args.front() ? "" : ", ") + show(argument);
        return text + ')';
    }
    if (const auto *node = e.as<ir::Binary>()) {
        const std::string op(ir::spelling(node->op));
        if (std::isalpha(static_cast<unsigned char>(op.front())) && op != "and" && op != "or")
            return op + '(' + show(node->a) + ", " + show(node->b) + ')';
        return '(' + show(node->a) + ' ' + op + ' ' + show(node->b) + ')';
    }
    return "?";
}

} // namespace nestwright::arith::testing
