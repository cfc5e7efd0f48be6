// SPDX-License-Identifier: Apache-2.0
/// Rules for the strict order.
#include "core/arith/rules/rule.h"

namespace nestwright::arith {

std::span<const std::string_view> lessRules()
{
    static constexpr std::string_view rules[] = {
        // Common terms cancel.
        "x + y < x + z; x + y < z + x; y + x < x + z; y + x < z + x -> y < z",
        "y - x < z - x -> y < z",
        "x - y < x - z -> z < y",
        "x < x + z; x < z + x -> 0 < z",
        "x < x - z -> z < 0",
        "x * c1 < y * c1 -> x < y if c1 > 0",
        "x * c1 < y * c1 -> y < x if c1 < 0",

        // Products and quotients against constants.
        "x * c2 < c1 -> x < tdiv(c1 - 1, c2) + 1 if c1 > 0 && c2 > 0",
        "x * c2 < c1 -> x < tdiv(c1, c2) if c1 <= 0 && c2 > 0",
        "x * c2 < c1 -> tdiv(c1 - 1, c2) - 1 < x if c1 > 0 && c2 < 0",
        "x * c2 < c1 -> tdiv(c1, c2) < x if c1 <= 0 && c2 < 0",
        "c1 < x * c2 -> tdiv(c1 + 1, c2) - 1 < x if c1 < 0 && c2 > 0",
        "c1 < x * c2 -> tdiv(c1, c2) < x if c1 >= 0 && c2 > 0",
        "c1 < x * c2 -> x < tdiv(c1 + 1, c2) + 1 if c1 < 0 && c2 < 0",
        "c1 < x * c2 -> x < tdiv(c1, c2) if c1 >= 0 && c2 < 0",
        "tdiv(x, c1) < c2 -> x < c1 * c2 if c1 > 0 && c2 > 0",
        "tdiv(x, c1) < c2 -> x < c1 * (c2 - 1) + 1 if c1 > 0 && c2 <= 0",
        "c1 < tdiv(x, c2) -> (c1 + 1) * c2 - 1 < x if c1 >= 0 && c2 > 0",
        "c1 < tdiv(x, c2) -> c1 * c2 < x if c1 < 0 && c2 > 0",
        "tdiv(x, c1) * c1 < x -> 0 < tmod(x, c1) if c1 > 0",
        "tdiv(x, c1) * c1 < x + y -> 0 < tmod(x, c1) + y if c1 > 0",
        "tdiv(x, c1) * c1 < x - y -> y < tmod(x, c1) if c1 > 0",
        "tdiv(x + c2, c1) * c1 < x -> c2 < tmod(x + c2, c1) if c1 > 0",
        "tdiv(x + c2, c1) * c1 < x + y -> c2 < tmod(x + c2, c1) + y if c1 > 0",
        "tdiv(x + c2, c1) * c1 < x - y -> y < tmod(x + c2, c1) + (0 - c2) if c1 > 0",
        "x / c1 < c2 -> x < c1 * c2 if c1 > 0",
        "c1 < x / c2 -> (c1 + 1) * c2 - 1 < x if c2 > 0",
        "(x / c1) * c1 < x -> 0 < x % c1 if c1 > 0",
        "(x / c1) * c1 < x + y -> 0 < x % c1 + y if c1 > 0",
        "(x / c1) * c1 < x - y -> y < x % c1 if c1 > 0",
        "((x + c2) / c1) * c1 < x -> c2 < (x + c2) % c1 if c1 > 0",
        "((x + c2) / c1) * c1 < x + y -> c2 < (x + c2) % c1 + y if c1 > 0",
        "((x + c2) / c1) * c1 < x - y -> y < (x + c2) % c1 + (0 - c2) if c1 > 0",

        // Minima and maxima.
        "min(x, y) < z => x < z || y < z",
        "max(x, y) < z => x < z && y < z",
        "z < min(x, y) => z < x && z < y",
        "z < max(x, y) => z < x || z < y",

        // Constants to one side, variables to the other.
        "c1 < x + c2; c1 - x < c2 => c1 - c2 < x",
        "c1 < c2 - x; x + c1 < c2 => x < c2 - c1",
        "c1 < x - c2 => c1 + c2 < x",
        "x - c2 < c1 => x < c1 + c2",
        "x < c1 - y => x + y < c1",
        "c1 - y < x => c1 < x + y",
        "x < c1 + y => x - y < c1",
        "c1 + y < x => c1 < x - y",
    };
    return rules;
}

} // namespace nestwright::arith
