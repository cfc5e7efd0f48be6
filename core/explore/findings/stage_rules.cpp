// SPDX-License-Identifier: Apache-2.0
/// Faults of where stages are computed.
#include "core/analysis/access/footprint.h"
#include "core/analysis/kernel/counts.h"
#include "core/explore/findings/rules.h"
#include "core/explore/predict/prediction.h"
#include "core/explore/predict/unit_time.h"
#include "core/ir/build/builder.h"
#include "core/schedule/primitive.h"
#include "core/support/text/bytes_text.h"

#include <algorithm>
#include <format>
#include <iterator>

namespace nestwright::explore {

namespace {

constexpr double muchAgain = 1.25;        ///< times that work is done
constexpr double inlinedAgain = 1.1;      ///< times the operations, that inlining may make of them
constexpr double nearBytes = 64.0 * 1024; ///< that pass from nest to nest without going far

/// Runs of the block's body over those that its domain needs.
double repetitionOf(const SceneBlock &block)
{
    double needed = 1;
    for (const ir::IterVar &variable : block.block->iterVars) {
        const std::int64_t *extent = ir::asInt(variable.domain.extent);
        if (!extent)
            return 1;
        needed *= static_cast<double>(std::max<std::int64_t>(1, *extent));
    }
    return block.runs / needed;
}

/// Operations that the steps of inlining added, and the place of the one that added most.
struct Inlined {
    double ratio = 1;
    std::size_t place = 0;
};

double operationsOf(const schedule::State &state)
{
    const ir::Module::Entry *entry = state.module.mainEntry();
    const ir::PrimFunc *function = entry ? entry->function.get() : nullptr;
    if (!function)
        return 0;
    const analysis::Counts counts = analysis::countsOf(*function);
    return counts.flops + counts.integerOps + operationsOfFunction * counts.transcendental;
}

Inlined worstInlining(const StepPath &path)
{
    Inlined worst;
    for (std::size_t place = 0; place < path.size(); ++place) {
        if (!path.step(place).primitive->name.ends_with("compute_inline"))
            continue;
        const double before = operationsOf(path.state(place)), after = operationsOf(path.state(place + 1));
        if (before > 0 && after / before > worst.ratio)
            worst = {after / before, place};
    }
    return worst;
}

std::optional<Symptom> findRecomputation(const Scene &scene)
{
    const SceneBlock *worst = nullptr;
    double most = 0;
    for (const SceneBlock &block : scene.blocks()) {
        const double again = repetitionOf(block);
        const double wasted = block.share * (1 - 1 / again);
        if (again >= muchAgain && wasted > most && placeOfMove(scene.path(), block.id)) {
            worst = &block;
            most = wasted;
        }
    }
    if (worst && most > leastShare)
        return Symptom{
            worst->name, worst->id,
            std::format("{} computes each of its elements {:.2g} times", worst->name, repetitionOf(*worst))};
    const Inlined inlined = worstInlining(scene.path());
    if (inlined.ratio < muchAgain)
        return std::nullopt;
    const StmtId stage = *scene.path().step(inlined.place).args.front().as<StmtId>();
    return Symptom{schedule::nameOf(scene.path().state(inlined.place), stage), scene.blocks().front().id,
                   std::format("{} is computed again wherever it is read: {:.2g} times the operations",
                               schedule::nameOf(scene.path().state(inlined.place), stage), inlined.ratio)};
}

std::vector<Variation> mendRecomputation(const Scene &scene, const Symptom &symptom)
{
    std::vector<Variation> variations;
    const SceneBlock *block = scene.block(symptom.block);
    const auto place = block ? placeOfMove(scene.path(), block->id) : worstInlining(scene.path()).place;
    variations.push_back(
        {std::format("Leave {} out", scene.path().label(*place)), scene.path().without(*place)});
    if (block)
        std::ranges::move(otherPlaces(scene, *place, symptom.block, false), std::back_inserter(variations));
    return variations;
}

/// Bytes of a buffer that one nest writes and another reads.
struct Passing {
    const SceneBlock *from = nullptr, *to = nullptr;
    double bytes = 0;
};

double bytesOf(const ir::Buffer &buffer)
{
    return countedElements(buffer) * std::max(1, buffer.dtype().bytes());
}

bool reads(const SceneBlock &block, const ir::Buffer &buffer)
{
    return std::ranges::any_of(block.accesses, [&](const AccessStrides &access) {
        return !access.isWrite && access.buffer == buffer;
    });
}

std::vector<Passing> passings(const Scene &scene)
{
    std::vector<Passing> all;
    for (const SceneBlock &from : scene.blocks()) {
        if (from.block->writes.empty() || !scene.isIntermediate(from.block->writes.front().buffer))
            continue;
        const ir::Buffer &buffer = from.block->writes.front().buffer;
        for (const SceneBlock &to : scene.blocks()) {
            const bool isOther =
                !from.loops.empty() && !to.loops.empty() && from.loops.front().id != to.loops.front().id;
            if (isOther && reads(to, buffer) && bytesOf(buffer) > nearBytes)
                all.push_back({&from, &to, bytesOf(buffer)});
        }
    }
    std::ranges::stable_sort(all, std::greater(), &Passing::bytes);
    return all;
}

std::optional<Symptom> findLateStage(const Scene &scene)
{
    const std::vector<Passing> all = passings(scene);
    if (all.empty())
        return std::nullopt;
    const Passing &most = all.front();
    return Symptom{most.to->name, most.to->id,
                   std::format("{} of {} pass through memory from {} to {}", support::bytesText(most.bytes),
                               most.from->block->writes.front().buffer.name(), most.from->name,
                               most.to->name)};
}

/// `stage` moved into the loops of `other` that are neither vectors nor unrolled, as long as it computes
/// nothing again there.
void addMoves(const Scene &scene, std::string_view primitive, const SceneBlock &stage,
              const SceneBlock &other, std::vector<Variation> &variations)
{
    for (const SceneLoop &loop : other.loops) {
        if (loop.kind != ir::ForKind::Serial && loop.kind != ir::ForKind::Parallel)
            return;
        StepChain chain(scene.path());
        chain.apply(primitive, {{"block", stage.id}, {"loop", loop.id}});
        if (!chain.isLegal())
            continue;
        const Scene after(chain.path(), scene.target(), scene.machine(), scene.stop());
        const SceneBlock *moved = after.block(stage.name);
        if (moved && repetitionOf(*moved) <= repetitionOf(stage))
            chain.finish(variations,
                         std::format("Compute {} in {} of {}", stage.name, scene.name(loop.id), other.name));
    }
}

/// All stages in the outermost loop of the last, so that a row of each is in the caches when the next reads
/// it. Loops of stages that move are made anew: vectors are too.
void addRows(const Scene &scene, std::vector<Variation> &variations)
{
    std::vector<const SceneBlock *> stages;
    for (const StmtId id : scene.index().childBlocks(scene.index().root())) {
        const auto found = std::ranges::find(scene.blocks(), id, &SceneBlock::id);
        if (found == scene.blocks().end())
            return;
        stages.push_back(&*found);
    }
    if (stages.size() < 3 || stages.back()->loops.empty())
        return;
    StepChain chain(scene.path());
    const StmtId row = stages.back()->loops.front().id;
    for (std::size_t i = stages.size() - 1; i-- > 0;) {
        const SceneBlock &stage = *stages[i];
        const bool inParts = !stage.loops.empty() && reassociates(scene, stage.loops.back());
        chain.apply("compute_at", {{"block", stage.id}, {"loop", row}});
        if (!chain.isLegal())
            return;
        const StmtId inner = chain.nest().loopsTo(stage.id).back();
        std::string ignored;
        if (inParts)
            sumInParts(chain, inner);
        else if (!stage.reduces && inner != row)
            computeByVectors(chain, inner, lanesOf(scene, stage), ignored);
    }
    chain.finish(variations,
                 std::format("Compute all stages in {} of {}", scene.name(row), stages.back()->name));
}

std::vector<Variation> mendLateStage(const Scene &scene, const Symptom & /**/)
{
    std::vector<Variation> variations;
    addRows(scene, variations);
    for (const Passing &each : passings(scene)) {
        addMoves(scene, "reverse_compute_at", *each.to, *each.from, variations);
        addMoves(scene, "compute_at", *each.from, *each.to, variations);
        if (!each.from->reduces) {
            StepChain chain(scene.path());
            chain.apply("compute_inline", {{"block", each.from->id}});
            if (operationsOf(chain.path().end()) > inlinedAgain * operationsOf(scene.state()))
                chain.refuse();
            chain.finish(variations, std::format("Compute {} where it is read", each.from->name));
        }
        if (!each.to->reduces) {
            StepChain chain(scene.path());
            chain.apply("reverse_compute_inline", {{"block", each.to->id}});
            chain.finish(variations,
                         std::format("Compute {} where {} is written", each.to->name, each.from->name));
        }
    }
    return variations;
}

} // namespace

std::vector<FaultRule> stageRules()
{
    return {{.fault = Fault::Recomputation,
             .name = "recomputation",
             .explanation =
                 "A stage that is computed within a loop which it does not depend on, or where its "
                 "parts overlap, computes elements again.",
             .find = findRecomputation,
             .remedies = mendRecomputation},
            {.fault = Fault::LateStage,
             .name = "late-stage",
             .explanation = "What one nest writes is read by another when it has left the caches; computed "
                            "within the loops of the other it is still there.",
             .find = findLateStage,
             .remedies = mendLateStage}};
}

} // namespace nestwright::explore
