// SPDX-License-Identifier: Apache-2.0
#include "core/codegen/code_writer.h"

#include <algorithm>
#include <tuple>

namespace nestwright::codegen {

void CodeWriter::line(std::string_view text)
{
    if (!text.starts_with('#'))
        m_text.append(static_cast<std::size_t>(m_depth) * 4, ' ');
    m_text += text;
    m_text += '\n';
    ++m_lines;
}

void CodeWriter::blank()
{
    m_text += '\n';
    ++m_lines;
}

void CodeWriter::begin(ir::StmtId stmt) { m_open.push_back({stmt, m_lines}); }

void CodeWriter::end(ir::StmtId stmt)
{
    const Open open = m_open.back();
    m_open.pop_back();
    if (stmt && open.line < m_lines)
        m_spans.push_back({stmt, open.line, m_lines - 1});
}

void CodeWriter::append(const CodeWriter &other)
{
    for (script::LineSpan span : other.m_spans) {
        span.firstLine += m_lines;
        span.lastLine += m_lines;
        m_spans.push_back(span);
    }
    m_text += other.m_text;
    m_lines += other.m_lines;
}

std::vector<script::LineSpan> CodeWriter::spans() const
{
    std::vector<script::LineSpan> sorted = m_spans;
    // An enclosing statement comes before those inside it.
    std::ranges::sort(sorted, {}, [](const script::LineSpan &span) {
        return std::tuple(span.firstLine, -span.lastLine, span.stmt);
    });
    return sorted;
}

} // namespace nestwright::codegen
