// SPDX-License-Identifier: Apache-2.0
/// Rules for products.
#include "core/arith/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> mulRules()
{
    static constexpr std::string_view rules[] = {
        "ordered c1 * x -> x * c1",
        "(x * c1) * c2 -> x * (c1 * c2)",
        "(x + c1) * c2 -> x * c2 + c1 * c2",
        "(c1 - x) * c2 -> x * (0 - c2) + c1 * c2",
        "exact x * (y * c1) -> (x * y) * c1",
        "exact (y * c1) * x -> (y * x) * c1",
        "(x - y) * c1 -> (y - x) * (0 - c1) if c1 < 0",
        "min(x, y) * max(x, y) -> x * y",
    };
    return rules;
}

} // namespace nestwright::arith
