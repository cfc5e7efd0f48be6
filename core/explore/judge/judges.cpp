// SPDX-License-Identifier: Apache-2.0
#include "core/explore/judge/judges.h"

#include "core/interp/codes.h"
#include "core/measure/codes.h"
#include "core/support/errors/codes.h"
#include "core/support/errors/stop.h"
#include "core/support/phase.h"

#include <algorithm>
#include <array>
#include <format>
#include <utility>

namespace nestwright::explore {

using support::Diagnostic;
using support::Result;

namespace {

/// Whether it is the program that is wrong, and not that there is no time, memory or compiler for it.
bool isFaultOfProgram(const Diagnostic &reason)
{
    constexpr auto limits = std::to_array<std::string_view>(
        {interp::codes::stepLimit, interp::codes::memoryLimit, interp::codes::stopped,
         interp::codes::unsupported, interp::codes::unknownExtern, interp::codes::argument});
    if (std::ranges::contains(limits, reason.code))
        return false;
    const std::string_view family = support::familyOf(reason);
    return reason.code == measure::codes::wrongResult || reason.code == measure::codes::crash
           || family == "kernel" || family == "interp";
}

/// Throws where that is why there is no result.
void requireNotStopped(const Diagnostic &reason)
{
    support::checkStop();
    if (reason.code == support::codes::cancelled)
        throw support::Stopped();
}

} // namespace

Opinion opinionOf(const Result<void> &verified)
{
    if (verified)
        return {};
    requireNotStopped(verified.error());
    return {isFaultOfProgram(verified.error()) ? Judgement::Bad : Judgement::Unknown, verified.error()};
}

ProgramJudge judgeOfResults(measure::Measurer &measurer, measure::MeasureJob job, measure::Rung rung)
{
    return [&measurer, job = std::move(job), rung](const ir::Module &program, Round round) {
        measure::MeasureJob checked = job;
        checked.variants = {program};
        checked.seed += round == Round::Confirmation ? 1 : 0;
        auto results = measure::climb(measurer, checked, std::array{rung}, {}, support::currentStop());
        if (!results)
            return opinionOf(support::fail(std::move(results.error())));
        const auto &reason = results->front().reason;
        return opinionOf(reason ? Result<void>(support::fail(*reason)) : Result<void>());
    };
}

Timer timerOf(measure::Measurer &measurer, measure::MeasureJob job)
{
    return [&measurer, job = std::move(job)](std::vector<ir::Module> programs) {
        measure::MeasureJob timed = job;
        timed.variants = std::move(programs);
        timed.wantPeak = false;
        auto result = measurer.measure(
            timed,
            [](const measure::Progress &progress) {
                support::tellPhase(std::format("{:.0f} %, {}", progress.fraction * 100, progress.phase));
            },
            support::currentStop());
        if (!result)
            requireNotStopped(result.error());
        return result;
    };
}

} // namespace nestwright::explore
