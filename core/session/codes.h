// SPDX-License-Identifier: Apache-2.0
/// Codes of errors that control flow compares.
#pragma once

#include <string_view>

namespace nestwright::session::codes {

constexpr std::string_view notAKernel = "session.not-a-kernel";
constexpr std::string_view foreignEdit = "edited.foreign"; ///< nobody has agreed to run it

} // namespace nestwright::session::codes
