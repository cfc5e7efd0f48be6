// SPDX-License-Identifier: Apache-2.0
/// Codes of errors that control flow compares.
#pragma once

#include <string_view>

namespace nestwright::cli::codes {

constexpr std::string_view wrongResult = "verify.wrong-result";

} // namespace nestwright::cli::codes
