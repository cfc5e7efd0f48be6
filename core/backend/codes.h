// SPDX-License-Identifier: Apache-2.0
/// Codes of errors that control flow compares.
#pragma once

#include <string_view>

namespace nestwright::backend::codes {

constexpr std::string_view compilerFailed = "backend.compiler";
constexpr std::string_view noDevice = "device.none";
constexpr std::string_view kernelError = "kernel.error";       ///< the kernel returned a code other than 0
constexpr std::string_view noCompiler = "backend.no-compiler"; ///< of C
constexpr std::string_view noCudaCompiler = "cuda.no-compiler";
constexpr std::string_view notBuilt = "backend.not-built";            ///< into this program
constexpr std::string_view unknownArchitecture = "cuda.architecture"; ///< to the compiler

} // namespace nestwright::backend::codes
