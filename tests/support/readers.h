// SPDX-License-Identifier: Apache-2.0
/// Invariants of a reader: for tests over corpora and for fuzzers.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace nestwright::tests {

/// Reads `text` and gives the fault, or nothing. A text is either refused with one Diagnostic that names its
/// place, or read; and TVMScript that was read can be printed and read again as the same. Nothing throws.
using ReaderCheck = std::string (*)(std::string_view text);

struct Reader {
    std::string_view name; ///< of its folder below tests/fuzz/corpus
    ReaderCheck check;
};

std::string checkTvmScript(std::string_view text);
std::string checkTe(std::string_view text);
std::string checkSchedule(std::string_view text); ///< a schedule script, on a matmul
std::string checkTrace(std::string_view text);    ///< trace JSON, on a matmul
std::string checkNpy(std::string_view text);

/// All of them, as "tvmscript", "te", "schedule", "trace" and "npy".
std::span<const Reader> readers();

} // namespace nestwright::tests
