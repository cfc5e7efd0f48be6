// SPDX-License-Identifier: Apache-2.0
#include "core/session/model/like_kernels_text.h"

#include "core/measure/interval_json.h"
#include "core/measure/statistics.h"
#include "core/measure/worker/worker_protocol.h"
#include "core/process/error_json.h"
#include "core/session/reuse/transfer_text.h"
#include "core/support/text/json.h"
#include "core/support/text/seconds_text.h"
#include "core/support/text/text_table.h"

#include <algorithm>
#include <format>

namespace nestwright::session {

using support::Json;

std::string verdictOf(const LikeKernel &kernel)
{
    if (!kernel.run)
        return "does not fit";
    if (kernel.isAsItIs)
        return "scheduled so already";
    if (kernel.cell.why)
        return "failed";
    const measure::Speedup *speedup = kernel.cell.ratio();
    if (!speedup)
        return "fits";
    return std::string(measure::describe(measure::changeOf(*speedup)));
}

std::string timeText(const std::optional<measure::Measurement> &measurement)
{
    if (!measurement || !measurement->ok())
        return {};
    const measure::Interval &time = measurement->time;
    const support::TimeScale scale = support::timeScaleOf(time.median);
    return std::format("{} {} ({} … {})", scale.number(time.median), scale.unit, scale.number(time.low),
                       scale.number(time.high));
}

std::string summaryOf(const LikeKernels &found)
{
    std::string text = std::format("Fits {} of {} kernels", found.fitting(), found.kernels.size());
    std::string parts;
    for (const char *verdict : {"faster", "slower", "not significant", "scheduled so already", "failed"}) {
        const auto count = std::ranges::count(found.kernels, verdict, &verdictOf);
        if (count > 0)
            parts += std::format("{}{} on {}", parts.empty() ? ": " : ", ", verdict, count);
    }
    return text + parts + '.';
}

std::string printedTable(const LikeKernels &found, Keep keep)
{
    std::vector<std::vector<std::string>> rows{
        {"kernel", "nodes", "before", "with " + found.schedule, "speed-up", "", ""}};
    Reasons reasons;
    for (const bool fits : {true, false}) {
        for (const LikeKernel &kernel : found.kernels) {
            if (kernel.run.has_value() != fits)
                continue;
            const measure::Speedup *speedup = kernel.cell.ratio();
            std::string verdict = verdictOf(kernel);
            if (kernel.cell.why)
                verdict += std::format(" [{}]", reasons.place(reasonOf(kernel.cell)));
            else if (speedup && !speedup->significant)
                verdict.clear(); // the ratio says so
            rows.push_back({kernel.name, std::to_string(kernel.nodes), timeText(kernel.cell.base),
                            timeText(kernel.cell.scheduled), speedup ? ratioText(*speedup) : std::string(),
                            verdict, isKept(kernel, keep) ? "kept" : ""});
        }
    }
    return summaryOf(found) + "\n\n" + support::lineUp(rows) + reasons.text();
}

Json toJson(const LikeKernels &found, Keep keep)
{
    Json json{{"schedule", found.schedule}, {"kernels", Json::array()}};
    for (const LikeKernel &kernel : found.kernels) {
        Json entry{{"name", kernel.name},
                   {"nodes", kernel.nodes},
                   {"fits", kernel.run.has_value()},
                   {"verdict", verdictOf(kernel)},
                   {"kept", isKept(kernel, keep)}};
        if (const measure::Speedup *speedup = kernel.cell.ratio())
            entry["speedup"] = measure::toJson(*speedup);
        if (kernel.cell.why)
            entry["why"] = process::toJson(*kernel.cell.why);
        if (!kernel.cell.step.empty())
            entry["step"] = kernel.cell.step;
        if (kernel.cell.base)
            entry["before"] = measure::toJson(*kernel.cell.base);
        if (kernel.cell.scheduled)
            entry["after"] = measure::toJson(*kernel.cell.scheduled);
        json["kernels"].push_back(std::move(entry));
    }
    return json;
}

} // namespace nestwright::session
