// SPDX-License-Identifier: Apache-2.0
/// Rules for sums.
#include "core/arith/rules/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> addRules()
{
    static constexpr std::string_view rules[] = {
        // Terms that cancel.
        "(x - y) + y -> x",
        "x + (y - x) -> y",
        "(x - y) + (y - z) -> x - z",
        "(x - y) + (z - x) -> z - y",
        "min(x, y - z) + z -> min(x + z, y)",
        "min(x - z, y) + z -> min(x, y + z)",
        "max(x, y - z) + z -> max(x + z, y)",
        "max(x - z, y) + z -> max(x, y + z)",
        "min(x, y + z * c1) + z * c2 -> min(x + z * c2, y) if c1 == 0 - c2",
        "max(x, y + z * c1) + z * c2 -> max(x + z * c2, y) if c1 == 0 - c2",
        "min(y + z * c1, x) + z * c2 -> min(x + z * c2, y) if c1 == 0 - c2",
        "max(y + z * c1, x) + z * c2 -> max(x + z * c2, y) if c1 == 0 - c2",
        "max(x, y) + min(x, y); min(x, y) + max(x, y); max(x, y) + min(y, x); min(x, y) + max(y, x) -> x + y",
        "min(x, y + c1) + c2 -> min(x + c2, y) if c1 == 0 - c2",
        "min(x + c1, y) + c2 -> min(x, y + c2) if c1 == 0 - c2",
        "max(x, y + c1) + c2 -> max(x + c2, y) if c1 == 0 - c2",
        "max(x + c1, y) + c2 -> max(x, y + c2) if c1 == 0 - c2",

        // Terms that join.
        "(x + c1) + c2 -> x + (c1 + c2)",
        "x + x -> x * 2",
        "x * y + x; y * x + x; x + y * x; x + x * y -> (y + 1) * x",
        "x * y + x * z; y * x + x * z; x * y + z * x; y * x + z * x -> (y + z) * x",

        // Quotient and remainder.
        "tdiv(x, c1) * c1 + tmod(x, c1) -> x",
        "(x / y) * y + x % y; y * (x / y) + x % y; x % y + (x / y) * y; x % y + y * (x / y) -> x",
        "(x % c2 + c1) / c2 + x / c2 -> (x + c1) / c2 if c2 > 0",
        "x / 2 + x % 2 => (x + 1) / 2",
        "(x + c1) % 2 + x % 2 -> 1 if c1 % 2 == 1",
        "x % 2 + (x + c1) % 2 -> 1 if c1 % 2 == 1",

        // Constants last, minima and maxima first.
        "x + (c1 - y); (c1 - y) + x => (x - y) + c1",
        "(x + c1) + y; x + (c1 + y); x + (y + c1) => (x + y) + c1",
        "x + max(y, z) => max(y, z) + x",
        "x + min(y, z) => min(y, z) + x",
        "tmod(y, c1) + x * c1 => x * c1 + tmod(y, c1)",
        "y % c1 + x * c1 => x * c1 + y % c1",

        "any select(x, y, z) + select(x, w, u) -> select(x, y + w, z + u)",
    };
    return rules;
}

} // namespace nestwright::arith
