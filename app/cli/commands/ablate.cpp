// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/path_options.h"
#include "core/explore/judge/ablation.h"
#include "core/measure/machine/other_load.h"
#include "core/measure/statistics.h"
#include "core/support/text/json_output.h"
#include "core/support/text/seconds_text.h"
#include "core/workbench/answers/step_answers.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <format>
#include <iostream>

namespace nestwright::cli {

using explore::Ablation;
using explore::AblationMode;
using explore::Contribution;

namespace {

struct AblateOptions : PathOptions {
    bool removed = false, asJson = false;
    int repetitions = 5;
};

constexpr std::size_t waterfallColumns = 24, widestStep = 56;

/// Positions of times between the slowest and the fastest on a logarithmic scale.
class WaterfallText {
public:
    explicit WaterfallText(const Ablation &ablation)
    {
        take(ablation.first);
        take(ablation.last);
        for (const Contribution &step : ablation.steps) {
            take(step.without);
            take(step.with);
        }
    }

    /// "        >>>>            ": from the time without the step to that with it; dots where the difference
    /// is not significant.
    std::string barOf(const Contribution &step) const
    {
        std::string bar(waterfallColumns, ' ');
        if (!step.gain)
            return bar;
        const std::size_t from = column(step.without.median), to = column(step.with.median);
        const measure::Change change = measure::changeOf(*step.gain);
        const char mark = change == measure::Change::NotSignificant ? '.'
                          : change == measure::Change::Faster       ? '>'
                                                                    : '<';
        std::fill(bar.begin() + static_cast<std::ptrdiff_t>(std::min(from, to)),
                  bar.begin() + static_cast<std::ptrdiff_t>(std::max(from, to)) + 1, mark);
        return bar;
    }

private:
    void take(const measure::Interval &time)
    {
        if (time.median <= 0)
            return;
        m_slowest = std::max(m_slowest, time.median);
        m_fastest = m_fastest > 0 ? std::min(m_fastest, time.median) : time.median;
    }
    std::size_t column(double seconds) const
    {
        const double span = std::log(m_slowest / m_fastest);
        const double share = span > 0 ? std::log(m_slowest / seconds) / span : 0;
        return static_cast<std::size_t>(std::lround(share * (waterfallColumns - 1)));
    }

    double m_slowest = 0, m_fastest = 0;
};

/// Cut short in the middle.
std::string shortened(const std::string &label)
{
    if (label.size() <= widestStep)
        return label;
    const std::size_t half = (widestStep - 3) / 2;
    return label.substr(0, half) + "..." + label.substr(label.size() - half);
}

/// "1.52x", and below that the interval.
std::string gainText(const Contribution &step)
{
    if (step.isSame)
        return "the program is the same without it";
    if (step.failure)
        return step.failure->message;
    if (!step.gain)
        return "the first that could be measured";
    const measure::Interval &ratio = step.gain->ratio;
    return std::format("{:>7.3g}x {:>17}{}", ratio.median,
                       std::format("{:.3g} .. {:.3g}", ratio.low, ratio.high),
                       step.gain->significant ? "" : "  not significant");
}

std::string cumulatedText(const Ablation &ablation, const Contribution &step)
{
    return ablation.mode == AblationMode::Added && ablation.first.median > 0 && step.with.median > 0
               ? std::format("{:.3g}x", ablation.first.median / step.with.median)
               : "";
}

void show(const Ablation &ablation)
{
    const bool isAdded = ablation.mode == AblationMode::Added;
    const WaterfallText waterfall(ablation);
    const auto line = [](std::string_view number, std::string_view label, std::string_view time,
                         std::string_view sum, std::string_view bar, std::string_view gain) {
        std::cout << std::format("{:>3}  {:<{}} {:>10} {:>9}  {:<{}}  {}\n", number, label, widestStep, time,
                                 sum, bar, waterfallColumns, gain);
    };
    line("", "step", isAdded ? "time" : "without", isAdded ? "cumulated" : "", "slow            to  fast",
         "times as fast with it, 95 % interval");
    if (isAdded)
        line("", "unscheduled", ablation.first.median > 0 ? support::secondsText(ablation.first.median) : "-",
             ablation.first.median > 0 ? "1x" : "", "", "");
    for (const Contribution &step : ablation.steps) {
        const double shown = isAdded ? step.with.median : step.without.median;
        line(std::to_string(step.place + 1), shortened(step.label),
             shown > 0 ? support::secondsText(shown) : "-", cumulatedText(ablation, step),
             waterfall.barOf(step), gainText(step));
        if (const std::string others = explore::othersText(step, ablation.mode); !others.empty())
            std::cout << "       " << others << '\n';
    }
    if (!isAdded)
        line("", "all steps", support::secondsText(ablation.last.median), "", "", "");
    std::cout << std::format("{} programs were measured\n", ablation.measured);
    if (ablation.disturbed)
        std::cerr << "note: " << measure::disturbance(ablation.otherLoad) << '\n';
}

int ablate(const AblateOptions &options)
{
    auto job = options.job();
    if (!job)
        return report(job.error());
    const auto written = opener().loadWritten(options.module, options.schedule);
    if (!written)
        return report(written.error());
    job->repetitions = options.repetitions;
    measure::Measurer measurer;
    const explore::Timer timer = explore::timerOf(measurer, explore::ablationJob(std::move(*job)));
    const auto ablation = [&] {
        const ShownPhases phases;
        return explore::ablate(written->path, timer,
                               options.removed ? AblationMode::Removed : AblationMode::Added);
    }();
    if (!ablation)
        return report(ablation.error());
    if (options.asJson)
        std::cout << support::jsonText(workbench::toJson(*written, *ablation), 2) << '\n';
    else
        show(*ablation);
    return Done;
}

} // namespace

std::function<int()> declareAblate(CLI::App &app)
{
    auto options = std::make_shared<AblateOptions>();
    options->addModuleAndSchedule(app);
    app.add_flag("--removed", options->removed,
                 "leave each step out of the whole schedule, and with it those that need it; else the steps "
                 "are added one by one");
    app.add_option("--repetitions", options->repetitions,
                   "timed rounds of each program, which stands twice in a round")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    options->addRun(app);
    app.add_flag("--json", options->asJson, "print it as JSON");
    return [options] { return ablate(*options); };
}

} // namespace nestwright::cli
