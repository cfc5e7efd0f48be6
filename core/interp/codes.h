// SPDX-License-Identifier: Apache-2.0
/// Codes of errors that control flow compares.
#pragma once

#include <string_view>

namespace nestwright::interp::codes {

constexpr std::string_view stepLimit = "interp.step-limit";
/// An operation that has no meaning for elements of a field.
constexpr std::string_view beyondField = "interp.beyond-field";
constexpr std::string_view argument = "interp.argument";
constexpr std::string_view memoryLimit = "interp.memory-limit";
constexpr std::string_view outOfBounds = "interp.out-of-bounds";
constexpr std::string_view race = "interp.race";
constexpr std::string_view stopped = "interp.stopped";
constexpr std::string_view unknownExtern = "interp.unknown-extern";
constexpr std::string_view unsupported = "interp.unsupported";
constexpr std::string_view unwritten = "interp.unwritten"; ///< memory is read that nobody has written

} // namespace nestwright::interp::codes
