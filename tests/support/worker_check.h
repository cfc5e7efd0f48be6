// SPDX-License-Identifier: Apache-2.0
/// What must hold of the reader of a worker's answers whatever it reads: for the test over the corpus and for the fuzzer.
#pragma once

#include <string>
#include <string_view>

namespace nestwright::tests {

/// Reads `text` as a measurement and gives what is wrong with how it went, or nothing: it is refused with a Diagnostic, or what is
/// read is written and read again as the same. Nothing throws.
std::string checkWorkerAnswer(std::string_view text);

} // namespace nestwright::tests
