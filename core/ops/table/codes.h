// SPDX-License-Identifier: Apache-2.0
/// Codes of errors that control flow compares.
#pragma once

#include <string_view>

namespace nestwright::ops::codes {

constexpr std::string_view type = "ops.type"; ///< inputs do not fit the operator

} // namespace nestwright::ops::codes
