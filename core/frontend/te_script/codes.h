// SPDX-License-Identifier: Apache-2.0
/// Codes of errors that control flow compares.
#pragma once

#include <string_view>

namespace nestwright::te::codes {

constexpr std::string_view unknownName = "te.unknown-name";
constexpr std::string_view unknownFunction = "te.unknown-function"; ///< of a module

} // namespace nestwright::te::codes
