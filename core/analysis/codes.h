// SPDX-License-Identifier: Apache-2.0
/// Codes of errors that control flow compares.
#pragma once

#include <string_view>

namespace nestwright::analysis::codes {

constexpr std::string_view outOfBounds = "analysis.out-of-bounds";
constexpr std::string_view parallelConflict = "analysis.parallel-conflict";
constexpr std::string_view unwritten = "analysis.unwritten"; ///< memory is read that nobody has written

} // namespace nestwright::analysis::codes
