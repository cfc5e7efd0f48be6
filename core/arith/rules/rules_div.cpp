// SPDX-License-Identifier: Apache-2.0
/// Rules for quotients rounded towards zero; most hold for operands that are not negative.
#include "core/arith/rules/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> divRules()
{
    static constexpr std::string_view rules[] = {
        "tdiv(tdiv(x, c1), c2) -> tdiv(x, c1 * c2) if c1 > 0 && c2 > 0",
        "tdiv(tdiv(x, c1) + c2, c3) -> tdiv(x + c1 * c2, c1 * c3) if c1 > 0 && c2 >= 0 && c3 > 0 && x >= 0",
        "tdiv(x * c1, c2) -> x * tdiv(c1, c2) if c1 > 0 && c2 > 0 && c1 % c2 == 0",
        "tdiv(x * c1, c2) -> tdiv(x, tdiv(c2, c1)) if c1 > 0 && c2 > 0 && c2 % c1 == 0",
        "tdiv(x, x) -> 1",
        "tdiv(x * c1, x); tdiv(c1 * x, x) -> c1",

        // Two operands.
        "tdiv(x * c1 + y, c2) -> x * tdiv(c1, c2) + tdiv(y, c2) if c1 >= 0 && c2 > 0 && c1 % c2 == 0 "
        "&& x >= 0 && y >= 0",
        "tdiv(min(x * c1, y), c2) -> min(x * tdiv(c1, c2), tdiv(y, c2)) if c1 >= 0 && c2 > 0 && c1 % "
        "c2 == 0 && x >= 0 && y >= 0",
        "tdiv(max(x * c1, y), c2) -> max(x * tdiv(c1, c2), tdiv(y, c2)) if c1 >= 0 && c2 > 0 && c1 % "
        "c2 == 0 && x >= 0 && y >= 0",
        "tdiv(y + x * c1, c2) -> tdiv(y, c2) + x * tdiv(c1, c2) if c1 >= 0 && c2 > 0 && c1 % c2 == 0 "
        "&& x >= 0 && y >= 0",
        "tdiv(min(y, x * c1), c2) -> min(tdiv(y, c2), x * tdiv(c1, c2)) if c1 >= 0 && c2 > 0 && c1 % "
        "c2 == 0 && x >= 0 && y >= 0",
        "tdiv(max(y, x * c1), c2) -> max(tdiv(y, c2), x * tdiv(c1, c2)) if c1 >= 0 && c2 > 0 && c1 % "
        "c2 == 0 && x >= 0 && y >= 0",

        // Three operands.
        "tdiv(x * c1 + y + z, c2) -> x * tdiv(c1, c2) + tdiv(y + z, c2) if c1 >= 0 && c2 > 0 && c1 % "
        "c2 == 0 && x >= 0 && y + z >= 0",
        "tdiv(x * c1 - y + z, c2) -> x * tdiv(c1, c2) + tdiv(z - y, c2) if c1 >= 0 && c2 > 0 && c1 % "
        "c2 == 0 && x >= 0 && z - y >= 0",
        "tdiv(x * c1 + y - z, c2) -> x * tdiv(c1, c2) + tdiv(y - z, c2) if c1 >= 0 && c2 > 0 && c1 % "
        "c2 == 0 && x >= 0 && y - z >= 0",
        "tdiv(y + x * c1 + z, c2) -> x * tdiv(c1, c2) + tdiv(y + z, c2) if c1 > 0 && c2 > 0 && c1 % "
        "c2 == 0 && x >= 0 && y + z >= 0",
        "tdiv(x + c1, c2) -> tdiv(x, c2) + tdiv(c1, c2) if c1 > 0 && c2 > 0 && c1 % c2 == 0 && x >= 0",

        // Symbolic divisors, which are never 0.
        "tdiv(x + y, x); tdiv(y + x, x) -> tdiv(y, x) + 1 if x >= 0 && y >= 0",
        "tdiv((x + y) + z, x); tdiv((y + x) + z, x); tdiv(y + (z + x), x); tdiv(y + (x + z), x) -> "
        "tdiv(y + z, x) + 1 if x >= 0 && y + z >= 0",
        "tdiv(x * y, y); tdiv(y * x, y) -> x if x >= 0 && y >= 0",
        "tdiv(x * z + y, z); tdiv(z * x + y, z) -> x + tdiv(y, z) if x >= 0 && y >= 0 && z >= 0",
        "tdiv(y + x * z, z); tdiv(y + z * x, z) -> tdiv(y, z) + x if x >= 0 && y >= 0 && z >= 0",
    };
    return rules;
}

} // namespace nestwright::arith
