// SPDX-License-Identifier: Apache-2.0
/// Rules for conjunctions.
#include "core/arith/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> andRules()
{
    static constexpr std::string_view rules[] = {
        "x && x -> x",
        "x && !x -> 0",
        "x < y && y < x -> 0",
        "x < y && y <= x -> 0",
        "x <= y && y < x -> 0",
        "x == y && x != y -> 0",
        "x == y && x < y -> 0",
        "x == y && y < x -> 0",
        "c1 < x && x < c2 -> 0 if c2 <= c1 + 1",
        "c1 <= x && x < c2 -> 0 if c2 <= c1",
        "c1 < x && x <= c2 -> 0 if c2 <= c1",
        "c1 <= x && x <= c2 -> 0 if c2 < c1",
        "x == c1 && x == c2 -> 0 if c1 != c2",
        "x == c1 && x != c2 -> x == c1 if c1 != c2",
        "(x && y) && x -> x && y",
        "(x || y) && x -> x",
    };
    return rules;
}

} // namespace nestwright::arith
