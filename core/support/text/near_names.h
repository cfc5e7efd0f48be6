// SPDX-License-Identifier: Apache-2.0
/// Names that somebody may have meant who wrote another.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace nestwright::support {

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`, capitals counted as
/// small letters.
int editDistance(std::string_view a, std::string_view b);

/// "did you mean 'x' or 'y'?" where a name of `known` is near, else "there are 'a', 'b', …" (at most eight),
/// or "there are none".
std::string didYouMean(std::string_view name, std::span<const std::string_view> known);

} // namespace nestwright::support
