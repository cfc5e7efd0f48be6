// SPDX-License-Identifier: Apache-2.0
/// What must hold of a reader whatever it reads: for tests over corpora and for fuzzers.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace nestwright::tests {

/// Reads `text` and gives what is wrong with how it went, or nothing. A text is either refused with one Diagnostic that
/// names its place, or read; and what is read of TVMScript can be printed and read again as the same. Nothing throws.
using ReaderCheck = std::string (*)(std::string_view text);

struct Reader {
    std::string_view name; ///< of its folder below tests/fuzz/corpus
    ReaderCheck check;
};

/// "tvmscript", "te", "schedule" (a schedule script on a matmul), "trace" (trace JSON on a matmul), "npy".
std::span<const Reader> readers();

/// The check of the reader of this name; aborts when there is none. Aborts the program with what is wrong, for fuzzers.
void checkOrAbort(std::string_view reader, std::string_view text);

} // namespace nestwright::tests
