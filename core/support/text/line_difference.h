// SPDX-License-Identifier: Apache-2.0
/// How one text became another, line by line.
#pragma once

#include <string>
#include <string_view>

namespace nestwright::support {

/// The lines of both texts: "- " before those that only `before` has, "+ " before those that only `after`
/// has, " " before the two around them that both have; " …" for others. The longest common subsequence stays;
/// of very long texts the common beginning and end.
std::string lineDifference(std::string_view before, std::string_view after);

} // namespace nestwright::support
