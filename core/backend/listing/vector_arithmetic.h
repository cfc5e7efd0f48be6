// SPDX-License-Identifier: Apache-2.0
/// Arithmetic instructions in assembly.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace nestwright::backend {

struct Arithmetic {
    int lanes = 1;              ///< numbers that it computes at once
    bool isFloat = false;       ///< of floating point, not of integers in vector registers
    bool isMultiplyAdd = false; ///< two operations on each number, or more (a dot product)
    bool operator==(const Arithmetic &) const = default;
};

/// The name of an instruction and the rest of its line.
struct AssemblyWords {
    std::string_view mnemonic, operands;
};
/// Nothing for a name alone.
std::optional<AssemblyWords> wordsOf(std::string_view line);

/// Removes a prefix; false where it is not there.
bool takePrefix(std::string_view &text, std::string_view prefix);
/// The same of the first of `words` that is there.
bool takeOneOf(std::string_view &text, std::span<const std::string_view> words);
std::string_view takeDigits(std::string_view &text);

} // namespace nestwright::backend
