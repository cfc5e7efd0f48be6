// SPDX-License-Identifier: Apache-2.0
/// Recipes: schedule scripts with parameters, which work out their steps from the sizes of the program.
#pragma once

#include "core/session/reuse/machine_parameters.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::session {

/// The parameter that names the block which a recipe is for; an empty name leaves the choice open.
inline constexpr std::string_view blockParameter = "block";
struct Recipe {
    std::string name;  ///< the file's, without its ending
    std::string title; ///< the comment at the top of the file
    std::string file, text;
    /// Parameters with their values.
    std::vector<schedule::ScriptParameter> parameters;
};

/// The recipes that come with the program, by name (examples/schedules/recipes), and behind them those of
/// the person, but for files that cannot be read; with the numbers of the machine that code for `target` runs
/// on. Errors: those of reading a script that came with the program; folders may be missing.
support::Result<std::vector<Recipe>> recipes(const target::Target &target = {});

/// The folder of recipes that a person saved: NESTWRIGHT_RECIPES, else nestwright/recipes among the user's
/// data. Empty where there is no home.
std::filesystem::path userRecipesFolder();

/// Whether a function or parameter of a script can be called so.
bool isIdentifier(std::string_view text);

/// Saves a recipe among the person's; gives its file. Errors: "recipe.name" (no name of a function, or of one
/// that comes with the program), "file.write".
support::Result<std::string> saveRecipe(const std::string &name, std::string_view text);

/// The recipe that `reference` names, as "gemm", "gemm:rows=6,vectors=4" or "my_recipe.py:rows=6", with these
/// values for its parameters; the others as in recipes. Errors: "recipe.unknown", "recipe.parameter", those
/// of reading the file.
support::Result<Recipe> findRecipe(std::string_view reference, const target::Target &target = {});

/// Runs the recipe. Where `block` is empty, on the first block of the module for which its steps are legal.
/// Error: that of the block which came furthest, with the recipe's name.
support::Result<schedule::ScriptRun> runRecipe(const schedule::State &state, const Recipe &recipe,
                                               const std::string &block = {});

} // namespace nestwright::session
