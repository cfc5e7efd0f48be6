// SPDX-License-Identifier: Apache-2.0
#include "core/script/python_lexer.h"

#include "core/script/python_characters.h"
#include "core/support/errors.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace nestwright::script::py {

using support::diagnostic;
using support::UserError;

namespace {

constexpr std::size_t maxIndentLevels = 100;
constexpr std::size_t maxTextBytes = std::size_t{64} << 20;

// Longest first, so that the first match is the right one.
constexpr std::array<std::string_view, 44> operators{
    "**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->", "+=",
    "-=",  "*=",  "/=",  "%=",  "&=",  "|=", "^=", "@=", ":=", "+",  "-",  "*",  "/",  "%",  "@",
    "&",   "|",   "^",   "~",   "<",   ">",  "(",  ")",  "[",  "]",  "{",  "}",  ",",  ":",
};
constexpr std::string_view singleOperators = ".;=";

class Lexer {
public:
    Lexer(std::string_view text, const std::string &fileName) : m_text(text), m_file(fileName)
    {
        if (m_text.starts_with("\xEF\xBB\xBF"))
            m_next = m_lineStart = 3;
    }

    std::vector<Token> run()
    {
        if (m_text.size() > maxTextBytes)
            failAt(m_next, "the text has more than 64 MiB");
        while (m_next < m_text.size()) {
            if (m_atLineStart && m_brackets.empty())
                indentation();
            else
                token();
        }
        finish();
        return std::move(m_tokens);
    }

private:
    char peek(std::size_t ahead = 0) const
    {
        return m_next + ahead < m_text.size() ? m_text[m_next + ahead] : '\0';
    }
    bool atEnd() const { return m_next >= m_text.size(); }
    bool atLineEnd() const { return atEnd() || peek() == '\n' || peek() == '\r'; }

    Position positionOf(std::size_t offset) const
    {
        // Only ever asked for offsets on the current line.
        int column = 1;
        for (std::size_t i = std::max(m_lineStart, m_columnOffset); i < offset; ++i)
            column += isContinuationByte(m_text[i]) ? 0 : 1;
        if (m_columnOffset > m_lineStart)
            column += m_columnBase - 1;
        return {m_line, column};
    }

    /// Remembers the column of the present place, so that long lines cost linear time.
    Position here()
    {
        const Position position = positionOf(m_next);
        m_columnOffset = m_next;
        m_columnBase = position.column;
        return position;
    }

    [[noreturn]] void failAt(std::size_t offset, std::string message) const
    {
        failAt(positionOf(offset), std::move(message));
    }
    [[noreturn]] void failAt(Position at, std::string message) const
    {
        throw UserError(diagnostic("script.syntax", std::move(message)).at(m_file, at.line, at.column));
    }

    void newLine()
    {
        if (peek() == '\r' && peek(1) == '\n')
            ++m_next;
        ++m_next;
        ++m_line;
        m_lineStart = m_next;
        m_columnOffset = m_next;
        m_columnBase = 1;
    }

    void skipComment()
    {
        while (!atLineEnd())
            ++m_next;
    }

    void indentation()
    {
        int width = 0;
        for (;; ++m_next) {
            if (peek() == ' ')
                ++width;
            else if (peek() == '\t')
                width = (width / 8 + 1) * 8;
            else if (peek() == '\f')
                width = 0;
            else
                break;
        }
        if (peek() == '#')
            skipComment();
        if (atLineEnd()) { // an empty line says nothing about indentation
            if (!atEnd())
                newLine();
            return;
        }
        m_atLineStart = false;
        if (width > m_indents.back()) {
            if (m_indents.size() > maxIndentLevels)
                failAt(m_next, "blocks are nested too deeply: more than " + std::to_string(maxIndentLevels)
                                   + " levels");
            m_indents.push_back(width);
            push(TokenKind::Indent, here());
        }
        while (width < m_indents.back()) {
            m_indents.pop_back();
            push(TokenKind::Dedent, here());
            if (width > m_indents.back())
                failAt(m_next, "this line is indented by " + std::to_string(width)
                                   + " columns, which matches no block around it");
        }
    }

    void token()
    {
        const char c = peek();
        if (c == ' ' || c == '\t' || c == '\f') {
            ++m_next;
        } else if (c == '#') {
            skipComment();
        } else if (c == '\n' || c == '\r') {
            if (m_brackets.empty()) {
                push(TokenKind::Newline, here());
                m_atLineStart = true;
            }
            newLine();
        } else if (c == '\\') {
            continuation();
        } else if (isStringStart()) {
            string();
        } else if (isNameStart(c)) {
            name();
        } else if (isDigit(c) || (c == '.' && isDigit(peek(1)))) {
            number();
        } else {
            operatorToken();
        }
    }

    void continuation()
    {
        const std::size_t backslash = m_next++;
        if (peek() != '\n' && peek() != '\r')
            failAt(backslash, "a backslash may stand only at the end of a line");
        newLine();
    }

    void name()
    {
        const Position at = here();
        const std::size_t start = m_next;
        while (isNamePart(peek()))
            ++m_next;
        push(TokenKind::Name, at).text = m_text.substr(start, m_next - start);
    }

    // Numbers.

    void number()
    {
        const Position at = here();
        const char second = static_cast<char>(peek(1) | 0x20);
        if (peek() == '0' && (second == 'x' || second == 'b' || second == 'o')) {
            m_next += 2;
            integer(at, second == 'x' ? 16 : second == 'b' ? 2 : 8);
        } else {
            decimal(at);
        }
        if (isNamePart(peek()))
            failAt(at, "a number may not be followed directly by '" + std::string(1, peek()) + '\'');
    }

    void integer(Position at, int base)
    {
        std::string digits;
        while (digitValue(peek()) < base || (peek() == '_' && digitValue(peek(1)) < base)) {
            if (peek() != '_')
                digits += peek();
            ++m_next;
        }
        if (digits.empty())
            failAt(at, "expected digits of a number in base " + std::to_string(base));
        addInteger(at, digits, base);
    }

    void addInteger(Position at, const std::string &digits, int base)
    {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
        if (error != std::errc())
            failAt(at, "the integer does not fit in 64 bits");
        Token &token = push(TokenKind::Int, at);
        token.integer = static_cast<std::int64_t>(value);
        token.wide = value >> 63 != 0;
    }

    void digits(std::string &text)
    {
        while (isDigit(peek()) || (peek() == '_' && isDigit(peek(1)))) {
            if (peek() != '_')
                text += peek();
            ++m_next;
        }
    }

    void decimal(Position at)
    {
        std::string text;
        digits(text);
        bool isFloat = false;
        if (peek() == '.') {
            isFloat = true;
            text += '.';
            ++m_next;
            digits(text);
        }
        if (peek() == 'e' || peek() == 'E') {
            const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
            if (isDigit(peek(1 + sign))) {
                isFloat = true;
                text += m_text.substr(m_next, 1 + sign);
                m_next += 1 + sign;
                digits(text);
            }
        }
        if (!isFloat)
            return addInteger(at, text, 10);
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc::result_out_of_range) // Python gives infinity or zero too
            value = std::strtod(text.c_str(), nullptr);
        push(TokenKind::Float, at).number = value;
    }

    // Strings.

    bool isStringStart() const
    {
        std::size_t i = 0;
        while (i < 2 && std::string_view("rRbBfFuU").contains(peek(i)) && peek(i) != '\0')
            ++i;
        return peek(i) == '"' || peek(i) == '\'';
    }

    void string()
    {
        const Position at = here();
        bool raw = false, formatted = false;
        for (; peek() != '"' && peek() != '\''; ++m_next) {
            const char prefix = static_cast<char>(peek() | 0x20);
            raw = raw || prefix == 'r';
            formatted = formatted || prefix == 'f';
        }
        const char quote = peek();
        const bool triple = peek(1) == quote && peek(2) == quote;
        m_next += triple ? 3 : 1;
        std::string value;
        for (;;) {
            if (atEnd() || (!triple && atLineEnd()))
                failAt(at, triple ? "the string in triple quotes is not closed before the end of the text"
                                  : "the string is not closed before the end of the line");
            if (peek() == quote && (!triple || (peek(1) == quote && peek(2) == quote)))
                break;
            character(value, raw);
        }
        m_next += triple ? 3 : 1;
        Token &token = push(TokenKind::String, at);
        token.text = std::move(value);
        token.formatted = formatted;
    }

    void character(std::string &value, bool raw)
    {
        if (peek() == '\n' || peek() == '\r') {
            value += '\n';
            newLine();
        } else if (peek() != '\\') {
            value += peek();
            ++m_next;
        } else if (raw) {
            value += '\\';
            ++m_next;
            if (!atLineEnd()) {
                value += peek();
                ++m_next;
            }
        } else {
            escape(value);
        }
    }

    void escape(std::string &value)
    {
        const std::size_t start = m_next++;
        if (atEnd())
            return;
        const char c = peek();
        if (c == '\n' || c == '\r')
            return newLine();
        ++m_next;
        switch (c) {
        case 'n': value += '\n'; break;
        case 't': value += '\t'; break;
        case 'r': value += '\r'; break;
        case 'a': value += '\a'; break;
        case 'b': value += '\b'; break;
        case 'f': value += '\f'; break;
        case 'v': value += '\v'; break;
        case '\\':
        case '\'':
        case '"': value += c; break;
        case 'x': appendUtf8(value, hex(start, 2)); break;
        case 'u': appendUtf8(value, hex(start, 4)); break;
        case 'U': appendUtf8(value, std::min<std::uint32_t>(hex(start, 8), 0x10FFFF)); break;
        default:
            if (c >= '0' && c <= '7') {
                appendUtf8(value, octal(c));
            } else { // Python keeps an unknown escape as it is
                value += '\\';
                value += c;
            }
        }
    }

    std::uint32_t hex(std::size_t start, int count)
    {
        std::uint32_t value = 0;
        for (int i = 0; i < count; ++i) {
            const int digit = digitValue(peek());
            if (digit >= 16)
                failAt(start, "the escape needs " + std::to_string(count) + " hexadecimal digits");
            value = value * 16 + static_cast<std::uint32_t>(digit);
            ++m_next;
        }
        return value;
    }

    std::uint32_t octal(char first)
    {
        auto value = static_cast<std::uint32_t>(first - '0');
        for (int i = 0; i < 2 && peek() >= '0' && peek() <= '7'; ++i) {
            value = value * 8 + static_cast<std::uint32_t>(peek() - '0');
            ++m_next;
        }
        return value;
    }

    // Operators and brackets.

    void operatorToken()
    {
        const std::string_view rest = m_text.substr(m_next);
        std::string_view found;
        for (const std::string_view op : operators) {
            if (found.empty() && rest.starts_with(op))
                found = op;
        }
        if (found.empty() && singleOperators.contains(rest.front()))
            found = rest.substr(0, 1);
        if (found.empty())
            unknownCharacter();
        const Position at = here();
        bracket(found.front(), at);
        m_next += found.size();
        push(TokenKind::Operator, at).text = found;
    }

    [[noreturn]] void unknownCharacter()
    {
        std::size_t length = 1;
        while (isContinuationByte(peek(length)))
            ++length;
        const auto byte = static_cast<unsigned char>(peek());
        if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && length == 1))
            failAt(m_next, "found the byte " + std::to_string(byte) + ", which has no meaning here");
        failAt(m_next, "found the character '" + std::string(m_text.substr(m_next, length))
                           + "', which has no meaning here");
    }

    void bracket(char c, Position at)
    {
        if (c == '(' || c == '[' || c == '{') {
            m_brackets.emplace_back(c, at);
        } else if (c == ')' || c == ']' || c == '}') {
            const char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
            if (m_brackets.empty())
                failAt(at, std::string("found '") + c + "' without an opening '" + wanted + '\'');
            if (m_brackets.back().first != wanted)
                failAt(at, std::string("found '") + c + "', but the '" + m_brackets.back().first
                               + "' of line " + std::to_string(m_brackets.back().second.line)
                               + " is still open");
            m_brackets.pop_back();
        }
    }

    void finish()
    {
        if (!m_brackets.empty())
            failAt(m_brackets.back().second,
                   std::string("the '") + m_brackets.back().first + "' is never closed");
        const Position at = here();
        if (!m_atLineStart)
            push(TokenKind::Newline, at);
        for (; m_indents.size() > 1; m_indents.pop_back())
            push(TokenKind::Dedent, at);
        push(TokenKind::End, at);
    }

    /// A token from `at` to the present place.
    Token &push(TokenKind kind, Position at)
    {
        Token &token = m_tokens.emplace_back();
        token.kind = kind;
        token.at = at;
        token.end = here();
        return token;
    }

    std::string_view m_text;
    const std::string &m_file;
    std::size_t m_next = 0;
    std::size_t m_lineStart = 0;
    std::size_t m_columnOffset = 0; ///< a place on the line whose column is known …
    int m_columnBase = 1;           ///< … to be this
    int m_line = 1;
    bool m_atLineStart = true;
    std::vector<int> m_indents{0};
    std::vector<std::pair<char, Position>> m_brackets;
    std::vector<Token> m_tokens;
};

} // namespace

std::string describe(const Token &token)
{
    switch (token.kind) {
    case TokenKind::Name:
    case TokenKind::Operator: return '\'' + token.text + '\'';
    case TokenKind::Int: return token.wide ? "a number" : '\'' + std::to_string(token.integer) + '\'';
    case TokenKind::Float: return "a number";
    case TokenKind::String: return "a string";
    case TokenKind::Newline: return "the end of the line";
    case TokenKind::Indent: return "an indented line";
    case TokenKind::Dedent: return "the end of the block";
    case TokenKind::End: return "the end of the text";
    }
    return {};
}

support::Result<std::vector<Token>> tokenize(std::string_view text, const std::string &fileName)
{
    try {
        return Lexer(text, fileName).run();
    } catch (const UserError &error) {
        return support::fail(error.diagnostic());
    }
}

} // namespace nestwright::script::py
