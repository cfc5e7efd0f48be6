// SPDX-License-Identifier: Apache-2.0
/// Rules for the lesser of two.
#include "core/arith/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> minRules()
{
    static constexpr std::string_view rules[] = {
        // One side repeats the other.
        "min(x, x) -> x",
        "min(min(x, y), x) -> min(x, y)",
        "min(min(min(x, y), z), x) -> min(min(x, y), z)",
        "min(max(x, y), x) -> x",
        "min(max(x, y), min(x, y)) -> min(x, y)",
        "min(max(x, y), max(x, z)) -> max(min(y, z), x)",
        "min(min(x, y), min(x, z)) -> min(min(y, z), x)",

        // Constants of nested ones meet outside.
        "min(min(x, c1), c2) -> min(x, min(c1, c2))",
        "ordered min(min(x, c1), y) -> min(min(x, y), c1)",
        "ordered min(y, min(x, c1)) -> min(min(y, x), c1)",
        "min(max(x, c1), c2) -> c2 if c1 >= c2",

        // What both sides share comes out.
        "min(y + x, z + x) -> min(y, z) + x",
        "min(y - x, z - x) -> min(y, z) - x",
        "min(x - y, x - z) -> x - max(y, z)",
        "min(x + c1, y + c2) -> min(x, y + (c2 - c1)) + c1 if c1 == c2",
        "min(x + y + z, x + w) -> min(y + z, w) + x",
        "exact min(c1 - x, c2) -> c1 - max(x, c1 - c2) if c2 != 0",
        "min(x * c1, y * c1) -> min(x, y) * c1 if c1 > 0",
        "min(x * c1, y * c1) -> max(x, y) * c1 if c1 < 0",
        "min(x * c1, c2) -> min(x, c2 / c1) * c1 if c1 > 0 && c2 % c1 == 0",
        "min(x * c1, c2) -> max(x, c2 / c1) * c1 if c1 < 0 && c2 % c1 == 0",
        "min(x * c1 + c1, y * c1) -> min(x + 1, y) * c1 if c1 > 0",
        "min(x * c1 + c1, c2) -> min(x + 1, c2 / c1) * c1 if c1 > 0 && c2 % c1 == 0",
        "min(x * c1, y * c2) -> min(x * (c1 / c2), y) * c2 if c2 > 0 && c1 % c2 == 0",
        "min(x / c1, y / c1) -> min(x, y) / c1 if c1 > 0",
        "min(x / c1, y / c1) -> max(x, y) / c1 if c1 < 0",
        "min(select(x, y, z), select(x, w, u)) -> select(x, min(y, w), min(z, u))",

        // Rounding down never goes above, rounding up never below.
        "min((x / c1) * c1, x) -> (x / c1) * c1 if c1 > 0",
        "min(((x + c1) / c2) * c2, x) -> x if c2 > 0 && c1 == c2 - 1",
        "min(((x + c1) / c2) * c2, max(x, c2)) -> max(x, c2) if c2 > 0 && c1 == c2 - 1 && x >= 1",
    };
    return rules;
}

} // namespace nestwright::arith
