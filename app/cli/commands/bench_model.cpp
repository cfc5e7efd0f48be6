// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/in_child.h"
#include "app/cli/model.h"
#include "core/analysis/counts.h"
#include "core/backend/runtime.h"
#include "core/measure/measurer.h"
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

namespace nestwright::cli {

using support::fail;
using support::Result;

namespace {

struct BenchModelOptions : ModelOptions {
    std::string target = "llvm";
    int repetitions = 10;
    int threads = 0;
    int timeout = 600;
    bool kernels = false;
    std::string jsonFile;
    std::vector<std::string> schedules; ///< KERNEL=S.py or KERNEL=S.json
};

struct KernelTime {
    std::string name;
    std::size_t uses = 0;
    double seconds = 0; ///< of all its calls together
    double flops = 0;   ///< of all its calls together
    double bytes = 0;   ///< that all its calls together must move
};

std::string table(std::vector<KernelTime> times, double whole)
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

/// `steps`: the seconds of each step, run by run.
std::vector<KernelTime> kernelTimes(const graph::Program &program,
                                    const std::vector<std::vector<double>> &steps)
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
        for (const std::vector<double> &run : steps)
            samples.push_back(run[i]);
        times[static_cast<std::size_t>(program.steps[i].kernel)].seconds += measure::median(samples);
    }
    return times;
}

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

struct Findings {
    double compiling = 0;                   ///< seconds
    std::int64_t processBytes = 0;          ///< the most that the process held beyond what it began with
    std::vector<double> runs;               ///< seconds of each
    std::vector<std::vector<double>> steps; ///< seconds of each step, run by run
};

/// What the machine can do with so many threads is stated too, so that a reader can tell what could be gained.
support::Json toJson(const Findings &found, const graph::Program &program,
                     const Result<measure::MachinePeak> &peak)
{
    support::Json kernels = support::Json::array();
    for (const KernelTime &each : kernelTimes(program, found.steps)) {
        kernels.push_back({{"name", each.name},
                           {"nodes", each.uses},
                           {"seconds", each.seconds},
                           {"flops", each.flops},
                           {"bytes", each.bytes}});
    }
    support::Json result{{"seconds", measure::median(found.runs)},
                         {"compile_seconds", found.compiling},
                         {"memory_bytes", program.memory.bytes},
                         {"process_bytes", found.processBytes},
                         {"kernels", kernels}};
    if (peak && !peak->levels.empty()) {
        result["peak_flops"] = peak->float32Flops;
        result["memory_bytes_per_second"] = peak->levels.back().bytesPerSecond;
    }
    return result;
}

/// Error: "file.write".
Result<void> write(const BenchModelOptions &options, const Findings &found, const graph::Program &program)
{
    if (!options.jsonFile.empty()) {
        const auto peak = measure::Measurer().machinePeak(nestwright_threads());
        if (auto written = writeText(options.jsonFile, toJson(found, program, peak).dump() + "\n"); !written)
            return written;
        if (options.jsonFile == "-")
            return {};
    }
    const double time = measure::median(found.runs);
    std::cout << std::format(
        "{}: {:.3f} ms (fastest {:.3f}), {} kernels for {} nodes compiled in {:.1f} s, {:.1f} MB of memory\n",
        options.model, time * 1e3, std::ranges::min(found.runs) * 1e3, program.kernels.size(),
        program.steps.size(), found.compiling, static_cast<double>(program.memory.bytes) * 1e-6);
    if (options.kernels)
        std::cout << table(kernelTimes(program, found.steps), time);
    return {};
}

/// Messages of the process apart while it runs the model.
enum class BenchWord : std::int32_t {
    Warm, ///< after the first run; `count`: the most bytes that it has held
    Ran,  ///< run `number` took `seconds`; the times of its steps are in the memory shared with it
};

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

/// In the process apart: `steps` gets the seconds of each step, run by run.
Result<void> runApart(const measure::Line &line, const graph::Program &program,
                      const std::vector<backend::Artifact> &artifacts, const OpenedModel &opened,
                      int repetitions, std::span<double> steps)
{
    auto executor = graph::Executor::load(program, artifacts);
    if (!executor)
        return fail(executor.error());
    if (auto set = setInputs(*executor, opened, OtherInputs::Random); !set)
        return set;
    measure::enterSandbox({});
    if (auto warm = executor->run(); !warm)
        return warm;
    line.send(say(BenchWord::Warm, 0, 0, mostHeld()));
    std::vector<double> times;
    auto place = steps.begin();
    for (int i = 0; i < repetitions; ++i) {
        const Clock::time_point start = Clock::now();
        if (auto done = executor->run(); !done)
            return done;
        const double seconds = since(start);
        if (auto done = executor->run(&times); !done)
            return done;
        place = std::ranges::copy(times, place).out;
        line.send(say(BenchWord::Ran, i, seconds, 0));
    }
    return {};
}

bool isTime(double seconds) { return std::isfinite(seconds) && seconds >= 0; }

/// Has the model run apart and fills in `found`; `onFirst` is called after the first run, the rest makes it
/// more certain.
Result<void> takeTimes(const graph::Program &program, const std::vector<backend::Artifact> &artifacts,
                       const OpenedModel &opened, const BenchModelOptions &options,
                       const support::ResidentMemory &held, Findings &found,
                       const std::function<void()> &onFirst)
{
    const std::size_t count = program.steps.size(), runs = static_cast<std::size_t>(options.repetitions);
    const measure::SharedMemory memory(count * runs * sizeof(double));
    const std::span<double> steps(reinterpret_cast<double *>(memory.bytes().data()), count * runs);
    const auto body = [&](const measure::Line &line) {
        return runApart(line, program, artifacts, opened, options.repetitions, steps);
    };
    return inChild(options.timeout, body, [&](const measure::Message &message) {
        if (message.kind == static_cast<std::int32_t>(BenchWord::Warm)) {
            found.processBytes =
                std::max({held.most, support::residentMemory().most, message.count}) - held.now;
            return;
        }
        const std::size_t run = found.runs.size();
        if (run >= runs || !isTime(message.seconds))
            return;
        const auto own = steps.subspan(run * count, count);
        if (!std::ranges::all_of(own, isTime))
            return;
        found.runs.push_back(message.seconds);
        found.steps.emplace_back(own.begin(), own.end());
        if (run == 0)
            onFirst();
    });
}

/// `held`: by this process, when the command began; and at most since then.
Result<void> bench(OpenedModel opened, const lower::Target &target, const BenchModelOptions &options,
                   const support::ResidentMemory &held)
{
    nestwright_set_threads(options.threads);
    auto program = graph::makeProgram(std::move(opened.graph.function));
    if (!program)
        return fail(program.error());
    const auto schedules = kernelSchedules(*program, options.schedules);
    if (!schedules)
        return fail(schedules.error());
    const bool toOutput = options.jsonFile == "-";
    const Clock::time_point begin = Clock::now();
    const auto modules = graph::scheduleKernels(*program, *schedules);
    if (!modules)
        return fail(modules.error());
    const auto artifacts =
        graph::compileKernels(*program, *modules, target, [&](std::size_t done, std::size_t all) {
            if (toOutput) // a line each, for whoever waits
                std::cout << support::Json{{"compiled", done}, {"of", all}}.dump() << std::endl;
        });
    if (!artifacts)
        return fail(artifacts.error());
    Findings found;
    found.compiling = since(begin);
    const auto tellFirst = [&] {
        if (!toOutput)
            return;
        auto first = toJson(found, *program, measure::loadCachedPeak(nestwright_threads()));
        first["final"] = false;
        std::cout << first.dump() << std::endl;
    };
    if (auto done = takeTimes(*program, *artifacts, opened, options, held, found, tellFirst); !done)
        return done;
    if (found.runs.empty())
        return fail("kernel.crash", "the process that ran the model told no times");
    return write(options, found, *program);
}

int run(const BenchModelOptions &options)
{
    const auto target = lower::parseTarget(options.target);
    if (!target)
        return report(target.error());
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
    app.add_option("--target", options->target, "what code is made for")->capture_default_str();
    app.add_option("--repetitions", options->repetitions, "how often it runs")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--threads", options->threads, "of parallel loops; 0: all cores")->capture_default_str();
    app.add_option("--timeout", options->timeout, "seconds after which the model is stopped")
        ->capture_default_str();
    app.add_option("--schedule", options->schedules,
                   "a schedule script for a kernel, or a trace (.json), as KERNEL=S.py")
        ->allow_extra_args(false);
    app.add_option("--json", options->jsonFile,
                   "write the results there; -: to standard output, behind a line per compiled kernel and "
                   "the first run's");
    app.add_flag("--kernels", options->kernels, "list the time of each kernel");
    return [options] { return run(*options); };
}

} // namespace nestwright::cli
