// SPDX-License-Identifier: Apache-2.0
/// Rules for products.
#include "core/arith/rules/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> mulRules()
{
    static constexpr std::string_view rules[] = {
        "(x + c1) * c2 -> x * c2 + c1 * c2",
        "(x * c1) * c2 -> x * (c1 * c2)",
        "min(x, y) * max(x, y); max(x, y) * min(x, y) -> x * y",
        "((x - x % c2) / c1) * c1 -> x - x % c2 if c1 == 0 - c2",
        "x * (c1 * y) => (x * y) * c1",
        "c1 * x => x * c1",
        "(x - y) * c1 => (y - x) * (0 - c1) if c1 < 0",
    };
    return rules;
}

} // namespace nestwright::arith
