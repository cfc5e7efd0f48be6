// SPDX-License-Identifier: Apache-2.0
/// The normal form of index expressions: sums of scaled digits of mixed-radix numbers.
#pragma once

#include "core/ir/node/expr.h"

#include <limits>
#include <vector>

namespace nestwright::arith {

enum class Rounding : std::uint8_t { Zero, Down };

/// ((index % upper) // lower) * scale, where `lower` divides `upper`; no upper means no remainder is taken.
struct DigitSplit {
    static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

    ir::Expr index;
    std::int64_t lower = 1;
    std::int64_t upper = unlimited;
    std::int64_t scale = 1;
    Rounding rounding = Rounding::Zero; ///< of the division and the remainder

    /// Nothing is divided, so that either rounding would do, or it is the one asked for.
    bool rounds(Rounding how) const { return rounding == how || (lower == 1 && upper == unlimited); }
};

/// Σ splits + base. Arithmetic that does not fit sets `overflow`; the sum then stands for nothing.
struct CanonicalSum {
    std::vector<DigitSplit> args; ///< splits of one index are neighbours, by descending `lower`
    std::int64_t base = 0;
    bool overflow = false;
    ir::DataType dtype;

    bool isZero() const { return args.empty() && base == 0; }
    void add(DigitSplit split, std::int64_t factor = 1);
    void add(const CanonicalSum &other, std::int64_t factor = 1);
    void addBase(std::int64_t value, std::int64_t factor = 1);
    void scaleBy(std::int64_t factor);
    /// Divides all scales and the base, which must be multiples of `divisor`.
    void divideBy(std::int64_t divisor);
};

/// The terms that are multiples of `divisor`, and the others.
struct Separated {
    CanonicalSum divisible, indivisible;
};
Separated separate(const CanonicalSum &sum, std::int64_t divisor);

/// The expressions these stand for: digits that belong together joined ((x // 4) * 4 + x % 4 = x), positive
/// terms first, by descending scale.
ir::Expr toExpr(const DigitSplit &split, std::int64_t factor = 1);
ir::Expr toExpr(CanonicalSum sum);

} // namespace nestwright::arith
