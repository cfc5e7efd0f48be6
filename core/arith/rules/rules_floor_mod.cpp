// SPDX-License-Identifier: Apache-2.0
/// Rules for remainders of quotients rounded towards minus infinity.
#include "core/arith/rules/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> floorModRules()
{
    static constexpr std::string_view rules[] = {
        "(x * c1) % c2 -> (x * (c1 % c2)) % c2 if c2 != 0",
        "(x * c1 + y) % c2 -> (x % (c2 / c1)) * c1 + y if c1 > 0 && c2 > 0 && c2 % c1 == 0 && y / c1 == 0",
        "(x * c1 + y) % c2 -> (x * (c1 % c2) + y) % c2 if c2 > 0",
        "(x + c1) % c2 -> (x + c1 % c2) % c2 if c2 > 0 && (c1 >= c2 || c1 < 0)",
        "(x + y * c1) % c2 -> (x + y * (c1 % c2)) % c2 if c2 > 0",
        "(x * c1) % (x * c2) -> x * (c1 % c2) if c2 != 0",
        "(x * y) % y; (y * x) % y -> 0",
        "(x + z % y) % y; (z % y + x) % y -> 0 if (x + z) % y == 0",
        "(x - x % z) % y; (x % z - x) % y -> 0 if y - z == 0 || y + z == 0",
        "((x * z) * c1 + y) % (z * c1) -> y % (z * c1) if z * c1 >= 0",
    };
    return rules;
}

} // namespace nestwright::arith
