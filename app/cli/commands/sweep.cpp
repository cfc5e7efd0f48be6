// SPDX-License-Identifier: Apache-2.0
#include "core/session/reuse/sweep.h"
#include "app/cli/codes.h"
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "app/cli/text/sweep_output.h"
#include "core/measure/machine/this_machine.h"
#include "core/session/session.h"
#include "core/support/files/input_file.h"
#include "core/support/text/json_output.h"
#include "core/workbench/answers/place_sweep.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <format>
#include <iostream>

namespace nestwright::cli {

using explore::StepNumber;
using session::SweepPoint;
using session::VariantId;
using support::diagnostic;
using support::fail;
using support::Result;
using workbench::SweepResults;

namespace {

struct SweepOptions : CommonOptions {
    int step = 0, andStep = 0;
    std::string number, andNumber, places;
    std::vector<std::int64_t> values, andValues;
    bool measures = false, json = false;

    bool hasSecond() const { return andStep != 0 || !andNumber.empty() || !andValues.empty(); }
};

/// The variants of the schedule, in order.
struct Path {
    session::Session session;
    std::vector<VariantId> steps;
};

Result<Path> pathOf(const SweepOptions &options)
{
    auto session = opener().openProgram(options.module);
    if (!session)
        return fail(session.error());
    if (!options.schedule.empty()) {
        if (const auto added = opener().addBranch(*session, options.schedule); !added)
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

/// The variant of a step, counted from 1.
Result<VariantId> stepAt(const Path &path, int step)
{
    if (step >= 1 && static_cast<std::size_t>(step) <= path.steps.size())
        return path.steps[static_cast<std::size_t>(step) - 1];
    return fail(diagnostic("sweep.step", std::format("there is no step {}", step))
                    .withHint(std::format("they are numbered from 1 to {}", path.steps.size())));
}

std::string curveText(const std::string &title, const std::vector<SweepPoint> &points,
                      const SweepResults &results)
{
    std::string text = title + '\n'
                       + std::format("{:>8} {:>14}  {:<22} {}\n", "value", "predicted", "limited by",
                                     results.measured.empty() ? "" : "measured (95 % interval)");
    for (std::size_t i = 0; i < points.size(); ++i) {
        const SweepPoint &point = points[i];
        if (point.why) {
            text += std::format("{:>8} {:>14}  {}\n", point.value, "–", point.why->message);
            continue;
        }
        text += std::format("{:>8} {:>14}  {:<22}", point.value,
                            point.prediction ? milliseconds(point.prediction->seconds) : "–",
                            point.prediction ? point.prediction->limit : "");
        if (const measure::Measurement *result = results.at(i))
            text += ' ' + describe(*result);
        text += '\n';
    }
    return text + conclusion(workbench::programsOf(points), results, [&](std::size_t i) {
               return std::to_string(points[i].value);
           });
}

/// Those of `points` where they are to be measured; else nothing.
Result<SweepResults> resultsOf(const Path &path, const SweepOptions &options, const target::Target &target,
                               const std::vector<SweepPoint> &points)
{
    return options.measures ? workbench::measured(path.session.tree().root().state->module, target,
                                                  workbench::programsOf(points))
                            : Result<SweepResults>(SweepResults());
}

/// The second number: of the step that is named, else of the same; by default the last that is not the first.
Result<session::SweptNumber> secondOf(const Path &path, const SweepOptions &options,
                                      const session::SweptNumber &first)
{
    const auto variant =
        options.andStep == 0 ? Result<VariantId>(first.variant) : stepAt(path, options.andStep);
    if (!variant)
        return fail(variant.error());
    const session::Variant &changed = path.session.tree().at(*variant);
    auto number = numberOf(changed, options.andNumber);
    if (!number)
        return fail(number.error());
    if (options.andNumber.empty() && session::SweptNumber{*variant, *number} == first) {
        const std::vector<StepNumber> numbers = explore::numbersOf(changed.step);
        const auto other =
            std::ranges::find_if(numbers, [&](const StepNumber &each) { return each != first.number; });
        number = other == numbers.end() ? *number : *other;
    }
    if (session::SweptNumber{*variant, *number} == first)
        return fail(diagnostic("sweep.same-number",
                               "both numbers are " + number->name + " of '" + changed.label + "'")
                        .withHint("name another with --and-step or --and-number"));
    return session::SweptNumber{*variant, std::move(*number)};
}

int sweepTwo(const Path &path, const SweepOptions &options, const target::Target &target,
             const target::Machine &machine, const session::SweptNumber &first)
{
    const session::VariantTree &tree = path.session.tree();
    const auto second = secondOf(path, options, first);
    if (!second)
        return report(second.error());
    session::SweepAxes axes = session::sweepAxes(tree, first, *second);
    if (!options.values.empty())
        axes.rows = options.values;
    if (!options.andValues.empty())
        axes.columns = options.andValues;
    const std::size_t cells = axes.rows.size() * axes.columns.size();
    if (cells > session::mostCells)
        return report(diagnostic("sweep.too-many", std::format("these are {} programs", cells))
                          .withHint(std::format("give fewer values: {} programs are swept at most",
                                                session::mostCells)));
    const session::SweepGrid grid = session::sweepGrid(tree, axes, path.steps.back(), machine);
    const auto results = resultsOf(path, options, target, grid.points);
    if (!results)
        return report(results.error());
    return writeOutput({}, options.json ? support::jsonText(workbench::toJson(tree, grid, *results), 2) + '\n'
                                        : gridText(tree, grid, *results));
}

int sweepOne(const Path &path, const SweepOptions &options, const target::Target &target,
             const target::Machine &machine, const session::SweptNumber &swept)
{
    const session::VariantTree &tree = path.session.tree();
    const session::Variant &changed = tree.at(swept.variant);
    const std::vector<std::int64_t> values =
        options.values.empty()
            ? explore::valuesFor(*tree.at(*changed.parent).state, changed.step, swept.number)
            : options.values;
    std::vector<SweepPoint> points;
    for (const std::int64_t value : values)
        points.push_back(
            session::sweepPoint(tree, swept.variant, swept.number, value, path.steps.back(), machine));
    const auto results = resultsOf(path, options, target, points);
    if (!results)
        return report(results.error());
    return writeOutput(
        {}, options.json ? support::jsonText(workbench::toJson(swept.number, points, *results), 2) + '\n'
                         : curveText(session::describe(tree, swept), points, *results));
}

int placesOf(const SweepOptions &options, const target::Target &target)
{
    auto session = opener().openProgram(options.module);
    if (!session)
        return report(session.error());
    if (!options.schedule.empty()) {
        if (const auto added = opener().addBranch(*session, options.schedule); !added)
            return report(added.error());
    }
    const auto sweep = workbench::placeSweep(*session, target, options.places);
    if (!sweep)
        return report(sweep.error());
    const auto results = options.measures ? workbench::measured(session->tree().root().state->module, target,
                                                                sweep->programs())
                                          : Result<SweepResults>(SweepResults());
    if (!results)
        return report(results.error());
    return writeOutput({}, options.json ? support::jsonText(workbench::toJson(*sweep, *results), 2) + '\n'
                                        : placesText(*sweep, *results));
}

int sweep(const SweepOptions &options)
{
    const auto target = target::parseTarget(options.target);
    if (!target)
        return report(target.error());
    if (!options.places.empty())
        return placesOf(options, *target);
    const auto path = pathOf(options);
    if (!path)
        return report(path.error());
    if (options.step == 0) {
        listNumbers(*path);
        return Done;
    }
    const auto variant = stepAt(*path, options.step);
    if (!variant)
        return report(variant.error());
    const auto number = numberOf(path->session.tree().at(*variant), options.number);
    if (!number)
        return report(number.error());
    const target::Machine machine = measure::machineOf(*target);
    return options.hasSecond() ? sweepTwo(*path, options, *target, machine, {*variant, *number})
                               : sweepOne(*path, options, *target, machine, {*variant, *number});
}

} // namespace

std::function<int()> declareSweep(CLI::App &app)
{
    auto options = std::make_shared<SweepOptions>();
    options->addModule(app);
    options->addSchedule(app);
    options->addTarget(app);
    CLI::Option *step = app.add_option("--step", options->step,
                                       "the step to change, from 1; without it the steps are listed");
    app.add_option("--number", options->number, "of the step, as \"factors[1]\"; else the last one");
    app.add_option("--values", options->values, "to give it, as 8,16,32")->delimiter(',');
    app.add_option("--and-step", options->andStep, "a second number: of this step; else of the same one")
        ->needs(step);
    app.add_option("--and-number", options->andNumber, "the second number, as \"factors[1]\"")->needs(step);
    app.add_option("--and-values", options->andValues, "to give the second number, as 8,16,32")
        ->delimiter(',')
        ->needs(step);
    app.add_option("--places", options->places, "try all places of this loop or block instead")
        ->excludes(step);
    app.add_flag("--measure", options->measures, "measure each, in one run");
    app.add_flag("--json", options->json, "print it as JSON");
    return [options] { return sweep(*options); };
}

} // namespace nestwright::cli
