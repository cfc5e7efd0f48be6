// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/edited_code.h"
#include "app/cli/input.h"
#include "app/cli/kernel_inputs.h"
#include "app/cli/text/ladder_chart.h"
#include "app/cli/text/symbolic_sizes.h"
#include "core/measure/doubt.h"
#include "core/measure/machine/other_load.h"
#include "core/measure/machine/perf_counters.h"
#include "core/measure/measurer.h"
#include "core/measure/verify/comparison.h"
#include "core/support/text/json_output.h"
#include "core/support/text/seconds_text.h"
#include "core/support/text/visible.h"
#include "core/workbench/answers/measurements.h"
#include "core/workbench/measuring/measured_programs.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <format>
#include <iostream>
#include <optional>
#include <set>
#include <unistd.h>

namespace nestwright::cli {

using measure::Measurement;
using support::Result;
using workbench::NamedProgram;

namespace {

struct MeasureOptions : CommonOptions {
    std::vector<std::string> schedules, edited, sizes, inputs;
    std::string jsonFile, chartFile;
    int repetitions = 5;
    double seconds = 0.1, budget = 2;
    std::optional<int> timeout;
    double memoryGigabytes = 8;
    std::uint64_t seed = 1;
    bool flushCache = false, counters = false, runsEdited = false, withoutSandbox = false;
    bool hasTarget = false; ///< it was named
};

/// Puts the code of files behind the programs, in place of that of the last of them.
Result<void> addEditedFiles(const MeasureOptions &options, workbench::MeasuredPrograms &chosen)
{
    if (options.edited.empty())
        return {};
    if (auto may = checkSandbox(options.withoutSandbox); !may)
        return may;
    const ir::Module last = chosen.programs.at(chosen.last).module;
    for (const std::string &file : options.edited) {
        auto code = readEdited(file);
        if (!code)
            return support::fail(code.error());
        chosen.programs.push_back({std::filesystem::path(file).filename().string(), last, std::move(*code)});
    }
    return {};
}

/// Edited code of a session's file runs where that was agreed to, and the system can keep it in.
Result<void> checkForeignEdits(const MeasureOptions &options, int count)
{
    if (count > 0 && options.runsEdited)
        return checkSandbox(options.withoutSandbox);
    if (count > 0)
        noteForeignEdits(count);
    return {};
}

Result<workbench::MeasuredPrograms> choose(const MeasureOptions &options, const target::Target &target)
{
    workbench::MeasureQuestion question{
        .module = options.module, .schedules = options.schedules, .runsForeignEdits = options.runsEdited};
    if (options.hasTarget)
        question.target = target;
    auto chosen = workbench::measuredPrograms(opener(), question);
    if (!chosen)
        return chosen;
    if (const auto checked = checkForeignEdits(options, chosen->foreignEdits); !checked)
        return support::fail(checked.error());
    if (const auto added = addEditedFiles(options, *chosen); !added)
        return support::fail(added.error());
    return chosen;
}

std::string speedupText(const Measurement &result)
{
    if (!result.speedup)
        return "1.0x";
    const std::string_view doubt = measure::doubtOf(*result.speedup, result.samples.size());
    return std::format("{:.1f}x{}", result.speedup->ratio.median,
                       doubt.empty() ? "" : std::format(" ({})", doubt));
}

std::string verdictText(const Measurement &result)
{
    if (!result.isVerified())
        return "not verified";
    return result.difference ? "verified, " + measure::describeDifference(*result.difference) : "verified";
}

void printTable(const std::vector<NamedProgram> &variants, const std::vector<Measurement> &results)
{
    std::size_t widest = 20;
    for (const NamedProgram &variant : variants)
        widest = std::max(widest, variant.name.size());
    const int width = static_cast<int>(widest);
    const auto line = [width](const std::string &name, const std::string &time, const std::string &interval,
                              const std::string &rate, const std::string &share, const std::string &speedup,
                              const std::string &verdict) {
        std::cout << std::format("{:<{}} {:>12} {:>27} {:>9} {:>8} {:>12}  {}\n", name, width, time, interval,
                                 rate, share, speedup, verdict);
    };
    line("variant", "time", "95 % interval", "GFLOPS", "of peak", "speed-up", "result");
    std::set<std::string> hints;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const Measurement &result = results[i];
        if (result.failure && !result.failure->hint.empty())
            hints.insert(result.failure->hint);
        if (!result.ok()) {
            line(variants[i].name, "-", "-", "-", "-", "-",
                 result.failure ? result.failure->message : "not measured");
            continue;
        }
        line(variants[i].name, support::secondsText(result.time.median),
             support::secondsText(result.time.low) + " .. " + support::secondsText(result.time.high),
             result.flops > 0   ? std::format("{:.2f}", result.gflops())
             : result.bytes > 0 ? std::format("{:.2f} GB/s", result.bytes / result.time.median * 1e-9)
                                : "-",
             result.peakFraction > 0 ? std::format("{:.1f} %", result.peakFraction * 100) : "-",
             speedupText(result), verdictText(result));
    }
    for (const std::string &hint : hints)
        std::cout << "hint: " << hint << '\n';
    std::cout << std::flush;
    for (const Measurement &result : results) { // lines of edited code
        if (result.failure && !result.failure->locations.empty())
            std::cerr << result.failure->render() << '\n';
    }
    const auto disturbed = std::ranges::find(results, true, &Measurement::disturbed);
    if (disturbed != results.end())
        std::cerr << "note: " << measure::disturbance(disturbed->otherLoad) << '\n';
}

/// Says so where the shares are of a peak that may be too low.
void tellPeak(measure::Measurer &measurer, const target::Target &target,
              const std::vector<Measurement> &results)
{
    if (std::ranges::none_of(results, [](const Measurement &each) { return each.peakFraction > 0; }))
        return;
    if (const auto peak = measurer.peakOf(target); peak && peak->disturbed)
        std::cerr << "note: the machine's peak was taken while other programs kept it busy; it may be able "
                     "to do more\n";
}

/// The counts of each variant, and once why others are missing.
void printCounters(const std::vector<NamedProgram> &variants, const std::vector<Measurement> &results)
{
    std::set<std::string> absent;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!results[i].counters)
            continue;
        std::string text;
        for (const measure::CounterFigure &figure : measure::figuresOf(*results[i].counters))
            text += (text.empty() ? "" : ", ") + measure::textOf(figure);
        if (!text.empty())
            std::cout << variants[i].name << ": " << text << '\n';
        absent.insert(results[i].counters->absent);
    }
    absent.erase("");
    for (const std::string &reason : absent)
        std::cerr << "note: " << reason << '\n';
}

LadderChart chartOf(const MeasureOptions &options, const std::vector<NamedProgram> &variants,
                    const std::vector<Measurement> &results, double peak)
{
    LadderChart chart{.title = options.module, .peakGflops = peak, .bars = {}};
    for (std::size_t i = 0; i < results.size(); ++i)
        chart.bars.push_back(
            {variants[i].name, results[i].gflops(), results[i].gflopsLow(), results[i].gflopsHigh()});
    return chart;
}

Result<measure::MeasureJob> jobOf(const MeasureOptions &options, const workbench::MeasuredPrograms &chosen,
                                  std::map<std::string, std::int64_t> sizes)
{
    measure::MeasureJob job = chosen.job();
    job.sizes = std::move(sizes);
    job.externs = options.externs;
    auto inputs = readInputs(options.inputs, chosen.inputs);
    if (!inputs)
        return support::fail(inputs.error());
    job.inputs = std::move(*inputs);
    job.repetitions = options.repetitions;
    job.secondsPerRepetition = options.seconds;
    job.secondsPerVariant = options.budget;
    job.flushCache = options.flushCache;
    job.counters = options.counters;
    job.seed = options.seed;
    return job;
}

measure::WorkerOptions workerOf(const MeasureOptions &options)
{
    measure::WorkerOptions worker;
    if (options.timeout)
        worker.silence = std::chrono::seconds(*options.timeout);
    worker.memoryBytes = static_cast<std::uint64_t>(options.memoryGigabytes * 0x1p30);
    return worker;
}

Result<std::vector<Measurement>> run(measure::Measurer &measurer, const measure::MeasureJob &job)
{
    const bool interactive = isatty(STDERR_FILENO) != 0;
    auto results = measurer.measure(job, [&](const measure::Progress &progress) {
        if (interactive)
            std::fprintf(stderr, "\r%3.0f %%  %-40s", progress.fraction * 100,
                         support::visibleName(progress.phase).c_str());
    });
    if (interactive)
        std::fprintf(stderr, "\r%50s\r", "");
    return results;
}

/// --json and --chart
int writeFiles(const MeasureOptions &options, const workbench::MeasuredPrograms &chosen,
               const std::vector<Measurement> &results, measure::Measurer &measurer)
{
    if (!options.jsonFile.empty()) {
        const auto json =
            workbench::toJson(options.module, options.hasTarget ? options.target : chosen.target.str(),
                              chosen.names(), results);
        if (const int status = writeOutput(options.jsonFile, support::jsonText(json, 2) + '\n'))
            return status;
    }
    if (!options.chartFile.empty()) {
        const auto peak = measurer.peakOf(chosen.target);
        const auto drawn =
            drawLadder(chartOf(options, chosen.programs, results, peak ? peak->float32Flops * 1e-9 : 0),
                       options.chartFile);
        if (!drawn)
            return report(drawn.error());
    }
    return Done;
}

int measureVariants(const MeasureOptions &options)
{
    const auto target = target::parseTarget(options.target);
    if (!target)
        return report(target.error());
    auto sizes = parseSizes(options.sizes);
    if (!sizes)
        return report(sizes.error());
    const auto chosen = choose(options, *target);
    if (!chosen)
        return report(chosen.error());
    const auto job = jobOf(options, *chosen, std::move(*sizes));
    if (!job)
        return report(job.error());
    measure::Measurer measurer(workerOf(options));
    const auto results = run(measurer, *job);
    if (!results)
        return report(results.error());
    printTable(chosen->programs, *results);
    tellPeak(measurer, chosen->target, *results);
    printCounters(chosen->programs, *results);
    std::cout << std::flush;
    if (const int status = writeFiles(options, *chosen, *results, measurer))
        return status;
    const bool allOk = std::ranges::all_of(*results, &Measurement::ok);
    return allOk ? Done : No;
}

} // namespace

std::function<int()> declareMeasure(CLI::App &app)
{
    auto options = std::make_shared<MeasureOptions>();
    options->addModule(app);
    options->addTarget(app);
    addSchedules(app, options->schedules, "schedule scripts, one variant each", true);
    addEdited(app, options->edited);
    addRunEdited(app, options->runsEdited);
    addWithoutSandbox(app, options->withoutSandbox);
    app.add_option("--size", options->sizes, "a symbolic size, as n=1000")->allow_extra_args(false);
    addKernelInputs(app, options->inputs);
    options->addExternLibraries(app);
    app.add_option("--repetitions", options->repetitions, "timed rounds per variant")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--seconds", options->seconds, "at least, per repetition")->capture_default_str();
    app.add_option("--budget", options->budget,
                   "seconds of a variant, beyond which it is repeated less often, but twice")
        ->capture_default_str();
    app.add_option("--timeout", options->timeout, "seconds after which a silent kernel is stopped")
        ->default_str("20, OpenCL 60");
    app.add_option("--memory", options->memoryGigabytes, "GB that the worker may use")->capture_default_str();
    app.add_option("--seed", options->seed, "of the random inputs")->capture_default_str();
    app.add_flag("--flush-cache", options->flushCache, "empty the caches before each call");
    app.add_flag(
        "--counters", options->counters,
        "count events of the processor and the system by further calls: cycles, instructions, misses");
    app.add_option("--json", options->jsonFile, "write the results with every sample as JSON");
    app.add_option("--chart", options->chartFile, "draw the bars as .png or .svg");
    return [options, target = app.get_option("--target")] {
        options->hasTarget = target->count() > 0;
        return measureVariants(*options);
    };
}

} // namespace nestwright::cli
