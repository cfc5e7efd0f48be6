// SPDX-License-Identifier: Apache-2.0
#include "app/cli/input.h"

#include "app/cli/text/reading_time.h"
#include "core/target/kinds.h"
#include "core/workbench/opening/module_names.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>
#include <utility>

namespace nestwright::cli {

using support::Result;

workbench::Opener &opener()
{
    static workbench::Opener opener(
        {.note = [](const workbench::Note &note) { std::cerr << note.text(); },
         .watch = [](const std::string &input) { return std::make_shared<ReadingTime>(input); }});
    return opener;
}

namespace {
void addRecipe(CLI::App &app, const std::function<void(std::string)> &take)
{
    app.add_option_function<std::string>(
           "--recipe", [take](const std::string &name) { take(std::string(workbench::recipePrefix) + name); },
           "a recipe with values for its parameters, as gemm:rows=6 (nestc list recipes), or its file")
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->trigger_on_parse();
}
} // namespace

void addSchedules(CLI::App &app, std::vector<std::string> &schedules, const std::string &description,
                  bool takesSeveral)
{
    app.add_option("--schedule", schedules, description)->allow_extra_args(takesSeveral);
    addRecipe(app, [&schedules](std::string recipe) { schedules.push_back(std::move(recipe)); });
}

Result<ScheduledFor> load(const CommonOptions &options)
{
    auto target = target::parseTarget(options.target);
    if (!target)
        return std::unexpected(target.error());
    auto state = opener().loadScheduled(options.module, options.schedule);
    if (!state)
        return std::unexpected(state.error());
    return ScheduledFor{std::move(*state), std::move(*target)};
}

void CommonOptions::addModule(CLI::App &app)
{
    app.add_option("MODULE", module, "TVMScript or TE script, session, or op:NAME(…)")->required();
    app.add_option_function<std::string>(
           "--variant", [this](const std::string &name) { module += '#' + name; },
           "variant of a session, or schedule of a file that has several; \"unscheduled\" for none")
        ->allow_extra_args(false);
}

void CommonOptions::addSchedule(CLI::App &app)
{
    app.add_option("--schedule", schedule, "schedule script to run on the module, or a trace (.json)");
    addRecipe(app, [this](std::string recipe) { schedule = std::move(recipe); });
}

void CommonOptions::addTarget(CLI::App &app)
{
    app.add_option("--target", target, target::kindNames() + ", with options in quotes")
        ->capture_default_str();
}

void CommonOptions::addDialect(CLI::App &app)
{
    app.add_option("--dialect", dialect, "version of TVM that reads the output")
        ->check(CLI::IsMember(script::dialectNames()))
        ->capture_default_str();
}

void CommonOptions::addStyle(CLI::App &app)
{
    addDialect(app);
    app.add_option("--columns", columns,
                   "lines longer than that behind their indentation go on below; 0: none does")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_flag("--split-grids", splitsGrids, "each loop on a line of its own, none in T.grid");
}

void CommonOptions::addExternLibraries(CLI::App &app)
{
    app.add_option(
           "--extern-library", externs.paths,
           "a shared library whose functions the module may call, if you trust it; without one those of "
           "math.h only")
        ->allow_extra_args(false);
}

} // namespace nestwright::cli
