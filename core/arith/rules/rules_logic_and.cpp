// SPDX-License-Identifier: Apache-2.0
/// Rules for conjunctions.
#include "core/arith/rules/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> andRules()
{
    static constexpr std::string_view rules[] = {
        // Contradictions.
        "x == y && x != y; x != y && x == y -> 0",
        "any x && !x -> 0",
        "x <= y && y < x; y < x && x <= y -> 0",
        "x < c1 && c2 < x; c2 < x && x < c1 -> 0 if c2 + 1 >= c1",
        "x < c1 && c2 <= x; c2 <= x && x < c1; x <= c1 && c2 < x; c2 < x && x <= c1 -> 0 if c2 >= c1",
        "x <= c1 && c2 <= x; c2 <= x && x <= c1 -> 0 if c2 > c1",
        "x == c1 && x == c2 -> x == c1 && c1 == c2",
        "x == c1 && x != c2; x != c2 && x == c1 -> x == c1 && c1 != c2",

        // Quotient and remainder tell the number.
        "x / c2 == c1 && x % c2 == c3; x % c2 == c3 && x / c2 == c1 => x == c1 * c2 + c3 if c3 >= 0 "
        "&& c3 < c2",
        "0 <= x - y * c1 && x - y * c1 < c1; x - y * c1 < c1 && 0 <= x - y * c1 => y == x / c1 if c1 > 0",
        "c1 < x - y * c1 && x - y * c1 <= 0 => y == x / c1 if c1 < 0",
        "0 <= x + y * c2 && x + y * c2 < c1; x + y * c2 < c1 && 0 <= x + y * c2 => y == x / c1 if c1 "
        "> 0 && c2 == 0 - c1",
        "x < c1 && x % c2 < c3 => x < c1 - c2 + c3 && x % c2 < c3 if c2 > 0 && c3 > 0 && c3 < c2 && "
        "c1 % c2 == 0",
        "x < c1 && x % c2 < c3 => x < c1 - c1 % c2 + c3 && x % c2 < c3 if c2 > 0 && c1 % c2 > c3",
        "x <= c1 && x % c2 < c3 => x < c1 + 1 - c2 + c3 && x % c2 < c3 if c2 > 0 && c3 > 0 && c3 < "
        "c2 && (c1 + 1) % c2 == 0",
        "x <= c1 && x % c2 < c3 => x < c1 + 1 - c1 % c2 + c3 && x % c2 < c3 if c2 > 0 && (c1 + 1) % c2 > c3",
        "x / c2 == c1 && x % c2 < c3; x % c2 < c3 && x / c2 == c1 => c1 * c2 <= x && x < c1 * c2 + "
        "c3 if c2 > 0 && c3 <= c2",
        "x / c2 == c1 && x % c2 <= c3; x % c2 <= c3 && x / c2 == c1 => c1 * c2 <= x && x <= c1 * c2 "
        "+ c3 if c2 > 0 && c3 < c2",
        "x / c2 == c1 && c3 <= x % c2; c3 <= x % c2 && x / c2 == c1 => c1 * c2 + c3 <= x && x < (c1 "
        "+ 1) * c2 if c2 > 0 && c3 >= 0",
        "x / c2 == c1 && c3 < x % c2; c3 < x % c2 && x / c2 == c1 => c1 * c2 + c3 < x && x < (c1 + "
        "1) * c2 if c2 > 0 && c3 >= 0",

        "any x && (y && z) => (x && y) && z",
    };
    return rules;
}

} // namespace nestwright::arith
