// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/path_options.h"
#include "core/explore/judge/step_search.h"
#include "core/explore/judge/wrong_pass.h"
#include "core/lower/pipeline.h"
#include "core/measure/measurer.h"
#include "core/schedule/script/writer.h"
#include "core/support/text/json_output.h"
#include "core/workbench/answers/step_answers.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <format>
#include <iostream>

namespace nestwright::cli {

using explore::Complaint;
using explore::FoundStep;
using support::Result;

namespace {

struct BisectOptions : PathOptions {
    bool slow = false, passes = false, interpreted = false, asJson = false;
    std::string smallest;
    double percent = 100 * explore::noticeable;
    int limit = 60;
};

Result<measure::MeasureJob> jobOf(const BisectOptions &options)
{
    auto job = options.job();
    if (job && !options.slow)
        job->defaultSize = 128; // as for verify
    return job;
}

std::string counted(std::size_t count, const std::string &what)
{
    return std::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void show(const BisectOptions &options, const workbench::WrittenPath &written, const FoundStep &found)
{
    std::cout << found.sentence << ": " << found.detail << '\n';
    for (std::size_t place = found.good; place < found.bad; ++place) {
        if (written.lines.at(place) > 0)
            std::cout << std::format("  {}:{}: {}\n", options.schedule, written.lines.at(place),
                                     written.path.label(place));
    }
    for (const std::string &note : found.notes)
        std::cout << "note: " << note << '\n';
    std::cout << counted(found.judgements, "program")
              << (options.slow ? " were measured\n" : " were judged\n");
    if (found.smallest) {
        const std::size_t enough = found.smallest->path.size();
        std::cout << std::format("{} of {} {} enough\n", enough, counted(found.bad, "step"),
                                 enough == 1 ? "is" : "are");
    }
}

int nothing(const BisectOptions &options, const std::string &sentence)
{
    if (options.asJson)
        std::cout << support::jsonText(workbench::nothingFound(sentence), 2) << '\n';
    else
        std::cout << sentence << '\n';
    return No;
}

int bisectSteps(const BisectOptions &options)
{
    auto job = jobOf(options);
    if (!job)
        return report(job.error());
    const auto written = opener().loadWritten(options.module, options.schedule);
    if (!written)
        return report(written.error());
    explore::StepSearch search{.complaint = options.slow ? Complaint::Slow : Complaint::Wrong,
                               .job = std::move(*job),
                               .worse = options.percent / 100};
    search.rung = options.interpreted ? measure::Rung::Interpreter : measure::usualRung(search.job.target);
    if (!options.smallest.empty())
        search.smallest = std::chrono::seconds(options.limit);
    measure::Measurer measurer;
    const auto found = [&] {
        const ShownPhases phases;
        return explore::findStep(written->path, measurer, search);
    }();
    if (!found)
        return report(found.error());
    if (!*found)
        return nothing(options, options.slow ? "no step lost speed that did not come back"
                                             : "nothing is wrong: the last step has the right result");
    std::string script;
    if (const auto &least = (*found)->smallest) {
        auto text = schedule::writeScheduleScript(written->path.state(0), least->path.steps());
        if (!text)
            return report(text.error());
        script = std::move(*text);
    }
    if (options.asJson)
        std::cout << support::jsonText(workbench::toJson(*written, **found, script), 2) << '\n';
    else
        show(options, *written, **found);
    return script.empty() || (options.asJson && options.smallest == "-")
               ? Done
               : static_cast<Status>(writeOutput(options.smallest, script));
}

int bisectPasses(const BisectOptions &options)
{
    auto job = jobOf(options);
    if (!job)
        return report(job.error());
    const auto scheduled = opener().loadScheduled(options.module, options.schedule);
    if (!scheduled)
        return report(scheduled.error());
    const auto lowered = lower::lower(scheduled->module, job->target, {.keepRecords = true});
    if (!lowered)
        return report(lowered.error());
    const auto wrong = [&] {
        const ShownPhases phases;
        return explore::firstWrongPass(lowered->records, std::move(*job));
    }();
    if (!wrong)
        return report(wrong.error());
    if (!*wrong)
        return nothing(options, "nothing is wrong: the passes keep what the program computes");
    const explore::Turn &turn = (*wrong)->turn;
    const std::string &name = lowered->records[(*wrong)->place].name;
    const std::string sentence = std::format("pass {} of {}, {}, changed what the program computes", turn.bad,
                                             lowered->records.size(), name);
    if (!options.asJson) {
        std::cout << sentence << ": " << turn.reason.message << '\n';
        return Done;
    }
    std::cout << support::jsonText(workbench::toJson(**wrong, name, sentence), 2) << '\n';
    return Done;
}

} // namespace

std::function<int()> declareBisect(CLI::App &app)
{
    auto options = std::make_shared<BisectOptions>();
    options->addModuleAndSchedule(app);
    auto *wrong = app.add_flag("--wrong", "find the step that made the result wrong (the default)");
    auto *slow = app.add_flag("--slow", options->slow,
                              "find the step after which the program is slower than before, and stays so");
    auto *passes = app.add_flag("--passes", options->passes,
                                "find the lowering pass after which the program computes something else");
    wrong->excludes(slow)->excludes(passes);
    slow->excludes(passes);
    auto *smallest =
        app.add_option("--smallest", options->smallest,
                       "write the smallest list of steps that is still wrong, or whose last is slower, to a "
                       "file, or - for standard output");
    smallest->excludes(passes);
    app.add_option("--limit", options->limit, "seconds that looking for it may take")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--worse", options->percent, "per cent that a slower program takes longer at least")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_flag("--interpreter", options->interpreted,
                 "the reference interpreter says what is wrong: slow, but for thread loops too");
    options->addRun(app);
    app.add_flag("--json", options->asJson, "print the answer as JSON");
    return [options] { return options->passes ? bisectPasses(*options) : bisectSteps(*options); };
}

} // namespace nestwright::cli
