// SPDX-License-Identifier: Apache-2.0
#include "core/script/python/lexer.h"

#include "core/script/python/literals.h"

#include <array>

namespace nestwright::script::py {

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

/// Cuts a text into tokens.
class Lexer {
public:
    Lexer(std::string_view text, const std::string &fileName) : m_cursor(text, fileName) {}

    std::vector<Token> run()
    {
        if (m_cursor.rest().size() > maxTextBytes)
            m_cursor.failAt(m_cursor.offset(), "the text has more than 64 MiB");
        while (!m_cursor.atEnd()) {
            if (m_atLineStart && m_brackets.empty())
                indentation();
            else
                token();
        }
        finish();
        return std::move(m_tokens);
    }

private:
    void skipComment()
    {
        while (!m_cursor.atLineEnd())
            m_cursor.skip();
    }

    void indentation()
    {
        int width = 0;
        for (;; m_cursor.skip()) {
            if (m_cursor.peek() == ' ')
                ++width;
            else if (m_cursor.peek() == '\t')
                width = (width / 8 + 1) * 8;
            else if (m_cursor.peek() == '\f')
                width = 0;
            else
                break;
        }
        if (m_cursor.peek() == '#')
            skipComment();
        if (m_cursor.atLineEnd()) { // an empty line says nothing about indentation
            if (!m_cursor.atEnd())
                m_cursor.newLine();
            return;
        }
        m_atLineStart = false;
        if (width > m_indents.back()) {
            if (m_indents.size() > maxIndentLevels)
                m_cursor.failAt(m_cursor.offset(), "blocks are nested too deeply: more than "
                                                       + std::to_string(maxIndentLevels) + " levels");
            m_indents.push_back(width);
            push(TokenKind::Indent, m_cursor.here());
        }
        while (width < m_indents.back()) {
            m_indents.pop_back();
            push(TokenKind::Dedent, m_cursor.here());
            if (width > m_indents.back())
                m_cursor.failAt(m_cursor.offset(), "this line is indented by " + std::to_string(width)
                                                       + " columns, which matches no block around it");
        }
    }

    void token()
    {
        const char c = m_cursor.peek();
        if (c == ' ' || c == '\t' || c == '\f') {
            m_cursor.skip();
        } else if (c == '#') {
            skipComment();
        } else if (c == '\n' || c == '\r') {
            if (m_brackets.empty()) {
                push(TokenKind::Newline, m_cursor.here());
                m_atLineStart = true;
            }
            m_cursor.newLine();
        } else if (c == '\\') {
            continuation();
        } else if (isStringStart(m_cursor)) {
            add(readString(m_cursor));
        } else if (isNameStart(c)) {
            name();
        } else if (isDigit(c) || (c == '.' && isDigit(m_cursor.peek(1)))) {
            add(readNumber(m_cursor));
        } else {
            operatorToken();
        }
    }

    void continuation()
    {
        const std::size_t backslash = m_cursor.offset();
        m_cursor.skip();
        if (m_cursor.peek() != '\n' && m_cursor.peek() != '\r')
            m_cursor.failAt(backslash, "a backslash may stand only at the end of a line");
        m_cursor.newLine();
    }

    void name()
    {
        const Position at = m_cursor.here();
        const std::size_t start = m_cursor.offset();
        while (isNamePart(m_cursor.peek()))
            m_cursor.skip();
        push(TokenKind::Name, at).text = m_cursor.since(start);
    }

    // Operators and brackets.

    void operatorToken()
    {
        const std::string_view rest = m_cursor.rest();
        std::string_view found;
        for (const std::string_view op : operators) {
            if (found.empty() && rest.starts_with(op))
                found = op;
        }
        if (found.empty() && singleOperators.contains(rest.front()))
            found = rest.substr(0, 1);
        if (found.empty())
            unknownCharacter();
        const Position at = m_cursor.here();
        bracket(found.front(), at);
        m_cursor.skip(found.size());
        push(TokenKind::Operator, at).text = found;
    }

    [[noreturn]] void unknownCharacter()
    {
        std::size_t length = 1;
        while (isContinuationByte(m_cursor.peek(length)))
            ++length;
        const auto byte = static_cast<unsigned char>(m_cursor.peek());
        if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && length == 1))
            m_cursor.failAt(m_cursor.offset(),
                            "found the byte " + std::to_string(byte) + ", which has no meaning here");
        m_cursor.failAt(m_cursor.offset(), "found the character '"
                                               + std::string(m_cursor.rest().substr(0, length))
                                               + "', which has no meaning here");
    }

    void bracket(char c, Position at)
    {
        if (c == '(' || c == '[' || c == '{') {
            m_brackets.emplace_back(c, at);
        } else if (c == ')' || c == ']' || c == '}') {
            const char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
            if (m_brackets.empty())
                m_cursor.failAt(at, std::string("found '") + c + "' without an opening '" + wanted + '\'');
            if (m_brackets.back().first != wanted)
                m_cursor.failAt(at, std::string("found '") + c + "', but the '" + m_brackets.back().first
                                        + "' of line " + std::to_string(m_brackets.back().second.line)
                                        + " is still open");
            m_brackets.pop_back();
        }
    }

    void finish()
    {
        if (!m_brackets.empty())
            m_cursor.failAt(m_brackets.back().second,
                            std::string("the '") + m_brackets.back().first + "' is never closed");
        const Position at = m_cursor.here();
        if (!m_atLineStart)
            push(TokenKind::Newline, at);
        for (; m_indents.size() > 1; m_indents.pop_back())
            push(TokenKind::Dedent, at);
        push(TokenKind::End, at);
    }

    /// A token from its place to the present one.
    Token &add(Token token)
    {
        token.end = m_cursor.here();
        return m_tokens.emplace_back(std::move(token));
    }
    Token &push(TokenKind kind, Position at)
    {
        Token token;
        token.kind = kind;
        token.at = at;
        return add(std::move(token));
    }

    Cursor m_cursor;
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
    } catch (const support::UserError &error) {
        return support::fail(error.diagnostic());
    }
}

} // namespace nestwright::script::py
