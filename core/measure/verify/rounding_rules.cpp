// SPDX-License-Identifier: Apache-2.0
#include "core/measure/verify/rounding_rules.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/fresh_variables.h"
#include "core/ir/build/intrinsics.h"
#include "core/measure/verify/error_bounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace nestwright::measure {

using ir::BinaryOp;
using ir::DataType;
using ir::Expr;
namespace intrinsics = ir::intrinsics;

namespace {

/// Error of mathematical functions, of a library or our own, in units in the last place.
constexpr double unitsOfFunctions = 8;
/// Further error, in the same units, of functions such as tanh that are computed from exp by subtracting 1.
constexpr double unitsNearZero = 8;

Expr number(double value) { return ir::floatImm(value, wide); }
Expr infinite() { return number(std::numeric_limits<double>::infinity()); }
Expr magnitude(const Expr &e) { return ir::callIntrinsic(intrinsics::fabs, {e}); }
Expr isNan(const Expr &e) { return ir::callIntrinsic(intrinsics::isNan, {e}); }

Expr product(const Expr &a, const Expr &b) { return a && b ? a * b : Expr(); }

double largest(DataType type)
{
    const Expr most = ir::maxValue(type.element());
    const auto *imm = most.as<ir::FloatImm>();
    return imm ? imm->value : std::numeric_limits<double>::max();
}

/// Error of a result too small to have all digits. Devices may give 0 for such, but not in float16.
double underflow(DataType type)
{
    if (type.code == ir::TypeCode::Float && type.bits == 16)
        return 0x1p-25;
    return type.bits == 64 ? std::numeric_limits<double>::min() : 0x1p-126;
}

/// `error`, or infinity where it is not a number: there is then no rule for it.
Expr known(const Expr &error, Locals &locals)
{
    const Expr e = locals.named(error);
    return ir::select(ir::logicalOr(isNan(e), ir::lt(e, number(0))), infinite(), e);
}

/// The result of an operation that rounds: with `units` halves of a unit in the last place, and `error`.
Bounded rounded(const Expr &value, const Expr &error, DataType type, Locals &locals, double units = 1)
{
    const Expr v = locals.named(value), before = locals.named(error);
    Expr own = roundingOf(v, type, before);
    if (own && units != 1)
        own = own * number(units);
    return {v, sumOf(before, own)};
}

Bounded difference(BinaryOp op, const Bounded &a, const Bounded &b, DataType type, Locals &locals)
{
    return rounded(ir::binary(op, a.value, b.value), sumOf(a.error, b.error), type, locals);
}

Bounded multiplied(Bounded a, Bounded b, DataType type, Locals &locals)
{
    a = locals.named(a);
    b = locals.named(b);
    Expr error =
        sumOf(product(b.error, a.value ? magnitude(a.value) : Expr()), product(a.error, magnitude(b.value)));
    error = sumOf(error, product(a.error, b.error));
    if (error)
        error = known(error, locals);
    return rounded(a.value * b.value, error, type, locals);
}

Bounded divided(Bounded a, Bounded b, DataType type, Locals &locals)
{
    a = locals.named(a);
    b = locals.named(b);
    const Expr quotient = locals.named(ir::binary(BinaryOp::Div, a.value, b.value));
    Expr error = sumOf(a.error, product(b.error, magnitude(quotient)));
    if (error && b.error) {
        const Expr least = locals.named(magnitude(b.value) - b.error);
        error = ir::select(ir::gt(least, number(0)), ir::binary(BinaryOp::Div, error, least), infinite());
    } else if (error) {
        error = ir::binary(BinaryOp::Div, error, magnitude(b.value));
    }
    if (error)
        error = known(error, locals);
    return rounded(quotient, error, type, locals);
}

/// A maximum or minimum: of NaN and a number either may come out.
Bounded extreme(BinaryOp op, Bounded a, Bounded b, DataType type, Locals &locals)
{
    a = locals.named(a);
    b = locals.named(b);
    Expr error = largerOf(a.error, b.error);
    if (type.isFloating())
        error =
            ir::select(ir::logicalOr(isNan(a.value), isNan(b.value)), infinite(), error ? error : number(0));
    return {ir::binary(op, a.value, b.value), error};
}

/// A comparison: 1 where errors may turn it.
Bounded compared(BinaryOp op, Bounded a, Bounded b, Locals &locals)
{
    const Expr error = sumOf(a.error, b.error);
    if (!error)
        return {ir::binary(op, a.value, b.value), {}};
    a = locals.named(a);
    b = locals.named(b);
    const Expr both = locals.named(sumOf(a.error, b.error));
    const Expr apart = magnitude(ir::cast(wide, a.value) - ir::cast(wide, b.value));
    const Expr turns = ir::logicalAnd(ir::gt(both, number(0)), ir::logicalNot(ir::gt(apart, both)));
    return {ir::binary(op, a.value, b.value), ir::select(turns, number(1), number(0))};
}

/// `f(x ± error)` of a function that rises or falls all the way.
Bounded monotonic(const ir::Intrinsic &f, Bounded x, DataType type, double units, Locals &locals)
{
    x = locals.named(x);
    const Expr value = locals.named(ir::callIntrinsic(f, {x.value}));
    Expr error;
    if (x.error) {
        const auto off = [&](const Expr &place) {
            return locals.named(magnitude(ir::callIntrinsic(f, {place}) - value));
        };
        const Expr above = off(x.value + x.error), below = off(x.value - x.error);
        error = ir::select(ir::eq(x.error, number(0)), number(0), known(ir::max(above, below), locals));
        error = ir::select(ir::logicalOr(isNan(above), isNan(below)),
                           ir::select(ir::eq(x.error, number(0)), number(0), infinite()), error);
        // An infinite error may stand for NaN, for which no function is bounded.
        error = ir::select(ir::le(x.error, number(std::numeric_limits<double>::max())), error, infinite());
    }
    return rounded(value, error, type, locals, units);
}

enum class Shape : std::uint8_t {
    Monotonic,
    MonotonicNearZero, ///< of a value as small as its argument: made of a difference with 1, absolute error
    Steps,             ///< monotonic, and exact
    Slow,              ///< its slope is at most 1
    Exact,             ///< as its argument, but for the sign
    Even,              ///< monotonic in the magnitude of its argument
    Tangent,
    Distance, ///< of two arguments, the slope is at most 1 in each
    MultiplyAdd,
    Power,
};

std::optional<Shape> shapeOf(const ir::Intrinsic &f)
{
    using namespace intrinsics;
    static constexpr std::array rows{std::pair{&exp, Shape::Monotonic},
                                     std::pair{&exp2, Shape::Monotonic},
                                     std::pair{&exp10, Shape::Monotonic},
                                     std::pair{&log, Shape::MonotonicNearZero},
                                     std::pair{&log2, Shape::MonotonicNearZero},
                                     std::pair{&log10, Shape::MonotonicNearZero},
                                     std::pair{&log1p, Shape::Monotonic},
                                     std::pair{&sqrt, Shape::Monotonic},
                                     std::pair{&rsqrt, Shape::Monotonic},
                                     std::pair{&sin, Shape::Slow},
                                     std::pair{&cos, Shape::Slow},
                                     std::pair{&asin, Shape::Monotonic},
                                     std::pair{&acos, Shape::MonotonicNearZero},
                                     std::pair{&atan, Shape::Monotonic},
                                     std::pair{&sinh, Shape::MonotonicNearZero},
                                     std::pair{&tanh, Shape::MonotonicNearZero},
                                     std::pair{&asinh, Shape::MonotonicNearZero},
                                     std::pair{&acosh, Shape::MonotonicNearZero},
                                     std::pair{&atanh, Shape::MonotonicNearZero},
                                     std::pair{&erf, Shape::MonotonicNearZero},
                                     std::pair{&sigmoid, Shape::Monotonic},
                                     std::pair{&floor, Shape::Steps},
                                     std::pair{&ceil, Shape::Steps},
                                     std::pair{&trunc, Shape::Steps},
                                     std::pair{&round, Shape::Steps},
                                     std::pair{&nearbyint, Shape::Steps},
                                     std::pair{&cosh, Shape::Even},
                                     std::pair{&tan, Shape::Tangent},
                                     std::pair{&hypot, Shape::Distance},
                                     std::pair{&fma, Shape::MultiplyAdd},
                                     std::pair{&fabs, Shape::Exact},
                                     std::pair{&abs, Shape::Exact},
                                     std::pair{&likely, Shape::Exact},
                                     std::pair{&pow, Shape::Power}};
    const auto found = std::ranges::find(rows, &f, &std::pair<const ir::Intrinsic *, Shape>::first);
    return found == rows.end() ? std::nullopt : std::optional(found->second);
}

/// The relative error of x^y is |y|·δx/|x| + |log x|·δy to first order; twice that, where it is small.
Bounded power(Bounded x, Bounded y, DataType type, Locals &locals)
{
    x = locals.named(x);
    y = locals.named(y);
    const Expr value = locals.named(ir::callIntrinsic(intrinsics::pow, {x.value, y.value}));
    Expr relative =
        x.error ? magnitude(y.value) * ir::binary(BinaryOp::Div, x.error, magnitude(x.value)) : Expr();
    if (y.error)
        relative =
            sumOf(relative, magnitude(ir::callIntrinsic(intrinsics::log, {magnitude(x.value)})) * y.error);
    Expr error;
    if (relative) {
        const Expr small = locals.named(relative);
        error = ir::select(ir::lt(small, number(0.25)), number(2) * small * magnitude(value), infinite());
    }
    return rounded(value, error, type, locals, 2 * unitsOfFunctions);
}

/// The slope of the tangent t is 1 + t²; twice that, where the next pole is far.
Bounded tangent(Bounded x, DataType type, Locals &locals)
{
    x = locals.named(x);
    const Expr value = locals.named(ir::callIntrinsic(intrinsics::tan, {x.value}));
    Expr error;
    if (x.error) {
        const Expr isFar = ir::lt(x.error * (magnitude(value) + number(1)), number(0.25));
        error = ir::select(isFar, number(2) * x.error * (value * value + number(1)), infinite());
    }
    return rounded(value, error, type, locals, 2 * unitsOfFunctions);
}

} // namespace

DataType widened(DataType dtype) { return dtype.isFloating() ? wide : dtype; }

Expr Locals::named(const Expr &e)
{
    if (!e || ir::Var::from(e) || e.as<ir::FloatImm>() || e.as<ir::IntImm>())
        return e;
    ir::Var var("t" + std::to_string(m_all.size()), e.dtype());
    m_all.emplace_back(var, e);
    return var;
}

Bounded Locals::named(const Bounded &bounded) { return {named(bounded.value), named(bounded.error)}; }

Expr Locals::around(Expr e) const
{
    for (std::size_t i = m_all.size(); i-- > 0;)
        e = ir::let(m_all[i].first, m_all[i].second, e);
    return ir::withFreshVariables(e); // each is defined in one place
}

Expr sumOf(const Expr &a, const Expr &b) { return a && b ? a + b : a ? a : b; }

Expr largerOf(const Expr &a, const Expr &b) { return a && b ? ir::max(a, b) : a ? a : b; }

double unitRoundoff(DataType dtype)
{
    if (dtype.code == ir::TypeCode::BFloat)
        return 0x1p-8;
    if (dtype.code != ir::TypeCode::Float)
        return 0;
    return dtype.bits == 16 ? 0x1p-11 : dtype.bits == 32 ? 0x1p-24 : 0x1p-53;
}

Expr roundingOf(const Expr &value, DataType type, const Expr &error)
{
    if (!type.isFloating())
        return {};
    // A bound in double precision of numbers in double precision: their own errors count as well.
    const double unit = unitRoundoff(type) * (type.bits == 64 ? 4 : 1);
    const Expr size = magnitude(value);
    const Expr finite = ir::select(ir::le(sumOf(size, error), number(largest(type))),
                                   size * number(unit) + number(underflow(type)), infinite());
    // Infinity and NaN are what they are.
    const Expr isNumber = ir::callIntrinsic(intrinsics::isFinite, {value});
    return ir::select(isNumber, finite, number(0));
}

std::optional<Bounded> boundedBinary(BinaryOp op, const Bounded &a, const Bounded &b, DataType type,
                                     Locals &locals)
{
    if (ir::isComparison(op))
        return compared(op, a, b, locals);
    if (ir::isLogical(op))
        return Bounded{ir::binary(op, a.value, b.value), largerOf(a.error, b.error)};
    switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Sub: return difference(op, a, b, type, locals);
    case BinaryOp::Mul:
        if (type.isFloating())
            return multiplied(a, b, type, locals);
        break;
    case BinaryOp::Div:
        if (type.isFloating())
            return divided(a, b, type, locals);
        break;
    case BinaryOp::Min:
    case BinaryOp::Max: return extreme(op, a, b, type, locals);
    default: break;
    }
    // Nothing is known of integers computed from inexact floating-point numbers: the error is 0 or infinite.
    const Expr error = sumOf(a.error, b.error);
    if (type.isFloating())
        return std::nullopt;
    return Bounded{ir::binary(op, a.value, b.value),
                   error ? ir::select(ir::gt(error, number(0)), infinite(), number(0)) : Expr()};
}

std::optional<Bounded> boundedCall(const ir::Intrinsic &intrinsic, std::vector<Bounded> args, DataType type,
                                   Locals &locals)
{
    const auto shape = shapeOf(intrinsic);
    if (!shape)
        return std::nullopt;
    for (Bounded &arg : args)
        arg = locals.named(arg);
    switch (*shape) {
    case Shape::Monotonic: return monotonic(intrinsic, args[0], type, unitsOfFunctions, locals);
    case Shape::MonotonicNearZero: {
        Bounded result = monotonic(intrinsic, args[0], type, unitsOfFunctions, locals);
        // A difference of numbers of about 1 leaves their error where the result, as its argument, is small.
        const Expr argument = magnitude(args[0].value);
        result.error =
            sumOf(result.error, ir::min(ir::select(isNan(argument), number(0), argument), number(1))
                                    * number(unitsNearZero * unitRoundoff(type)));
        return result;
    }
    case Shape::Steps: {
        Bounded result = monotonic(intrinsic, args[0], DataType::int64(), 1, locals);
        return result;
    }
    case Shape::Slow: {
        const Bounded &x = args[0];
        const Expr value = ir::callIntrinsic(intrinsic, {x.value});
        Expr error;
        if (x.error) // of an infinite number there is no sine
            error =
                ir::select(ir::le(x.error, number(largest(type))), ir::min(x.error, number(2)), infinite());
        return rounded(value, error, type, locals, 2 * unitsOfFunctions);
    }
    case Shape::Exact: return Bounded{ir::callIntrinsic(intrinsic, {args[0].value}), args[0].error};
    case Shape::Even:
        return monotonic(intrinsic, {magnitude(args[0].value), args[0].error}, type, unitsOfFunctions,
                         locals);
    case Shape::Tangent: return tangent(args[0], type, locals);
    case Shape::Distance:
        return rounded(ir::callIntrinsic(intrinsic, {args[0].value, args[1].value}),
                       sumOf(args[0].error, args[1].error), type, locals, unitsOfFunctions);
    case Shape::MultiplyAdd:
        return difference(BinaryOp::Add, multiplied(args[0], args[1], type, locals), args[2], type, locals);
    case Shape::Power: return power(args[0], args[1], type, locals);
    }
    return std::nullopt;
}

Bounded boundedCast(const Bounded &value, DataType from, DataType to, Locals &locals)
{
    const DataType held = to.isFloating() ? wide : to;
    if (to.isFloating()) {
        const Expr converted = ir::cast(held, value.value);
        const bool isExact = from.isFloating()
                                 ? unitRoundoff(to) <= unitRoundoff(from) && to.bits >= from.bits
                                 : std::ldexp(unitRoundoff(to), from.bits) <= 1;
        return isExact ? Bounded{converted, value.error} : rounded(converted, value.error, to, locals);
    }
    if (!from.isFloating() || !value.error)
        return {ir::cast(held, value.value), value.error};
    const Bounded x = locals.named(value);
    if (to.isBool())
        return {ir::cast(held, x.value),
                ir::select(ir::gt(magnitude(x.value), x.error), number(0), number(1))};
    const auto cut = [&](const Expr &e) { return locals.named(ir::callIntrinsic(intrinsics::trunc, {e})); };
    const Expr own = cut(x.value);
    const Expr error = ir::max(cut(x.value + x.error) - own, own - cut(x.value - x.error));
    // Infinity and NaN become numbers, too.
    return {ir::cast(held, x.value), ir::select(ir::eq(x.error, number(0)), number(0), known(error, locals))};
}

Bounded boundedChoice(const Bounded &condition, Bounded a, Bounded b, Locals &locals)
{
    a = locals.named(a);
    b = locals.named(b);
    const auto orZero = [](const Expr &error) { return error ? error : number(0); };
    const bool isExact = !a.error && !b.error;
    const Expr test = locals.named(condition.value);
    Expr error = isExact ? Expr() : ir::select(test, orZero(a.error), orZero(b.error));
    if (condition.error) {
        const Expr apart = magnitude(ir::cast(wide, a.value) - ir::cast(wide, b.value));
        const Expr either = known(sumOf(apart, largerOf(a.error, b.error)), locals);
        error = ir::select(ir::gt(condition.error, number(0)), either, orZero(error));
    }
    return {ir::select(test, a.value, b.value), error};
}

} // namespace nestwright::measure
