// SPDX-License-Identifier: Apache-2.0
#include "core/support/text/line_difference.h"

#include "core/support/text/common_subsequence.h"

#include <algorithm>
#include <functional>
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

/// All lines of both texts; where some replaced others, those that went first.
std::vector<Line> mergedLines(const Lines &before, const Lines &after)
{
    constexpr int mostEdits = 2000; // Myers's search keeps 4 million numbers of them
    Numbering<std::string_view> number;
    const auto numbersOf = [&](const Lines &lines) {
        return lines | std::views::transform(std::ref(number)) | std::ranges::to<std::vector>();
    };
    std::vector<CommonElement> common = commonSubsequence(numbersOf(before), numbersOf(after), mostEdits);
    common.push_back({before.size(), after.size()});
    std::vector<Line> lines;
    std::size_t i = 0, j = 0;
    for (const CommonElement &next : common) {
        while (i < next.before)
            lines.push_back({'-', before[i++]});
        while (j < next.after)
            lines.push_back({'+', after[j++]});
        if (i < before.size() && j < after.size())
            lines.push_back({' ', before[i]});
        ++i;
        ++j;
    }
    return lines;
}

} // namespace

std::string lineDifference(std::string_view before, std::string_view after)
{
    constexpr std::size_t around = 2;
    const std::vector<Line> lines = mergedLines(linesOf(before), linesOf(after));
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
