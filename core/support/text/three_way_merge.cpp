// SPDX-License-Identifier: Apache-2.0
#include "core/support/text/three_way_merge.h"

#include "core/support/text/common_subsequence.h"

#include <algorithm>
#include <functional>
#include <ranges>
#include <span>
#include <vector>

namespace nestwright::support {

namespace {

using TextLines = std::vector<std::string_view>;
using LineRun = std::span<const std::string_view>;

constexpr std::string_view beginMark = "<<<<<<< ", middleMark = "=======", endMark = ">>>>>>> ";

/// Each with the character that ends it, which the last may lack.
TextLines wholeLines(std::string_view text)
{
    TextLines lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

/// Maps each line of `base` to the line of a side that it stayed, and the end of `base` to the side's end.
class Counterparts {
public:
    Counterparts(std::span<const int> base, std::span<const int> side)
    {
        constexpr int mostChanges = 4000; // Myers's search keeps 16 million numbers of them
        m_of.resize(base.size() + 1);
        for (const CommonElement &common : commonSubsequence(base, side, mostChanges))
            m_of[common.before] = common.after;
        m_of.back() = side.size();
    }
    std::optional<std::size_t> operator[](std::size_t line) const { return m_of[line]; }

private:
    std::vector<std::optional<std::size_t>> m_of;
};

LineRun run(const TextLines &lines, std::size_t begin, std::size_t end)
{
    return LineRun(lines).subspan(begin, end - begin);
}

/// Writes the runs of lines between those that all three texts have.
class Merger {
public:
    explicit Merger(const MergeSides &sides) : m_sides(sides) {}

    void add(LineRun base, LineRun first, LineRun second)
    {
        if (std::ranges::equal(first, second) || std::ranges::equal(base, second))
            return add(first);
        if (std::ranges::equal(base, first))
            return add(second);
        ++m_merged.conflicts;
        mark(std::string(beginMark) + m_sides.first);
        add(first);
        mark(std::string(middleMark));
        add(second);
        mark(std::string(endMark) + m_sides.second);
    }
    MergedText take() { return std::move(m_merged); }

private:
    void add(LineRun lines)
    {
        for (const std::string_view line : lines)
            m_merged.text += line;
    }
    void mark(const std::string &line)
    {
        if (!m_merged.text.empty() && m_merged.text.back() != '\n')
            m_merged.text += '\n';
        m_merged.text += line + '\n';
    }

    const MergeSides &m_sides;
    MergedText m_merged;
};

} // namespace

MergedText mergeTexts(std::string_view base, std::string_view first, std::string_view second,
                      const MergeSides &sides)
{
    const TextLines baseLines = wholeLines(base), firstLines = wholeLines(first),
                    secondLines = wholeLines(second);
    Numbering<std::string_view> number;
    const auto numbersOf = [&](const TextLines &lines) {
        return lines | std::views::transform(std::ref(number)) | std::ranges::to<std::vector>();
    };
    const std::vector<int> baseNumbers = numbersOf(baseLines);
    const Counterparts inFirst(baseNumbers, numbersOf(firstLines)),
        inSecond(baseNumbers, numbersOf(secondLines));
    Merger merger(sides);
    std::size_t base0 = 0, first0 = 0, second0 = 0; // behind the last line that all three have
    for (std::size_t line = 0; line <= baseLines.size(); ++line) {
        if (!inFirst[line] || !inSecond[line])
            continue;
        const bool isEnd = line == baseLines.size();
        const std::size_t base1 = line, first1 = *inFirst[line], second1 = *inSecond[line];
        merger.add(run(baseLines, base0, base1), run(firstLines, first0, first1),
                   run(secondLines, second0, second1));
        if (!isEnd) {
            const LineRun same = run(baseLines, base1, base1 + 1);
            merger.add(same, same, same);
        }
        base0 = base1 + 1;
        first0 = first1 + 1;
        second0 = second1 + 1;
    }
    return merger.take();
}

namespace {

/// Calls `see` with the number of each line, from 1, that begins a conflict.
template <class See> void forEachConflict(std::string_view text, See see)
{
    int number = 0, begin = 0;
    bool hasMiddle = false;
    for (const auto part : std::views::split(text, '\n')) {
        const std::string_view line(part.begin(), part.end());
        ++number;
        if (line.starts_with(beginMark)) {
            begin = number;
            hasMiddle = false;
        } else if (begin > 0 && line == middleMark) {
            hasMiddle = true;
        } else if (begin > 0 && hasMiddle && line.starts_with(endMark)) {
            see(begin);
            begin = 0;
        }
    }
}

} // namespace

std::optional<int> conflictAt(std::string_view text)
{
    std::optional<int> first;
    forEachConflict(text, [&](int line) { first = first.value_or(line); });
    return first;
}

int conflictsIn(std::string_view text)
{
    int count = 0;
    forEachConflict(text, [&](int) { ++count; });
    return count;
}

} // namespace nestwright::support
