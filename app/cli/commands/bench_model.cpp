// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/decoding.h"
#include "app/cli/model.h"
#include "app/cli/model_contest.h"
#include "core/backend/link/runtime.h"
#include "core/measure/machine/other_load.h"
#include "core/measure/measurer.h"
#include "core/session/files/project_file.h"
#include "core/session/model/model_project.h"
#include "core/support/host.h"
#include "core/support/text/bytes_text.h"
#include "core/support/text/json_output.h"
#include "core/workbench/answers/model_answers.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <format>
#include <iostream>

namespace nestwright::cli {

using support::fail;
using support::Result;
using Clock = std::chrono::steady_clock;

namespace {

struct BenchModelOptions : ModelOptions {
    std::string target = "llvm";
    int repetitions = 10;
    int threads = 0;
    int timeout = 600;
    bool kernels = false;
    std::string jsonFile;
    std::vector<std::string> schedules; ///< KERNEL=S.py or KERNEL=S.json
    bool compares = false;
    std::vector<std::string> against; ///< the schedules that it is compared with, written likewise
    int decode = 0;                   ///< tokens; 0: the model runs as a whole
    int places = 0;                   ///< for former tokens; 0: as many as are needed, rounded up
};

using KernelTime = session::ModelTimes::Kernel;

std::string kernelTable(std::vector<KernelTime> times, double whole)
{
    std::ranges::sort(times, std::greater(), &KernelTime::seconds);
    std::string text =
        std::format("{:<44} {:>5} {:>10} {:>7} {:>8}\n", "kernel", "nodes", "time ms", "share", "GFLOPS");
    for (const KernelTime &time : times) {
        text += std::format("{:<44} {:>5} {:>10.3f} {:>6.1f}% {:>8.1f}\n", time.name, time.nodes,
                            time.seconds * 1e3, 100 * time.seconds / whole,
                            time.seconds > 0 ? time.work.flops / time.seconds * 1e-9 : 0);
    }
    return text;
}

struct Findings {
    double compiling = 0;           ///< seconds
    support::ResidentMemory held{}; ///< by this process when the command began; and at most since then
    ContestTimes times{};
};

/// The process's peak beyond its size at the start.
std::int64_t processBytes(const Findings &found)
{
    return std::max({found.held.most, support::residentMemory().most, found.times.mostHeld}) - found.held.now;
}

/// A run of bench-model: its options, and how the model's kernels are scheduled.
struct Bench {
    const BenchModelOptions &options;
    target::Target target;
    Contest contest;
    graph::Schedules schedules; ///< of `contest.now`
    Findings found{};

    /// The machine's peak with so many threads is stated too, so that a reader can tell what could be gained.
    session::ModelTimes times(const Result<measure::MachinePeak> &peak) const
    {
        return keptTimes(contest, found.times, target, schedules, peak);
    }
};

/// The times as JSON; before the end a round may lack its last run.
support::Json answerOf(const Bench &bench, const session::ModelTimes &times)
{
    const Findings &found = bench.found;
    const graph::Program &program = bench.contest.now.program;
    workbench::BenchFigures figures{.compiling = found.compiling,
                                    .memoryBytes = program.memory.bytes,
                                    .processBytes = processBytes(found)};
    if (found.times.compares()) {
        figures.speedup = found.times.speedup();
        for (int i = 0; i < static_cast<int>(program.kernels.size()); ++i)
            figures.kernels.push_back(found.times.speedup(program, i));
    }
    return workbench::toJson(times, figures);
}

/// Keeps the times in the session that was named; where that cannot be, a note says why.
void keepInSession(const BenchModelOptions &options, const session::ModelTimes &times)
{
    if (!options.model.ends_with(session::projectExtension))
        return;
    if (const auto kept = session::keepTimes(options.model, times); !kept)
        std::cerr << "note: the times are not kept: " << kept.error().message << '\n';
}

/// Error: "file.write".
Result<void> writeFindings(const Bench &bench)
{
    const BenchModelOptions &options = bench.options;
    const Findings &found = bench.found;
    const graph::Program &program = bench.contest.now.program;
    const bool keeps = options.model.ends_with(session::projectExtension);
    const session::ModelTimes times = bench.times(
        options.jsonFile.empty() && !keeps ? fail(support::diagnostic("measure.peak", "not asked for"))
                                           : measure::Measurer().machinePeak(nestwright_threads()));
    keepInSession(options, times);
    if (!options.jsonFile.empty()) {
        auto written = writeText(options.jsonFile, support::jsonText(answerOf(bench, times)) + "\n");
        if (!written || options.jsonFile == "-")
            return written;
    }
    const measure::Interval time = times.seconds;
    std::cout << std::format("{}: {:.3f} ms ({:.3f} .. {:.3f}, fastest {:.3f}), {} kernels for {} nodes "
                             "compiled in {:.1f} s, {} of memory\n",
                             options.model, time.median * 1e3, time.low * 1e3, time.high * 1e3,
                             std::ranges::min(found.times.now.runs) * 1e3, program.kernels.size(),
                             program.steps.size(), found.compiling,
                             support::bytesText(static_cast<double>(program.memory.bytes)));
    if (options.compares) {
        const measure::Speedup change = found.times.speedup();
        std::cout << std::format("{:.3f} times as fast as before ({:.3f} .. {:.3f}){}\n", change.ratio.median,
                                 change.ratio.low, change.ratio.high,
                                 change.significant ? "" : ": not significant");
    }
    if (found.times.disturbed)
        std::cerr << "note: " << measure::disturbance(found.times.otherLoad) << '\n';
    if (options.kernels)
        std::cout << kernelTable(times.kernels, time.median);
    return {};
}

/// The model compiled with its schedules and, where it is compared, with the others.
Result<Bench> compiledBench(const OpenedModel &opened, const graph::Program &program,
                            const target::Target &target, const BenchModelOptions &options)
{
    const bool toOutput = options.jsonFile == "-";
    auto schedules = kernelSchedules(program, options.schedules, opened.work);
    if (!schedules)
        return fail(schedules.error());
    const Clock::time_point begin = Clock::now();
    auto now = compiledWith(program, *schedules, target, [&](std::size_t done, std::size_t all) {
        if (toOutput) // a line each, for whoever waits
            std::cout << support::jsonText(workbench::compiledLine(done, all)) << std::endl;
    });
    if (!now)
        return fail(now.error());
    Bench bench{options, target, {std::move(*now), {}}, std::move(*schedules)};
    bench.found.compiling = std::chrono::duration<double>(Clock::now() - begin).count();
    if (options.compares) {
        const auto against = kernelSchedules(program, options.against);
        if (!against)
            return fail(against.error());
        auto before = compiledWith(program, *against, target);
        if (!before)
            return fail(before.error());
        bench.contest.before = std::move(*before);
    }
    return bench;
}

/// `held`: by this process, when the command began; and at most since then.
Result<void> bench(OpenedModel opened, const target::Target &target, const BenchModelOptions &options,
                   const support::ResidentMemory &held)
{
    nestwright_set_threads(options.threads);
    auto program = graph::makeProgram(std::move(opened.function), opened.machine);
    if (!program)
        return fail(program.error());
    auto made = compiledBench(opened, *program, target, options);
    if (!made)
        return fail(made.error());
    Findings &found = made->found;
    found.held = held;
    const auto tellRun = [&] {
        if (options.jsonFile != "-")
            return;
        std::cout << support::jsonText(workbench::runLine(found.times.now.runs.size(), options.repetitions))
                  << std::endl;
        if (found.times.now.runs.size() > 1)
            return;
        auto first = answerOf(*made, made->times(measure::loadCachedPeak(nestwright_threads())));
        first["final"] = false;
        std::cout << support::jsonText(first) << std::endl;
    };
    if (auto done =
            takeTimes(made->contest, opened, {options.repetitions, options.timeout}, found.times, tellRun);
        !done)
        return done;
    return writeFindings(*made);
}

int benchModel(BenchModelOptions options)
{
    const auto target = target::parseTarget(options.target);
    if (!target)
        return report(target.error());
    options.scheduledFor = *target;
    if (options.threads > 0)
        options.scheduledFor.threads = options.threads;
    if (options.decode > 0) {
        const auto done = benchDecoding(options, *target,
                                        {options.decode, options.places, options.threads, options.timeout},
                                        options.schedules, options.jsonFile);
        std::cout << std::flush;
        return done ? Done : report(done.error());
    }
    support::ResidentMemory held = support::residentMemory();
    auto opened = openModel(options);
    if (!opened)
        return report(opened.error());
    held.most = support::residentMemory().most;
    const auto done = bench(std::move(*opened), *target, options, held);
    std::cout << std::flush;
    return done ? Done : report(done.error());
}

} // namespace

std::function<int()> declareBenchModel(CLI::App &app)
{
    auto options = std::make_shared<BenchModelOptions>();
    options->add(app);
    options->addInputs(app);
    app.add_option("--target", options->target, "target of the code")->capture_default_str();
    app.add_option("--repetitions", options->repetitions, "how often it runs")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--threads", options->threads, "of parallel loops; 0: all cores")->capture_default_str();
    app.add_option("--timeout", options->timeout, "seconds after which the model is stopped")
        ->capture_default_str();
    app.add_option("--schedule", options->schedules,
                   "a schedule script for a kernel, or a trace (.json), as KERNEL=S.py")
        ->allow_extra_args(false);
    app.add_flag("--compare", options->compares,
                 "run it in turns with the schedules of --against (the default ones where none are given)");
    app.add_option("--against", options->against,
                   "a schedule of the other side of the comparison, as KERNEL=S.py")
        ->needs("--compare")
        ->allow_extra_args(false);
    app.add_option("--decode", options->decode,
                   "generate so many tokens one by one, with a model that has past keys and values as inputs")
        ->check(CLI::PositiveNumber)
        ->excludes("--compare");
    app.add_option("--places", options->places,
                   "for former tokens in --decode; 0: a multiple of 64 that holds all")
        ->needs("--decode")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--json", options->jsonFile,
                   "write the results there; -: to standard output, behind a line per compiled kernel and "
                   "per run, and the first run's times");
    app.add_flag("--kernels", options->kernels, "list the time of each kernel");
    return [options] { return benchModel(*options); };
}

} // namespace nestwright::cli
