// SPDX-License-Identifier: Apache-2.0
/// Rules for differences.
#include "core/arith/rules/rule.h"

namespace nestwright::arith {

namespace {

constexpr std::string_view rules[] = {
    // Terms that cancel.
    "(x + y) - y; (y + x) - y -> x",
    "x - (y + x); x - (x + y) -> 0 - y",
    "min(x, y) - y; x - max(y, x) -> min(x - y, 0)",
    "x - max(x, y); min(y, x) - y -> min(0, x - y)",
    "max(x, y) - y; x - min(y, x) -> max(x - y, 0)",
    "x - min(x, y); max(y, x) - y -> max(0, x - y)",
    "x - x -> 0",
    "x * y - x; y * x - x -> (y - 1) * x",
    "x - y * x; x - x * y -> (1 - y) * x",
    "x * y - x * z; y * x - x * z; x * y - z * x; y * x - z * x -> (y - z) * x",
    "(x + c1) - c2 -> x + (c1 - c2)",
    "(c1 - x) - (c2 - y) -> (y - x) + (c1 - c2)",
    "(x + y) - (x + z); (x + y) - (z + x); (y + x) - (z + x); (y + x) - (x + z) -> y - z",

    // Minima and maxima.
    "min(x + y, z) - x; min(y + x, z) - x -> min(y, z - x)",
    "min(z, x + y) - x; min(z, y + x) - x -> min(z - x, y)",
    "max(x + y, z) - x; max(y + x, z) - x -> max(y, z - x)",
    "max(z, x + y) - x; max(z, y + x) - x -> max(z - x, y)",
    "x - min(x + y, z); x - min(y + x, z) -> max(0 - y, x - z)",
    "x - min(z, x + y); x - min(z, y + x) -> max(x - z, 0 - y)",
    "x - max(x + y, z); x - max(y + x, z) -> min(0 - y, x - z)",
    "x - max(z, x + y); x - max(z, y + x) -> min(x - z, 0 - y)",
    "min(x, y) - min(y, x) -> 0",
    "max(x, y) - max(y, x) -> 0",
    "min(x, y) - min(z, w); min(x, y) - min(w, z) -> x - z if (x - z) - (y - w) == 0",
    "max(x, y) - max(z, w); max(x, y) - max(w, z) -> x - z if (x - z) - (y - w) == 0",

    // Whole less quotient, rounded towards zero.
    "x - tdiv(x, c1) * c1 -> tmod(x, c1) if c1 != 0",
    "tdiv(x, c1) * c1 - x -> 0 - tmod(x, c1) if c1 != 0",
    "x - tdiv(x + y, c1) * c1 -> tmod(x + y, c1) - y if c1 != 0",
    "tdiv(x + y, c1) * c1 - x -> y - tmod(x + y, c1) if c1 != 0",
    "x - tdiv(x - y, c1) * c1 -> tmod(x - y, c1) + y if c1 != 0",
    "tdiv(x - y, c1) * c1 - x -> 0 - tmod(x - y, c1) - y if c1 != 0",
    "x * c2 - tdiv(x, c1) * c3 -> tmod(x, c1) * c2 if c1 != 0 && c3 == c1 * c2",
    "tdiv(x, c1) * c3 - x * c2 -> 0 - tmod(x, c1) * c2 if c1 != 0 && c3 == c1 * c2",
    "x * c2 - tdiv(x + y, c1) * c3 -> (tmod(x + y, c1) - y) * c2 if c1 != 0 && c3 == c1 * c2",
    "tdiv(x + y, c1) * c3 - x * c2 -> (y - tmod(x + y, c1)) * c2 if c1 != 0 && c3 == c1 * c2",
    "x * c2 - tdiv(x - y, c1) * c3 -> (tmod(x - y, c1) + y) * c2 if c1 != 0 && c3 == c1 * c2",
    "tdiv(x - y, c1) * c3 - x * c2 -> (0 - tmod(x - y, c1) - y) * c2 if c1 != 0 && c3 == c1 * c2",
    "tdiv(x + c1, c3) - tdiv(x + c2, c3) -> tdiv(tmod(x + c2 % c3, c3) + (c1 - c2), c3) if x >= "
    "0 - c2 && x >= 0 - c2 % c3 && c1 >= c2 && c3 > 0",
    "tdiv(x + c1, c3) - tdiv(x, c3) -> tdiv(tmod(x, c3) + c1, c3) if x >= 0 && c1 >= 0 && c3 > 0",

    // Whole less quotient, rounded towards minus infinity.
    "x - (x / c1) * c1 -> x % c1 if c1 != 0",
    "(x / c1) * c1 - x -> 0 - x % c1 if c1 != 0",
    "x - ((x + y) / c1) * c1 -> (x + y) % c1 - y if c1 != 0",
    "((x + y) / c1) * c1 - x -> y - (x + y) % c1 if c1 != 0",
    "x - ((x - y) / c1) * c1 -> (x - y) % c1 + y if c1 != 0",
    "((x - y) / c1) * c1 - x -> 0 - (x - y) % c1 - y if c1 != 0",
    "(x + c1) / 2 - (x + c2) / 2 => (x % 2) * (c1 % 2 - c2 % 2) + (c1 / 2 - c2 / 2)",
    "x / 2 - (x + c2) / 2 => (x % 2) * (0 - c2 % 2) - c2 / 2",
    "(x + c1) / 2 - x / 2 => (x % 2) * (c1 % 2) + c1 / 2",
    "x * c2 - (x / c1) * c3 -> (x % c1) * c2 if c1 != 0 && c3 == c1 * c2",
    "(x / c1) * c3 - x * c2 -> 0 - (x % c1) * c2 if c1 != 0 && c3 == c1 * c2",
    "x * c2 - ((x + y) / c1) * c3 -> ((x + y) % c1 - y) * c2 if c1 != 0 && c3 == c1 * c2",
    "((x + y) / c1) * c3 - x * c2 -> (y - (x + y) % c1) * c2 if c1 != 0 && c3 == c1 * c2",
    "x * c2 - ((x - y) / c1) * c3 -> ((x - y) % c1 + y) * c2 if c1 != 0 && c3 == c1 * c2",
    "((x - y) / c1) * c3 - x * c2 -> (0 - (x - y) % c1 - y) * c2 if c1 != 0 && c3 == c1 * c2",
    "(x + 1) / 2 - x % 2 => x / 2",
    "(x + c1) / c3 - (x + c2) / c3 -> ((x + c2 % c3) % c3 + (c1 - c2)) / c3 if c3 > 0",
    "(x + c1) / c3 - x / c3 -> (x % c3 + c1) / c3 if c3 > 0",

    // Sums instead of differences, constants last.
    "x - c1 -> x + (0 - c1)",
    "(x + c1) - y => (x - y) + c1",
    "x - (y + c1) => (x - y) + (0 - c1)",
    "x - (y - z) => (x + z) - y",
    "x - y * c1 => x + y * (0 - c1)",

    // Choices.
    "any select(x, y, z) - select(x, w, u) -> select(x, y - w, z - u)",
    "select(x, y, z) - z -> select(x, y - z, 0)",
    "select(x, y, z) - y -> select(x, 0, z - y)",
};

} // namespace

std::span<const std::string_view> subRules() { return rules; }

} // namespace nestwright::arith
