// SPDX-License-Identifier: Apache-2.0
/// The most that a file from outside may ask for, where several readers have the same bound. Limits of one
/// reader stand beside it: `script/python/token_stream.h` (nesting of Python), `te/limits.h` (TE scripts).
#pragma once

#include <cstddef>
#include <cstdint>

namespace nestwright::support::limits {

constexpr std::size_t textBytes = std::size_t{64} << 20;             ///< of a script, trace or session
constexpr int jsonDepth = 200;                                       ///< arrays and objects within each other
constexpr std::size_t tensorRank = 64;                               ///< as in NumPy
constexpr std::int64_t tensorElements = (std::int64_t{1} << 31) - 1; ///< more have no 32-bit index
constexpr double arrayBytes = 0x1p40; ///< of one array in memory; no machine here has more

} // namespace nestwright::support::limits
