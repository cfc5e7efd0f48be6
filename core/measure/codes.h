// SPDX-License-Identifier: Apache-2.0
/// Codes of errors that control flow compares.
#pragma once

#include <string_view>

namespace nestwright::measure::codes {

constexpr std::string_view crash = "worker.crash";             ///< of the process that runs a kernel
constexpr std::string_view editedCode = "measure.edited-code"; ///< there is no way to check it so
constexpr std::string_view file = "measure.file";
constexpr std::string_view load = "measure.load";
constexpr std::string_view memory = "measure.memory";
constexpr std::string_view timeOut = "worker.time-out";
constexpr std::string_view tooLarge = "measure.too-large";
constexpr std::string_view untold = "measure.untold";  ///< no inputs tell a right result from a wrong one
constexpr std::string_view workerDied = "worker.died"; ///< it runs no kernel: no fault of a variant's
constexpr std::string_view wrongResult = "measure.wrong-result";
constexpr std::string_view tooSlow = "verify.too-slow"; ///< the interpreter would take hours

} // namespace nestwright::measure::codes
