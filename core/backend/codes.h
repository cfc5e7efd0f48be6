// SPDX-License-Identifier: Apache-2.0
/// Codes of errors that control flow compares.
#pragma once

#include <string_view>

namespace nestwright::backend::codes {

constexpr std::string_view compilerFailed = "backend.compiler";
constexpr std::string_view noDevice = "device.none";
constexpr std::string_view kernelError = "kernel.error"; ///< the kernel returned a code other than 0

} // namespace nestwright::backend::codes
