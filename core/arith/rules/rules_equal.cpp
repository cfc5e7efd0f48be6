// SPDX-License-Identifier: Apache-2.0
/// Rules for equality.
#include "core/arith/rules/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> equalRules()
{
    static constexpr std::string_view rules[] = {
        "c1 == x -> x == c1",           "x - c1 == c2 -> x == c2 + c1",   "c1 - x == c2 -> x == c1 - c2",
        "x + c1 == c2 -> x == c2 - c1", "x * y == 0 => x == 0 || y == 0", "x == x -> 1",
    };
    return rules;
}

} // namespace nestwright::arith
