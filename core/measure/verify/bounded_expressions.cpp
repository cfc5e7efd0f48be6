// SPDX-License-Identifier: Apache-2.0
#include "core/measure/verify/bounded_expressions.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/substitute.h"
#include "core/ir/fold.h"

#include <limits>

namespace nestwright::measure {

using ir::DataType;
using ir::Expr;

namespace {

/// The constant as its own type holds it.
Expr held(const ir::FloatImm &constant)
{
    return ir::floatImm(ir::roundToType(constant.value, constant.dtype), wide);
}

ir::Buffer copyOf(const ir::Buffer &b, const std::string &name, const ir::Var &data)
{
    ir::BufferNode node = *b.get();
    node.name = name;
    node.data = data;
    node.dtype = wide;
    return ir::Buffer(std::move(node));
}

/// Exact arguments give a result that is off by its own rounding; of others nothing is known.
Bounded withoutRule(const ir::Call &e, const std::vector<Bounded> &args, Locals &locals)
{
    ir::Call same = e;
    same.dtype = widened(e.dtype);
    same.args.clear();
    Expr inexact;
    for (const Bounded &arg : args) {
        same.args.push_back(arg.value);
        inexact = largerOf(inexact, arg.error);
    }
    const Expr value = locals.named(ir::make(std::move(same)));
    constexpr double units = 16;
    Expr error = roundingOf(value, e.dtype);
    if (error)
        error = error * ir::floatImm(units, wide);
    if (inexact)
        error = ir::select(ir::gt(inexact, ir::floatImm(0, wide)),
                           ir::floatImm(std::numeric_limits<double>::infinity(), wide),
                           error ? error : ir::floatImm(0, wide));
    return {value, error};
}

} // namespace

ir::Buffer BoundedExpressions::value(const ir::Buffer &b)
{
    if (b.dtype().isVector() || b.dtype().isNarrow())
        throw NoBounds();
    if (widened(b.dtype()) == b.dtype())
        return b;
    return m_values.try_emplace(b, copyOf(b, b->name, b->data)).first->second;
}

ir::Buffer BoundedExpressions::error(const ir::Buffer &b)
{
    const auto found = m_errors.find(b);
    if (found != m_errors.end())
        return found->second;
    return m_errors.emplace(b, copyOf(b, b->name + "_error", errorData(b->data))).first->second;
}

ir::Var BoundedExpressions::errorData(const ir::Var &data)
{
    ir::Var &made = m_errorData[data];
    if (!made)
        made = ir::Var::like(data, data.name() + "_error");
    return made;
}

ir::Var BoundedExpressions::variable(const ir::Var &var)
{
    if (widened(var.dtype()) == var.dtype())
        return var;
    ir::Var &made = m_variables[var];
    if (!made)
        made = ir::Var(var.name(), wide);
    return made;
}

void BoundedExpressions::bind(const ir::Var &var, const Expr &error)
{
    if (error)
        m_variableErrors[var] = error;
}

Bounded BoundedExpressions::expr(const Expr &e, Locals &locals)
{
    if (e.dtype().isVector())
        throw NoBounds();
    if (!m_memory.comesFromFloats(e))
        return {plain(e), {}};
    switch (e.kind()) {
    case ir::ExprKind::FloatImm: return {held(*e.as<ir::FloatImm>()), {}};
    case ir::ExprKind::Var: {
        const ir::Var var = ir::Var::from(e);
        const auto known = m_variableErrors.find(var);
        return {variable(var), known == m_variableErrors.end() ? Expr() : known->second};
    }
    case ir::ExprKind::Cast: {
        const Expr from = e.as<ir::Cast>()->value;
        return boundedCast(expr(from, locals), from.dtype(), e.dtype(), locals);
    }
    case ir::ExprKind::Binary: return binary(*e.as<ir::Binary>(), locals);
    case ir::ExprKind::Not: {
        const Bounded a = expr(e.as<ir::Not>()->a, locals);
        return {ir::logicalNot(a.value), a.error};
    }
    case ir::ExprKind::Select: {
        const auto &select = *e.as<ir::Select>();
        return choice(select.condition, select.trueValue, select.falseValue, locals, false);
    }
    case ir::ExprKind::Let: return let(*e.as<ir::Let>(), locals);
    case ir::ExprKind::BufferLoad: return load(*e.as<ir::BufferLoad>());
    case ir::ExprKind::Call: return call(*e.as<ir::Call>(), locals);
    default: throw NoBounds();
    }
}

Expr BoundedExpressions::plain(const Expr &e)
{
    ir::forEachExpr(e, [](const Expr &each) {
        const auto *call = each.as<ir::Call>();
        if (call && (!call->callee.intrinsic() || call->callee.intrinsic()->purity != ir::Purity::Pure))
            throw NoBounds();
        return true;
    });
    return e;
}

Bounded BoundedExpressions::apart(const Expr &e)
{
    Locals own;
    const Bounded all = expr(e, own);
    return {own.around(all.value), all.error ? own.around(all.error) : Expr()};
}

Bounded BoundedExpressions::binary(const ir::Binary &e, Locals &locals)
{
    const Bounded a = expr(e.a, locals);
    const Bounded b = ir::isLogical(e.op) ? apart(e.b) : expr(e.b, locals);
    const DataType type = e.a.dtype();
    if (auto result = boundedBinary(e.op, a, b, type, locals))
        return *result;
    throw NoBounds();
}

Bounded BoundedExpressions::choice(const Expr &condition, const Expr &a, const Expr &b, Locals &locals,
                                   bool isLazy)
{
    const Bounded test = locals.named(expr(condition, locals));
    if (!isLazy)
        return boundedChoice(test, expr(a, locals), expr(b, locals), locals);
    if (test.error)
        throw NoBounds(); // the other value may not be looked at
    const Bounded first = apart(a), second = apart(b);
    const auto either = [&](const Expr &x, const Expr &y) {
        return ir::callIntrinsic(ir::intrinsics::ifThenElse, {test.value, x, y});
    };
    Bounded result{either(first.value, second.value), {}};
    if (first.error || second.error)
        result.error = either(first.error ? first.error : ir::floatImm(0, wide),
                              second.error ? second.error : ir::floatImm(0, wide));
    return result;
}

Bounded BoundedExpressions::let(const ir::Let &e, Locals &locals)
{
    const Bounded bound = locals.named(expr(e.value, locals));
    const ir::Var var = variable(e.var);
    Locals own;
    bind(e.var, bound.error);
    const Bounded body = expr(e.body, own);
    // A variable is defined in one place: of the value and of its error each has its own.
    const auto around = [&](const Expr &inner) {
        if (!inner)
            return inner;
        const ir::Var fresh = ir::Var::like(var, var.name());
        return ir::let(fresh, bound.value, ir::substitute(own.around(inner), {{var, fresh}}));
    };
    return {around(body.value), around(body.error)};
}

std::vector<Expr> BoundedExpressions::indices(const std::vector<Expr> &all)
{
    std::vector<Expr> result;
    for (const Expr &index : all) {
        const Bounded place = apart(index);
        if (place.error)
            throw NoBounds(); // it may be any other element
        result.push_back(place.value);
    }
    return result;
}

Bounded BoundedExpressions::load(const ir::BufferLoad &e)
{
    if (e.predicate)
        throw NoBounds();
    std::vector<Expr> places = indices(e.indices);
    const Expr bound = m_memory.hasErrors(e.buffer) ? ir::load(error(e.buffer), places) : Expr();
    return {ir::load(value(e.buffer), std::move(places)), bound};
}

Bounded BoundedExpressions::call(const ir::Call &e, Locals &locals)
{
    if (e.callee == ir::intrinsics::ifThenElse)
        return choice(e.args[0], e.args[1], e.args[2], locals, true);
    if (e.callee == ir::intrinsics::infinity)
        return {ir::call(wide, e.callee, {}), {}};
    const ir::Intrinsic *known = e.callee.intrinsic();
    if (!known || known->purity != ir::Purity::Pure || known->type == ir::TypeRule::Given)
        throw NoBounds();
    std::vector<Bounded> args;
    for (const Expr &arg : e.args)
        args.push_back(expr(arg, locals));
    if (auto result = boundedCall(*known, args, e.dtype, locals))
        return *result;
    return withoutRule(e, args, locals);
}

} // namespace nestwright::measure
