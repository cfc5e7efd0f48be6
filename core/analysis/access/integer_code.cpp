// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/integer_code.h"

#include "core/ir/build/intrinsics.h"
#include "core/ir/fold.h"
#include "core/support/errors/stack_room.h"

#include <algorithm>

namespace nestwright::analysis {

using ir::Expr;
using ir::ExprKind;

std::optional<IntegerCode> IntegerCode::of(const Expr &e, std::span<const ir::Var> vars)
{
    IntegerCode code;
    if (!code.add(e, vars))
        return std::nullopt;
    return code;
}

bool IntegerCode::add(const Expr &e, std::span<const ir::Var> vars)
{
    support::checkStackRoom();
    if (!e.dtype().isIntegral() || e.dtype().isVector())
        return false;
    switch (e.kind()) {
    case ExprKind::IntImm:
        m_steps.push_back({.kind = Kind::Constant, .value = e.as<ir::IntImm>()->value});
        return true;
    case ExprKind::Var: {
        const auto found = std::ranges::find(vars, ir::Var::from(e));
        m_steps.push_back({.kind = Kind::Variable, .value = found - vars.begin()});
        return found != vars.end();
    }
    case ExprKind::Cast:
        if (!add(e.as<ir::Cast>()->value, vars))
            return false;
        m_steps.push_back({.kind = Kind::Cast, .dtype = e.dtype()});
        return true;
    case ExprKind::Not:
        if (!add(e.as<ir::Not>()->a, vars))
            return false;
        m_steps.push_back({.kind = Kind::Not});
        return true;
    case ExprKind::Binary: {
        const auto &node = *e.as<ir::Binary>();
        if (!add(node.a, vars) || !add(node.b, vars))
            return false;
        m_steps.push_back({.kind = Kind::Binary, .op = node.op, .dtype = node.a.dtype()});
        return true;
    }
    case ExprKind::Select: {
        const auto &node = *e.as<ir::Select>();
        if (!add(node.condition, vars) || !add(node.trueValue, vars) || !add(node.falseValue, vars))
            return false;
        m_steps.push_back({.kind = Kind::Choose});
        return true;
    }
    case ExprKind::Call: {
        const auto &node = *e.as<ir::Call>();
        if (node.callee == ir::intrinsics::likely)
            return add(node.args[0], vars);
        if (node.callee != ir::intrinsics::ifThenElse
            || !std::ranges::all_of(node.args, [&](const Expr &arg) { return add(arg, vars); }))
            return false;
        m_steps.push_back({.kind = Kind::Choose});
        return true;
    }
    default: return false;
    }
}

std::optional<std::int64_t> IntegerCode::eval(std::span<const std::int64_t> values)
{
    std::vector<std::int64_t> &stack = m_stack;
    stack.clear();
    const auto pop = [&] {
        const std::int64_t top = stack.back();
        stack.pop_back();
        return top;
    };
    for (const Step &step : m_steps) {
        switch (step.kind) {
        case Kind::Constant: stack.push_back(step.value); break;
        case Kind::Variable: stack.push_back(values[static_cast<std::size_t>(step.value)]); break;
        case Kind::Cast: stack.back() = ir::wrapToType(stack.back(), step.dtype); break;
        case Kind::Not: stack.back() = stack.back() == 0 ? 1 : 0; break;
        case Kind::Choose: {
            const std::int64_t otherwise = pop(), value = pop();
            stack.back() = stack.back() != 0 ? value : otherwise;
            break;
        }
        case Kind::Binary: {
            const std::int64_t b = pop();
            const auto result = ir::wrappingBinary(step.op, stack.back(), b, step.dtype);
            if (!result)
                return std::nullopt;
            stack.back() = *result;
            break;
        }
        }
    }
    return stack.back();
}

} // namespace nestwright::analysis
