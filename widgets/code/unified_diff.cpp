// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code/unified_diff.h"

#include "core/support/common_subsequence.h"
#include "widgets/code/code_text.h"
#include "widgets/code/line_diff.h"

#include <QHashFunctions>

namespace nestwright::code {

namespace {

/// Puts lines one below the other, with their marks.
class Merged {
public:
    void add(QStringView line, LineMark mark)
    {
        m_text += line;
        m_text += u'\n';
        m_marks.push_back(mark);
    }
    int lineCount() const { return static_cast<int>(m_marks.size()); }
    QString takeText() { return std::move(m_text); }
    std::vector<LineMark> takeMarks() { return std::move(m_marks); }

private:
    QString m_text;
    std::vector<LineMark> m_marks;
};

std::vector<int> numbersOf(const CodeText &text, support::Numbering<QStringView> &number)
{
    std::vector<int> numbers;
    numbers.reserve(static_cast<std::size_t>(text.lineCount()));
    for (int i = 0; i < text.lineCount(); ++i)
        numbers.push_back(number(text.line(i).trimmed()));
    return numbers;
}

} // namespace

Source unified(Source newer, const QString &older)
{
    const CodeText before(older), after(newer.text);
    support::Numbering<QStringView> number;
    const std::vector<int> a = numbersOf(before, number), b = numbersOf(after, number);
    std::vector<support::CommonElement> common =
        support::commonSubsequence(a, b, mostEditsFor(after.lineCount()));
    common.push_back({a.size(), b.size()});
    Merged merged;
    std::vector<int> place; // of each line of the newer text
    int went = 0, came = 0;
    for (const auto &[oldLine, newLine] : common) {
        for (; went < static_cast<int>(oldLine); ++went)
            merged.add(before.line(went), LineMark::Removed);
        for (; came < static_cast<int>(newLine); ++came) {
            place.push_back(merged.lineCount());
            merged.add(after.line(came), LineMark::Added);
        }
        if (came == after.lineCount())
            break;
        place.push_back(merged.lineCount());
        merged.add(after.line(came++), LineMark::None);
        ++went;
    }
    const auto placeOf = [&place](int line) {
        return line < 0 || line >= static_cast<int>(place.size()) ? line
                                                                  : place[static_cast<std::size_t>(line)];
    };
    for (Span &span : newer.spans) {
        span.firstLine = placeOf(span.firstLine);
        span.lastLine = placeOf(span.lastLine);
    }
    for (ColorSpan &color : newer.colors)
        color.line = placeOf(color.line);
    newer.text = merged.takeText();
    newer.marks = merged.takeMarks();
    return newer;
}

} // namespace nestwright::code
