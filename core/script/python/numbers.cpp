// SPDX-License-Identifier: Apache-2.0
#include "core/script/python/numbers.h"

#include "core/ir/fold.h"

#include <algorithm>
#include <cmath>
#include <format>

namespace nestwright::script::py {

std::optional<std::int64_t> integerOf(const Number &number)
{
    if (const auto *integer = std::get_if<std::int64_t>(&number))
        return *integer;
    if (const auto *flag = std::get_if<bool>(&number))
        return *flag ? 1 : 0;
    return std::nullopt;
}

double realOf(const Number &number)
{
    const auto integer = integerOf(number);
    return integer ? static_cast<double>(*integer) : std::get<double>(number);
}

bool isTrue(const Number &number) { return realOf(number) != 0; }

namespace {

std::unexpected<Fault> numberFault(FaultKind kind, std::string message)
{
    return std::unexpected(Fault{kind, std::move(message)});
}

std::unexpected<Fault> divisionByZero() { return numberFault(FaultKind::DivisionByZero, "division by zero"); }

bool isDivision(BinaryOp op)
{
    return op == BinaryOp::Div || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
}

bool isBitwise(BinaryOp op)
{
    return op == BinaryOp::BitAnd || op == BinaryOp::BitOr || op == BinaryOp::BitXor;
}

std::optional<std::int64_t> integerPower(std::int64_t base, std::int64_t exponent)
{
    std::int64_t result = 1;
    for (std::int64_t i = 0; i < exponent && result != 0; ++i) {
        if (i > 64 && (base == 1 || base == -1))
            return base == 1 || exponent % 2 == 0 ? 1 : -1;
        if (__builtin_mul_overflow(result, base, &result))
            return std::nullopt;
    }
    return result;
}

std::optional<std::int64_t> shiftedLeft(std::int64_t a, std::int64_t by)
{
    if (by > 62 && a == 0)
        return 0;
    if (by < 0 || by > 62)
        return std::nullopt;
    return ir::checkedBinary(ir::BinaryOp::Mul, a, std::int64_t{1} << by);
}

/// The results that are integers; nothing where 64 bits do not hold them.
std::optional<std::int64_t> integerResult(BinaryOp op, std::int64_t a, std::int64_t b)
{
    switch (op) {
    case BinaryOp::Add: return ir::checkedBinary(ir::BinaryOp::Add, a, b);
    case BinaryOp::Sub: return ir::checkedBinary(ir::BinaryOp::Sub, a, b);
    case BinaryOp::Mul: return ir::checkedBinary(ir::BinaryOp::Mul, a, b);
    case BinaryOp::FloorDiv: return ir::checkedBinary(ir::BinaryOp::FloorDiv, a, b);
    case BinaryOp::Mod: return ir::checkedBinary(ir::BinaryOp::FloorMod, a, b);
    case BinaryOp::Pow: return integerPower(a, b);
    case BinaryOp::ShiftLeft: return shiftedLeft(a, b);
    case BinaryOp::ShiftRight: return a >> std::min<std::int64_t>(b, 63);
    case BinaryOp::BitAnd: return a & b;
    case BinaryOp::BitOr: return a | b;
    case BinaryOp::BitXor: return a ^ b;
    case BinaryOp::Div:
    case BinaryOp::MatMul: break;
    }
    return std::nullopt;
}

/// Exact, with the sign of the divisor.
double floatRemainder(double a, double b)
{
    const double remainder = std::fmod(a, b);
    return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : std::copysign(remainder, b);
}

Checked<Number> floatPower(double a, double b)
{
    if (a == 0 && b < 0)
        return numberFault(FaultKind::DivisionByZero, "zero has no negative power");
    if (a < 0 && std::isfinite(a) && std::isfinite(b) && b != std::floor(b))
        return numberFault(FaultKind::Type, std::format("{} ** {} is a complex number", a, b));
    const double result = std::pow(a, b);
    if (std::isinf(result) && std::isfinite(a) && std::isfinite(b))
        return numberFault(FaultKind::Overflow, std::format("{} ** {} does not fit into a float", a, b));
    return result;
}

Checked<Number> floatResult(BinaryOp op, double a, double b)
{
    switch (op) {
    case BinaryOp::Add: return a + b;
    case BinaryOp::Sub: return a - b;
    case BinaryOp::Mul: return a * b;
    case BinaryOp::Div: return a / b;
    case BinaryOp::FloorDiv: return std::round((a - floatRemainder(a, b)) / b);
    case BinaryOp::Mod: return floatRemainder(a, b);
    case BinaryOp::Pow: return floatPower(a, b);
    default: return numberFault(FaultKind::Type, std::format("\"{}\" works on ints only", spelling(op)));
    }
}

} // namespace

Checked<Number> arithmetic(BinaryOp op, const Number &a, const Number &b)
{
    if (op == BinaryOp::MatMul)
        return numberFault(FaultKind::Type, "\"@\" does not work on numbers");
    const auto x = integerOf(a), y = integerOf(b);
    if (isDivision(op) && realOf(b) == 0)
        return divisionByZero();
    if (!x || !y || op == BinaryOp::Div || (op == BinaryOp::Pow && *y < 0))
        return floatResult(op, realOf(a), realOf(b));
    if (op == BinaryOp::ShiftRight && *y < 0)
        return numberFault(FaultKind::Type, "a shift by a negative number");
    const auto result = integerResult(op, *x, *y);
    if (!result)
        return numberFault(FaultKind::Overflow,
                           std::format("{} {} {} does not fit into 64 bits", *x, spelling(op), *y));
    const bool areBools = std::holds_alternative<bool>(a) && std::holds_alternative<bool>(b);
    return areBools && isBitwise(op) ? Number(*result != 0) : Number(*result);
}

Checked<Number> signedNumber(UnaryOp op, const Number &a)
{
    const auto integer = integerOf(a);
    if (op == UnaryOp::Invert)
        return integer ? Checked<Number>(~*integer)
                       : numberFault(FaultKind::Type, "\"~\" works on ints only");
    if (op == UnaryOp::Minus)
        return integer ? arithmetic(BinaryOp::Sub, std::int64_t{0}, *integer) : Number(-realOf(a));
    return integer ? Number(*integer) : a;
}

std::partial_ordering order(const Number &a, const Number &b)
{
    const auto x = integerOf(a), y = integerOf(b);
    if (x && y)
        return *x <=> *y;
    if (!x && !y)
        return realOf(a) <=> realOf(b);
    if (!x)
        return 0 <=> order(b, a);
    const double real = realOf(b);
    constexpr double limit = 9223372036854775808.0; // 2^63
    if (!(real >= -limit && real < limit))
        return 0.0 <=> real; // NaN, or beyond every integer
    const auto whole = static_cast<std::int64_t>(real);
    return *x == whole ? 0.0 <=> real - static_cast<double>(whole) : *x <=> whole;
}

bool holds(CompareOp op, std::partial_ordering order)
{
    switch (op) {
    case CompareOp::LT: return order < 0;
    case CompareOp::LE: return order <= 0;
    case CompareOp::GT: return order > 0;
    case CompareOp::GE: return order >= 0;
    case CompareOp::NE: return order != 0;
    default: return order == 0;
    }
}

std::string_view spelling(BinaryOp op)
{
    switch (op) {
    case BinaryOp::Add: return "+";
    case BinaryOp::Sub: return "-";
    case BinaryOp::Mul: return "*";
    case BinaryOp::Div: return "/";
    case BinaryOp::FloorDiv: return "//";
    case BinaryOp::Mod: return "%";
    case BinaryOp::Pow: return "**";
    case BinaryOp::MatMul: return "@";
    case BinaryOp::ShiftLeft: return "<<";
    case BinaryOp::ShiftRight: return ">>";
    case BinaryOp::BitAnd: return "&";
    case BinaryOp::BitOr: return "|";
    case BinaryOp::BitXor: return "^";
    }
    return "?";
}

std::string_view spelling(CompareOp op)
{
    switch (op) {
    case CompareOp::EQ: return "==";
    case CompareOp::NE: return "!=";
    case CompareOp::LT: return "<";
    case CompareOp::LE: return "<=";
    case CompareOp::GT: return ">";
    case CompareOp::GE: return ">=";
    case CompareOp::Is: return "is";
    case CompareOp::IsNot: return "is not";
    case CompareOp::In: return "in";
    case CompareOp::NotIn: return "not in";
    }
    return "?";
}

} // namespace nestwright::script::py
