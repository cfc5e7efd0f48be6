// SPDX-License-Identifier: Apache-2.0
/// Codes of errors that control flow compares.
#pragma once

#include <string_view>

namespace nestwright::interp::codes {

constexpr std::string_view stepLimit = "interp.step-limit";
/// An operation that has no meaning for elements of a field.
constexpr std::string_view beyondField = "interp.beyond-field";

} // namespace nestwright::interp::codes
