// SPDX-License-Identifier: Apache-2.0
/// The integer that has no opposite.
#pragma once

#include <cstdint>
#include <limits>

namespace nestwright::arith {

/// -2^63, which counts as too large wherever numbers are to be negated and divided freely.
inline constexpr std::int64_t lowestInteger = std::numeric_limits<std::int64_t>::min();

} // namespace nestwright::arith
