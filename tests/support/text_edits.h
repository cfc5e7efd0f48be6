// SPDX-License-Identifier: Apache-2.0
/// Random edits of programs as text, for tests of what reads them.
#pragma once

#include "tests/support/random.h"

#include <string>
#include <string_view>
#include <vector>

namespace nestwright::tests {

/// Words and marks of a text; spaces and line ends are tokens of their own.
std::vector<std::string> tokensOf(std::string_view text);
std::string joined(const std::vector<std::string> &tokens);

/// Drops, doubles or swaps a token, or replaces it by one of `pool`, of a list of odd ones, or of the same
/// text.
void editToken(std::vector<std::string> &tokens, const std::vector<std::string> &pool, Random &random);

/// Drops, doubles or moves a line.
void editLine(std::string &text, Random &random);

/// A text with one or two of its words or numbers replaced by some of `pool`.
std::string withOtherWords(const std::string &text, const std::vector<std::string> &pool, Random &random);

/// A text with up to two tokens and a line edited.
std::string edited(std::string text, const std::vector<std::string> &pool, Random &random);

} // namespace nestwright::tests
