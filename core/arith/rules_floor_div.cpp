// SPDX-License-Identifier: Apache-2.0
/// Rules for quotients rounded towards minus infinity.
#include "core/arith/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> floorDivRules()
{
    static constexpr std::string_view rules[] = {
        "x / 1 -> x",
        "x / (0 - 1) -> 0 - x",
        "(x / c1) / c2 -> x / (c1 * c2) if c1 > 0 && c2 > 0",
        "(x % c1) / c2 -> (x / c2) % (c1 / c2) if c2 > 0 && c1 > 0 && c1 % c2 == 0",
        "(x - x % c1) / c1 -> x / c1 if c1 > 0",
        "(x / c1 + c2) / c3 -> (x + c1 * c2) / (c1 * c3) if c1 > 0 && c3 > 0",

        // A multiple of the divisor comes out.
        "(x * c1) / c2 -> x * (c1 / c2) if c2 != 0 && c1 % c2 == 0",
        "(x * c1 + y) / c2 -> x * (c1 / c2) + y / c2 if c2 > 0 && c1 % c2 == 0",
        "(x * c1 - y) / c2 -> x * (c1 / c2) + (0 - y) / c2 if c2 > 0 && c1 % c2 == 0",
        "(y - x * c1) / c2 -> y / c2 - x * (c1 / c2) if c2 > 0 && c1 % c2 == 0",
        "(x * c1 + y + z) / c2 -> x * (c1 / c2) + (y + z) / c2 if c2 > 0 && c1 % c2 == 0",
        "(x * c1 - y + z) / c2 -> x * (c1 / c2) + (z - y) / c2 if c2 > 0 && c1 % c2 == 0",
        "(x * c1 + y - z) / c2 -> x * (c1 / c2) + (y - z) / c2 if c2 > 0 && c1 % c2 == 0",
        "(x + c1) / c2 -> x / c2 + c1 / c2 if c2 > 0 && c1 % c2 == 0",
        "min(x * c1, y) / c2 -> min(x * (c1 / c2), y / c2) if c2 > 0 && c1 % c2 == 0",
        "max(x * c1, y) / c2 -> max(x * (c1 / c2), y / c2) if c2 > 0 && c1 % c2 == 0",

        // A common factor goes.
        "(x * c1) / c2 -> x / (c2 / c1) if c1 > 0 && c2 > 0 && c2 % c1 == 0",
        "(x * c1 + c3) / c2 -> x / (c2 / c1) + c3 / c2 if c1 > 1 && c2 > 0 && c2 % c1 == 0 && c3 % c2 < c1",
        "(x * c1 + y) / c2 -> x / (c2 / c1) if c1 > 1 && c2 > 0 && c2 % c1 == 0 && y >= 0 && y < c1",
        "(x * c1 + y + z) / c2 -> (x * c1 + z) / c2 if c1 > 1 && c2 > 0 && c2 % c1 == 0 && z % c1 == 0 && y "
        ">= 0 && y < c1",

        // What goes beyond the multiple of the divisor stays below it.
        "(x * c1) / c2 -> x * (c1 / c2) if c1 > c2 && c2 > 0 && x * (c1 % c2) >= 0 && x * (c1 % c2) < c2",
        "(x * c1 + y) / c2 -> x * (c1 / c2) if c1 > c2 && c2 > 0 && x * (c1 % c2) + y >= 0 && x * (c1 % c2) "
        "+ y < c2",

        // Symbolic divisors, which are never 0.
        "(x * y) / y -> x",
        "(x * y + z) / y -> x if y > 0 && z >= 0 && z < y",
        "(x + y) / y -> x / y + 1 if y > 0",
        "(y - x) / y -> (0 - x) / y + 1 if y > 0",
        "x / x -> 1",
        "(x * z) / (y * z) -> x / y",
    };
    return rules;
}

} // namespace nestwright::arith
