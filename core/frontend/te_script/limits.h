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

} // namespace nestwright::te::limits
