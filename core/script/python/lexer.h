// SPDX-License-Identifier: Apache-2.0
/// Cutting a text into the tokens of the Python subset, indentation included.
#pragma once

#include "core/script/python/ast.h"
#include "core/support/errors/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace nestwright::script::py {

enum class TokenKind : std::uint8_t { Name, Int, Float, String, Operator, Newline, Indent, Dedent, End };

struct Token {
    TokenKind kind = TokenKind::End;
    Position at;
    Position end;
    std::string text; ///< name, operator, or the contents of a string
    std::int64_t integer = 0;
    double number = 0;
    bool wide = false;      ///< an integer in 2^63 … 2^64-1, kept as its bit pattern
    bool formatted = false; ///< an f-string
};

/// The token's name for a message: "'foo'", "the end of the line", "a number", …
std::string describe(const Token &token);

/// All tokens, the last one End. Errors have code "script.syntax" and their place.
support::Result<std::vector<Token>> tokenize(std::string_view text, const std::string &fileName);

} // namespace nestwright::script::py
