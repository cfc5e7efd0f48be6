// SPDX-License-Identifier: Apache-2.0
/// How large tensor expressions may be. Those of people stay far below.
#pragma once

#include <cstdint>

namespace nestwright::te::limits {

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
