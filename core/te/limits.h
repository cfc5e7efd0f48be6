// SPDX-License-Identifier: Apache-2.0
/// How much a TE script may make while it is followed. Scripts of people stay far below; one above has a loop
/// that does not end, or is meant to exhaust memory, stack or time.
#pragma once

#include <cstdint>

namespace nestwright::te::limits {

constexpr std::int64_t steps = 50'000;        ///< statements and parts of expressions that are carried out
constexpr std::int64_t listItems = 100'000;   ///< of one list
constexpr std::int64_t textBytes = 1'000'000; ///< of one string
constexpr std::int64_t items =
    4'000'000;            ///< of all lists that are made or gone through together; 64 characters count as one
constexpr int calls = 50; ///< of the script's functions, within each other
constexpr int nesting = 2'000; ///< of expressions that are evaluated

/// Passes over an expression go as deep as it is nested, and meet a shared part as often as it is used: a sum
/// unrolled over thousands of elements, or a value squared fifty times, would exhaust stack or time.
constexpr int valueDepth = 1'000;
constexpr double valueParts = 100'000;
constexpr int sizeDepth = 100; ///< of the size of a dimension
constexpr double sizeParts = 1'000;

constexpr std::int64_t outputs = 256;                       ///< of one te.compute
constexpr std::int64_t reduceAxes = 64;                     ///< of one reduction
constexpr std::int64_t tensorBytes = std::int64_t{1} << 60; ///< of one tensor; more cannot be addressed

} // namespace nestwright::te::limits
