// SPDX-License-Identifier: Apache-2.0
/// Codes of errors that control flow compares.
#pragma once

#include <string_view>

namespace nestwright::session::codes {

constexpr std::string_view notAKernel = "session.not-a-kernel";
constexpr std::string_view foreignEdit = "edited.foreign"; ///< nobody has agreed to run it
constexpr std::string_view openSizes = "model.open-sizes"; ///< symbolic dimensions have no value

} // namespace nestwright::session::codes
