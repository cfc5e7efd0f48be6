// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code/line_diff.h"

#include "core/support/common_subsequence.h"
#include "widgets/code/code_text.h"

#include <QHashFunctions>

#include <algorithm>

namespace nestwright::code {

namespace {

/// Writes down a gap: old lines [oldFrom, oldTo) stand where new lines [newFrom, newTo) stand now.
void recordGap(LineDiff &diff, int oldFrom, int oldTo, int newFrom, int newTo)
{
    const int changed = std::min(oldTo - oldFrom, newTo - newFrom);
    for (int i = newFrom; i < newTo; ++i)
        diff.marks[static_cast<std::size_t>(i)] = i - newFrom < changed ? LineMark::Changed : LineMark::Added;
    if (oldTo - oldFrom > changed)
        diff.removed.push_back({newTo, oldFrom + changed, oldTo - oldFrom - changed});
}

} // namespace

int mostEditsFor(int lines) { return std::clamp(4'000'000 / std::max(1, lines), 40, 1000); }

bool LineDiff::isEmpty() const
{
    return removed.empty()
           && std::ranges::all_of(marks, [](LineMark mark) { return mark == LineMark::None; });
}

LineDiff diffLines(const CodeText &older, const CodeText &newer, int maxEdits)
{
    support::Numbering<QStringView> number;
    const auto numbersOf = [&number](const CodeText &text) {
        std::vector<int> numbers;
        numbers.reserve(static_cast<std::size_t>(text.lineCount()));
        for (int i = 0; i < text.lineCount(); ++i)
            numbers.push_back(number(text.line(i)));
        return numbers;
    };
    const std::vector<int> a = numbersOf(older), b = numbersOf(newer);
    LineDiff diff;
    diff.marks.assign(b.size(), LineMark::None);
    int oldAt = 0;
    int newAt = 0;
    for (const support::CommonElement &common : support::commonSubsequence(a, b, maxEdits)) {
        const int oldLine = static_cast<int>(common.before), newLine = static_cast<int>(common.after);
        recordGap(diff, oldAt, oldLine, newAt, newLine);
        oldAt = oldLine + 1;
        newAt = newLine + 1;
    }
    recordGap(diff, oldAt, static_cast<int>(a.size()), newAt, static_cast<int>(b.size()));
    return diff;
}

} // namespace nestwright::code
