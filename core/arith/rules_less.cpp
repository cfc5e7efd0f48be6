// SPDX-License-Identifier: Apache-2.0
/// Rules for x < y; the other orders are written in terms of it.
#include "core/arith/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> lessRules()
{
    static constexpr std::string_view rules[] = {
        // Terms on both sides go.
        "x + y < x + z -> y < z",
        "x + y < x -> y < 0",
        "x < x + y -> 0 < y",
        "x - y < x - z -> z < y",
        "x - y < z - y -> x < z",
        "x - y < x -> 0 < y",
        "x < x - y -> y < 0",

        // Constants go to one side.
        "x + c1 < c2 -> x < c2 - c1",
        "c1 < x + c2 -> c1 - c2 < x",
        "c1 - x < c2 -> c1 - c2 < x",
        "c1 < c2 - x -> x < c2 - c1",
        "x + c1 < y + c2 -> x < y + (c2 - c1) if c2 > c1",
        "x + c1 < y + c2 -> x + (c1 - c2) < y if c2 < c1 || (c1 == c2 && c1 != 0)",
        "x + c1 < y -> x < y + (0 - c1) if c1 < 0",
        "x < y + c1 -> x + (0 - c1) < y if c1 < 0",
        "x < y + 1 -> !(y < x)",
        "c1 - x < y -> c1 < y + x",
        "x < c1 - y -> x + y < c1",
        "c1 < 0 - x -> x < 0 - c1",

        // Factors and divisors of both sides go.
        "x * c1 < c2 -> x < (c2 - 1) / c1 + 1 if c1 > 0",
        "x * c1 < c2 -> (0 - c2) / (0 - c1) < x if c1 < 0",
        "c1 < x * c2 -> c1 / c2 < x if c2 > 0",
        "c1 < x * c2 -> x < (0 - c1 - 1) / (0 - c2) + 1 if c2 < 0",
        "x / c1 < c2 -> x < c1 * c2 if c1 > 0",
        "c1 < x / c2 -> (c1 + 1) * c2 - 1 < x if c2 > 0",
        "(x / c1) * c1 < x -> 0 < x % c1 if c1 > 0",
        "(x / c1) * c1 + c2 < x -> c2 < x % c1 if c1 > 0",
        "(x / c1) * c1 < x + c2 -> 0 - c2 < x % c1 if c1 > 0",
        "x < (x / c1) * c1 + c2 -> x % c1 < c2 if c1 > 0",

        // Minimum and maximum on one side.
        "min(x, c1) < c2 -> x < c2 if c1 >= c2",
        "max(x, c1) < c2 -> x < c2 if c1 < c2",
        "c1 < min(x, c2) -> c1 < x if c1 < c2",
        "c1 < max(x, c2) -> c1 < x if c1 >= c2",
        "min(x, y) < z -> x < z || y < z",
        "max(x, y) < z -> x < z && y < z",
        "z < min(x, y) -> z < x && z < y",
        "z < max(x, y) -> z < x || z < y",
    };
    return rules;
}

} // namespace nestwright::arith
