// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code/code_text.h"

#include <algorithm>

namespace nestwright::code {

CodeText::CodeText(QString text) : m_text(std::move(text))
{
    if (m_text.contains(u'\r'))
        m_text.replace(QLatin1String("\r\n"), QLatin1String("\n")).replace(u'\r', u'\n');
    m_starts.reserve(static_cast<std::size_t>(m_text.size() / 24 + 2));
    m_starts.push_back(0);
    for (qsizetype at = m_text.indexOf(u'\n'); at >= 0; at = m_text.indexOf(u'\n', at + 1))
        m_starts.push_back(at + 1);
    if (m_starts.size() == 1 || m_starts.back() != m_text.size())
        m_starts.push_back(m_text.size() + 1); // as if the last line ended like the others
    for (int i = 0; i < lineCount(); ++i) {
        const QStringView shown = line(i);
        const qsizetype tabs = shown.count(u'\t');
        m_longest = std::max(m_longest, static_cast<int>(shown.size() + tabs * 7));
    }
}

QStringView CodeText::line(int index) const
{
    const qsizetype start = m_starts[static_cast<std::size_t>(index)];
    const qsizetype end = m_starts[static_cast<std::size_t>(index) + 1] - 1;
    return QStringView(m_text).mid(start, end - start);
}

Position CodeText::clamped(Position position) const
{
    const int line = std::clamp(position.line, 0, lineCount() - 1);
    return {line, std::clamp(position.column, 0, static_cast<int>(this->line(line).size()))};
}

Position CodeText::positionOf(qsizetype offset) const
{
    const auto after = std::upper_bound(m_starts.begin(), m_starts.end() - 1, offset);
    const auto line = std::max<qsizetype>(0, after - m_starts.begin() - 1);
    return clamped(
        {static_cast<int>(line), static_cast<int>(offset - m_starts[static_cast<std::size_t>(line)])});
}

qsizetype CodeText::offsetOf(Position position) const
{
    const Position inside = clamped(position);
    return m_starts[static_cast<std::size_t>(inside.line)] + inside.column;
}

} // namespace nestwright::code
