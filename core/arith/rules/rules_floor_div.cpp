// SPDX-License-Identifier: Apache-2.0
/// Rules for quotients rounded towards minus infinity.
#include "core/arith/rules/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> floorDivRules()
{
    static constexpr std::string_view rules[] = {
        "x / x -> 1",
        "(x * c1) / x; (c1 * x) / x -> c1",
        "(x % 2 + 1) / 2 -> x % 2",

        // A multiple of the divisor comes out.
        "min(x * c1, y) / c2 -> min(x * (c1 / c2), y / c2) if c2 > 0 && c1 % c2 == 0",
        "max(x * c1, y) / c2 -> max(x * (c1 / c2), y / c2) if c2 > 0 && c1 % c2 == 0",
        "min(y, x * c1) / c2 -> min(y / c2, x * (c1 / c2)) if c2 > 0 && c1 % c2 == 0",
        "max(y, x * c1) / c2 -> max(y / c2, x * (c1 / c2)) if c2 > 0 && c1 % c2 == 0",
        "(x * c1 + y + z) / c2 -> x * (c1 / c2) + (y + z) / c2 if c2 > 0 && c1 % c2 == 0",
        "(x * c1 + y + z) / c2 -> x / (c2 / c1) if c1 > 0 && c2 > 0 && c2 % c1 == 0 && (y + z) / c1 == 0",
        "(x * c1 - y + z) / c2; (x * c1 + z - y) / c2 -> x * (c1 / c2) + (z - y) / c2 if c2 > 0 && "
        "c1 % c2 == 0",
        "(y + x * c1 + z) / c2 -> x * (c1 / c2) + (y + z) / c2 if c2 > 0 && c1 % c2 == 0",
        "(x + c1) / c2 -> x / c2 + c1 / c2 if c2 > 0 && c1 % c2 == 0",

        // Symbolic divisors, which are never 0.
        "(x * c1) / (x * c2) -> c1 / c2 if c2 > 0",
        "(x + y) / x; (y + x) / x -> y / x + 1 if x >= 0",
        "((x + y) + z) / x; ((y + x) + z) / x; (y + (z + x)) / x; (y + (x + z)) / x -> (y + z) / x + "
        "1 if x >= 0",
        "(x * y) / y; (y * x) / y -> x if y >= 0",
        "(x * z + y) / z; (z * x + y) / z -> x + y / z if z >= 0",
        "(y + x * z) / z; (y + z * x) / z -> y / z + x if z >= 0",
        "((x * z) * c1 + y) / (z * c1) -> x + y / (z * c1) if z * c1 >= 0",
        "(x - x % c1) / c1 -> x / c1 if c1 != 0",
    };
    return rules;
}

} // namespace nestwright::arith
