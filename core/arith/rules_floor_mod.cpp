// SPDX-License-Identifier: Apache-2.0
/// Rules for rests of the division rounded towards minus infinity.
#include "core/arith/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> floorModRules()
{
    static constexpr std::string_view rules[] = {
        "x % 1 -> 0",
        "(x % c1) % c2 -> x % c2 if c2 > 0 && c1 % c2 == 0",
        "(x % c1 + y) % c2 -> (x + y) % c2 if c2 > 0 && c1 % c2 == 0",
        "(y - x % c1) % c2 -> (y - x) % c2 if c2 > 0 && c1 % c2 == 0",

        // Multiples of the divisor go.
        "(x * c1) % c2 -> 0 if c2 != 0 && c1 % c2 == 0",
        "(x * c1 + y) % c2 -> y % c2 if c2 > 0 && c1 % c2 == 0",
        "(x * c1 - y) % c2 -> (0 - y) % c2 if c2 > 0 && c1 % c2 == 0",
        "(y - x * c1) % c2 -> y % c2 if c2 > 0 && c1 % c2 == 0",
        "(x * c1 + y + z) % c2 -> (y + z) % c2 if c2 > 0 && c1 % c2 == 0",
        "(x * c1 - y + z) % c2 -> (z - y) % c2 if c2 > 0 && c1 % c2 == 0",
        "(x + c1) % c2 -> x % c2 if c2 > 0 && c1 % c2 == 0",
        "(x + c1) % c2 -> (x + c1 % c2) % c2 if c2 > 0 && (c1 < 0 || c1 >= c2)",
        "(x * c1) % c2 -> (x * (c1 % c2)) % c2 if c2 > 0 && c1 >= c2",

        // A common factor comes out.
        "(x * c1) % c2 -> (x % (c2 / c1)) * c1 if c1 > 1 && c2 > 0 && c2 % c1 == 0",
        "(x * c1 + y) % c2 -> (x % (c2 / c1)) * c1 + y if c1 > 1 && c2 > 0 && c2 % c1 == 0 && y >= 0 && y < "
        "c1",

        // Symbolic divisors, which are never 0.
        "(x * y) % y -> 0",
        "(x * y + z) % y -> z if y > 0 && z >= 0 && z < y",
        "(x + y) % y -> x % y",
        "(x - y) % y -> x % y",
        "x % x -> 0",
        "(x * z) % (y * z) -> (x % y) * z",
    };
    return rules;
}

} // namespace nestwright::arith
