// SPDX-License-Identifier: Apache-2.0
/// Rules for remainders of quotients rounded towards zero.
#include "core/arith/rules/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> modRules()
{
    static constexpr std::string_view rules[] = {
        "tmod(x * c1, c2) -> 0 if c2 != 0 && c1 % c2 == 0",
        "tmod(x * c1 + y, c2) -> tmod(y, c2) if c2 > 0 && c1 % c2 == 0 && x * c1 >= 0 && y >= 0",
        "tmod(x + c1, c2) -> tmod(x, c2) if c2 > 0 && c1 >= 0 && c1 % c2 == 0 && x >= 0",
        "tmod(x + y * c1, c2) -> tmod(x, c2) if c2 > 0 && c1 % c2 == 0 && x >= 0 && y * c1 >= 0",
        "tmod(x, c1) => tmod(x, 0 - c1) if c1 < 0",
    };
    return rules;
}

} // namespace nestwright::arith
