// SPDX-License-Identifier: Apache-2.0
/// Codes of errors that control flow compares.
#pragma once

#include <string_view>

namespace nestwright::codegen::codes {

constexpr std::string_view unsupported = "backend.unsupported"; ///< the target has nothing for this construct

} // namespace nestwright::codegen::codes
