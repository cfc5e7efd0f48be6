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
#include "core/workbench/opening/module_names.h"

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
};

/// A variant with the name it has in the table.
struct NamedModule {
    std::string name;
    ir::Module module;
    std::optional<backend::EditedCode> edited{};
};

/// Edited code that a session holds, where it may be run.
Result<void> addSessionEdits(const MeasureOptions &options, std::vector<NamedModule> &variants)
{
    if (!workbench::isSession(options.module))
        return {};
    auto opened = opener().openSession(options.module);
    if (!opened)
        return support::fail(opened.error());
    session::VariantTree &tree = opened->tree();
    if (tree.foreignEdits() > 0 && !options.runsEdited) {
        noteForeignEdits(tree.foreignEdits());
        return {};
    }
    if (tree.foreignEdits() > 0) {
        if (auto may = checkSandbox(options.withoutSandbox); !may)
            return may;
    }
    tree.allowEdits();
    for (const session::Variant &variant : tree.all()) {
        if (!variant.edit)
            continue;
        auto code = session::runnable(*variant.edit);
        if (!code) { // conflicts that are not settled
            std::cerr << "note: " << variant.label << ": " << code.error().message << '\n';
            continue;
        }
        const std::string name = variant.name.empty() ? '#' + std::to_string(variant.id.value) : variant.name;
        variants.push_back({name + ' ' + variant.label, variant.state->module, std::move(*code)});
    }
    return {};
}

/// Without scripts the module as it is and as its own file schedules it, else one variant per script.
Result<std::vector<NamedModule>> loadModules(const MeasureOptions &options)
{
    std::vector<NamedModule> variants;
    if (options.schedules.empty()) {
        auto own = opener().loadVariants(options.module);
        if (!own)
            return std::unexpected(own.error());
        for (workbench::NamedState &each : *own)
            variants.push_back({own->size() == 1 ? "as it is" : each.name, std::move(each.state.module)});
    }
    for (const std::string &file : options.schedules) {
        auto state = opener().loadScheduled(options.module, file);
        if (!state)
            return std::unexpected(state.error());
        variants.push_back({workbench::nameOfSchedule(file), std::move(state->module)});
    }
    const ir::Module last = variants.back().module;
    if (!options.edited.empty()) {
        if (auto may = checkSandbox(options.withoutSandbox); !may)
            return std::unexpected(may.error());
    }
    for (const std::string &file : options.edited) {
        auto code = readEdited(file);
        if (!code)
            return std::unexpected(code.error());
        variants.push_back({std::filesystem::path(file).filename().string(), last, std::move(*code)});
    }
    if (const auto added = addSessionEdits(options, variants); !added)
        return std::unexpected(added.error());
    return variants;
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

void printTable(const std::vector<NamedModule> &variants, const std::vector<Measurement> &results)
{
    std::size_t widest = 20;
    for (const NamedModule &variant : variants)
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
void printCounters(const std::vector<NamedModule> &variants, const std::vector<Measurement> &results)
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

std::vector<std::string> namesOf(const std::vector<NamedModule> &variants)
{
    std::vector<std::string> names;
    for (const NamedModule &each : variants)
        names.push_back(each.name);
    return names;
}

LadderChart chartOf(const MeasureOptions &options, const std::vector<NamedModule> &variants,
                    const std::vector<Measurement> &results, double peak)
{
    LadderChart chart{.title = options.module, .peakGflops = peak, .bars = {}};
    for (std::size_t i = 0; i < results.size(); ++i)
        chart.bars.push_back(
            {variants[i].name, results[i].gflops(), results[i].gflopsLow(), results[i].gflopsHigh()});
    return chart;
}

int measureVariants(const MeasureOptions &options)
{
    const auto target = target::parseTarget(options.target);
    if (!target)
        return report(target.error());
    const auto sizes = parseSizes(options.sizes);
    if (!sizes)
        return report(sizes.error());
    const auto original = opener().loadUnscheduled(options.module);
    if (!original)
        return report(original.error());
    const auto variants = loadModules(options);
    if (!variants)
        return report(variants.error());

    measure::MeasureJob job;
    job.reference = original->module;
    for (const NamedModule &variant : *variants) {
        if (variant.edited)
            job.edits.emplace(job.variants.size(), *variant.edited);
        job.variants.push_back(variant.module);
    }
    job.target = *target;
    job.sizes = *sizes;
    job.externs = options.externs;
    auto inputs = readInputs(options.inputs);
    if (!inputs)
        return report(inputs.error());
    job.inputs = std::move(*inputs);
    job.repetitions = options.repetitions;
    job.secondsPerRepetition = options.seconds;
    job.secondsPerVariant = options.budget;
    job.flushCache = options.flushCache;
    job.counters = options.counters;
    job.seed = options.seed;

    measure::WorkerOptions worker;
    if (options.timeout)
        worker.silence = std::chrono::seconds(*options.timeout);
    worker.memoryBytes = static_cast<std::uint64_t>(options.memoryGigabytes * 0x1p30);
    measure::Measurer measurer(worker);
    const bool interactive = isatty(STDERR_FILENO) != 0;
    const auto results = measurer.measure(job, [&](const measure::Progress &progress) {
        if (interactive)
            std::fprintf(stderr, "\r%3.0f %%  %-40s", progress.fraction * 100,
                         support::visibleName(progress.phase).c_str());
    });
    if (interactive)
        std::fprintf(stderr, "\r%50s\r", "");
    if (!results)
        return report(results.error());
    printTable(*variants, *results);
    tellPeak(measurer, *target, *results);
    printCounters(*variants, *results);
    std::cout << std::flush;
    if (!options.jsonFile.empty()) {
        if (const int status = writeOutput(
                options.jsonFile,
                support::jsonText(
                    workbench::toJson(options.module, options.target, namesOf(*variants), *results), 2)
                    + '\n'))
            return status;
    }
    if (!options.chartFile.empty()) {
        const auto peak = measurer.peakOf(*target);
        const auto drawn = drawLadder(
            chartOf(options, *variants, *results, peak ? peak->float32Flops * 1e-9 : 0), options.chartFile);
        if (!drawn)
            return report(drawn.error());
    }
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
    return [options] { return measureVariants(*options); };
}

} // namespace nestwright::cli
