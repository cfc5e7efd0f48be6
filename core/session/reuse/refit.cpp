// SPDX-License-Identifier: Apache-2.0
#include "core/session/reuse/refit.h"

#include "core/session/reuse/recipe.h"

#include <algorithm>
#include <array>
#include <format>
#include <ranges>
#include <set>

namespace nestwright::session {

namespace {

// Numbers that decide, beside the sizes of a program, which steps a recipe makes.
/// 128 bits, AVX2, AVX-512.
struct ProcessorClass {
    std::int64_t lanes, registers;
};
constexpr std::array classes{ProcessorClass{4, 16}, ProcessorClass{8, 16}, ProcessorClass{16, 32}};
constexpr std::array<std::int64_t, 4> threadCounts{1, 2, 8, 16};
/// Parts of the first and second cache.
struct CacheParts {
    std::int64_t l1, l2;
};
constexpr std::array cacheParts{CacheParts{8192, 131072}, CacheParts{16384, 262144},
                                CacheParts{16384, 524288}, CacheParts{16384, 1048576}};

constexpr std::size_t leastSteps = 3;  ///< fewer say nothing of where they come from
constexpr std::size_t otherSteps = 12; ///< that a recipe has more or less of on another machine, at most

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

std::set<const schedule::Primitive *> primitivesOf(const explore::StepPath &path)
{
    std::set<const schedule::Primitive *> found;
    for (const schedule::Step &step : path.steps())
        found.insert(step.primitive);
    return found;
}

/// Whether `path` may be by the recipe that makes `own` here: with about as many steps, most of their
/// primitives in it.
bool resembles(const explore::StepPath &path, const explore::StepPath &own)
{
    if (path.size() + otherSteps < own.size() || own.size() + otherSteps < path.size())
        return false;
    const auto in = primitivesOf(path), wanted = primitivesOf(own);
    const auto shared =
        std::ranges::count_if(wanted, [&](const schedule::Primitive *each) { return in.contains(each); });
    return 4 * static_cast<std::size_t>(shared) >= 3 * wanted.size();
}

/// The numbers that recipes have for each class of processors.
std::vector<std::vector<schedule::ScriptParameter>> numbersOfOthers()
{
    std::vector<std::vector<schedule::ScriptParameter>> all;
    for (const auto &[processor, threads, caches] :
         std::views::cartesian_product(classes, threadCounts, cacheParts)) {
        all.push_back({{"lanes", processor.lanes},
                       {"registers", processor.registers},
                       {std::string(threadsParameter), threads},
                       {"l1", caches.l1},
                       {"l2", caches.l2}});
    }
    return all;
}

/// Whether the recipe makes these primitives for some processor.
bool isMadeBy(const Recipe &recipe, const explore::StepPath &path, const std::stop_token &stop)
{
    std::set<std::string> tried; // by the recipe's parameters, which need not be all of them
    for (const auto &numbers : numbersOfOthers()) {
        const Recipe other = with(recipe, numbers);
        std::string text;
        for (const schedule::ScriptParameter &each : other.parameters)
            text += schedule::str(each.value) + ' ';
        if (!tried.insert(text).second)
            continue;
        const auto made = stop.stop_requested() ? std::nullopt : madeBy(other, path.state(0));
        if (!made)
            return false; // it is for other programs
        if (haveSamePrimitives(*made, path))
            return true;
    }
    return false;
}

} // namespace

std::optional<explore::Variation> refitted(const explore::StepPath &path, const target::Target &target,
                                           const std::stop_token &stop)
{
    if (path.size() < leastSteps)
        return std::nullopt;
    const auto all = recipes(target);
    if (!all)
        return std::nullopt;
    for (const Recipe &recipe : *all) {
        if (stop.stop_requested())
            return std::nullopt;
        auto own = madeBy(recipe, path.state(0));
        if (!own)
            continue;
        if (own->steps() == path.steps())
            return std::nullopt;
        if (resembles(path, *own) && (haveSamePrimitives(*own, path) || isMadeBy(recipe, path, stop)))
            return explore::Variation{
                std::format("make it anew by the recipe {} for this machine", recipe.name), *std::move(own)};
    }
    return std::nullopt;
}

} // namespace nestwright::session
