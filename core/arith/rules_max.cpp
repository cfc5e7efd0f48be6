// SPDX-License-Identifier: Apache-2.0
/// Rules for the greater of two.
#include "core/arith/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> maxRules()
{
    static constexpr std::string_view rules[] = {
        // One side repeats the other.
        "max(x, x) -> x",
        "max(max(x, y), x) -> max(x, y)",
        "max(max(max(x, y), z), x) -> max(max(x, y), z)",
        "max(min(x, y), x) -> x",
        "max(min(x, y), max(x, y)) -> max(x, y)",
        "max(min(x, y), min(x, z)) -> min(max(y, z), x)",
        "max(max(x, y), max(x, z)) -> max(max(y, z), x)",

        // Constants of nested ones meet outside.
        "max(max(x, c1), c2) -> max(x, max(c1, c2))",
        "ordered max(max(x, c1), y) -> max(max(x, y), c1)",
        "ordered max(y, max(x, c1)) -> max(max(y, x), c1)",
        "max(min(x, c1), c2) -> c2 if c1 <= c2",

        // What both sides share comes out.
        "max(y + x, z + x) -> max(y, z) + x",
        "max(y - x, z - x) -> max(y, z) - x",
        "max(x - y, x - z) -> x - min(y, z)",
        "max(x + c1, y + c2) -> max(x, y + (c2 - c1)) + c1 if c1 == c2",
        "max(x + y + z, x + w) -> max(y + z, w) + x",
        "exact max(c1 - x, c2) -> c1 - min(x, c1 - c2) if c2 != 0",
        "max(x * c1, y * c1) -> max(x, y) * c1 if c1 > 0",
        "max(x * c1, y * c1) -> min(x, y) * c1 if c1 < 0",
        "max(x * c1, c2) -> max(x, c2 / c1) * c1 if c1 > 0 && c2 % c1 == 0",
        "max(x * c1, c2) -> min(x, c2 / c1) * c1 if c1 < 0 && c2 % c1 == 0",
        "max(x * c1 + c1, y * c1) -> max(x + 1, y) * c1 if c1 > 0",
        "max(x * c1 + c1, c2) -> max(x + 1, c2 / c1) * c1 if c1 > 0 && c2 % c1 == 0",
        "max(x * c1, y * c2) -> max(x * (c1 / c2), y) * c2 if c2 > 0 && c1 % c2 == 0",
        "max(x / c1, y / c1) -> max(x, y) / c1 if c1 > 0",
        "max(x / c1, y / c1) -> min(x, y) / c1 if c1 < 0",
        "max(select(x, y, z), select(x, w, u)) -> select(x, max(y, w), max(z, u))",

        // Rounding down never goes above, rounding up never below.
        "max((x / c1) * c1, x) -> x if c1 > 0",
        "max(((x + c1) / c2) * c2, x) -> ((x + c1) / c2) * c2 if c2 > 0 && c1 == c2 - 1",
        "max(((x + c1) / c2) * c2, max(x, c2)) -> max(((x + c1) / c2) * c2, c2) if c2 > 0 && c1 == c2 - 1",
    };
    return rules;
}

} // namespace nestwright::arith
