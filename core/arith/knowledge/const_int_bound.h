// SPDX-License-Identifier: Apache-2.0
/// The constant interval that an integer expression stays in.
#pragma once

#include <cstdint>
#include <limits>

namespace nestwright::arith {

/// The closed interval [min, max]; `negInf` and `posInf` say that nothing is known on that side.
///
/// All arithmetic saturates at the infinities, so that no bound is ever the victim of an overflow.
struct ConstIntBound {
    static constexpr std::int64_t posInf = std::numeric_limits<std::int64_t>::max();
    static constexpr std::int64_t negInf = -posInf;

    std::int64_t min = negInf;
    std::int64_t max = posInf;

    bool isConst() const { return min == max; }
    bool hasLower() const { return min > negInf; }
    bool hasUpper() const { return max < posInf; }
    bool isFinite() const { return hasLower() && hasUpper(); }
    bool contains(std::int64_t value) const { return min <= value && value <= max; }
    bool operator==(const ConstIntBound &) const = default;
};

/// The interval of values that satisfy both (may be empty, min > max, where they contradict each other).
ConstIntBound intersect(ConstIntBound a, ConstIntBound b);
/// The smallest interval that holds both.
ConstIntBound hull(ConstIntBound a, ConstIntBound b);

// Saturating arithmetic on bounds: infinity stays infinity, an overflow becomes infinity.
std::int64_t satAdd(std::int64_t a, std::int64_t b);
std::int64_t satMul(std::int64_t a, std::int64_t b);
std::int64_t satNeg(std::int64_t a);

ConstIntBound operator+(ConstIntBound a, ConstIntBound b);
ConstIntBound operator-(ConstIntBound a, ConstIntBound b);
ConstIntBound operator*(ConstIntBound a, ConstIntBound b);
/// Quotients and remainders by `b`; values of `b` that are 0 are left out (the program has no value there).
ConstIntBound floorDivBound(ConstIntBound a, ConstIntBound b);
ConstIntBound floorModBound(ConstIntBound a, ConstIntBound b);
ConstIntBound truncDivBound(ConstIntBound a, ConstIntBound b);
ConstIntBound truncModBound(ConstIntBound a, ConstIntBound b);
/// Shifts by 0 … 63.
ConstIntBound shiftLeftBound(ConstIntBound a, ConstIntBound b);
ConstIntBound shiftRightBound(ConstIntBound a, ConstIntBound b);
ConstIntBound minBound(ConstIntBound a, ConstIntBound b);
ConstIntBound maxBound(ConstIntBound a, ConstIntBound b);

} // namespace nestwright::arith
