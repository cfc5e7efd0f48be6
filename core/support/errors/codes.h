// SPDX-License-Identifier: Apache-2.0
/// Codes of errors that control flow compares.
#pragma once

#include <string_view>

namespace nestwright::support::codes {

constexpr std::string_view cancelled = "cancelled";
constexpr std::string_view fileChanged = "file.changed"; ///< another program has written the file since
constexpr std::string_view noFile = "open.no-file";
constexpr std::string_view tooDeep = "program.too-deep"; ///< the recursion over a program has no stack left
constexpr std::string_view noProgram = "process.none";   ///< to start

} // namespace nestwright::support::codes
