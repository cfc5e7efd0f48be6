// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "core/backend/backend.h"
#include "core/explore/comparison.h"
#include "core/measure/measurer.h"
#include "core/measure/other_load.h"
#include "core/support/json.h"
#include "core/support/line_difference.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <format>
#include <iostream>

namespace nestwright::cli {

using explore::Comparison;
using explore::LoopPair;
using explore::LoopView;
using explore::Metric;
using support::diagnostic;
using support::Json;

namespace {

struct CompareOptions : CommonOptions {
    std::vector<std::string> schedules, names;
    std::string show;
    bool json = false, measures = false;
    std::optional<double> failBelow;
    int repetitions = 10;
};

/// The module as it is where there is no script.
support::Result<explore::Side> sideOf(const schedule::State &root, const std::string &file)
{
    auto path = pathOf(root, file);
    if (!path)
        return std::unexpected(path.error());
    return explore::Side{file.empty() ? "as it is" : nameOfSchedule(file), *std::move(path)};
}

support::Result<std::pair<explore::Side, explore::Side>> loadSides(const CompareOptions &options)
{
    if (options.schedules.empty() || options.schedules.size() > 2)
        return std::unexpected(
            diagnostic("usage.schedule", std::format("two variants are compared, but {} schedules are given",
                                                     options.schedules.size()))
                .withHint("give two with --schedule, or one to compare it with the module as it is"));
    if (!options.names.empty() && options.names.size() != 2)
        return std::unexpected(diagnostic("usage.names", std::format("{} names are given for two variants",
                                                                     options.names.size()))
                                   .withHint("write them as --names old,new"));
    const auto root = loadState(options.module);
    if (!root)
        return std::unexpected(root.error());
    const bool hasPlain = options.schedules.size() == 1;
    auto first = sideOf(*root, hasPlain ? std::string() : options.schedules.front());
    if (!first)
        return std::unexpected(first.error());
    auto second = sideOf(*root, options.schedules.back());
    if (!second)
        return std::unexpected(second.error());
    if (first->name == second->name) {
        first->name += " 1";
        second->name += " 2";
    }
    if (!options.names.empty()) {
        first->name = options.names.front();
        second->name = options.names.back();
    }
    return std::pair(*std::move(first), *std::move(second));
}

std::string loopText(const LoopView *loop)
{
    if (!loop)
        return "–";
    return std::string(2 * static_cast<std::size_t>(loop->depth), ' ') + loop->name
           + (loop->kind.empty() ? "" : " " + loop->kind);
}

/// Columns of text that takes more bytes than characters.
std::size_t columnsOf(std::string_view text)
{
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char each) { return (static_cast<unsigned char>(each) & 0xc0) != 0x80; }));
}

std::string padded(const std::string &text, std::size_t width)
{
    return text + std::string(width - std::min(width, columnsOf(text)), ' ');
}

/// "512 → 256", "512" where both have the same; the better one of two has a star.
std::string cellOf(const explore::MetricPair &values, const LoopPair &loops)
{
    if (!loops.first || !loops.second)
        return loops.first ? values.firstText : values.secondText;
    if (values.isSame())
        return values.firstText;
    return values.firstText + (values.better < 0 ? "*" : "") + " → " + values.secondText
           + (values.better > 0 ? "*" : "");
}

void showTable(const Comparison &comparison)
{
    std::vector<std::vector<std::string>> rows{{comparison.first.name, comparison.second.name}};
    const std::vector<const Metric *> shown = comparison.metrics();
    for (const Metric *metric : shown)
        rows.front().emplace_back(metric->title);
    for (const LoopPair &pair : comparison.pairs) {
        std::vector<std::string> row{loopText(comparison.first.loop(pair.first)),
                                     loopText(comparison.second.loop(pair.second))};
        for (const Metric *metric : shown)
            row.push_back(cellOf(comparison.metricPair(*metric, pair), pair));
        rows.push_back(std::move(row));
    }
    std::vector<std::size_t> widths(rows.front().size(), 0);
    for (const auto &row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], columnsOf(row[i]));
    }
    for (const auto &row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += padded(row[i], widths[i]) + "  ";
        line.erase(line.find_last_not_of(' ') + 1);
        std::cout << line << '\n';
    }
}

std::string sentence(std::string text)
{
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text + '.';
}

/// The source that --show names.
support::Result<std::string> textOf(const CompareOptions &options, const schedule::State &state,
                                    const lower::Target &target)
{
    if (options.show == "script")
        return script::print(state.module).text;
    const backend::SourceFormat &format = *backend::findSourceFormat(options.show);
    auto source = backend::source(state.module, backend::targetOf(format, target), format.kind);
    if (!source)
        return std::unexpected(source.error());
    return std::move(source->text);
}

/// The second's speed over the first's, as measured alternately in one run.
support::Result<measure::Speedup> measured(const CompareOptions &options, const lower::Target &target,
                                           const std::pair<explore::Side, explore::Side> &sides)
{
    const auto original = loadUnscheduled(options.module);
    if (!original)
        return std::unexpected(original.error());
    measure::MeasureJob job;
    job.reference = original->module;
    job.variants = {sides.first.path.end().module, sides.second.path.end().module};
    job.target = target;
    job.externs = options.externs;
    job.repetitions = options.repetitions;
    job.wantPeak = false;
    measure::Measurer measurer;
    const auto results = measurer.measure(job, [](const measure::Progress &) {});
    if (!results)
        return std::unexpected(results.error());
    for (const measure::Measurement &each : *results) {
        if (each.failure)
            return std::unexpected(*each.failure);
    }
    const auto disturbed = std::ranges::find(*results, true, &measure::Measurement::disturbed);
    if (disturbed != results->end())
        std::cerr << "note: " << measure::disturbance(disturbed->otherLoad) << '\n';
    const auto &speedup = results->back().speedup;
    if (!speedup)
        return std::unexpected(diagnostic("measure.no-speedup", "the two variants were not timed together"));
    return *speedup;
}

std::string speedupText(const measure::Speedup &speedup, const Comparison &comparison)
{
    return std::format("'{}' is {:.2f} times as fast as '{}' ({:.2f} to {:.2f}){}", comparison.second.name,
                       speedup.ratio.median, comparison.first.name, speedup.ratio.low, speedup.ratio.high,
                       speedup.significant ? "" : ", not significant");
}

Json toJson(const Comparison &comparison, const LoopPair &pair)
{
    const LoopView *first = comparison.first.loop(pair.first), *second = comparison.second.loop(pair.second);
    Json row{{"first", first ? Json(first->name) : Json()}, {"second", second ? Json(second->name) : Json()}};
    row["depth"] = (second ? second : first)->depth;
    for (const Metric &metric : explore::metrics()) {
        const explore::MetricPair values = comparison.metricPair(metric, pair);
        const auto json = [](const std::optional<double> &value) { return value ? Json(*value) : Json(); };
        if (values.isKnown())
            row[std::string(metric.name)] = {json(values.first), json(values.second)};
    }
    return row;
}

Json toJson(const Comparison &comparison, const std::optional<measure::Speedup> &speedup)
{
    Json json{{"names", {comparison.first.name, comparison.second.name}},
              {"sentence", comparison.sentence},
              {"same-code", comparison.isSameCode},
              {"loops", Json::array()}};
    if (comparison.first.cycles && comparison.second.cycles)
        json["cycles"] = {*comparison.first.cycles, *comparison.second.cycles};
    for (const LoopPair &pair : comparison.pairs)
        json["loops"].push_back(toJson(comparison, pair));
    if (speedup)
        json["speedup"] = {{"ratio", speedup->ratio.median},
                           {"low", speedup->ratio.low},
                           {"high", speedup->ratio.high},
                           {"significant", speedup->significant}};
    return json;
}

int compareVariants(const CompareOptions &options)
{
    const auto target = lower::parseTarget(options.target);
    if (!target)
        return report(target.error());
    const auto sides = loadSides(options);
    if (!sides)
        return report(sides.error());
    const auto comparison =
        explore::compare(sides->first, sides->second, *target, measure::threadsOf(*target));
    if (!comparison)
        return report(comparison.error());
    std::optional<measure::Speedup> speedup;
    if (options.measures || options.failBelow) {
        const auto result = measured(options, *target, *sides);
        if (!result)
            return report(result.error());
        speedup = *result;
    }
    if (options.json) {
        std::cout << toJson(*comparison, speedup).dump(2) << '\n';
    } else {
        std::cout << sentence(comparison->sentence) << '\n';
        if (speedup)
            std::cout << sentence(speedupText(*speedup, *comparison)) << '\n';
        std::cout << '\n';
        showTable(*comparison);
    }
    if (!options.show.empty()) {
        const auto first = textOf(options, sides->first.path.end(), *target);
        if (!first)
            return report(first.error());
        const auto second = textOf(options, sides->second.path.end(), *target);
        if (!second)
            return report(second.error());
        std::cout << std::format("\n--- {}\n+++ {}\n", comparison->first.name, comparison->second.name)
                  << support::lineDifference(*first, *second);
    }
    const bool isSlower =
        options.failBelow && speedup->significant && speedup->ratio.high < *options.failBelow;
    return isSlower ? No : Done;
}

} // namespace

std::function<int()> declareCompare(CLI::App &app)
{
    auto options = std::make_shared<CompareOptions>();
    options->addModule(app);
    options->addTarget(app);
    addSchedules(app, options->schedules,
                 "two schedule scripts, the older first; one: compared with the module as it is", true);
    app.add_option("--names", options->names, "what to call them, as old,new")->delimiter(',');
    options->addExternLibraries(app);
    auto *json = app.add_flag("--json", options->json, "print it as JSON");
    app.add_option("--show", options->show, "print the difference of their source, too")
        ->check(CLI::IsMember({"asm", "llvm", "c", "script"}))
        ->excludes(json);
    app.add_flag("--measure", options->measures, "time both alternately in one run");
    app.add_option("--repetitions", options->repetitions, "timed rounds of each")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--fail-below", options->failBelow,
                   "time them, and exit with status 1 where the second is significantly slower: where all of "
                   "the interval of its speed, over that of the first, is below this number")
        ->check(CLI::PositiveNumber);
    return [options] { return compareVariants(*options); };
}

} // namespace nestwright::cli
