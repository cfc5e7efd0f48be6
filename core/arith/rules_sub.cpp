// SPDX-License-Identifier: Apache-2.0
/// Rules for differences.
#include "core/arith/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> subRules()
{
    static constexpr std::string_view rules[] = {
        "x - x -> 0",
        "x - 0 -> x",
        "x - c1 -> x + (0 - c1)",
        // Differences with a minimum or maximum.
        "exact min(x, y) - x -> min(0, y - x)",
        "exact min(x, y) - y -> min(x - y, 0)",
        "exact max(x, y) - x -> max(0, y - x)",
        "exact max(x, y) - y -> max(x - y, 0)",
        "exact x - min(x, y) -> max(0, x - y)",
        "exact y - min(x, y) -> max(y - x, 0)",
        "exact x - max(x, y) -> min(0, x - y)",
        "exact y - max(x, y) -> min(y - x, 0)",
        "exact min(x + y, z) - x -> min(y, z - x)",
        "exact min(y + x, z) - x -> min(y, z - x)",
        "exact min(z, x + y) - x -> min(z - x, y)",
        "exact min(z, y + x) - x -> min(z - x, y)",
        "exact max(x + y, z) - x -> max(y, z - x)",
        "exact max(y + x, z) - x -> max(y, z - x)",
        "exact max(z, x + y) - x -> max(z - x, y)",
        "exact max(z, y + x) - x -> max(z - x, y)",
        "exact x - min(x + y, z) -> max(0 - y, x - z)",
        "exact x - min(y + x, z) -> max(0 - y, x - z)",
        "exact x - min(z, x + y) -> max(x - z, 0 - y)",
        "exact x - min(z, y + x) -> max(x - z, 0 - y)",
        "exact x - max(x + y, z) -> min(0 - y, x - z)",
        "exact x - max(y + x, z) -> min(0 - y, x - z)",
        "exact x - max(z, x + y) -> min(x - z, 0 - y)",
        "exact x - max(z, y + x) -> min(x - z, 0 - y)",
        "min(x, y) - min(z, w) -> y - w if x - y == z - w",
        "max(x, y) - max(z, w) -> y - w if x - y == z - w",
        "min(x, y) - min(z, w) -> y - z if x - y == w - z",
        "max(x, y) - max(z, w) -> y - z if x - y == w - z",

        // Constants last.
        "c1 - (c2 - x) -> x + (c1 - c2)",
        "c1 - (x + c2) -> (c1 - c2) - x",
        "(x + c1) - (y + c2) -> (x - y) + (c1 - c2)",
        "(x + c1) - y -> (x - y) + c1",
        "x - (y + c1) -> (x - y) + (0 - c1)",
        "x - (c1 - y) -> (x + y) + (0 - c1)",
        "(c1 - x) - (c2 - y) -> (y - x) + (c1 - c2)",
        "(c1 - x) - y -> c1 - (x + y)",

        // Terms that cancel.
        "(x + y) - y -> x",
        "x - (x + y) -> 0 - y",
        "(x - y) - x -> 0 - y",
        "x - (x - y) -> y",
        "(x + y) - (x + z) -> y - z",
        "(x + y) - (x - z) -> y + z",
        "(x - y) - (x - z) -> z - y",
        "(x - y) - (x + z) -> 0 - (y + z)",
        "(x - y) - (z - y) -> x - z",
        "x - (y - z) -> (x + z) - y",
        "((x + y) + z) - x -> y + z",
        "x - ((x + y) + z) -> 0 - (y + z)",
        "((x - y) + z) - x -> z - y",
        "x * c1 - x * c2 -> x * (c1 - c2)",
        "x * c1 - x -> x * (c1 - 1)",
        "x - x * c1 -> x * (1 - c1)",
        "x - y * c1 -> x + y * (0 - c1) if c1 < 0",
        "0 - x * c1 -> x * (0 - c1)",
        "y * x - z * x -> (y - z) * x",
        "y * p - p -> (y - 1) * p",
        "p - y * p -> (1 - y) * p",

        // Whole less quotient.
        "x - (x / c1) * c1 -> x % c1 if c1 != 0",
        "(x / c1) * c1 - x -> 0 - x % c1 if c1 != 0",
        "x - ((x + y) / c1) * c1 -> (x + y) % c1 - y if c1 != 0",
        "((x + y) / c1) * c1 - x -> y - (x + y) % c1 if c1 != 0",
        "x - ((x - y) / c1) * c1 -> (x - y) % c1 + y if c1 != 0",
        "((x - y) / c1) * c1 - x -> 0 - (x - y) % c1 - y if c1 != 0",
        "x * c2 - (x / c1) * c3 -> (x % c1) * c2 if c1 != 0 && c3 == c1 * c2",
        "(x / c1) * c3 - x * c2 -> 0 - (x % c1) * c2 if c1 != 0 && c3 == c1 * c2",
        "x - (x / y) * y -> x % y",
        "x - tdiv(x, c1) * c1 -> tmod(x, c1) if c1 != 0",

        // Quotients of near numbers.
        "(x + c1) / c3 - (x + c2) / c3 -> ((x + c2 % c3) % c3 + (c1 - c2)) / c3 if c3 > 0",
        "(x + c1) / c3 - x / c3 -> (x % c3 + c1) / c3 if c3 > 0",
        "x / c3 - (x + c2) / c3 -> 0 - (x % c3 + c2) / c3 if c3 > 0",

        // Choices.
        "select(x, y, z) - select(x, w, u) -> select(x, y - w, z - u)",
    };
    return rules;
}

} // namespace nestwright::arith
