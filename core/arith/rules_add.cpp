// SPDX-License-Identifier: Apache-2.0
/// Rules for sums.
#include "core/arith/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> addRules()
{
    static constexpr std::string_view rules[] = {
        // Constants last.
        "ordered c1 + x -> x + c1",
        "(x + c1) + c2 -> x + (c1 + c2)",
        "exact (x + c1) + y -> (x + y) + c1",
        "exact y + (x + c1) -> (y + x) + c1",
        "(c1 - x) + c2 -> (c1 + c2) - x",
        "(c1 - x) + y -> (y - x) + c1",

        // Terms that cancel or join.
        "x + x -> x * 2",
        "(x - y) + y -> x",
        "(x - y) + (y - z) -> x - z",
        "(x - y) + (y + z) -> x + z",
        "(x - (y + z)) + y -> x - z",
        "((x - y) - z) + y -> x - z",
        "x * c1 + x * c2 -> x * (c1 + c2)",
        "x * c1 + x -> x * (c1 + 1)",
        "y * x + z * x -> (y + z) * x",
        "y * p + p -> (y + 1) * p",

        // Sums with a minimum or maximum.
        "min(x, y) + max(x, y) -> x + y",
        "min(x, y - z) + z -> min(x + z, y)",
        "max(x, y - z) + z -> max(x + z, y)",
        "min(x, y + c1) + c2 -> min(x + c2, y) if c1 == -c2",
        "max(x, y + c1) + c2 -> max(x + c2, y) if c1 == -c2",
        "min(x, c1 - y) + y -> min(x + y, c1)",
        "max(x, c1 - y) + y -> max(x + y, c1)",
        "ordered x + min(y, z) -> min(y, z) + x",
        "ordered x + max(y, z) -> max(y, z) + x",

        // Quotient and rest make the whole.
        "(x / c1) * c1 + x % c1 -> x if c1 != 0",
        "((x / c1) * c2) + (x % c1) * c3 -> x * c3 if c1 != 0 && c2 == c1 * c3",
        "(x / y) * y + x % y -> x",
        "tdiv(x, c1) * c1 + tmod(x, c1) -> x if c1 != 0",
        "x / 2 + x % 2 -> (x + 1) / 2",

        // Choices.
        "select(x, y, z) + select(x, w, u) -> select(x, y + w, z + u)",
    };
    return rules;
}

} // namespace nestwright::arith
