// SPDX-License-Identifier: Apache-2.0
/// Invariants of reading and importing any bytes as a model: for tests over a corpus and for a fuzzer.
#pragma once

#include <string>
#include <string_view>

namespace nestwright::tests {

/// "" when the bytes are refused with one Diagnostic, or give a graph that is well-formed before and after
/// fusion; else the fault. Sizes that the model leaves open are taken as 2. Nothing throws.
std::string checkModel(std::string_view bytes);

} // namespace nestwright::tests
