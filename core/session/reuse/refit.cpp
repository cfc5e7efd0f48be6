// SPDX-License-Identifier: Apache-2.0
#include "core/session/reuse/refit.h"

#include "core/session/reuse/recipe.h"

#include <algorithm>
#include <array>
#include <format>
#include <ranges>

namespace nestwright::session {

namespace {

/// What the steps of recipes depend on beside the sizes of a program: 128 bits, AVX2, AVX-512.
struct ProcessorClass {
    std::int64_t lanes, registers;
};
constexpr std::array classes{ProcessorClass{4, 16}, ProcessorClass{8, 16}, ProcessorClass{16, 32}};
constexpr std::array<std::int64_t, 4> threadCounts{1, 2, 8, 16};
constexpr std::size_t leastSteps = 3; ///< fewer say nothing of where they come from

/// The recipe with these values where it has such parameters.
Recipe with(Recipe recipe, const std::vector<schedule::ScriptParameter> &values)
{
    for (schedule::ScriptParameter &parameter : recipe.parameters) {
        const auto found = std::ranges::find(values, parameter.name, &schedule::ScriptParameter::name);
        if (found != values.end())
            parameter.value = found->value;
    }
    return recipe;
}

std::optional<explore::StepPath> madeBy(const Recipe &recipe, const schedule::State &initial)
{
    const auto run = runRecipe(initial, recipe);
    if (!run)
        return std::nullopt;
    std::vector<schedule::Step> steps;
    for (const schedule::ScriptStep &each : run->steps)
        steps.push_back(each.step);
    auto path = explore::StepPath::along(initial, steps);
    return path ? std::optional(*std::move(path)) : std::nullopt;
}

bool haveSamePrimitives(const explore::StepPath &a, const explore::StepPath &b)
{
    return std::ranges::equal(a.steps(), b.steps(), {}, &schedule::Step::primitive,
                              &schedule::Step::primitive);
}

/// Whether the recipe makes these primitives for some processor.
bool isMadeBy(const Recipe &recipe, const explore::StepPath &path, const std::stop_token &stop)
{
    for (const ProcessorClass &each : classes) {
        for (const std::int64_t threads : threadCounts) {
            const auto made = stop.stop_requested()
                                  ? std::nullopt
                                  : madeBy(with(recipe, {{"lanes", each.lanes},
                                                         {"registers", each.registers},
                                                         {std::string(threadsParameter), threads}}),
                                           path.state(0));
            if (!made)
                return false; // it is for other programs
            if (haveSamePrimitives(*made, path))
                return true;
        }
    }
    return false;
}

} // namespace

std::optional<explore::Variation> refitted(const explore::StepPath &path, const target::Target &target,
                                           const std::stop_token &stop)
{
    const auto all = recipes(target);
    if (!all || path.size() < leastSteps)
        return std::nullopt;
    for (const Recipe &recipe : *all) {
        auto own = madeBy(recipe, path.state(0));
        if (!own || stop.stop_requested())
            continue;
        if (own->steps() == path.steps())
            return std::nullopt;
        if (haveSamePrimitives(*own, path) || isMadeBy(recipe, path, stop))
            return explore::Variation{
                std::format("make it anew by the recipe {} for this machine", recipe.name), *std::move(own)};
    }
    return std::nullopt;
}

} // namespace nestwright::session
