// SPDX-License-Identifier: Apache-2.0
#include "core/session/sweep.h"
#include "app/cli/codes.h"
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "core/measure/measurer.h"
#include "core/measure/statistics.h"
#include "core/session/session.h"
#include "core/support/input_file.h"
#include "core/support/json.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <format>
#include <iostream>

namespace nestwright::cli {

using measure::Measurement;
using explore::StepNumber;
using session::SweepPoint;
using session::VariantId;
using support::diagnostic;
using support::fail;
using support::Json;
using support::Result;

namespace {

struct SweepOptions : CommonOptions {
    int step = 0;
    std::string number;
    std::vector<std::int64_t> values;
    bool measures = false, json = false;
};

/// The variants of the schedule, in order.
struct Path {
    session::Session session;
    std::vector<VariantId> steps;
};

Result<Path> pathOf(const SweepOptions &options)
{
    auto session = session::Session::open(options.module);
    if (!session)
        return fail(session.error());
    if (!options.schedule.empty()) {
        if (const auto added = addBranch(*session, options.schedule); !added)
            return fail(added.error());
    }
    std::vector<VariantId> steps = session->tree().path(session->tree().current().id);
    steps.erase(steps.begin());
    if (steps.empty())
        return fail(diagnostic("sweep.no-steps", "there is no step to change")
                        .withHint("give a schedule with --schedule"));
    return Path{std::move(*session), std::move(steps)};
}

/// "1  split(i, [None, 16])  factors[1] = 16"
void listNumbers(const Path &path)
{
    for (std::size_t i = 0; i < path.steps.size(); ++i) {
        const session::Variant &variant = path.session.tree().at(path.steps[i]);
        std::string numbers;
        for (const StepNumber &number : explore::numbersOf(variant.step))
            numbers += std::format("  {} = {}", number.name, number.value);
        std::cout << std::format("{:>3}  {}{}\n", i + 1, variant.label, numbers);
    }
}

Result<StepNumber> numberOf(const session::Variant &variant, const std::string &name)
{
    const std::vector<StepNumber> numbers = explore::numbersOf(variant.step);
    if (numbers.empty())
        return fail(diagnostic("sweep.no-number", "'" + variant.label + "' has no number to change")
                        .withHint("leave --step out to see the steps with their numbers"));
    if (name.empty())
        return numbers.back();
    const auto found = std::ranges::find(numbers, name, &StepNumber::name);
    if (found != numbers.end())
        return *found;
    std::string known;
    for (const StepNumber &number : numbers)
        known += (known.empty() ? "" : ", ") + number.name;
    return fail(diagnostic("sweep.no-number", "'" + variant.label + "' has no number '" + name + "'")
                    .withHint("it has " + known));
}

/// One measurement per point whose steps are legal, in one run; nothing for the others.
Result<std::vector<std::optional<Measurement>>> measured(const Path &path, const lower::Target &target,
                                                         const std::vector<SweepPoint> &points)
{
    measure::MeasureJob job;
    job.reference = path.session.tree().root().state->module;
    job.target = target;
    for (const SweepPoint &point : points) {
        if (point.state)
            job.variants.push_back(point.state->module);
    }
    measure::Measurer measurer;
    auto results = measurer.measure(job, [](const measure::Progress &) {});
    if (!results)
        return fail(results.error());
    std::vector<std::optional<Measurement>> all(points.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (points[i].state)
            all[i] = std::move((*results)[next++]);
    }
    return all;
}

/// Of the points that were both predicted and measured; nothing of fewer than three.
std::optional<double> agreement(const std::vector<SweepPoint> &points,
                                const std::vector<std::optional<Measurement>> &results)
{
    std::vector<double> predicted, actual;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (points[i].prediction && results[i] && results[i]->ok()) {
            predicted.push_back(points[i].prediction->seconds);
            actual.push_back(results[i]->time.median);
        }
    }
    return predicted.size() < 3 ? std::nullopt : std::optional(measure::rankCorrelation(predicted, actual));
}

std::string milliseconds(double seconds) { return std::format("{:.4f} ms", seconds * 1e3); }

void show(const std::string &title, const std::vector<SweepPoint> &points,
          const std::vector<std::optional<Measurement>> &results)
{
    std::cout << title << '\n'
              << std::format("{:>8} {:>14}  {:<22} {}\n", "value", "predicted", "limited by",
                             results.empty() ? "" : "measured (95 % interval)");
    for (std::size_t i = 0; i < points.size(); ++i) {
        const SweepPoint &point = points[i];
        if (point.why) {
            std::cout << std::format("{:>8} {:>14}  {}\n", point.value, "–", point.why->message);
            continue;
        }
        std::cout << std::format("{:>8} {:>14}  {:<22}", point.value,
                                 point.prediction ? milliseconds(point.prediction->seconds) : "–",
                                 point.prediction ? point.prediction->limit : "");
        if (!results.empty() && results[i]) {
            const Measurement &result = *results[i];
            std::cout << ' '
                      << (result.ok()
                              ? std::format("{} ({} .. {})", milliseconds(result.time.median),
                                            milliseconds(result.time.low), milliseconds(result.time.high))
                          : result.failure ? result.failure->message
                                           : "not measured");
        }
        std::cout << '\n';
    }
    if (const auto agrees = agreement(points, results))
        std::cout << std::format("order of predicted and measured: {:.2f} (1: the same)\n", *agrees);
}

Json toJson(const StepNumber &number, const std::vector<SweepPoint> &points,
            const std::vector<std::optional<Measurement>> &results)
{
    Json json{{"number", number.name}, {"points", Json::array()}};
    for (std::size_t i = 0; i < points.size(); ++i) {
        Json entry{{"value", points[i].value}};
        if (points[i].why)
            entry["refused"] = points[i].why->message;
        if (points[i].prediction)
            entry["predicted"] = {{"seconds", points[i].prediction->seconds},
                                  {"limit", points[i].prediction->limit}};
        if (!results.empty() && results[i])
            entry["measured"] = measure::toJson(*results[i]);
        json["points"].push_back(std::move(entry));
    }
    if (const auto agrees = agreement(points, results))
        json["rank-correlation"] = *agrees;
    return json;
}

int sweep(const SweepOptions &options)
{
    const auto target = lower::parseTarget(options.target);
    if (!target)
        return report(target.error());
    const auto path = pathOf(options);
    if (!path)
        return report(path.error());
    if (options.step == 0) {
        listNumbers(*path);
        return Done;
    }
    if (options.step < 1 || static_cast<std::size_t>(options.step) > path->steps.size())
        return report(diagnostic("sweep.step", std::format("there is no step {}", options.step))
                          .withHint(std::format("they are numbered from 1 to {}", path->steps.size())));
    const session::VariantTree &tree = path->session.tree();
    const VariantId variant = path->steps[static_cast<std::size_t>(options.step) - 1];
    const auto number = numberOf(tree.at(variant), options.number);
    if (!number)
        return report(number.error());
    const std::vector<std::int64_t> values =
        options.values.empty()
            ? explore::valuesFor(*tree.at(*tree.at(variant).parent).state, tree.at(variant).step, *number)
            : options.values;
    const explore::Machine machine = explore::thisMachine(measure::threadsOf(*target));
    std::vector<SweepPoint> points;
    for (const std::int64_t value : values)
        points.push_back(session::sweepPoint(tree, variant, *number, value, path->steps.back(), machine));
    std::vector<std::optional<Measurement>> results;
    if (options.measures) {
        auto all = measured(*path, *target, points);
        if (!all)
            return report(all.error());
        results = std::move(*all);
    }
    if (options.json)
        return writeOutput({}, toJson(*number, points, results).dump(2) + '\n');
    show(number->name + " of " + tree.at(variant).label, points, results);
    return Done;
}

} // namespace

std::function<int()> declareSweep(CLI::App &app)
{
    auto options = std::make_shared<SweepOptions>();
    options->addModule(app);
    options->addSchedule(app);
    options->addTarget(app);
    app.add_option("--step", options->step, "the step to change, from 1; without it the steps are listed");
    app.add_option("--number", options->number, "of the step, as \"factors[1]\"; else the last one");
    app.add_option("--values", options->values, "to give it, as 8,16,32")->delimiter(',');
    app.add_flag("--measure", options->measures, "measure each, in one run");
    app.add_flag("--json", options->json, "print it as JSON");
    return [options] { return sweep(*options); };
}

} // namespace nestwright::cli
