// SPDX-License-Identifier: Apache-2.0
/// A place in a text that is cut into tokens, with its line and column.
#pragma once

#include "core/script/python/ast.h"
#include "core/script/python/characters.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <string_view>

namespace nestwright::script::py {

class Cursor {
public:
    Cursor(std::string_view text, const std::string &fileName) : m_text(text), m_file(fileName)
    {
        if (m_text.starts_with("\xEF\xBB\xBF"))
            m_next = m_lineStart = 3;
    }

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
        throw support::UserError(
            support::diagnostic("script.syntax", std::move(message)).at(m_file, at.line, at.column));
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

    std::size_t offset() const { return m_next; }
    void skip(std::size_t bytes = 1) { m_next += bytes; }
    /// The text from the present place on.
    std::string_view rest() const { return m_text.substr(std::min(m_next, m_text.size())); }
    std::string_view since(std::size_t offset) const { return m_text.substr(offset, m_next - offset); }

private:
    std::string_view m_text;
    const std::string &m_file;
    std::size_t m_next = 0;
    std::size_t m_lineStart = 0;
    std::size_t m_columnOffset = 0; ///< a place on the line whose column is known …
    int m_columnBase = 1;           ///< … to be this
    int m_line = 1;
};

} // namespace nestwright::script::py
