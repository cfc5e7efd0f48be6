// SPDX-License-Identifier: Apache-2.0
/// Inner loops that work with more numbers than there are registers.
#include "core/explore/findings/rules.h"
#include "core/schedule/primitive.h"

#include <algorithm>
#include <bit>
#include <format>

namespace nestwright::explore {

namespace {

constexpr double leastSpills = 0.1; ///< of the instructions
constexpr double mostSpillCost = 1.5;

/// The vector loop of a block that is longer than the machine's vectors; nothing where it is not.
std::optional<std::size_t> wideVector(const Scene &scene, const SceneBlock &block)
{
    const auto vector = block.vectorLoop();
    const std::int64_t lanes = lanesOf(scene, block);
    return vector && block.loops[*vector].extent > lanes && block.loops[*vector].extent % lanes == 0
               ? vector
               : std::nullopt;
}

/// "Made for vectors of 64 bytes: ", where it was.
std::string madeFor(const Scene &scene, const SceneBlock &block)
{
    const auto wide = wideVector(scene, block);
    return wide ? std::format("Made for vectors of {} bytes: ",
                              block.loops[*wide].extent * block.elementBytes())
                : std::string();
}

std::optional<Symptom> findSpills(const Scene &scene)
{
    for (const SceneBlock &block : scene.blocks()) {
        const backend::LoopCode *code = block.share < leastShare ? nullptr : scene.code(block);
        if (!code || code->counts.all == 0)
            continue;
        const double moved = code->counts.spills + code->counts.reloads;
        const double share = moved / code->counts.all;
        if (moved < 4 || share < leastSpills)
            continue;
        const auto vector = block.vectorLoop();
        return Symptom{block.name, vector ? block.loops[*vector].id : block.loops.back().id,
                       madeFor(scene, block)
                           + std::format("{:.0f} of {} instructions of {}'s inner loop put registers aside",
                                         moved, code->counts.all, block.name),
                       std::min(mostSpillCost, 1 / (1 - std::min(share, 0.9)))};
    }
    return std::nullopt;
}

/// Vectors that a loop of a tile makes of one.
std::int64_t vectorsOf(const Scene &scene, const SceneBlock &block, const SceneLoop &loop)
{
    const std::int64_t lanes = loop.kind == ir::ForKind::Vectorized ? lanesOf(scene, block) : 1;
    return (loop.extent + lanes - 1) / lanes;
}

/// Vectors of sums of the loops within the innermost reduction.
std::int64_t sumsOf(const Scene &scene, const SceneBlock &block)
{
    std::int64_t vectors = 1;
    for (std::size_t i = block.lastReduction().value_or(0); i < block.loops.size(); ++i)
        vectors *= block.loops[i].isReduction ? 1 : vectorsOf(scene, block, block.loops[i]);
    return vectors;
}

/// The position behind the last step that gives the loops around a reduction their order; those that move
/// stages there or write sums' beginnings apart come later.
std::size_t placeToSplit(const StepPath &path, StmtId loop)
{
    std::size_t position =
        placeWhereMade(path, loop).transform([](std::size_t at) { return at + 1; }).value_or(0);
    for (std::size_t place = position; place < path.size(); ++place) {
        const auto *loops =
            path.step(place).args.empty() ? nullptr : path.step(place).args.front().as<schedule::ArgList>();
        if (path.step(place).primitive->name == "reorder" && loops
            && std::ranges::contains(*loops, schedule::ArgValue(loop)))
            position = place + 1;
    }
    return position;
}

/// The loop around `loop` among those of the block; none where it is the outermost.
StmtId loopAround(const schedule::State &state, StmtId block, StmtId loop)
{
    const suggest::LoopNest nest(state, script::print(state.module));
    const std::vector<StmtId> loops = nest.loopsTo(block);
    const auto found = std::ranges::find(loops, loop);
    return found == loops.begin() || found == loops.end() ? StmtId() : *std::prev(found);
}

/// The schedule with a loop of the tile split by `part`, the outer loop around the reductions. Stages that
/// are moved to where those are go along, where they may.
void addSplitOut(const Scene &scene, const SceneBlock &block, const SceneLoop &loop, std::int64_t part,
                 const std::string &before, std::vector<Variation> &variations)
{
    const std::size_t position = placeToSplit(scene.path(), loop.id);
    StepChain begin(scene.path().upTo(position));
    const schedule::ArgList parts =
        begin.apply("split", {{"loop", loop.id}, {"factors", schedule::ArgList{schedule::ArgValue(), part}}});
    if (parts.size() != 2)
        return;
    const StmtId outer = *parts[0].as<StmtId>();
    schedule::ArgList order{outer};
    const suggest::LoopNest nest = begin.nest();
    for (const StmtId each : nest.loopsTo(block.id)) {
        const analysis::LoopAxis *axis = nest.axis(each);
        if (axis && axis->reduce && !axis->spatial)
            order.emplace_back(each);
    }
    order.push_back(parts[1]);
    begin.apply("reorder", {{"loops", order}});
    const auto all = begin.isLegal() ? scene.path().continuing(begin.path(), position, {loop.id}, {parts[1]})
                                     : std::nullopt;
    if (!all)
        return;
    const std::string title = std::format("{}take {} in parts of {}", before, scene.name(loop.id), part);
    for (std::size_t place = position; place < all->size(); ++place) {
        schedule::Step moved = all->step(place);
        const auto *to = moved.args.size() > 1 ? moved.args[1].as<StmtId>() : nullptr;
        if (!moved.primitive->name.ends_with("compute_at") || !to
            || *to != loopAround(all->state(place), block.id, outer))
            continue;
        moved.args[1] = outer;
        if (auto along = all->with(place, std::move(moved)))
            StepChain(*std::move(along)).finish(variations, title);
    }
    StepChain(*all).finish(variations, title);
}

/// Loops of the tile that no step made, in parts around the reductions.
void addPartsOfTile(const Scene &scene, const SceneBlock &block, const std::string &before,
                    std::vector<Variation> &variations)
{
    const std::int64_t sums = sumsOf(scene, block);
    for (std::size_t i = block.lastReduction().value_or(0) + 1; i < block.loops.size(); ++i) {
        const SceneLoop &loop = block.loops[i];
        if (loop.isReduction || loop.kind == ir::ForKind::Vectorized)
            continue;
        std::vector<std::int64_t> parts = divisorsOf(loop.extent, loop.extent / 2);
        std::erase_if(parts, [&](std::int64_t part) {
            return part < 2 || sums / loop.extent * part > scene.machine().vectors.registers;
        });
        for (const std::int64_t part : parts)
            addSplitOut(scene, block, loop, part, before, variations);
    }
}

std::vector<Variation> mendSpills(const Scene &scene, const Symptom &symptom);

/// Vectors of the machine in place of wider ones, with a tile that fits its registers.
void addNarrower(const Scene &scene, const SceneBlock &block, std::vector<Variation> &variations)
{
    const auto wide = wideVector(scene, block);
    if (!wide)
        return;
    const std::int64_t lanes = lanesOf(scene, block);
    for (Variation &each : otherNumbers(scene, block.loops[*wide].id, [&](std::int64_t, std::int64_t) {
             return std::vector<std::int64_t>{lanes};
         })) {
        const Scene after(each.path, scene.target(), scene.machine(), scene.stop());
        const SceneBlock *same = after.isKnown() ? after.block(block.name) : nullptr;
        if (!same || sumsOf(after, *same) <= scene.machine().vectors.registers) {
            variations.push_back(std::move(each));
            continue;
        }
        for (Variation &smaller : mendSpills(after, {.block = block.name, .at = same->id, .title = {}})) {
            smaller.title = each.title + ", " + smaller.title;
            variations.push_back(std::move(smaller));
        }
    }
}

/// Smaller numbers in the steps that made the loops of the tile, and parts of its loops.
std::vector<Variation> mendSpills(const Scene &scene, const Symptom &symptom)
{
    std::vector<Variation> variations;
    const SceneBlock &block = *scene.block(symptom.block);
    addNarrower(scene, block, variations);
    const std::size_t first = variations.size();
    const auto reduction = block.lastReduction();
    for (std::size_t i = reduction.value_or(0); i < block.loops.size(); ++i) {
        if (block.loops[i].isReduction || block.loops[i].kind == ir::ForKind::Vectorized)
            continue;
        for (Variation &each :
             otherNumbers(scene, block.loops[i].id, [](std::int64_t value, std::int64_t iterations) {
                 std::vector<std::int64_t> values;
                 for (std::int64_t smaller = value - 1; smaller >= 1; --smaller) {
                     if (iterations % smaller == 0
                         || std::has_single_bit(static_cast<std::uint64_t>(smaller)))
                         values.push_back(smaller);
                 }
                 return values;
             }))
            variations.push_back(std::move(each));
    }
    if (!reduction)
        return variations;
    const std::size_t last = variations.size();
    addPartsOfTile(scene, block, {}, variations);
    for (std::size_t i = first; i < last; ++i) { // one smaller number is not enough
        const Variation smaller = variations[i];
        const Scene after(smaller.path, scene.target(), scene.machine(), scene.stop());
        const SceneBlock *same = after.isKnown() ? after.block(symptom.block) : nullptr;
        if (same && sumsOf(after, *same) > scene.machine().vectors.registers)
            addPartsOfTile(after, *same, smaller.title + ", ", variations);
    }
    return variations;
}

} // namespace

std::vector<FaultRule> spillRules()
{
    return {{.fault = Fault::Spills,
             .name = "spills",
             .explanation =
                 "The inner loop works with more numbers than there are registers, and puts some of "
                 "them aside in memory.",
             .find = findSpills,
             .remedies = mendSpills,
             .readsCode = true}};
}

} // namespace nestwright::explore
