// SPDX-License-Identifier: Apache-2.0
#include "core/session/reuse/recipe.h"

#include "core/schedule/script/values.h"
#include "core/schedule/state_index.h"
#include "core/support/files/atomic_file.h"
#include "core/support/files/examples_folder.h"
#include "core/support/files/input_file.h"
#include "core/support/host.h"
#include "core/support/text/near_names.h"

#include <algorithm>
#include <filesystem>
#include <format>

namespace nestwright::session {

namespace fs = std::filesystem;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

constexpr std::string_view ending = ".py";

fs::path recipesFolder() { return support::examplesFolder() / "schedules" / "recipes"; }

/// The lines of comment at the top but TVM's import, as one.
std::string titleOf(std::string_view text)
{
    std::string title;
    while (text.starts_with("#")) {
        const std::string_view line = text.substr(0, text.find('\n'));
        const std::size_t begin = line.find_first_not_of("# ");
        if (begin != std::string_view::npos && !line.substr(begin).starts_with("from tvm"))
            title += (title.empty() ? "" : " ") + std::string(line.substr(begin));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return title;
}

Result<Recipe> readRecipe(const fs::path &file, const target::Target &target)
{
    auto text = support::readText(file.string());
    if (!text)
        return fail(text.error());
    auto parameters = parametersFor(*text, file.string(), target);
    if (!parameters)
        return fail(parameters.error());
    return Recipe{file.stem().string(), titleOf(*text), file.string(), std::move(*text),
                  std::move(*parameters)};
}

std::vector<fs::path> recipeFiles(const fs::path &folder)
{
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(folder, error)) {
        if (entry.path().extension() == ending)
            files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

Result<fs::path> fileOf(const std::string &name)
{
    if (name.ends_with(ending))
        return fs::path(name);
    std::vector<std::string> known;
    for (const fs::path &folder : {recipesFolder(), userRecipesFolder()}) {
        for (const fs::path &file : recipeFiles(folder)) {
            if (file.stem() == name)
                return file;
            known.push_back(file.stem().string());
        }
    }
    const std::vector<std::string_view> names(known.begin(), known.end());
    return fail(diagnostic("recipe.unknown", std::format("there is no recipe '{}'", name))
                    .withHint(support::didYouMean(name, names)));
}

/// Puts "rows=6,vectors=4" into the parameters; values in brackets may hold commas.
Result<void> setParameters(Recipe &recipe, std::string_view text)
{
    while (!text.empty()) {
        int depth = 0;
        const auto end = std::ranges::find_if(text, [&](char c) {
            depth += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
            return c == ',' && depth == 0;
        });
        const std::string_view one(text.begin(), end);
        text.remove_prefix(std::min(text.size(), one.size() + 1));
        const std::size_t equals = one.find('=');
        const std::string name(one.substr(0, equals));
        const auto found = std::ranges::find(recipe.parameters, name, &schedule::ScriptParameter::name);
        if (equals == std::string_view::npos || found == recipe.parameters.end()) {
            std::vector<std::string_view> known;
            for (const schedule::ScriptParameter &parameter : recipe.parameters)
                known.push_back(parameter.name);
            return fail(diagnostic("recipe.parameter",
                                   std::format("the recipe '{}' has no parameter '{}'", recipe.name, one))
                            .withHint(support::didYouMean(name, known)));
        }
        const std::string value(one.substr(equals + 1));
        // The name of a block may be written without quotes.
        auto read = name == blockParameter && !value.starts_with('"') ? schedule::ArgValue(value)
                                                                      : schedule::readValue(value);
        if (!read)
            return fail(read.error());
        found->value = std::move(*read);
    }
    return {};
}

/// The blocks of all functions in program order, those that reduce first.
std::vector<std::string> candidates(const schedule::State &state)
{
    std::vector<std::string> reducing, others;
    for (const ir::Module::Entry &entry : state.module.functions()) {
        const analysis::FunctionIndex *index = state.index->function(entry.name);
        if (!index)
            continue;
        for (const ir::StmtId id : index->scope(index->root()).blocks) {
            const ir::Block &block = *index->block(id);
            const bool reduces =
                std::ranges::contains(block.iterVars, ir::IterKind::Reduce, &ir::IterVar::kind);
            (reduces ? reducing : others).push_back(block.name);
        }
    }
    reducing.insert(reducing.end(), others.begin(), others.end());
    return reducing;
}

} // namespace

Result<std::vector<Recipe>> recipes(const target::Target &target)
{
    std::vector<Recipe> all;
    for (const fs::path &file : recipeFiles(recipesFolder())) {
        auto recipe = readRecipe(file, target);
        if (!recipe)
            return fail(recipe.error());
        all.push_back(std::move(*recipe));
    }
    for (const fs::path &file : recipeFiles(userRecipesFolder())) {
        if (auto recipe = readRecipe(file, target))
            all.push_back(std::move(*recipe));
    }
    return all;
}

fs::path userRecipesFolder()
{
    if (const char *given = std::getenv("NESTWRIGHT_RECIPES"); given && *given)
        return given;
    const fs::path data = support::userDataFolder();
    return data.empty() ? data : data / "recipes";
}

Result<std::string> saveRecipe(const std::string &name, std::string_view text)
{
    if (!isIdentifier(name))
        return fail(diagnostic("recipe.name", std::format("'{}' is no name for a recipe", name))
                        .withHint("letters, digits and _, no digit first: it is the name of a function"));
    if (std::ranges::contains(recipeFiles(recipesFolder()), fs::path(name), &fs::path::stem))
        return fail(
            diagnostic("recipe.name", std::format("a recipe that comes with the program is named '{}'", name))
                .withHint("choose another name"));
    const fs::path folder = userRecipesFolder();
    if (folder.empty())
        return fail(diagnostic("file.write", "there is no folder for recipes")
                        .withHint("set HOME, or NESTWRIGHT_RECIPES to a folder"));
    std::error_code error;
    fs::create_directories(folder, error);
    const fs::path file = folder / (name + std::string(ending));
    if (auto written = support::writeAtomically(file, text); !written)
        return fail(written.error());
    return file.string();
}

bool isIdentifier(std::string_view text)
{
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !text.empty() && isLetter(text.front())
           && std::ranges::all_of(text, [&](char c) { return isLetter(c) || (c >= '0' && c <= '9'); });
}

Result<Recipe> findRecipe(std::string_view reference, const target::Target &target)
{
    const std::size_t colon = reference.find(':');
    const auto file = fileOf(std::string(reference.substr(0, colon)));
    if (!file)
        return fail(file.error());
    auto recipe = readRecipe(*file, target);
    if (!recipe || colon == std::string_view::npos)
        return recipe;
    if (const auto set = setParameters(*recipe, reference.substr(colon + 1)); !set)
        return fail(set.error());
    return recipe;
}

Result<schedule::ScriptRun> runRecipe(const schedule::State &state, const Recipe &recipe,
                                      const std::string &block)
{
    std::vector<schedule::ScriptParameter> given = recipe.parameters;
    const auto named = std::ranges::find(given, blockParameter, &schedule::ScriptParameter::name);
    std::vector<std::string> blocks;
    if (named == given.end())
        blocks.emplace_back();
    else if (!block.empty())
        blocks.push_back(block);
    else if (const std::string *chosen = named->value.as<std::string>(); chosen && !chosen->empty())
        blocks.push_back(*chosen);
    else
        blocks = candidates(state);
    std::optional<support::Diagnostic> error;
    std::size_t furthest = 0;
    for (const std::string &each : blocks) {
        if (named != given.end())
            named->value = each;
        auto run = schedule::runScheduleScript(state, recipe.text, recipe.file, given);
        if (run)
            return run;
        const auto line = run.error().locations.empty()
                              ? std::size_t{0}
                              : static_cast<std::size_t>(run.error().locations.front().line);
        if (!error || line > furthest) {
            error = std::move(run.error());
            furthest = line;
        }
    }
    if (!error)
        return fail(diagnostic("recipe.no-block", "the program has no block that a recipe could be for"));
    error->message = std::format("the recipe '{}' does not fit here: {}", recipe.name, error->message);
    return fail(std::move(*error));
}

} // namespace nestwright::session
