// SPDX-License-Identifier: Apache-2.0
/// Codes of errors that control flow compares.
#pragma once

#include <string_view>

namespace nestwright::interp::codes {

constexpr std::string_view stepLimit = "interp.step-limit";

} // namespace nestwright::interp::codes
