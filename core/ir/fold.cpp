// SPDX-License-Identifier: Apache-2.0
#include "core/ir/fold.h"

#include "core/ir/build/builder.h"
#include "core/ir/ndarray.h"
#include "core/ir/odd_rounding.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace nestwright::ir {

std::int64_t floorDiv(std::int64_t a, std::int64_t b)
{
    if (b == -1) // a / -1 overflows for the least int64
        return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a));
    const std::int64_t quotient = a / b;
    return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

std::int64_t floorMod(std::int64_t a, std::int64_t b)
{
    if (b == -1)
        return 0;
    const std::int64_t remainder = a % b;
    return (remainder != 0 && (remainder < 0) != (b < 0)) ? remainder + b : remainder;
}

std::int64_t ceilDiv(std::int64_t a, std::int64_t b)
{
    const std::int64_t quotient = floorDiv(a, b);
    return floorMod(a, b) != 0 ? quotient + 1 : quotient;
}

std::int64_t wrapToType(std::int64_t value, DataType dtype)
{
    if (dtype.isBool())
        return value != 0 ? 1 : 0;
    if (dtype.bits >= 64 || dtype.bits == 0)
        return value;
    const std::uint64_t mask = (std::uint64_t{1} << dtype.bits) - 1;
    const std::uint64_t low = static_cast<std::uint64_t>(value) & mask;
    const bool negative = dtype.isInt() && ((low >> (dtype.bits - 1)) & 1) != 0;
    return static_cast<std::int64_t>(negative ? low | ~mask : low);
}

std::int64_t integerOf(double value, DataType dtype)
{
    if (dtype.isBool())
        return value != 0 ? 1 : 0;
    if (std::isnan(value))
        return 0;
    const int digits = dtype.isInt() ? dtype.bits - 1 : dtype.bits;
    const double limit = std::ldexp(1.0, digits); // the first that is too large
    const auto mostUnsigned = ~std::uint64_t{0} >> (64 - digits);
    if (value >= limit)
        return static_cast<std::int64_t>(mostUnsigned);
    if (dtype.isUInt())
        return value <= 0 ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(value));
    return value <= -limit ? -static_cast<std::int64_t>(mostUnsigned) - 1 : static_cast<std::int64_t>(value);
}

std::int64_t shiftLeft(std::int64_t value, std::int64_t by, DataType dtype)
{
    if (by < 0 || by >= dtype.bits)
        return 0;
    return wrapToType(static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << by), dtype);
}

std::int64_t shiftRight(std::int64_t value, std::int64_t by, DataType dtype)
{
    const bool isOut = by < 0 || by >= dtype.bits;
    if (!dtype.isInt())
        return isOut ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(value) >> by);
    return value >> (isOut ? 63 : by);
}

std::int64_t leadingZeroBits(std::int64_t value, DataType dtype)
{
    const std::uint64_t ofType = static_cast<std::uint64_t>(value) & (~std::uint64_t{0} >> (64 - dtype.bits));
    return std::countl_zero(ofType) - (64 - dtype.bits);
}

double roundToType(double value, DataType dtype)
{
    if (dtype.code == TypeCode::BFloat)
        return bfloat16ToFloat(floatToBfloat16(roundedToOdd(value)));
    if (dtype.bits == 16)
        return halfToFloat(floatToHalf(roundedToOdd(value)));
    return dtype.bits == 32 ? static_cast<double>(static_cast<float>(value)) : value;
}

namespace {

std::uint64_t bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

std::optional<std::int64_t> foldSigned(BinaryOp op, std::int64_t a, std::int64_t b)
{
    if (isDivision(op) && b == 0)
        return std::nullopt;
    switch (op) {
    case BinaryOp::Add: return static_cast<std::int64_t>(bits(a) + bits(b));
    case BinaryOp::Sub: return static_cast<std::int64_t>(bits(a) - bits(b));
    case BinaryOp::Mul: return static_cast<std::int64_t>(bits(a) * bits(b));
    case BinaryOp::Div: return b == -1 ? static_cast<std::int64_t>(0 - bits(a)) : a / b;
    case BinaryOp::Mod: return b == -1 ? 0 : a % b;
    case BinaryOp::FloorDiv: return floorDiv(a, b);
    case BinaryOp::FloorMod: return floorMod(a, b);
    case BinaryOp::Min: return std::min(a, b);
    case BinaryOp::Max: return std::max(a, b);
    case BinaryOp::EQ: return a == b;
    case BinaryOp::NE: return a != b;
    case BinaryOp::LT: return a < b;
    case BinaryOp::LE: return a <= b;
    case BinaryOp::GT: return a > b;
    case BinaryOp::GE: return a >= b;
    case BinaryOp::And: return a != 0 && b != 0;
    case BinaryOp::Or: return a != 0 || b != 0;
    }
    return std::nullopt;
}

/// uint64 needs its own division and comparison; narrower unsigned values are non-negative int64 already.
std::optional<std::int64_t> foldUnsigned64(BinaryOp op, std::int64_t a, std::int64_t b)
{
    const std::uint64_t x = bits(a), y = bits(b);
    switch (op) {
    case BinaryOp::Div:
    case BinaryOp::FloorDiv: return y == 0 ? std::nullopt : std::optional(static_cast<std::int64_t>(x / y));
    case BinaryOp::Mod:
    case BinaryOp::FloorMod: return y == 0 ? std::nullopt : std::optional(static_cast<std::int64_t>(x % y));
    case BinaryOp::Min: return static_cast<std::int64_t>(std::min(x, y));
    case BinaryOp::Max: return static_cast<std::int64_t>(std::max(x, y));
    case BinaryOp::LT: return x < y;
    case BinaryOp::LE: return x <= y;
    case BinaryOp::GT: return x > y;
    case BinaryOp::GE: return x >= y;
    default: return foldSigned(op, a, b);
    }
}

} // namespace

std::optional<std::int64_t> wrappingBinary(BinaryOp op, std::int64_t a, std::int64_t b, DataType dtype)
{
    const bool isWide = dtype.isUInt() && dtype.bits == 64;
    const auto value = isWide ? foldUnsigned64(op, a, b) : foldSigned(op, a, b);
    return value ? std::optional(wrapToType(*value, dtype)) : std::nullopt;
}

std::optional<std::int64_t> checkedBinary(BinaryOp op, std::int64_t a, std::int64_t b)
{
    std::int64_t result = 0;
    const auto resultUnless = [&](bool overflow) { return overflow ? std::nullopt : std::optional(result); };
    switch (op) {
    case BinaryOp::Add: return resultUnless(__builtin_add_overflow(a, b, &result));
    case BinaryOp::Sub: return resultUnless(__builtin_sub_overflow(a, b, &result));
    case BinaryOp::Mul: return resultUnless(__builtin_mul_overflow(a, b, &result));
    case BinaryOp::Div:
    case BinaryOp::FloorDiv: return b == -1 ? checkedBinary(BinaryOp::Sub, 0, a) : foldSigned(op, a, b);
    default: return foldSigned(op, a, b);
    }
}

namespace {

/// Rounded to the type's precision where that is float32; other widths are left to run time.
Expr foldFloat(BinaryOp op, double a, double b, DataType dtype)
{
    const bool single = dtype == DataType::float32();
    if (!single && dtype != DataType::float_(64) && !isComparison(op))
        return {};
    switch (op) {
    case BinaryOp::Add: return floatImm(a + b, dtype);
    case BinaryOp::Sub: return floatImm(a - b, dtype);
    case BinaryOp::Mul: return floatImm(a * b, dtype);
    case BinaryOp::Div: return b == 0 ? Expr() : floatImm(a / b, dtype);
    case BinaryOp::Min: return floatImm(a < b ? a : b, dtype); // as it is compiled, for NaN too
    case BinaryOp::Max: return floatImm(a > b ? a : b, dtype);
    case BinaryOp::EQ: return boolImm(a == b);
    case BinaryOp::NE: return boolImm(a != b);
    case BinaryOp::LT: return boolImm(a < b);
    case BinaryOp::LE: return boolImm(a <= b);
    case BinaryOp::GT: return boolImm(a > b);
    case BinaryOp::GE: return boolImm(a >= b);
    default: return {};
    }
}

} // namespace

Expr foldBinary(BinaryOp op, const Expr &a, const Expr &b)
{
    const auto *ia = a.as<IntImm>();
    const auto *ib = b.as<IntImm>();
    if (ia && ib) {
        const auto value = wrappingBinary(op, ia->value, ib->value, ia->dtype);
        if (!value)
            return {};
        return isComparison(op) || isLogical(op) ? boolImm(*value != 0) : intImm(*value, ia->dtype);
    }
    const auto *fa = a.as<FloatImm>();
    const auto *fb = b.as<FloatImm>();
    return fa && fb ? foldFloat(op, fa->value, fb->value, fa->dtype) : Expr();
}

Expr foldCast(DataType dtype, const Expr &value)
{
    if (dtype.isVector() || dtype.isHandle())
        return {};
    if (const auto *imm = value.as<IntImm>()) {
        if (!dtype.isFloating())
            return intImm(imm->value, dtype);
        const auto converted = [&](auto value) {
            return floatImm(dtype.bits == 64 ? static_cast<double>(value)
                                             : static_cast<double>(static_cast<float>(value)), // rounded once
                            dtype);
        };
        return imm->dtype == DataType::uint(64) ? converted(bits(imm->value)) : converted(imm->value);
    }
    if (const auto *imm = value.as<FloatImm>()) {
        if (dtype.isFloating() && imm->written
            && roundToType(imm->value, dtype) == roundToType(*imm->written, dtype))
            return writtenFloat(*imm->written, dtype);
        if (dtype.isFloating())
            return floatImm(imm->value, dtype);
        return intImm(integerOf(imm->value, dtype), dtype);
    }
    return {};
}

} // namespace nestwright::ir
