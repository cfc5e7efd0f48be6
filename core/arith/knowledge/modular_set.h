// SPDX-License-Identifier: Apache-2.0
/// The set base + coefficient * n that holds all values of an integer expression.
#pragma once

#include <cstdint>

namespace nestwright::arith {

/// The values { coeff * n + base }: coeff 0 is the constant `base`, coeff 1 says nothing. 0 <= base < coeff
/// otherwise.
struct ModularSet {
    std::int64_t coeff = 1;
    std::int64_t base = 0;

    static ModularSet constant(std::int64_t value) { return {0, value}; }
    static ModularSet anything() { return {1, 0}; }
    bool isConst() const { return coeff == 0; }
    bool operator==(const ModularSet &) const = default;
};

/// Brings `base` into [0, coeff).
ModularSet makeModular(std::int64_t coeff, std::int64_t base);
/// Both facts hold; falls back to the stronger one where they cannot be joined.
ModularSet intersect(ModularSet a, ModularSet b);
/// One of the facts holds.
ModularSet hull(ModularSet a, ModularSet b);

ModularSet operator+(ModularSet a, ModularSet b);
ModularSet operator-(ModularSet a, ModularSet b);
ModularSet operator*(ModularSet a, ModularSet b);
/// Quotient and remainder; `roundsDown` says that the division does, as it does for truncation when `a` is
/// not negative.
ModularSet divModular(ModularSet a, ModularSet b, bool roundsDown);
ModularSet restModular(ModularSet a, ModularSet b, bool roundsDown);

} // namespace nestwright::arith
