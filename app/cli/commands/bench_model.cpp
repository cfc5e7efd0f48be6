// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/decoding.h"
#include "app/cli/in_child.h"
#include "app/cli/model.h"
#include "core/analysis/counts.h"
#include "core/backend/runtime.h"
#include "core/measure/measurer.h"
#include "core/measure/other_load.h"
#include "core/measure/statistics.h"
#include "core/support/host.h"
#include "core/support/json.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <format>
#include <iostream>
#include <span>
#include <sys/resource.h>
#include <unistd.h>

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

/// The runs of one program.
struct Series {
    std::vector<double> runs;               ///< seconds of each
    std::vector<std::vector<double>> steps; ///< seconds of each step, run by run
};

/// Seconds of all steps of `kernel`, run by run.
std::vector<double> kernelRuns(const graph::Program &program, const Series &series, int kernel)
{
    std::vector<double> seconds;
    for (const std::vector<double> &run : series.steps) {
        double sum = 0;
        for (std::size_t i = 0; i < program.steps.size(); ++i)
            sum += program.steps[i].kernel == kernel ? run[i] : 0;
        seconds.push_back(sum);
    }
    return seconds;
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

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

struct Findings {
    double compiling = 0;          ///< seconds
    std::int64_t processBytes = 0; ///< the process's peak beyond its size at the start
    Series now;
    Series before, again; ///< where it compares: the other schedules, twice in each round, for the noise
    double otherLoad = 0; ///< as in measure::Measurement
    bool disturbed = false;
};

support::Json speedupToJson(const measure::Speedup &speedup)
{
    return {{"low", speedup.ratio.low},
            {"median", speedup.ratio.median},
            {"high", speedup.ratio.high},
            {"significant", speedup.significant}};
}

/// The machine's peak with so many threads is stated too, so that a reader can tell what could be gained.
support::Json findingsToJson(const Findings &found, const graph::Program &program,
                             const Result<measure::MachinePeak> &peak)
{
    // Before the end a round may lack its last run.
    const bool compares = !found.again.runs.empty() && found.again.runs.size() == found.now.runs.size();
    support::Json kernels = support::Json::array();
    for (const KernelTime &each : kernelTimes(program, found.now)) {
        support::Json kernel{{"name", each.name},
                             {"nodes", each.uses},
                             {"seconds", each.seconds},
                             {"flops", each.flops},
                             {"bytes", each.bytes}};
        const int place = static_cast<int>(kernels.size());
        if (compares)
            kernel["speedup"] = speedupToJson(measure::pairedSpeedup(
                kernelRuns(program, found.before, place), kernelRuns(program, found.now, place),
                kernelRuns(program, found.again, place)));
        kernels.push_back(std::move(kernel));
    }
    const measure::Interval time = measure::bootstrapMedian(found.now.runs);
    support::Json result{{"seconds", time.median},
                         {"seconds_low", time.low},
                         {"seconds_high", time.high},
                         {"compile_seconds", found.compiling},
                         {"memory_bytes", program.memory.bytes},
                         {"process_bytes", found.processBytes},
                         {"other_load", found.otherLoad},
                         {"disturbed", found.disturbed},
                         {"kernels", kernels}};
    if (compares)
        result["speedup"] =
            speedupToJson(measure::pairedSpeedup(found.before.runs, found.now.runs, found.again.runs));
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
        if (auto written = writeText(options.jsonFile, findingsToJson(found, program, peak).dump() + "\n");
            !written)
            return written;
        if (options.jsonFile == "-")
            return {};
    }
    const measure::Interval time = measure::bootstrapMedian(found.now.runs);
    std::cout << std::format("{}: {:.3f} ms ({:.3f} .. {:.3f}, fastest {:.3f}), {} kernels for {} nodes "
                             "compiled in {:.1f} s, {:.1f} MB of memory\n",
                             options.model, time.median * 1e3, time.low * 1e3, time.high * 1e3,
                             std::ranges::min(found.now.runs) * 1e3, program.kernels.size(),
                             program.steps.size(), found.compiling,
                             static_cast<double>(program.memory.bytes) * 1e-6);
    if (options.compares) {
        const measure::Speedup change =
            measure::pairedSpeedup(found.before.runs, found.now.runs, found.again.runs);
        std::cout << std::format("{:.3f} times as fast as before ({:.3f} .. {:.3f}){}\n", change.ratio.median,
                                 change.ratio.low, change.ratio.high,
                                 change.significant ? "" : ": not significant");
    }
    if (found.disturbed)
        std::cerr << "note: " << measure::disturbance(found.otherLoad) << '\n';
    if (options.kernels)
        std::cout << kernelTable(kernelTimes(program, found.now), time.median);
    return {};
}

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

/// The program with its schedules and, where it is compared with others, the same with those.
struct Contest {
    CompiledModel now;
    std::optional<CompiledModel> before;
    int series() const { return before ? 3 : 1; }
};

/// In the process apart: `steps` gets the seconds of each step, series by series in each run.
Result<void> runApart(const measure::Line &line, const Contest &contest, const session::ModelGraph &opened,
                      int repetitions, std::span<double> steps)
{
    std::vector<graph::Executor> executors;
    for (const CompiledModel *each : {&contest.now, contest.before ? &*contest.before : nullptr}) {
        if (!each)
            continue;
        auto executor = graph::Executor::load(each->program, each->artifacts);
        if (!executor)
            return fail(executor.error());
        if (auto set = setInputs(*executor, opened, OtherInputs::Random); !set)
            return set;
        executors.push_back(std::move(*executor));
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

/// Has the model run apart and fills in `found`; `onRun` is called after each run: the first gives times, the
/// others make them more certain.
Result<void> takeTimes(const Contest &contest, const session::ModelGraph &opened,
                       const BenchModelOptions &options, const support::ResidentMemory &held, Findings &found,
                       const std::function<void()> &onRun)
{
    const std::size_t count = contest.now.program.steps.size(),
                      runs = static_cast<std::size_t>(options.repetitions),
                      all = static_cast<std::size_t>(contest.series());
    const measure::SharedMemory memory(count * runs * all * sizeof(double));
    const std::span<double> steps(reinterpret_cast<double *>(memory.bytes().data()), count * runs * all);
    const auto body = [&](const measure::Line &line) {
        return runApart(line, contest, opened, options.repetitions, steps);
    };
    const measure::OtherLoad load({getpid()});
    auto done = inChild(options.timeout, body, [&](const measure::Message &message) {
        if (message.kind == static_cast<std::int32_t>(BenchWord::Warm)) {
            found.processBytes =
                std::max({held.most, support::residentMemory().most, message.count}) - held.now;
            return;
        }
        if (message.number < 0 || message.number >= contest.series())
            return;
        Series &series = message.number == nowSeries      ? found.now
                         : message.number == beforeSeries ? found.before
                                                          : found.again;
        const std::size_t run = series.runs.size();
        if (run >= runs || !isTime(message.seconds))
            return;
        const auto own = steps.subspan((run * all + static_cast<std::size_t>(message.number)) * count, count);
        if (!std::ranges::all_of(own, isTime))
            return;
        series.runs.push_back(message.seconds);
        series.steps.emplace_back(own.begin(), own.end());
        if (&series == &found.now)
            onRun();
    });
    found.otherLoad = load.processors().value_or(0);
    found.disturbed = measure::disturbs(found.otherLoad, nestwright_threads(), measure::usableCores());
    return done;
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
            std::cout << support::Json{{"compiled", done}, {"of", all}}.dump() << std::endl;
    });
    if (!now)
        return fail(now.error());
    Contest contest{std::move(*now), {}};
    const graph::Program &scheduled = contest.now.program;
    Findings found;
    found.compiling = since(begin);
    if (options.compares) {
        auto before = compiledWith(*program, options.against, target);
        if (!before)
            return fail(before.error());
        contest.before = std::move(*before);
    }
    const auto tellRun = [&] {
        if (!toOutput)
            return;
        std::cout << support::Json{{"ran", found.now.runs.size()}, {"of", options.repetitions}}.dump()
                  << std::endl;
        if (found.now.runs.size() > 1)
            return;
        auto first = findingsToJson(found, scheduled, measure::loadCachedPeak(nestwright_threads()));
        first["final"] = false;
        std::cout << first.dump() << std::endl;
    };
    if (auto done = takeTimes(contest, opened, options, held, found, tellRun); !done)
        return done;
    const std::size_t runs = found.now.runs.size();
    if (runs == 0
        || (options.compares && (found.before.runs.size() != runs || found.again.runs.size() != runs)))
        return fail("kernel.crash", "the process that ran the model told no times");
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
