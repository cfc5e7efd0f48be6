// SPDX-License-Identifier: Apache-2.0
#include "core/script/python/literals.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace nestwright::script::py {

namespace {

/// A number, or a string, at the present place of the cursor.
class LiteralReader {
public:
    explicit LiteralReader(Cursor &cursor) : m_cursor(cursor) { m_token.at = cursor.here(); }

    Token number()
    {
        const char second = static_cast<char>(m_cursor.peek(1) | 0x20);
        if (m_cursor.peek() == '0' && (second == 'x' || second == 'b' || second == 'o')) {
            m_cursor.skip(2);
            integer(second == 'x' ? 16 : second == 'b' ? 2 : 8);
        } else {
            decimal();
        }
        if (isNamePart(m_cursor.peek()))
            m_cursor.failAt(m_token.at, "a number may not be followed directly by '"
                                            + std::string(1, m_cursor.peek()) + '\'');
        return std::move(m_token);
    }

    Token string()
    {
        m_token.kind = TokenKind::String;
        for (; m_cursor.peek() != '"' && m_cursor.peek() != '\''; m_cursor.skip()) {
            const char prefix = static_cast<char>(m_cursor.peek() | 0x20);
            m_isRaw = m_isRaw || prefix == 'r';
            m_token.formatted = m_token.formatted || prefix == 'f';
        }
        const char quote = m_cursor.peek();
        const bool triple = m_cursor.peek(1) == quote && m_cursor.peek(2) == quote;
        m_cursor.skip(triple ? 3 : 1);
        for (;;) {
            if (m_cursor.atEnd() || (!triple && m_cursor.atLineEnd()))
                m_cursor.failAt(m_token.at,
                                triple
                                    ? "the string in triple quotes is not closed before the end of the text"
                                    : "the string is not closed before the end of the line");
            if (m_cursor.peek() == quote
                && (!triple || (m_cursor.peek(1) == quote && m_cursor.peek(2) == quote)))
                break;
            character();
        }
        m_cursor.skip(triple ? 3 : 1);
        return std::move(m_token);
    }

private:
    char take()
    {
        const char c = m_cursor.peek();
        m_cursor.skip();
        return c;
    }

    // Numbers.

    void integer(int base)
    {
        std::string digits;
        const auto isDigitOf = [&](char c) { return digitValue(c) < base; };
        while (isDigitOf(m_cursor.peek()) || (m_cursor.peek() == '_' && isDigitOf(m_cursor.peek(1)))) {
            if (const char c = take(); c != '_')
                digits += c;
        }
        if (digits.empty())
            m_cursor.failAt(m_token.at, "expected digits of a number in base " + std::to_string(base));
        setInteger(digits, base);
    }

    void setInteger(const std::string &digits, int base)
    {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
        if (error != std::errc())
            m_cursor.failAt(m_token.at, "the integer does not fit in 64 bits");
        m_token.kind = TokenKind::Int;
        m_token.integer = static_cast<std::int64_t>(value);
        m_token.wide = value >> 63 != 0;
    }

    void digits(std::string &text)
    {
        while (isDigit(m_cursor.peek()) || (m_cursor.peek() == '_' && isDigit(m_cursor.peek(1)))) {
            if (const char c = take(); c != '_')
                text += c;
        }
    }

    void decimal()
    {
        std::string text;
        digits(text);
        bool isFloat = false;
        if (m_cursor.peek() == '.') {
            isFloat = true;
            text += take();
            digits(text);
        }
        if (m_cursor.peek() == 'e' || m_cursor.peek() == 'E') {
            const std::size_t sign = m_cursor.peek(1) == '+' || m_cursor.peek(1) == '-' ? 1 : 0;
            if (isDigit(m_cursor.peek(1 + sign))) {
                isFloat = true;
                text += m_cursor.rest().substr(0, 1 + sign);
                m_cursor.skip(1 + sign);
                digits(text);
            }
        }
        if (!isFloat)
            return setInteger(text, 10);
        m_token.kind = TokenKind::Float;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), m_token.number);
        if (error == std::errc::result_out_of_range) // Python gives infinity or zero too
            m_token.number = isGreat(text) ? std::numeric_limits<double>::infinity() : 0.0;
    }

    /// Whether a number that no double holds is too great, not too small: by the power of ten of its first
    /// digit that is none of 0. Not left to strtod, which takes the comma of some locales for the point.
    static bool isGreat(const std::string &text)
    {
        constexpr std::int64_t most = 1'000'000'000'000; // no text has so many digits
        const std::size_t end = std::min(text.find_first_of("eE"), text.size());
        const std::size_t point = std::min(text.find('.'), end), first = text.find_first_not_of("0.");
        std::int64_t power = 0;
        if (end < text.size()) {
            const std::size_t sign = text[end + 1] == '+' ? 2 : 1;
            const char *begin = text.data() + end + sign;
            if (std::from_chars(begin, text.data() + text.size(), power).ec != std::errc() || power > most)
                power = text[end + 1] == '-' ? -most : most;
        }
        return static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) + std::max(power, -most)
               > 0;
    }

    // Strings.

    void character()
    {
        if (m_cursor.peek() == '\n' || m_cursor.peek() == '\r') {
            m_token.text += '\n';
            m_cursor.newLine();
        } else if (m_cursor.peek() != '\\') {
            m_token.text += take();
        } else if (m_isRaw) {
            m_token.text += take();
            if (!m_cursor.atLineEnd())
                m_token.text += take();
        } else {
            escape();
        }
    }

    void escape()
    {
        std::string &text = m_token.text;
        const std::size_t start = m_cursor.offset();
        m_cursor.skip();
        if (m_cursor.atEnd())
            return;
        if (m_cursor.peek() == '\n' || m_cursor.peek() == '\r')
            return m_cursor.newLine();
        const char c = take();
        switch (c) {
        case 'n': text += '\n'; break;
        case 't': text += '\t'; break;
        case 'r': text += '\r'; break;
        case 'a': text += '\a'; break;
        case 'b': text += '\b'; break;
        case 'f': text += '\f'; break;
        case 'v': text += '\v'; break;
        case '\\':
        case '\'':
        case '"': text += c; break;
        case 'x': appendUtf8(text, hex(start, 2)); break;
        case 'u': appendUtf8(text, hex(start, 4)); break;
        case 'U': appendUtf8(text, std::min<std::uint32_t>(hex(start, 8), 0x10FFFF)); break;
        default:
            if (c >= '0' && c <= '7') {
                appendUtf8(text, octal(c));
            } else { // Python keeps an unknown escape as it is
                text += '\\';
                text += c;
            }
        }
    }

    std::uint32_t hex(std::size_t start, int count)
    {
        std::uint32_t value = 0;
        for (int i = 0; i < count; ++i) {
            const int digit = digitValue(m_cursor.peek());
            if (digit >= 16)
                m_cursor.failAt(start, "the escape needs " + std::to_string(count) + " hexadecimal digits");
            value = value * 16 + static_cast<std::uint32_t>(digit);
            m_cursor.skip();
        }
        return value;
    }

    std::uint32_t octal(char first)
    {
        auto value = static_cast<std::uint32_t>(first - '0');
        for (int i = 0; i < 2 && m_cursor.peek() >= '0' && m_cursor.peek() <= '7'; ++i)
            value = value * 8 + static_cast<std::uint32_t>(take() - '0');
        return value;
    }

    Cursor &m_cursor;
    Token m_token;
    bool m_isRaw = false;
};

} // namespace

Token readNumber(Cursor &cursor) { return LiteralReader(cursor).number(); }

bool isStringStart(const Cursor &cursor)
{
    std::size_t i = 0;
    while (i < 2 && std::string_view("rRbBfFuU").contains(cursor.peek(i)) && cursor.peek(i) != '\0')
        ++i;
    return cursor.peek(i) == '"' || cursor.peek(i) == '\'';
}

Token readString(Cursor &cursor) { return LiteralReader(cursor).string(); }

} // namespace nestwright::script::py
