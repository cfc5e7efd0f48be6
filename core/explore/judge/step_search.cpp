// SPDX-License-Identifier: Apache-2.0
#include "core/explore/judge/step_search.h"

#include "core/explore/judge/bisect.h"
#include "core/support/text/seconds_text.h"

#include <format>

namespace nestwright::explore {

using support::fail;
using support::Result;

namespace {

std::string listed(const std::vector<std::size_t> &numbers)
{
    std::string text;
    for (const std::size_t number : numbers)
        text += (text.empty() ? "" : ", ") + std::to_string(number);
    return text;
}

/// "step 4 of 9, reorder(k, j),"
std::string named(const StepPath &path, std::size_t good, std::size_t bad)
{
    if (bad == good + 1)
        return std::format("step {} of {}, {},", bad, path.size(), path.label(good));
    return std::format("one of the steps {} to {} of {}, {} to {},", good + 1, bad, path.size(),
                       path.label(good), path.label(bad - 1));
}

/// Adds the smallest list, or why there is none.
void addSmallest(FoundStep &found, const StepPath &path, const PathJudge &judge, SmallestOptions options)
{
    auto least = smallest(path.upTo(found.bad), judge, options);
    if (!least) {
        found.notes.push_back("there is no smaller list: " + least.error().message);
        return;
    }
    if (!least->isMinimal)
        found.notes.emplace_back("the time was over before the smallest list was found");
    found.smallest = std::move(*least);
}

Result<std::optional<FoundStep>> findWrong(const StepPath &path, measure::Measurer &measurer,
                                           const StepSearch &search)
{
    const ProgramJudge judge = judgeOfResults(measurer, search.job, search.rung);
    const auto turn = bisect(path.size(), [&](std::size_t position, Round round) {
        return judge(path.state(position).module, round);
    });
    if (!turn)
        return fail(turn.error());
    if (!*turn)
        return std::nullopt;
    FoundStep found{.good = (*turn)->good,
                    .bad = (*turn)->bad,
                    .sentence = named(path, (*turn)->good, (*turn)->bad) + " is at fault",
                    .detail = (*turn)->reason.message,
                    .judgements = (*turn)->judgements,
                    .isConfirmed = (*turn)->isConfirmed,
                    .isMonotone = (*turn)->isMonotone,
                    .unknown = (*turn)->unknown};
    if (!found.isConfirmed)
        found.notes.emplace_back("with other inputs the answer was another");
    if (!found.isMonotone)
        found.notes.emplace_back("results are wrong before that step, or right behind it: there are others");
    if (search.smallest)
        addSmallest(found, path,
                    [&](const StepPath &some) { return judge(some.end().module, Round::Search); },
                    {.limit = *search.smallest});
    return found;
}

/// Many pairs are measured one after the other.
measure::MeasureJob briefly(measure::MeasureJob job)
{
    job.secondsPerRepetition /= 2;
    job.secondsPerVariant /= 4;
    return job;
}

Result<std::optional<FoundStep>> findSlow(const StepPath &path, measure::Measurer &measurer,
                                          const StepSearch &search)
{
    const Timer timer = timerOf(measurer, search.job);
    const auto fall = findSlowdown(path, timer, search.worse);
    if (!fall)
        return fail(fall.error());
    if (!*fall)
        return std::nullopt;
    const Slowdown &slowdown = **fall;
    FoundStep found{
        .good = slowdown.good,
        .bad = slowdown.bad,
        .sentence = named(path, slowdown.good, slowdown.bad) + " lost the speed",
        .detail = std::format(
            "{} became {}, {:.2f} times as long as {}", support::secondsText(slowdown.bestTime.time.median),
            support::secondsText(slowdown.badTime.time.median), 1 / slowdown.ratio.ratio.median,
            slowdown.best == 0 ? "without a step" : "after step " + std::to_string(slowdown.best)),
        .judgements = slowdown.measured,
        .isMonotone = slowdown.regained.empty(),
        .unknown = slowdown.unknown};
    if (!found.isMonotone)
        found.notes.push_back("it was slower before, and later steps made up for it, after step "
                              + listed(slowdown.regained));
    if (search.smallest) {
        const Timer brief = timerOf(measurer, briefly(search.job));
        addSmallest(found, path,
                    [&](const StepPath &some) { return judgeLastStep(some, brief, search.worse); },
                    {.limit = *search.smallest, .kept = slowdown.bad - 1});
    }
    return found;
}

} // namespace

Result<std::optional<FoundStep>> findStep(const StepPath &path, measure::Measurer &measurer,
                                          const StepSearch &search)
{
    auto found = search.complaint == Complaint::Wrong ? findWrong(path, measurer, search)
                                                      : findSlow(path, measurer, search);
    if (found && *found && !(*found)->unknown.empty())
        (*found)->notes.push_back("there is no answer for the programs after step "
                                  + listed((*found)->unknown));
    return found;
}

} // namespace nestwright::explore
