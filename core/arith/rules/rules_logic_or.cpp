// SPDX-License-Identifier: Apache-2.0
/// Rules for disjunctions.
#include "core/arith/rules/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> orRules()
{
    static constexpr std::string_view rules[] = {
        // One of the two holds always.
        "x == y || x != y; x != y || x == y -> 1",
        "any x || !x -> 1",
        "x <= y || y < x; y < x || x <= y -> 1",
        "x < y || y < x -> x != y",
        "x < c1 || c2 < x; c2 < x || x < c1 -> 1 if c2 < c1",
        "x <= c1 || c2 < x; c2 < x || x <= c1; x < c1 || c2 <= x; c2 <= x || x < c1 -> 1 if c2 <= c1",
        "x <= c1 || c2 <= x; c2 <= x || x <= c1 -> 1 if c2 <= c1 + 1",
        "x != c1 || x != c2 -> x != c1 || c1 != c2",
        "x != c1 || x == c2; x == c2 || x != c1 -> x != c1 || c1 == c2",

        // Order and equality join.
        "x < y || x == y; x < y || y == x; x == y || x < y; y == x || x < y => x <= y",
        "any x || (y || z) => (x || y) || z",
    };
    return rules;
}

} // namespace nestwright::arith
