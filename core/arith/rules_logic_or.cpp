// SPDX-License-Identifier: Apache-2.0
/// Rules for disjunctions.
#include "core/arith/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> orRules()
{
    static constexpr std::string_view rules[] = {
        "x || x -> x",
        "x || !x -> 1",
        "x < y || y <= x -> 1",
        "x <= y || y < x -> 1",
        "x == y || x != y -> 1",
        "c1 < x || x < c1 -> x != c1",
        "x == y || x < y -> x <= y",
        "x == y || y < x -> y <= x",
        "c1 < x || x < c2 -> 1 if c1 < c2",
        "c1 <= x || x < c2 -> 1 if c1 <= c2",
        "c1 < x || x <= c2 -> 1 if c1 <= c2",
        "c1 <= x || x <= c2 -> 1 if c1 <= c2 + 1",
        "x != c1 || x != c2 -> 1 if c1 != c2",
        "x != c1 || x == c2 -> x != c1 if c1 != c2",
        "(x || y) || x -> x || y",
        "(x && y) || x -> x",
    };
    return rules;
}

} // namespace nestwright::arith
