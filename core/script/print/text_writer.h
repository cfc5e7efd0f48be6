// SPDX-License-Identifier: Apache-2.0
/// Text that grows line by line and knows where it stands.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace nestwright::script {

class TextWriter {
public:
    /// Begins a line at the present indentation.
    void beginLine()
    {
        if (!m_text.empty()) {
            m_text += '\n';
            ++m_line;
            m_lineStart = m_text.size();
        }
        m_text.append(static_cast<std::size_t>(m_indent) * 4, ' ');
    }
    void blankLine()
    {
        m_text += '\n';
        ++m_line;
        m_lineStart = m_text.size();
    }
    TextWriter &operator<<(std::string_view text)
    {
        m_text += text;
        return *this;
    }

    int line() const { return m_line; }
    /// Column in characters, since a string on the line may hold some that take several bytes.
    int column() const
    {
        return static_cast<int>(
            std::count_if(m_text.begin() + static_cast<std::ptrdiff_t>(m_lineStart), m_text.end(),
                          [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
    }
    void indent(int levels) { m_indent += levels; }
    std::string take() { return std::move(m_text); }

private:
    std::string m_text;
    int m_line = 0;
    std::size_t m_lineStart = 0;
    int m_indent = 0;
};

} // namespace nestwright::script
