// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code/difference.h"

#include "core/support/text/common_subsequence.h"
#include "widgets/code/code_text.h"
#include "widgets/code/word_difference.h"

#include <QCoreApplication>
#include <QHashFunctions>

#include <algorithm>
#include <utility>

namespace nestwright::code {

namespace {

int mostEditsFor(int lines) { return std::clamp(4'000'000 / std::max(1, lines), 40, 1000); }

std::vector<int> numbersOf(const CodeText &text, support::Numbering<QStringView> &number)
{
    std::vector<int> numbers;
    numbers.reserve(static_cast<std::size_t>(text.lineCount()));
    for (int i = 0; i < text.lineCount(); ++i)
        numbers.push_back(number(text.line(i).trimmed()));
    return numbers;
}

std::vector<LinePair> pairsOf(const CodeText &older, const CodeText &newer)
{
    support::Numbering<QStringView> number;
    const std::vector<int> before = numbersOf(older, number), after = numbersOf(newer, number);
    std::vector<support::CommonElement> common =
        support::commonSubsequence(before, after, mostEditsFor(newer.lineCount()));
    common.push_back({before.size(), after.size()});
    std::vector<LinePair> pairs;
    int went = 0, came = 0;
    for (const support::CommonElement &next : common) {
        const int oldLine = static_cast<int>(next.before), newLine = static_cast<int>(next.after);
        while (went < oldLine || came < newLine)
            pairs.push_back({went < oldLine ? went++ : -1, came < newLine ? came++ : -1});
        if (oldLine < older.lineCount())
            pairs.push_back({went++, came++, true});
    }
    return pairs;
}

/// Puts lines of a text one below the other and remembers where they stand.
class Composer {
public:
    explicit Composer(const CodeText &text)
        : m_lines(text)
        , m_places(static_cast<std::size_t>(text.lineCount()), -1)
        , m_isFolded(m_places.size(), false)
    {
    }

    void add(Source &to, int line, LineMark mark, bool hasNumber = true)
    {
        if (line >= 0) {
            m_places[static_cast<std::size_t>(line)] = static_cast<int>(to.marks.size());
            to.text += m_lines.line(line);
        }
        to.text += u'\n';
        to.marks.push_back(mark);
        to.numbers.push_back(line >= 0 && hasNumber ? line + 1 : 0);
    }
    /// Adds one line that says how many lines stand there.
    void addFolded(Source &to, int line, int count)
    {
        for (int each = line; each < line + count; ++each) {
            m_places[static_cast<std::size_t>(each)] = static_cast<int>(to.marks.size());
            m_isFolded[static_cast<std::size_t>(each)] = true;
        }
        to.text +=
            QCoreApplication::translate("nestwright::code::Difference", "⋯ %1 lines are the same").arg(count)
            + u'\n';
        to.marks.push_back(LineMark::None);
        to.numbers.push_back(0);
    }
    /// Position of the line in the difference; -1 where it was left out.
    int place(int line) const
    {
        return line < 0 || line >= static_cast<int>(m_places.size())
                   ? -1
                   : m_places[static_cast<std::size_t>(line)];
    }
    /// The spans whose lines were added.
    void addSpans(Source &to, const std::vector<Span> &spans) const
    {
        for (Span span : spans) {
            span.firstLine = place(span.firstLine);
            span.lastLine = place(std::min(span.lastLine, m_lines.lineCount() - 1));
            if (span.firstLine >= 0 && span.lastLine >= 0)
                to.spans.push_back(span);
        }
    }
    /// The places within lines that were added.
    void addInks(Source &to, const Source &from) const
    {
        for (ColorSpan color : from.colors) {
            if (color.line = wholePlace(color.line); color.line >= 0)
                to.colors.push_back(color);
        }
        for (TextSpan words : from.emphasis) {
            if (words.line = wholePlace(words.line); words.line >= 0)
                to.emphasis.push_back(words);
        }
    }

private:
    /// Position of a line that is written out; else -1.
    int wholePlace(int line) const
    {
        const int found = place(line);
        return found < 0 || m_isFolded[static_cast<std::size_t>(line)] ? -1 : found;
    }

    const CodeText &m_lines;
    std::vector<int> m_places;
    std::vector<bool> m_isFolded;
};

Source beside(const Source &source, const CodeText &text, std::span<const LinePair> rows, int LinePair::*line,
              LineMark mark)
{
    Composer composer(text);
    Source result;
    result.language = source.language;
    for (const LinePair &row : rows) {
        if (row.folded > 0)
            composer.addFolded(result, row.*line, row.folded);
        else
            composer.add(result, row.*line,
                         row.isCommon    ? LineMark::None
                         : row.*line < 0 ? LineMark::Missing
                                         : mark);
    }
    composer.addSpans(result, source.spans);
    composer.addInks(result, source);
    return result;
}

Source merged(const Source &older, const CodeText &before, const Source &newer, const CodeText &after,
              std::span<const LinePair> rows)
{
    Composer went(before), came(after);
    Source result;
    result.language = newer.language;
    for (auto row = rows.begin(); row != rows.end();) {
        const auto end = std::find_if(row, rows.end(), [](const LinePair &each) { return each.isCommon; });
        for (auto each = row; each != end; ++each) {
            if (each->older >= 0)
                went.add(result, each->older, LineMark::Removed, false);
        }
        for (auto each = row; each != end; ++each) {
            if (each->newer >= 0)
                came.add(result, each->newer, LineMark::Added);
        }
        row = end;
        if (row == rows.end())
            continue;
        if (row->folded > 0)
            came.addFolded(result, row->newer, row->folded);
        else
            came.add(result, row->newer, LineMark::None);
        ++row;
    }
    came.addSpans(result, newer.spans);
    came.addInks(result, newer);
    went.addInks(result, older);
    return result;
}

} // namespace

Difference differenceOf(Source older, Source newer)
{
    const std::vector<LinePair> pairs = pairsOf(CodeText(older.text), CodeText(newer.text));
    return differenceOf(std::move(older), std::move(newer), pairs);
}

Difference differenceOf(Source older, Source newer, std::span<const LinePair> pairs)
{
    const CodeText before(older.text), after(newer.text);
    for (const LinePair &row : pairs) {
        if (row.isCommon || row.older < 0 || row.newer < 0)
            continue;
        const WordDifference words = differentWords(before.line(row.older), after.line(row.newer));
        for (const auto &[column, length] : words.older)
            older.emphasis.push_back({row.older, column, length});
        for (const auto &[column, length] : words.newer)
            newer.emphasis.push_back({row.newer, column, length});
    }
    return {merged(older, before, newer, after, pairs),
            beside(older, before, pairs, &LinePair::older, LineMark::Removed),
            beside(newer, after, pairs, &LinePair::newer, LineMark::Added)};
}

std::vector<LinePair> folded(std::span<const LinePair> pairs, int context)
{
    std::vector<LinePair> result;
    for (auto row = pairs.begin(); row != pairs.end();) {
        const auto end = std::find_if(row, pairs.end(), [](const LinePair &each) { return !each.isCommon; });
        const std::ptrdiff_t before = row == pairs.begin() ? 0 : context,
                             after = end == pairs.end() ? 0 : context;
        if (end - row > before + after + context) {
            result.insert(result.end(), row, row + before);
            LinePair fold = row[before];
            fold.folded = static_cast<int>(end - row - before - after);
            result.push_back(fold);
            row = end - after;
        }
        const auto next = end == pairs.end() ? end : end + 1;
        result.insert(result.end(), row, next);
        row = next;
    }
    return result;
}

std::vector<Change> changesOf(const Source &source)
{
    std::vector<Change> changes;
    for (int line = 0; line < static_cast<int>(source.marks.size()); ++line) {
        if (source.marks[static_cast<std::size_t>(line)] == LineMark::None)
            continue;
        if (changes.empty() || changes.back().last != line - 1)
            changes.push_back({line, line});
        changes.back().last = line;
    }
    return changes;
}

} // namespace nestwright::code
