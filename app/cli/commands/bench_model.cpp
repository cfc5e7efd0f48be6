// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/decoding.h"
#include "app/cli/model.h"
#include "app/cli/model_contest.h"
#include "core/analysis/counts.h"
#include "core/backend/runtime.h"
#include "core/measure/measurer.h"
#include "core/measure/other_load.h"
#include "core/measure/statistics.h"
#include "core/session/transfer_text.h"
#include "core/support/host.h"
#include "core/support/json_output.h"

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

struct KernelTime {
    std::string name;
    std::size_t uses = 0;
    double seconds = 0; ///< of all its calls together
    double flops = 0;   ///< of all its calls together
    double bytes = 0;   ///< bytes moved by all its calls together
};

std::string kernelTable(std::vector<KernelTime> times, double whole)
{
    std::ranges::sort(times, std::greater(), &KernelTime::seconds);
    std::string text =
        std::format("{:<44} {:>5} {:>10} {:>7} {:>8}\n", "kernel", "nodes", "time ms", "share", "GFLOPS");
    for (const KernelTime &time : times) {
        text += std::format("{:<44} {:>5} {:>10.3f} {:>6.1f}% {:>8.1f}\n", time.name, time.uses,
                            time.seconds * 1e3, 100 * time.seconds / whole,
                            time.seconds > 0 ? time.flops / time.seconds * 1e-9 : 0);
    }
    return text;
}

std::vector<KernelTime> kernelTimes(const graph::Program &program, const Series &series)
{
    std::vector<KernelTime> times;
    for (const graph::Kernel &kernel : program.kernels) {
        const analysis::Counts counts = analysis::countsOf(*kernel.module.mainEntry()->function);
        const auto uses = static_cast<double>(kernel.nodes.size());
        times.push_back({kernel.name, kernel.nodes.size(), 0, counts.flops * uses,
                         (counts.bytesRead + counts.bytesWritten) * uses});
    }
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
        std::vector<double> samples;
        for (const std::vector<double> &run : series.steps)
            samples.push_back(run[i]);
        times[static_cast<std::size_t>(program.steps[i].kernel)].seconds += measure::median(samples);
    }
    return times;
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

/// The machine's peak with so many threads is stated too, so that a reader can tell what could be gained.
support::Json findingsToJson(const Findings &found, const graph::Program &program,
                             const Result<measure::MachinePeak> &peak)
{
    // Before the end a round may lack its last run.
    const ContestTimes &times = found.times;
    const bool compares = times.compares();
    support::Json kernels = support::Json::array();
    for (const KernelTime &each : kernelTimes(program, found.times.now)) {
        support::Json kernel{{"name", each.name},
                             {"nodes", each.uses},
                             {"seconds", each.seconds},
                             {"flops", each.flops},
                             {"bytes", each.bytes}};
        const int place = static_cast<int>(kernels.size());
        if (compares)
            kernel["speedup"] = session::toJson(times.speedup(program, place));
        kernels.push_back(std::move(kernel));
    }
    const measure::Interval time = measure::bootstrapMedian(found.times.now.runs);
    support::Json result{{"seconds", time.median},
                         {"seconds_low", time.low},
                         {"seconds_high", time.high},
                         {"compile_seconds", found.compiling},
                         {"memory_bytes", program.memory.bytes},
                         {"process_bytes", processBytes(found)},
                         {"other_load", times.otherLoad},
                         {"disturbed", times.disturbed},
                         {"kernels", kernels}};
    if (compares)
        result["speedup"] = session::toJson(times.speedup());
    if (peak && !peak->levels.empty()) {
        result["peak_flops"] = peak->float32Flops;
        result["memory_bytes_per_second"] = peak->levels.back().bytesPerSecond;
    }
    return result;
}

/// Error: "file.write".
Result<void> writeFindings(const BenchModelOptions &options, const Findings &found,
                           const graph::Program &program)
{
    if (!options.jsonFile.empty()) {
        const auto peak = measure::Measurer().machinePeak(nestwright_threads());
        if (auto written =
                writeText(options.jsonFile, support::jsonText(findingsToJson(found, program, peak)) + "\n");
            !written)
            return written;
        if (options.jsonFile == "-")
            return {};
    }
    const measure::Interval time = measure::bootstrapMedian(found.times.now.runs);
    std::cout << std::format("{}: {:.3f} ms ({:.3f} .. {:.3f}, fastest {:.3f}), {} kernels for {} nodes "
                             "compiled in {:.1f} s, {:.1f} MB of memory\n",
                             options.model, time.median * 1e3, time.low * 1e3, time.high * 1e3,
                             std::ranges::min(found.times.now.runs) * 1e3, program.kernels.size(),
                             program.steps.size(), found.compiling,
                             static_cast<double>(program.memory.bytes) * 1e-6);
    if (options.compares) {
        const measure::Speedup change = found.times.speedup();
        std::cout << std::format("{:.3f} times as fast as before ({:.3f} .. {:.3f}){}\n", change.ratio.median,
                                 change.ratio.low, change.ratio.high,
                                 change.significant ? "" : ": not significant");
    }
    if (found.times.disturbed)
        std::cerr << "note: " << measure::disturbance(found.times.otherLoad) << '\n';
    if (options.kernels)
        std::cout << kernelTable(kernelTimes(program, found.times.now), time.median);
    return {};
}

/// `held`: by this process, when the command began; and at most since then.
Result<void> bench(session::ModelGraph opened, const lower::Target &target, const BenchModelOptions &options,
                   const support::ResidentMemory &held)
{
    nestwright_set_threads(options.threads);
    auto program = graph::makeProgram(std::move(opened.function));
    if (!program)
        return fail(program.error());
    const bool toOutput = options.jsonFile == "-";
    const Clock::time_point begin = Clock::now();
    auto now = compiledWith(*program, options.schedules, target, [&](std::size_t done, std::size_t all) {
        if (toOutput) // a line each, for whoever waits
            std::cout << support::jsonText(support::Json{{"compiled", done}, {"of", all}}) << std::endl;
    });
    if (!now)
        return fail(now.error());
    Contest contest{std::move(*now), {}};
    const graph::Program &scheduled = contest.now.program;
    Findings found{.held = held};
    found.compiling = std::chrono::duration<double>(Clock::now() - begin).count();
    if (options.compares) {
        auto before = compiledWith(*program, options.against, target);
        if (!before)
            return fail(before.error());
        contest.before = std::move(*before);
    }
    const auto tellRun = [&] {
        if (!toOutput)
            return;
        std::cout << support::jsonText(
            support::Json{{"ran", found.times.now.runs.size()}, {"of", options.repetitions}})
                  << std::endl;
        if (found.times.now.runs.size() > 1)
            return;
        auto first = findingsToJson(found, scheduled, measure::loadCachedPeak(nestwright_threads()));
        first["final"] = false;
        std::cout << support::jsonText(first) << std::endl;
    };
    if (auto done = takeTimes(contest, opened, {options.repetitions, options.timeout}, found.times, tellRun);
        !done)
        return done;
    return writeFindings(options, found, scheduled);
}

int benchModel(const BenchModelOptions &options)
{
    const auto target = lower::parseTarget(options.target);
    if (!target)
        return report(target.error());
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
