// SPDX-License-Identifier: Apache-2.0
#include "core/arith/knowledge/const_int_bound.h"

#include "core/ir/build/builder.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace nestwright::arith {

namespace {

constexpr std::int64_t posInf = ConstIntBound::posInf;
constexpr std::int64_t negInf = ConstIntBound::negInf;

bool isInf(std::int64_t value) { return value == posInf || value <= negInf; }

std::int64_t saturate(__int128 value)
{
    if (value >= posInf)
        return posInf;
    return value <= negInf ? negInf : static_cast<std::int64_t>(value);
}

/// Floor quotient where an operand may be infinite (not both).
std::int64_t floorQuotient(std::int64_t a, std::int64_t b)
{
    if (isInf(a))
        return (a > 0) == (b > 0) ? posInf : negInf;
    if (isInf(b))
        return a == 0 || (a > 0) == (b > 0) ? 0 : -1;
    return saturate(ir::floorDiv(a, b));
}

std::int64_t truncQuotient(std::int64_t a, std::int64_t b)
{
    if (isInf(a))
        return (a > 0) == (b > 0) ? posInf : negInf;
    return isInf(b) ? 0 : saturate(static_cast<__int128>(a) / b);
}

/// A quotient is monotone in each operand while the divisor keeps its sign, so its extremes are at the
/// corners; the divisors next to 0 are corners too.
template <class Quotient> ConstIntBound quotientBound(ConstIntBound a, ConstIntBound b, Quotient quotient)
{
    ConstIntBound result{posInf, negInf};
    for (const std::int64_t divisor : std::array{b.min, std::int64_t{-1}, std::int64_t{1}, b.max}) {
        if (divisor == 0 || !b.contains(divisor))
            continue;
        for (const std::int64_t value : {a.min, a.max}) {
            if (isInf(value) && isInf(divisor))
                continue; // lies between the other corners
            const std::int64_t corner = quotient(value, divisor);
            result = {std::min(result.min, corner), std::max(result.max, corner)};
        }
    }
    return result.min > result.max ? ConstIntBound{} : result;
}

std::int64_t magnitude(std::int64_t value) { return value < 0 ? satNeg(value) : value; }

} // namespace

std::int64_t satNeg(std::int64_t a) { return a <= negInf ? posInf : -a; }

std::int64_t satAdd(std::int64_t a, std::int64_t b)
{
    if (isInf(a))
        return a > 0 ? posInf : negInf;
    if (isInf(b))
        return b > 0 ? posInf : negInf;
    return saturate(static_cast<__int128>(a) + b);
}

std::int64_t satMul(std::int64_t a, std::int64_t b)
{
    if (a == 0 || b == 0)
        return 0;
    if (isInf(a) || isInf(b))
        return (a > 0) == (b > 0) ? posInf : negInf;
    return saturate(static_cast<__int128>(a) * b);
}

ConstIntBound intersect(ConstIntBound a, ConstIntBound b)
{
    return {std::max(a.min, b.min), std::min(a.max, b.max)};
}
ConstIntBound hull(ConstIntBound a, ConstIntBound b)
{
    return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

ConstIntBound operator+(ConstIntBound a, ConstIntBound b)
{
    // A lower end never becomes +inf, nor an upper end -inf: either would claim too much.
    ConstIntBound result;
    result.min = a.hasLower() && b.hasLower() ? satAdd(a.min, b.min) : negInf;
    result.max = a.hasUpper() && b.hasUpper() ? satAdd(a.max, b.max) : posInf;
    return result;
}

ConstIntBound operator-(ConstIntBound a, ConstIntBound b)
{
    return a + ConstIntBound{satNeg(b.max), satNeg(b.min)};
}

ConstIntBound operator*(ConstIntBound a, ConstIntBound b)
{
    const auto corners = {satMul(a.min, b.min), satMul(a.min, b.max), satMul(a.max, b.min),
                          satMul(a.max, b.max)};
    return {std::min(corners), std::max(corners)};
}

ConstIntBound floorDivBound(ConstIntBound a, ConstIntBound b) { return quotientBound(a, b, floorQuotient); }
ConstIntBound truncDivBound(ConstIntBound a, ConstIntBound b) { return quotientBound(a, b, truncQuotient); }

ConstIntBound floorModBound(ConstIntBound a, ConstIntBound b)
{
    if (b.min == 0)
        b.min = 1; // the divisor is not 0
    if (b.min > 0 && a.min >= 0 && a.max < b.min)
        return a;
    // The remainder has the sign of the divisor and is smaller in magnitude.
    ConstIntBound result;
    result.min = b.min > 0 ? 0 : std::min<std::int64_t>(0, satAdd(b.min, 1));
    result.max = std::max<std::int64_t>(0, satAdd(b.max, -1));
    if (a.min >= 0 && b.min > 0)
        result.max = std::min(result.max, a.max);
    return result;
}

ConstIntBound truncModBound(ConstIntBound a, ConstIntBound b)
{
    const std::int64_t largest = satAdd(std::max(magnitude(b.min), magnitude(b.max)), -1);
    ConstIntBound result;
    result.min = a.min >= 0 ? 0 : std::max(a.min, satNeg(largest));
    result.max = a.max <= 0 ? 0 : std::min(a.max, largest);
    return result;
}

ConstIntBound shiftLeftBound(ConstIntBound a, ConstIntBound b)
{
    const auto power = [](std::int64_t shift) { return shift >= 63 ? posInf : std::int64_t{1} << shift; };
    return a * ConstIntBound{power(b.min), power(b.max)};
}

ConstIntBound shiftRightBound(ConstIntBound a, ConstIntBound b)
{
    const auto shifted = [](std::int64_t value, std::int64_t shift) {
        return isInf(value) ? value : value >> shift;
    };
    const auto corners = {shifted(a.min, b.min), shifted(a.min, b.max), shifted(a.max, b.min),
                          shifted(a.max, b.max)};
    return {std::min(corners), std::max(corners)};
}

ConstIntBound minBound(ConstIntBound a, ConstIntBound b)
{
    return {std::min(a.min, b.min), std::min(a.max, b.max)};
}
ConstIntBound maxBound(ConstIntBound a, ConstIntBound b)
{
    return {std::max(a.min, b.min), std::max(a.max, b.max)};
}

} // namespace nestwright::arith
