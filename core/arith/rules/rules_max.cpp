// SPDX-License-Identifier: Apache-2.0
/// Rules for the greater of two.
#include "core/arith/rules/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> maxRules()
{
    static constexpr std::string_view rules[] = {
        // One side plus a constant.
        "max(x + c1, x + c2) -> x + max(c1, c2)",
        "max(x + c1, x); max(x, x + c1) -> x + c1 if c1 > 0",
        "max(x + c1, x); max(x, x + c1) -> x if c1 <= 0",
        "max(c1 - x, c2 - x) -> max(c1, c2) - x",

        // Rounding.
        "max(tdiv(x + c1, c2) * c2, x); max(x, tdiv(x + c1, c2) * c2) -> tdiv(x + c1, c2) * c2 if c2 "
        "> 0 && c1 + 1 == c2",
        "max(((x + c1) / c2) * c2, x); max(x, ((x + c1) / c2) * c2) -> ((x + c1) / c2) * c2 if c2 > "
        "0 && c1 + 1 == c2",
        "max((x / c2) * c2, x); max(x, (x / c2) * c2) -> x if c2 > 0",

        // One side repeats the other.
        "max(min(x, y), x); max(min(y, x), x); max(x, min(x, y)); max(x, min(y, x)) -> x",
        "max(min(x, y), max(x, y)); max(min(x, y), max(y, x)); max(max(x, y), min(x, y)); max(max(x, "
        "y), min(y, x)); max(max(x, y), x); max(max(x, y), y); max(x, max(x, y)); max(y, max(x, y)) "
        "-> max(x, y)",
        "max(max(max(x, y), z), y) -> max(max(x, y), z)",
        "max(max(max(max(x, y), z), w), y) -> max(max(max(x, y), z), w)",
        "max(max(max(max(max(x, y), z), w), u), y) -> max(max(max(max(x, y), z), w), u)",

        // Common operands are factored out.
        "max(max(x, y), max(x, z)); max(max(x, y), max(z, x)); max(max(y, x), max(x, z)); max(max(y, "
        "x), max(z, x)) -> max(max(y, z), x)",
        "max(min(x, y), min(x, z)); max(min(x, y), min(z, x)); max(min(y, x), min(x, z)); max(min(y, "
        "x), min(z, x)) -> min(max(y, z), x)",
        "max(y + x, z + x); max(y + x, x + z); max(x + y, x + z); max(x + y, z + x) -> max(y, z) + x",
        "max(y - x, z - x) -> max(y, z) - x",
        "max(x - y, x - z) -> x - min(y, z)",
        "max(max(x, c1), c2) -> max(x, max(c1, c2))",
        "max(tdiv(x, c1), tdiv(y, c1)) -> tdiv(max(x, y), c1) if c1 > 0",
        "max(tdiv(x, c1), tdiv(y, c1)) -> tdiv(min(x, y), c1) if c1 < 0",
        "max(x / c1, y / c1) -> max(x, y) / c1 if c1 > 0",
        "max(x / c1, y / c1) -> min(x, y) / c1 if c1 < 0",
        "max(x * c1, y * c1) -> max(x, y) * c1 if c1 > 0",
        "max(x * c1, y * c1) -> min(x, y) * c1 if c1 < 0",
        "max(x * c1, c2) -> max(x, tdiv(c2, c1)) * c1 if c1 > 0 && c2 % c1 == 0",
        "max(x * c1, c2) -> min(x, tdiv(c2, c1)) * c1 if c1 < 0 && c2 % c1 == 0",

        // Constants last.
        "max(max(x, c1), y) => max(max(x, y), c1)",
        "max(c1 - x, c2) => c1 - min(x, c1 - c2) if c2 != 0",

        "any max(select(x, y, z), select(x, w, u)) -> select(x, max(y, w), max(z, u))",
    };
    return rules;
}

} // namespace nestwright::arith
