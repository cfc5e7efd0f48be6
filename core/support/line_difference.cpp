// SPDX-License-Identifier: Apache-2.0
#include "core/support/line_difference.h"

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <vector>

namespace nestwright::support {

namespace {

using Lines = std::vector<std::string_view>;

struct Line {
    char mark; ///< '-', '+' or ' '
    std::string_view text;
};

Lines linesOf(std::string_view text)
{
    Lines lines;
    for (const auto line : std::views::split(text, '\n'))
        lines.emplace_back(line.begin(), line.end());
    if (!lines.empty() && lines.back().empty())
        lines.pop_back();
    return lines;
}

/// lengths[i][j]: of the longest common subsequence of before[i…] and after[j…].
std::vector<std::vector<std::uint32_t>> commonLengths(const Lines &before, const Lines &after)
{
    std::vector lengths(before.size() + 1, std::vector<std::uint32_t>(after.size() + 1));
    for (std::size_t i = before.size(); i-- > 0;) {
        for (std::size_t j = after.size(); j-- > 0;)
            lengths[i][j] = before[i] == after[j] ? lengths[i + 1][j + 1] + 1
                                                  : std::max(lengths[i + 1][j], lengths[i][j + 1]);
    }
    return lengths;
}

void addChanges(const Lines &before, const Lines &after, std::vector<Line> &result)
{
    constexpr std::size_t mostCells = 4'000'000;
    const bool compares = (before.size() + 1) * (after.size() + 1) <= mostCells;
    const auto lengths = compares ? commonLengths(before, after) : std::vector<std::vector<std::uint32_t>>();
    std::size_t i = 0, j = 0;
    while (i < before.size() || j < after.size()) {
        if (compares && i < before.size() && j < after.size() && before[i] == after[j]) {
            result.push_back({' ', before[i++]});
            ++j;
        } else if (i < before.size()
                   && (!compares || j == after.size() || lengths[i + 1][j] >= lengths[i][j + 1])) {
            result.push_back({'-', before[i++]});
        } else {
            result.push_back({'+', after[j++]});
        }
    }
}

} // namespace

std::string lineDifference(std::string_view before, std::string_view after)
{
    constexpr std::size_t around = 2;
    Lines a = linesOf(before), b = linesOf(after);
    std::size_t begin = 0, end = 0;
    const std::size_t least = std::min(a.size(), b.size());
    while (begin < least && a[begin] == b[begin])
        ++begin;
    while (end < least - begin && a[a.size() - 1 - end] == b[b.size() - 1 - end])
        ++end;
    std::vector<Line> lines;
    for (std::size_t i = 0; i < begin; ++i)
        lines.push_back({' ', a[i]});
    const auto inner = [&](const Lines &all) {
        return Lines(all.begin() + static_cast<std::ptrdiff_t>(begin),
                     all.end() - static_cast<std::ptrdiff_t>(end));
    };
    addChanges(inner(a), inner(b), lines);
    for (std::size_t i = a.size() - end; i < a.size(); ++i)
        lines.push_back({' ', a[i]});

    std::vector<bool> shown(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].mark == ' ')
            continue;
        const std::size_t last = std::min(lines.size() - 1, i + around);
        for (std::size_t near = i - std::min(i, around); near <= last; ++near)
            shown[near] = true;
    }
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (shown[i])
            text += std::string{lines[i].mark, ' '} + std::string(lines[i].text) + '\n';
        else if (i == 0 || shown[i - 1])
            text += "  …\n";
    }
    return text;
}

} // namespace nestwright::support
