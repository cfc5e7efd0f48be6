// SPDX-License-Identifier: Apache-2.0
#include "core/course/goal.h"
#include "core/schedule/state_index.h"

#include <algorithm>
#include <format>
#include <map>

namespace nestwright::course {

using suggest::LoopNest;
using support::StmtId;

namespace {

/// The function that steps work on; null where there is none.
const analysis::FunctionIndex *mainIndex(const LoopNest &nest)
{
    const ir::Module::Entry *entry = nest.state().module.mainEntry();
    return entry && nest.state().index ? nest.state().index->function(entry->name) : nullptr;
}

/// The block of that name; what decompose_reduction leaves of it counts as well.
StmtId blockNamed(const LoopNest &nest, const std::string &name)
{
    const analysis::FunctionIndex *index = mainIndex(nest);
    if (!index)
        return {};
    for (const std::string &each : {name, name + "_update"}) {
        for (const StmtId id : index->all()) {
            if (const ir::Block *block = index->block(id); block && block->name == each)
                return id;
        }
    }
    return {};
}

std::string kindText(const LoopNest &nest, StmtId loop)
{
    const std::string badge = suggest::kindBadge(*nest.loop(loop));
    return badge.empty() ? "serial" : badge;
}

bool hasTrait(const LoopNest &nest, StmtId loop, const std::string &trait)
{
    const analysis::LoopAxis *axis = nest.axis(loop);
    if (trait == "spatial")
        return axis && axis->spatial && !axis->reduce && !axis->opaque;
    if (trait == "reduction")
        return axis && axis->reduce;
    return kindText(nest, loop) == trait;
}

std::string adjective(const std::string &trait)
{
    if (trait == "vector")
        return "vectorized";
    if (trait == "unroll")
        return "unrolled";
    if (trait.contains("Idx"))
        return "bound to " + trait;
    return trait == "reduction" ? "a reduction" : trait;
}

/// Description of a loop that lacks `trait`.
std::string insteadOf(const LoopNest &nest, StmtId loop, const std::string &trait)
{
    if (trait == "spatial")
        return "a reduction";
    return trait == "reduction" ? "spatial" : adjective(kindText(nest, loop));
}

GoalStatus reached(std::string found = {}) { return {true, std::move(found)}; }
GoalStatus missing(std::string text) { return {false, std::move(text)}; }

GoalStatus noBlock(const std::string &name)
{
    return missing(std::format("There is no block {} in this program.", name));
}

/// Whether `loop` has the trait and the iterations that the goal asks for.
GoalStatus checkLoop(const Goal &goal, const LoopNest &nest, StmtId loop, std::string_view which)
{
    const std::string name = nest.name(loop);
    if (!hasTrait(nest, loop, goal.trait))
        return missing(std::format("The {} loop of {}, {}, is {}; it should be {}.", which, goal.name, name,
                                   insteadOf(nest, loop, goal.trait), adjective(goal.trait)));
    const auto iterations = nest.iterations(loop);
    if (goal.least > 0 && (!iterations || static_cast<double>(*iterations) < goal.least))
        return missing(
            std::format("The {} loop of {}, {}, has {} iterations; {:g} are needed.", which, goal.name, name,
                        iterations ? std::to_string(*iterations) : "an unknown number of", goal.least));
    return reached();
}

GoalStatus checkAnyLoop(const Goal &goal, const LoopNest &nest, const std::vector<StmtId> &loops)
{
    for (const StmtId loop : loops) {
        const auto iterations = nest.iterations(loop);
        const bool isLongEnough =
            goal.least == 0 || (iterations && static_cast<double>(*iterations) >= goal.least);
        if (hasTrait(nest, loop, goal.trait) && isLongEnough)
            return reached();
    }
    const std::string length =
        goal.least > 0 ? std::format(" with {:g} iterations or more", goal.least) : std::string();
    return missing(std::format("No loop of {}{} is {}.", goal.name, length, adjective(goal.trait)));
}

/// Two axes such that an outer loop of each stands outside an inner loop of each.
GoalStatus checkTiled(const Goal &goal, const LoopNest &nest, const std::vector<StmtId> &loops)
{
    std::map<std::string, std::vector<std::size_t>> places; // of the loops that drive a spatial axis
    for (std::size_t i = 0; i < loops.size(); ++i) {
        const analysis::LoopAxis *axis = nest.axis(loops[i]);
        if (axis && axis->spatial && !axis->reduce && axis->names.size() == 1)
            places[axis->names.front()].push_back(i);
    }
    std::erase_if(places, [](const auto &each) { return each.second.size() < 2; });
    if (places.size() < 2)
        return missing(std::format("Fewer than two axes of {} have an outer and an inner loop.", goal.name));
    std::size_t lastOuter = 0, firstInner = loops.size();
    for (const auto &[axis, at] : places) {
        lastOuter = std::max(lastOuter, at.front());
        firstInner = std::min(firstInner, at.back());
    }
    return lastOuter < firstInner
               ? reached()
               : missing("An inner loop stands outside an outer one: the tile is not together yet.");
}

GoalStatus checkWithin(const Goal &goal, const LoopNest &nest, const std::vector<StmtId> &loops)
{
    const StmtId other = blockNamed(nest, goal.trait);
    if (!other)
        return noBlock(goal.trait);
    const std::vector<StmtId> around = nest.loopsTo(other);
    const bool share =
        std::ranges::any_of(loops, [&](StmtId id) { return std::ranges::contains(around, id); });
    return share ? reached()
                 : missing(std::format("{} and {} have no loop in common.", goal.name, goal.trait));
}

/// The buffer that a block makes as a plain copy of `name`; null where it does not.
const ir::Buffer *copyOf(const ir::Block &block, const std::string &name)
{
    const auto *store = block.body.as<ir::BufferStore>();
    const auto *load = store ? store->value.as<ir::BufferLoad>() : nullptr;
    return load && load->buffer->name == name ? &store->buffer : nullptr;
}

GoalStatus checkCopied(const Goal &goal, const LoopNest &nest)
{
    std::size_t dimensions = 0;
    for (const StmtId id : nest.all()) {
        const ir::Block *block = nest.block(id);
        if (const ir::Buffer *copy = block ? copyOf(*block, goal.name) : nullptr)
            dimensions = std::max(dimensions, (*copy)->shape.size());
    }
    if (dimensions == 0)
        return missing(std::format("No block copies {}.", goal.name));
    if (static_cast<double>(dimensions) < goal.least)
        return missing(
            std::format("The copy of {} has {} dimensions, as {} itself; its layout should have {:g}.",
                        goal.name, dimensions, goal.name, goal.least));
    return reached();
}

GoalStatus checkStructure(const Goal &goal, const LoopNest &nest)
{
    const StmtId block = blockNamed(nest, goal.name);
    if (goal.kind == GoalKind::Copied)
        return checkCopied(goal, nest);
    if (goal.kind == GoalKind::Absent)
        return block ? missing(std::format("The block {} is still there.", goal.name)) : reached();
    if (!block)
        return noBlock(goal.name);
    const std::vector<StmtId> loops = nest.loopsTo(block);
    if (goal.kind == GoalKind::Present)
        return reached();
    if (loops.empty())
        return missing(std::format("{} stands in no loop.", goal.name));
    switch (goal.kind) {
    case GoalKind::Loops:
        return static_cast<double>(loops.size()) >= goal.least
                   ? reached()
                   : missing(std::format("{} stands in {} loops; {:g} are needed.", goal.name, loops.size(),
                                         goal.least));
    case GoalKind::Tiled: return checkTiled(goal, nest, loops);
    case GoalKind::Outermost: return checkLoop(goal, nest, loops.front(), "outermost");
    case GoalKind::Innermost: return checkLoop(goal, nest, loops.back(), "innermost");
    case GoalKind::Loop: return checkAnyLoop(goal, nest, loops);
    default: return checkWithin(goal, nest, loops);
    }
}

/// "1.93× the start (1.90–1.95)"
std::string ratioText(const measure::Interval &ratio)
{
    return std::format("{:.2f}× the speed of the start ({:.2f}–{:.2f})", ratio.median, ratio.low, ratio.high);
}

GoalStatus checkSpeed(const Goal &goal, const Speed &speed)
{
    if (!speed.overStart)
        return missing("The program was not timed beside the start yet. Measure it (F5).");
    const measure::Speedup &found = *speed.overStart;
    const std::string busy = speed.isDisturbed ? " Other programs were at work meanwhile." : "";
    const std::string text = ratioText(found.ratio);
    if (!found.significant)
        return missing(std::format("{}: not significant, within the noise of this machine.{}", text, busy));
    if (found.ratio.median >= goal.least)
        return reached(text + ".");
    if (found.ratio.high >= goal.least)
        return missing(
            std::format("{}; {:g}× is within the interval. Measure again.{}", text, goal.least, busy));
    return missing(std::format("{}; {:g}× is the goal.{}", text, goal.least, busy));
}

} // namespace

GoalStatus check(const Goal &goal, const LoopNest &nest, const std::optional<Speed> &speed, int threads)
{
    if (!goal.isMeasured())
        return checkStructure(goal, nest);
    if (goal.kind == GoalKind::Speed && threads < goal.threads)
        return reached(
            std::format("Not asked for here: the target has {} thread{}.", threads, threads == 1 ? "" : "s"));
    if (!speed)
        return missing("The program was not measured yet. Press F5.");
    if (!speed->failure.empty())
        return missing(speed->failure);
    if (!speed->isVerified)
        return missing("Its result was not verified.");
    return goal.kind == GoalKind::Measured ? reached() : checkSpeed(goal, *speed);
}

} // namespace nestwright::course
