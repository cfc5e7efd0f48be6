// SPDX-License-Identifier: Apache-2.0
/// Numbers in the steps of a schedule, and how those of a recipe follow from its parameters and from the
/// extents of loops.
#pragma once

#include "core/explore/step_path.h"
#include "core/schedule/script/trace_plan.h"
#include "core/session/reuse/recipe.h"

#include <map>

namespace nestwright::session {

/// A number that a recipe can have as a parameter.
struct RecipeNumber {
    std::string name; ///< "rows", "lanes", "tile_k"
    std::int64_t value = 0;
    std::string place;       ///< the step that it is of: "split(i, [None, 8])"
    bool isParameter = true; ///< else it stays a number
};

/// Use of a number of a step in a recipe.
struct NumberUse {
    enum class Kind : std::uint8_t {
        Product,     ///< of `numbers`, one at least
        WholeExtent, ///< of the loop that is split
        ThreadShare, ///< of that loop: one part for each thread, numbers.front()
        Remainder,   ///< None: what the other factors leave of that loop
    };
    Kind kind = Kind::Product;
    std::vector<std::size_t> numbers{};
};

/// The lines of a schedule with the programs before them.
struct RecipeTrace {
    std::vector<schedule::TraceLine> lines;
    std::vector<schedule::State> before;    ///< by line
    std::vector<schedule::ArgList> outputs; ///< by line
    ir::StmtId block; ///< the block that the recipe is for; none where no step names one

    std::vector<RecipeNumber> numbers{};
    struct Place {
        std::size_t line = 0, field = 0, element = 0;
        auto operator<=>(const Place &) const = default;
    };
    std::map<Place, NumberUse> factors{};                            ///< of splits and paddings
    std::map<std::size_t, std::map<std::int64_t, NumberUse>> maps{}; ///< in index maps, by line and value
    std::vector<std::vector<std::size_t>> products{};                ///< of several numbers that are used
};

/// Error: that of a step that is not legal.
support::Result<RecipeTrace> traceForRecipe(const explore::StepPath &path);

} // namespace nestwright::session
