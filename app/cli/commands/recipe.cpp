// SPDX-License-Identifier: Apache-2.0
#include "core/session/reuse/recipe.h"
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "app/cli/text/symbolic_sizes.h"
#include "core/session/reuse/recipe_writer.h"
#include "core/support/text/near_names.h"
#include "core/workbench/opening/module_names.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <format>
#include <iostream>

namespace nestwright::cli {

using session::RecipeNumber;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

struct RecipeOptions : CommonOptions {
    std::string output, name;
    std::vector<std::string> renamed, fixed;
    bool saves = false, lists = false;
};

Result<RecipeNumber *> numberNamed(std::vector<RecipeNumber> &numbers, const std::string &name)
{
    const auto found = std::ranges::find(numbers, name, &RecipeNumber::name);
    if (found != numbers.end())
        return &*found;
    std::vector<std::string_view> known;
    for (const RecipeNumber &each : numbers)
        known.push_back(each.name);
    return fail(diagnostic("recipe.parameter", "the steps have no number '" + name + '\'')
                    .withHint(support::didYouMean(name, known)));
}

/// The numbers as the command line names them.
Result<std::vector<RecipeNumber>> chosenNumbers(const explore::StepPath &path, const RecipeOptions &options)
{
    auto numbers = session::recipeNumbers(path);
    if (!numbers)
        return numbers;
    for (const std::string &name : options.fixed) {
        const auto number = numberNamed(*numbers, name);
        if (!number)
            return fail(number.error());
        (*number)->isParameter = false;
    }
    for (const std::string &text : options.renamed) {
        const auto names = parseAssignment(text, "usage.rename");
        if (!names)
            return fail(names.error());
        const auto number = numberNamed(*numbers, names->first);
        if (!number)
            return fail(number.error());
        (*number)->name = names->second;
    }
    return numbers;
}

/// The name that was given, else that of the file written, else of the schedule.
std::string recipeName(const RecipeOptions &options)
{
    if (!options.name.empty())
        return options.name;
    if (!options.output.empty() && options.output != "-")
        return std::filesystem::path(options.output).stem().string();
    std::string name = workbench::nameOfSchedule(options.schedule);
    name = name.substr(0, name.find(':'));
    std::ranges::replace_if(name, [](char c) { return !session::isIdentifier(std::string("x") + c); }, '_');
    return session::isIdentifier(name) ? name : "recipe_" + name;
}

int writeTheRecipe(const RecipeOptions &options)
{
    if (options.schedule.empty())
        return report(diagnostic("usage.schedule", "there is no schedule to make a recipe of")
                          .withHint("give one with --schedule S.py"));
    const auto root = opener().loadUnscheduled(options.module);
    if (!root)
        return report(root.error());
    const auto path = opener().pathOf(*root, options.schedule);
    if (!path)
        return report(path.error());
    const auto numbers = chosenNumbers(*path, options);
    if (!numbers)
        return report(numbers.error());
    if (options.lists) {
        for (const RecipeNumber &number : *numbers)
            std::cout << std::format("{} = {}  {}\n", number.name, number.value, number.place);
        return Done;
    }
    const std::string name = recipeName(options);
    const auto text = session::writeRecipe(
        *path, name,
        std::format("The steps of {}, recorded on {}.", workbench::nameOfSchedule(options.schedule),
                    std::filesystem::path(options.module).filename().string()),
        *numbers);
    if (!text)
        return report(text.error());
    if (!options.saves)
        return writeOutput(options.output, *text);
    const auto file = session::saveRecipe(name, *text);
    if (!file)
        return report(file.error());
    std::cout << *file << '\n';
    return Done;
}

} // namespace

std::function<int()> declareRecipe(CLI::App &app)
{
    auto options = std::make_shared<RecipeOptions>();
    options->addModule(app);
    options->addSchedule(app);
    auto *output = app.add_option("-o,--output", options->output, "file of the recipe; else it is printed");
    app.add_option("--name", options->name, "of the recipe; else that of the file");
    app.add_option("--rename", options->renamed, "another name for a parameter, as tile_i=rows")
        ->allow_extra_args(false);
    app.add_option("--fixed", options->fixed, "a parameter that stays a number")->allow_extra_args(false);
    app.add_flag("--save", options->saves, "put it among your recipes, which nestc list recipes shows")
        ->excludes(output);
    app.add_flag("--list", options->lists, "print the parameters that were found, and no recipe");
    return [options] { return writeTheRecipe(*options); };
}

} // namespace nestwright::cli
