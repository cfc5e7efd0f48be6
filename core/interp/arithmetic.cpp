// SPDX-License-Identifier: Apache-2.0
#include "core/interp/arithmetic.h"

#include "core/ir/build/builder.h"
#include "core/ir/fold.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <cmath>

namespace nestwright::interp {

using ir::BinaryOp;
using ir::DataType;

double roundToEven(double x)
{
    const double whole = std::round(x);
    return std::abs(x - std::trunc(x)) == 0.5 ? 2.0 * std::round(x / 2.0) : whole;
}

namespace {

std::uint64_t bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

/// How results are cut to their type.
struct Wrap64 {
    std::int64_t operator()(std::uint64_t value) const { return static_cast<std::int64_t>(value); }
};
struct Wrap32 {
    std::int64_t operator()(std::uint64_t value) const { return static_cast<std::int32_t>(value); }
};
struct WrapTo {
    DataType dtype;
    std::int64_t operator()(std::uint64_t value) const
    {
        return ir::wrapToType(static_cast<std::int64_t>(value), dtype);
    }
};

template <class F> IntPtr pairOf(IntPtr a, IntPtr b, F f)
{
    return intFunction([a = std::move(a), b = std::move(b), f = std::move(f)](Frame &frame) -> std::int64_t {
        const std::int64_t x = a->eval(frame);
        return f(x, b->eval(frame));
    });
}

template <class W> IntPtr wrapping(BinaryOp op, IntPtr a, IntPtr b, W wrap)
{
    switch (op) {
    case BinaryOp::Add:
        return pairOf(std::move(a), std::move(b), [wrap](auto x, auto y) { return wrap(bits(x) + bits(y)); });
    case BinaryOp::Sub:
        return pairOf(std::move(a), std::move(b), [wrap](auto x, auto y) { return wrap(bits(x) - bits(y)); });
    default:
        return pairOf(std::move(a), std::move(b), [wrap](auto x, auto y) { return wrap(bits(x) * bits(y)); });
    }
}

/// Comparisons, minimum and maximum of values seen as T.
template <class T> IntPtr ordering(BinaryOp op, IntPtr a, IntPtr b)
{
    const auto with = [&](auto f) {
        return pairOf(std::move(a), std::move(b), [f](std::int64_t x, std::int64_t y) {
            return static_cast<std::int64_t>(f(static_cast<T>(x), static_cast<T>(y)));
        });
    };
    switch (op) {
    case BinaryOp::Min: return with([](T x, T y) { return std::min(x, y); });
    case BinaryOp::Max: return with([](T x, T y) { return std::max(x, y); });
    case BinaryOp::EQ: return with([](T x, T y) { return x == y; });
    case BinaryOp::NE: return with([](T x, T y) { return x != y; });
    case BinaryOp::LT: return with([](T x, T y) { return x < y; });
    case BinaryOp::LE: return with([](T x, T y) { return x <= y; });
    case BinaryOp::GT: return with([](T x, T y) { return x > y; });
    default: return with([](T x, T y) { return x >= y; });
    }
}

IntPtr division(BinaryOp op, DataType dtype, IntPtr a, IntPtr b, const CodePlace &place)
{
    return pairOf(std::move(a), std::move(b), [=](std::int64_t x, std::int64_t y) {
        const auto result = ir::wrappingBinary(op, x, y, dtype);
        if (!result) {
            stopWith(place, "interp.division-by-zero",
                     place.name() + " divides " + std::to_string(x) + " by zero",
                     "guard the division with if_then_else, or see why the divisor becomes 0");
        }
        return *result;
    });
}

} // namespace

IntPtr makeIntBinary(BinaryOp op, DataType operands, IntPtr a, IntPtr b, const CodePlace &place)
{
    switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Sub:
    case BinaryOp::Mul:
        if (operands.bits == 64)
            return wrapping(op, std::move(a), std::move(b), Wrap64{});
        if (operands == DataType::int32().withLanes(operands.lanes))
            return wrapping(op, std::move(a), std::move(b), Wrap32{});
        return wrapping(op, std::move(a), std::move(b), WrapTo{operands});
    case BinaryOp::Div:
    case BinaryOp::Mod:
    case BinaryOp::FloorDiv:
    case BinaryOp::FloorMod: return division(op, operands, std::move(a), std::move(b), place);
    case BinaryOp::And: // the second is looked at only where the first holds, like the guards people write
        return intFunction([a = std::move(a), b = std::move(b)](Frame &frame) -> std::int64_t {
            return a->eval(frame) != 0 && b->eval(frame) != 0;
        });
    case BinaryOp::Or:
        return intFunction([a = std::move(a), b = std::move(b)](Frame &frame) -> std::int64_t {
            return a->eval(frame) != 0 || b->eval(frame) != 0;
        });
    case BinaryOp::Min:
    case BinaryOp::Max:
    case BinaryOp::EQ:
    case BinaryOp::NE:
    case BinaryOp::LT:
    case BinaryOp::LE:
    case BinaryOp::GT:
    case BinaryOp::GE: break;
    }
    if (operands.isUInt() && operands.bits == 64)
        return ordering<std::uint64_t>(op, std::move(a), std::move(b));
    return ordering<std::int64_t>(op, std::move(a), std::move(b));
}

IntPtr makeFloatComparison(BinaryOp op, FloatPtr a, FloatPtr b)
{
    const auto with = [&](auto f) {
        return intFunction([a = std::move(a), b = std::move(b), f](Frame &frame) -> std::int64_t {
            const double x = a->eval(frame);
            return f(x, b->eval(frame));
        });
    };
    switch (op) {
    case BinaryOp::EQ: return with([](double x, double y) { return x == y; });
    case BinaryOp::NE: return with([](double x, double y) { return x != y; });
    case BinaryOp::LT: return with([](double x, double y) { return x < y; });
    case BinaryOp::LE: return with([](double x, double y) { return x <= y; });
    case BinaryOp::GT: return with([](double x, double y) { return x > y; });
    default: return with([](double x, double y) { return x >= y; });
    }
}

namespace {

template <Precision P, class F> FloatPtr rounded(FloatPtr a, FloatPtr b, F f)
{
    return floatFunction([a = std::move(a), b = std::move(b), f](Frame &frame) {
        const double x = a->eval(frame);
        // float32 and narrower: rounding the double result once more gives the correctly rounded one, since a
        // double has more than twice their digits.
        return roundTo(P, f(x, b->eval(frame)));
    });
}

template <Precision P> FloatPtr floatBinary(BinaryOp op, FloatPtr a, FloatPtr b)
{
    switch (op) {
    case BinaryOp::Add:
        return rounded<P>(std::move(a), std::move(b), [](double x, double y) { return x + y; });
    case BinaryOp::Sub:
        return rounded<P>(std::move(a), std::move(b), [](double x, double y) { return x - y; });
    case BinaryOp::Mul:
        return rounded<P>(std::move(a), std::move(b), [](double x, double y) { return x * y; });
    case BinaryOp::Div:
        return rounded<P>(std::move(a), std::move(b), [](double x, double y) { return x / y; });
    case BinaryOp::Mod:
        return rounded<P>(std::move(a), std::move(b), [](double x, double y) { return std::fmod(x, y); });
    case BinaryOp::FloorDiv:
        return rounded<P>(std::move(a), std::move(b), [](double x, double y) { return std::floor(x / y); });
    case BinaryOp::FloorMod:
        return rounded<P>(std::move(a), std::move(b),
                          [](double x, double y) { return x - std::floor(x / y) * y; });
    case BinaryOp::Min:
        return rounded<P>(std::move(a), std::move(b), [](double x, double y) { return x < y ? x : y; });
    case BinaryOp::Max:
        return rounded<P>(std::move(a), std::move(b), [](double x, double y) { return x > y ? x : y; });
    default: break;
    }
    support::internalError(__FILE__, __LINE__, "arithmetic operator", std::string(ir::spelling(op)));
}

} // namespace

FloatPtr makeFloatBinary(BinaryOp op, Precision precision, FloatPtr a, FloatPtr b)
{
    switch (precision) {
    case Precision::Double: return floatBinary<Precision::Double>(op, std::move(a), std::move(b));
    case Precision::Single: return floatBinary<Precision::Single>(op, std::move(a), std::move(b));
    case Precision::Half: return floatBinary<Precision::Half>(op, std::move(a), std::move(b));
    case Precision::Brain: return floatBinary<Precision::Brain>(op, std::move(a), std::move(b));
    }
    std::unreachable();
}

IntPtr makeNot(IntPtr a)
{
    return intFunction([a = std::move(a)](Frame &frame) -> std::int64_t { return a->eval(frame) == 0; });
}

IntPtr makeFloatToInt(FloatPtr value, DataType to)
{
    return intFunction(
        [value = std::move(value), to](Frame &frame) { return ir::integerOf(value->eval(frame), to); });
}

IntPtr makeIntToInt(IntPtr value, DataType to)
{
    return intFunction(
        [value = std::move(value), to](Frame &frame) { return ir::wrapToType(value->eval(frame), to); });
}

FloatPtr makeIntToFloat(IntPtr value, DataType from, Precision to)
{
    const bool wide = from.isUInt() && from.bits == 64;
    return floatFunction([value = std::move(value), to, wide](Frame &frame) {
        const std::int64_t x = value->eval(frame);
        if (to == Precision::Double)
            return wide ? static_cast<double>(bits(x)) : static_cast<double>(x);
        // By way of float, not double, so that wide integers are rounded once.
        return roundTo(to, wide ? static_cast<float>(bits(x)) : static_cast<float>(x));
    });
}

FloatPtr makeFloatToFloat(FloatPtr value, Precision to)
{
    if (to == Precision::Double)
        return value;
    return floatFunction(
        [value = std::move(value), to](Frame &frame) { return roundTo(to, value->eval(frame)); });
}

IntPtr makeConstant(std::int64_t value)
{
    return intFunction([value](Frame &) { return value; });
}

FloatPtr makeConstant(double value)
{
    return floatFunction([value](Frame &) { return value; });
}

} // namespace nestwright::interp
