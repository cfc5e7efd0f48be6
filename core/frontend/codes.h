// SPDX-License-Identifier: Apache-2.0
/// Codes of errors that control flow compares.
#pragma once

#include <string_view>

namespace nestwright::frontend::codes {

constexpr std::string_view openSizes = "model.open-sizes"; ///< symbolic dimensions have no value

} // namespace nestwright::frontend::codes
