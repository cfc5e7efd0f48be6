// SPDX-License-Identifier: Apache-2.0
/// Rules for the lesser of two.
#include "core/arith/rules/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> minRules()
{
    static constexpr std::string_view rules[] = {
        // One side plus a constant.
        "min(x + c1, x + c2) -> x + min(c1, c2)",
        "min(x + c1, x); min(x, x + c1) -> x + c1 if c1 < 0",
        "min(x + c1, x); min(x, x + c1) -> x if c1 >= 0",
        "min(c1 - x, c2 - x) -> min(c1, c2) - x",

        // Rounding.
        "min(tdiv(x + c1, c2) * c2, x); min(x, tdiv(x + c1, c2) * c2); min(((x + c1) / c2) * c2, x); "
        "min(x, ((x + c1) / c2) * c2) -> x if c2 > 0 && c1 + 1 == c2",
        "min(tdiv(x + c1, c2) * c2, max(x, c2)); min(max(x, c2), tdiv(x + c1, c2) * c2); min(((x + "
        "c1) / c2) * c2, max(x, c2)); min(max(x, c2), ((x + c1) / c2) * c2) -> max(x, c2) if c2 > 0 "
        "&& c1 + 1 == c2 && x >= 1",
        "min(x, (x / c2) * c2); min((x / c2) * c2, x) -> (x / c2) * c2 if c2 > 0",

        // One side repeats the other.
        "min(max(x, y), min(x, y)); min(max(x, y), min(y, x)); min(min(x, y), max(x, y)); min(min(x, "
        "y), max(y, x)); min(min(x, y), x); min(min(x, y), y); min(x, min(x, y)); min(y, min(x, y)) "
        "-> min(x, y)",
        "min(max(x, y), x); min(max(y, x), x); min(x, max(x, y)); min(x, max(y, x)) -> x",
        "min(min(min(x, y), z), y) -> min(min(x, y), z)",
        "min(min(min(min(x, y), z), w), y) -> min(min(min(x, y), z), w)",
        "min(min(min(min(min(x, y), z), w), u), y) -> min(min(min(min(x, y), z), w), u)",

        // Common operands are factored out.
        "min(max(x, y), max(x, z)); min(max(x, y), max(z, x)); min(max(y, x), max(x, z)); min(max(y, "
        "x), max(z, x)) -> max(min(y, z), x)",
        "min(min(x, y), min(x, z)); min(min(x, y), min(z, x)); min(min(y, x), min(x, z)); min(min(y, "
        "x), min(z, x)) -> min(min(y, z), x)",
        "min(y + x, z + x); min(y + x, x + z); min(x + y, x + z); min(x + y, z + x) -> min(y, z) + x",
        "min(y - x, z - x) -> min(y, z) - x",
        "min(x - y, x - z) -> x - max(y, z)",
        "min(min(x, c1), c2) -> min(x, min(c1, c2))",
        "min(tdiv(x, c1), tdiv(y, c1)) -> tdiv(min(x, y), c1) if c1 > 0",
        "min(tdiv(x, c1), tdiv(y, c1)) -> tdiv(max(x, y), c1) if c1 < 0",
        "min(x / c1, y / c1) -> min(x, y) / c1 if c1 > 0",
        "min(x / c1, y / c1) -> max(x, y) / c1 if c1 < 0",
        "min(x * c1, y * c1) -> min(x, y) * c1 if c1 > 0",
        "min(x * c1, y * c1) -> max(x, y) * c1 if c1 < 0",
        "min(x * c1, c2) -> min(x, tdiv(c2, c1)) * c1 if c1 > 0 && c2 % c1 == 0",
        "min(x * c1, c2) -> max(x, tdiv(c2, c1)) * c1 if c1 < 0 && c2 % c1 == 0",

        // Constants last.
        "min(min(x, c1), y) => min(min(x, y), c1)",
        "min(c1 - x, c2) => c1 - max(x, c1 - c2) if c2 != 0",

        "any min(select(x, y, z), select(x, w, u)) -> select(x, min(y, w), min(z, u))",
    };
    return rules;
}

} // namespace nestwright::arith
