// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/comparison_text.h"

#include "core/support/text/json.h"
#include "core/support/text/seconds_text.h"
#include "core/support/text/text_table.h"

#include <algorithm>
#include <format>
#include <iostream>

namespace nestwright::cli {

using explore::Comparison;
using explore::LoopPair;
using explore::LoopView;
using explore::Metric;

namespace {

std::string loopText(const LoopView *loop)
{
    if (!loop)
        return "–";
    return std::string(2 * static_cast<std::size_t>(loop->depth), ' ') + loop->name
           + (loop->kind.empty() ? "" : " " + loop->kind);
}

/// "512 → 256", "512" where both have the same; the better one of two has a star.
std::string cellOf(const explore::MetricPair &values, const LoopPair &loops)
{
    if (!loops.first || !loops.second)
        return loops.first ? values.firstText : values.secondText;
    if (values.isSame())
        return values.firstText;
    return values.firstText + (values.better < 0 ? "*" : "") + " → " + values.secondText
           + (values.better > 0 ? "*" : "");
}

/// "measured 4.10 ms", "not measured".
std::string measuredText(const std::optional<double> &seconds)
{
    return seconds ? "measured " + support::secondsText(*seconds) : std::string("not measured");
}

} // namespace

void showTable(const Comparison &comparison)
{
    std::vector<std::vector<std::string>> rows{{comparison.first.name, comparison.second.name}};
    const std::vector<const Metric *> shown = comparison.metrics();
    for (const Metric *metric : shown)
        rows.front().emplace_back(metric->title);
    for (const LoopPair &pair : comparison.pairs) {
        std::vector<std::string> row{loopText(comparison.first.loop(pair.first)),
                                     loopText(comparison.second.loop(pair.second))};
        for (const Metric *metric : shown)
            row.push_back(cellOf(comparison.metricPair(*metric, pair), pair));
        rows.push_back(std::move(row));
    }
    if (comparison.seconds.first || comparison.seconds.second)
        rows.push_back({measuredText(comparison.seconds.first), measuredText(comparison.seconds.second)});
    std::cout << support::lineUp(rows);
}

std::string sentence(std::string text)
{
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text + '.';
}

std::string speedupText(const measure::Speedup &speedup, const std::string &first, const std::string &second)
{
    return std::format("'{}' is {:.2f} times as fast as '{}' ({:.2f} to {:.2f}){}", second,
                       speedup.ratio.median, first, speedup.ratio.low, speedup.ratio.high,
                       speedup.significant ? "" : ", not significant");
}

} // namespace nestwright::cli
