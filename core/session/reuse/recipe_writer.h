// SPDX-License-Identifier: Apache-2.0
/// Recipes recorded from the steps of a schedule: numbers become parameters or formulas of extents, blocks
/// and loops are found by their places, so that the steps can be made on other sizes and on like kernels.
#pragma once

#include "core/session/reuse/recipe_numbers.h"

namespace nestwright::session {

/// The numbers that a recipe of these steps could have as parameters, with names for them.
support::Result<std::vector<RecipeNumber>> recipeNumbers(const explore::StepPath &path);

/// The script of a recipe with that name; `title` is the comment at its top. `numbers` are those of
/// recipeNumbers, which a person may have renamed or wants as numbers. Run on the program that the steps
/// begin with it gives the one that they end with. Errors: "recipe.name", "recipe.parameter-name" (a name
/// that is none, or is given twice), "recipe.nothing" without steps, "recipe.differs" for steps that cannot
/// be told by places.
support::Result<std::string> writeRecipe(const explore::StepPath &path, const std::string &name,
                                         const std::string &title, const std::vector<RecipeNumber> &numbers);

/// The recipe of these steps as writeRecipe gives it, its numbers as recipeNumbers finds them.
support::Result<Recipe> recordedRecipe(const explore::StepPath &path, const std::string &name);

} // namespace nestwright::session
