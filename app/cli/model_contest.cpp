// SPDX-License-Identifier: Apache-2.0
#include "app/cli/model_contest.h"

#include "app/cli/in_child.h"
#include "core/analysis/kernel/counts.h"
#include "core/backend/link/runtime.h"
#include "core/measure/machine/other_load.h"
#include "core/measure/sandbox/enclosed_loading.h"
#include "core/measure/statistics.h"
#include "core/support/files/temporary_folder.h"
#include "core/support/host.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <span>
#include <sys/resource.h>
#include <unistd.h>

namespace nestwright::cli {

using support::fail;
using support::Result;
using Clock = std::chrono::steady_clock;

namespace {

/// Messages of the process apart while it runs the model.
enum class BenchWord : std::int32_t {
    Warm, ///< after the first run of a program; `count`: the most bytes that it has held
    Ran, ///< a run of series `number` took `seconds`; the times of its steps are in the memory shared with it
};

/// The places of a round's series in the memory that is shared.
constexpr int nowSeries = 0, beforeSeries = 1, againSeries = 2;

std::int64_t mostHeld()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return std::int64_t{usage.ru_maxrss} * 1024;
}

measure::Message say(BenchWord word, int number, double seconds, std::int64_t count)
{
    measure::Message message;
    message.kind = static_cast<std::int32_t>(word);
    message.number = number;
    message.seconds = seconds;
    message.count = count;
    return message;
}

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// In the process apart: `steps` gets the seconds of each step, series by series in each run.
Result<void> runApart(const measure::Line &line, const Contest &contest, const frontend::ModelGraph &opened,
                      int repetitions, std::span<double> steps, const std::filesystem::path &folder)
{
    std::vector<measure::ModelCode> models{{contest.now.program, contest.now.artifacts}};
    if (contest.before)
        models.push_back({contest.before->program, contest.before->artifacts});
    auto loaded = measure::loadEnclosedModels(models, folder);
    if (!loaded)
        return fail(loaded.error());
    std::vector<graph::Executor> &executors = *loaded;
    for (graph::Executor &executor : executors) {
        if (auto set = setInputs(executor, opened, OtherInputs::Random); !set)
            return set;
    }
    measure::enterSandbox({});
    std::vector<char> isWarm(executors.size());
    std::vector<int> round{nowSeries, beforeSeries, againSeries}; // a figure as soon as there can be one
    round.resize(static_cast<std::size_t>(contest.series()));
    const std::size_t count = contest.now.program.steps.size();
    std::vector<double> times;
    for (int i = 0; i < repetitions; ++i) {
        for (const int series : round) {
            const std::size_t which = series == nowSeries ? 0 : 1;
            graph::Executor &executor = executors[which];
            if (!std::exchange(isWarm[which], true)) {
                if (auto warm = executor.run(); !warm)
                    return warm;
                line.send(say(BenchWord::Warm, 0, 0, mostHeld()));
            }
            const Clock::time_point start = Clock::now();
            if (auto done = executor.run(); !done)
                return done;
            const double seconds = since(start);
            if (auto done = executor.run(&times); !done)
                return done;
            const std::size_t place =
                (static_cast<std::size_t>(i) * round.size() + static_cast<std::size_t>(series)) * count;
            if (times.size() != count)
                return fail("model.compare", "the two have other steps and cannot be compared");
            std::ranges::copy(times, steps.subspan(place, count).begin());
            line.send(say(BenchWord::Ran, series, seconds, 0));
        }
        if (round.size() == 1)
            continue;
        // Each run that is compared follows one of the other program, whose data the caches then hold.
        if (auto done = executors[0].run(); !done)
            return done;
        if (i == 0)
            std::swap(round[0], round[1]); // from now on between the two others
    }
    return {};
}

bool isTime(double seconds) { return std::isfinite(seconds) && seconds >= 0; }

} // namespace

std::vector<double> Series::ofKernel(const graph::Program &program, int kernel) const
{
    std::vector<double> seconds;
    for (const std::vector<double> &run : steps) {
        double sum = 0;
        for (std::size_t i = 0; i < program.steps.size(); ++i)
            sum += program.steps[i].kernel == kernel ? run[i] : 0;
        seconds.push_back(sum);
    }
    return seconds;
}

measure::Speedup ContestTimes::speedup() const
{
    return measure::speedupOf(before.runs, now.runs, again.runs);
}

measure::Speedup ContestTimes::speedup(const graph::Program &program, int kernel) const
{
    return measure::speedupOf(before.ofKernel(program, kernel), now.ofKernel(program, kernel),
                              again.ofKernel(program, kernel));
}

session::ModelTimes keptTimes(const Contest &contest, const ContestTimes &times, const target::Target &target,
                              const graph::Schedules &schedules, const Result<measure::MachinePeak> &peak)
{
    const graph::Program &program = contest.now.program;
    session::ModelTimes kept{.target = target.str(),
                             .threads = nestwright_threads(),
                             .machine = support::processorName(),
                             .date = session::dateOfNow(),
                             .seconds = measure::bootstrapMedian(times.now.runs),
                             .runs = static_cast<int>(times.now.runs.size()),
                             .otherLoad = times.otherLoad,
                             .disturbed = times.disturbed};
    if (peak && !peak->levels.empty())
        kept.peak = {peak->float32Flops, peak->levels.back().bytesPerSecond};
    for (const graph::Kernel &kernel : program.kernels) {
        const analysis::Counts counts = analysis::countsOf(*kernel.module.mainEntry()->function);
        const auto uses = static_cast<double>(kernel.nodes.size());
        session::ModelTimes::Kernel row{
            .name = kernel.name,
            .nodes = static_cast<int>(kernel.nodes.size()),
            .seconds = 0,
            .work = {counts.flops * uses, (counts.bytesRead + counts.bytesWritten) * uses}};
        if (const auto own = schedules.find(kernel.name); own != schedules.end())
            row.schedule = session::scheduleMark(kernel.module, own->second, program.machine);
        kept.kernels.push_back(std::move(row));
    }
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
        std::vector<double> samples;
        for (const std::vector<double> &run : times.now.steps)
            samples.push_back(run[i]);
        const double seconds = measure::median(samples);
        session::ModelTimes::Kernel &kernel = kept.kernels[static_cast<std::size_t>(program.steps[i].kernel)];
        kernel.seconds += seconds;
        kept.nodes.push_back(
            {graph::displayName(program.function, program.steps[i].node), kernel.name, seconds});
    }
    return kept;
}

Result<void> takeTimes(const Contest &contest, const frontend::ModelGraph &opened,
                       const ContestEffort &effort, ContestTimes &times, const std::function<void()> &onRun)
{
    const std::size_t count = contest.now.program.steps.size(),
                      runs = static_cast<std::size_t>(effort.repetitions),
                      all = static_cast<std::size_t>(contest.series());
    const measure::SharedMemory memory(count * runs * all * sizeof(double));
    const std::span<double> steps(reinterpret_cast<double *>(memory.bytes().data()), count * runs * all);
    const support::TemporaryFolder folder; // for kernels that are loaded from files
    const auto body = [&](const measure::Line &line) {
        return runApart(line, contest, opened, effort.repetitions, steps, folder.path());
    };
    const measure::OtherLoad load({getpid()});
    auto done = inChild(effort.timeout, body, [&](const measure::Message &message) {
        if (message.kind == static_cast<std::int32_t>(BenchWord::Warm)) {
            times.mostHeld = std::max(times.mostHeld, message.count);
            return;
        }
        if (message.number < 0 || message.number >= contest.series())
            return;
        Series &series = message.number == nowSeries      ? times.now
                         : message.number == beforeSeries ? times.before
                                                          : times.again;
        const std::size_t run = series.runs.size();
        if (run >= runs || !isTime(message.seconds))
            return;
        const auto own = steps.subspan((run * all + static_cast<std::size_t>(message.number)) * count, count);
        if (!std::ranges::all_of(own, isTime))
            return;
        series.runs.push_back(message.seconds);
        series.steps.emplace_back(own.begin(), own.end());
        if (&series == &times.now && onRun)
            onRun();
    });
    times.otherLoad = load.processors().value_or(0);
    times.disturbed = measure::disturbs(times.otherLoad, nestwright_threads(), measure::usableCores());
    return done;
}

} // namespace nestwright::cli
