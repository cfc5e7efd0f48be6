// SPDX-License-Identifier: Apache-2.0
/// Faults of the innermost loop: it does not compute by vectors, or not well.
#include "core/analysis/access/footprint.h"
#include "core/explore/findings/rules.h"
#include "core/explore/step_numbers.h"
#include "core/ir/build/builder.h"
#include "core/schedule/primitive.h"
#include "core/suggest/move_innermost.h"
#include "core/target/machine.h"

#include <algorithm>
#include <cmath>
#include <format>

namespace nestwright::explore {

namespace {

constexpr std::int64_t longStride = target::lineBytes; ///< another cache line each time
/// A guard in each iteration keeps the compiler from wide loads and stores.
constexpr double guardedVectors = 1.5;
constexpr double gathered = 2;

bool isDense(const AccessStrides &access, std::size_t loop)
{
    return access.strides[loop] == 0 || access.strides[loop] == 1;
}

bool isDense(const SceneBlock &block, std::size_t loop)
{
    return std::ranges::all_of(block.accesses,
                               [&](const AccessStrides &access) { return isDense(access, loop); });
}

/// No loop is a vector, and the compiler made none by itself.
bool isScalar(const Scene &scene, const SceneBlock &block)
{
    if (block.loops.empty() || block.share < leastShare || block.vectorLoop())
        return false;
    const backend::LoopCode *code = scene.code(block);
    return !code || code->counts.packed < code->counts.scalar || code->counts.packed == 0;
}

std::optional<Symptom> findReductionInnermost(const Scene &scene)
{
    for (const SceneBlock &block : scene.blocks()) {
        if (!isScalar(scene, block) || !block.loops.back().isReduction
            || block.loops.back().kind != ir::ForKind::Serial || reassociates(scene, block.loops.back()))
            continue;
        const std::string name = scene.name(block.loops.back().id);
        return Symptom{block.name, block.loops.back().id,
                       std::format("{} is a reduction: its iterations wait for each other", name)};
    }
    return std::nullopt;
}

/// Each spatial loop of the nest innermost, by vectors.
void addInnermost(const Scene &scene, const SceneBlock &block, const StepPath &path,
                  const std::string &before, std::vector<Variation> &variations)
{
    for (std::size_t i = 0; i < block.loops.size(); ++i) {
        const SceneLoop &loop = block.loops[i];
        if (!loop.isSpatial || loop.kind != ir::ForKind::Serial || !isDense(block, i))
            continue;
        for (const std::int64_t times : {1, 2, 4}) {
            StepChain chain(path);
            std::string said = before;
            computeByVectors(chain, loop.id, times * lanesOf(scene, block), said);
            chain.finish(variations, std::move(said));
        }
    }
}

std::vector<Variation> mendReductionInnermost(const Scene &scene, const Symptom &symptom)
{
    std::vector<Variation> variations;
    const SceneBlock &block = *scene.block(symptom.block);
    addInnermost(scene, block, scene.path(), {}, variations);
    if (isDense(block, block.loops.size() - 1)) {
        StepChain chain(scene.path());
        sumInParts(chain, symptom.at);
        chain.finish(variations,
                     std::format("Sum {} up in several parts, by vectors", scene.name(symptom.at)));
    }
    return variations;
}

/// The access that the innermost loop moves farthest from one iteration to the next.
struct Jump {
    const AccessStrides *access = nullptr;
    std::int64_t bytes = 0;
};

Jump farthestJump(const SceneBlock &block)
{
    Jump farthest;
    for (const AccessStrides &access : block.accesses) {
        const std::int64_t bytes =
            std::abs(access.strides.back().value_or(0)) * access.buffer.dtype().bytes();
        if (!farthest.access || bytes > farthest.bytes)
            farthest = {&access, bytes};
    }
    return farthest;
}

/// The loop around the innermost one along which the elements of an access lie side by side.
std::optional<std::size_t> loopAlongLines(const SceneBlock &block, const AccessStrides &access)
{
    for (std::size_t i = block.loops.size() - 1; i-- > 0;) {
        if (access.strides[i] == 1 && block.loops[i].isSpatial)
            return i;
    }
    return std::nullopt;
}

/// Whether the lines that an iteration of that loop touches are still near in the next one, which uses other
/// elements of them.
bool staysNear(const Scene &scene, const SceneBlock &block, const AccessStrides &access)
{
    constexpr double share = 0.5; ///< of the nearest cache: rows at a distance share few of its sets
    const auto along = loopAlongLines(block, access);
    if (!along || scene.machine().levels.empty())
        return false;
    const auto lines =
        analysis::totalLineBytes(analysis::footprintOfIteration(scene.index(), block.loops[*along].id));
    return lines && *lines <= share * static_cast<double>(scene.machine().levels.front().bytes);
}

/// Whether another loop, brought innermost, moves along all lines.
bool hasDenseLoop(const SceneBlock &block)
{
    for (std::size_t i = 0; i + 1 < block.loops.size(); ++i) {
        if (block.loops[i].isSpatial && isDense(block, i))
            return true;
    }
    return false;
}

std::optional<Symptom> findLongStride(const Scene &scene)
{
    for (const SceneBlock &block : scene.blocks()) {
        if (block.share < leastShare || block.loops.empty() || block.vectorLoop()
            || block.loops.back().isReduction || block.loops.back().kind != ir::ForKind::Serial)
            continue;
        const Jump jump = farthestJump(block);
        if (jump.bytes < longStride || (!hasDenseLoop(block) && staysNear(scene, block, *jump.access)))
            continue;
        return Symptom{block.name, block.loops.back().id,
                       std::format("{} is {} across its rows: in steps of {} bytes along {}",
                                   jump.access->buffer.name(), jump.access->isWrite ? "written" : "read",
                                   jump.bytes, scene.name(block.loops.back().id))};
    }
    return std::nullopt;
}

/// Tiles of the innermost loop and of that along the lines, so that a tile uses all of each line.
void addTilesOfLines(const Scene &scene, const SceneBlock &block, std::vector<Variation> &variations)
{
    const Jump jump = farthestJump(block);
    const auto along = loopAlongLines(block, *jump.access);
    if (!along || block.loops[*along].kind != ir::ForKind::Serial)
        return;
    const SceneLoop &outer = block.loops[*along], &inner = block.loops.back();
    const std::int64_t line =
        static_cast<std::int64_t>(analysis::lineSize) / std::max(1, jump.access->buffer.dtype().bytes());
    for (const std::int64_t size : {line, 2 * line, 4 * line}) {
        if (outer.extent % size != 0 || inner.extent % size != 0)
            continue;
        StepChain chain(scene.path());
        const schedule::ArgList factors{schedule::ArgValue(), size};
        const schedule::ArgList rows = chain.apply("split", {{"loop", outer.id}, {"factors", factors}}),
                                columns = chain.apply("split", {{"loop", inner.id}, {"factors", factors}});
        if (rows.size() != 2 || columns.size() != 2)
            continue;
        chain.apply("reorder", {{"loops", schedule::ArgList{rows[0], columns[0], rows[1], columns[1]}}});
        chain.finish(variations, std::format("Tile {} and {} by {} × {}", scene.name(outer.id),
                                             scene.name(inner.id), size, size));
    }
}

std::vector<Variation> mendLongStride(const Scene &scene, const Symptom &symptom)
{
    std::vector<Variation> variations;
    const SceneBlock &block = *scene.block(symptom.block);
    addInnermost(scene, block, scene.path(), {}, variations);
    addTilesOfLines(scene, block, variations);
    const auto parallel = block.parallelLoop();
    const auto place = parallel ? placeOfStep(scene.path(), "parallel", block.loops[*parallel].id) : parallel;
    if (!place)
        return variations;
    // The loop to come innermost may be the parallel one, whose place another takes.
    const Scene serial(scene.path().without(*place), scene.target(), scene.machine(), scene.stop());
    const SceneBlock *same = serial.block(symptom.block);
    std::vector<Variation> inner;
    if (same) {
        addInnermost(serial, *same, serial.path(), {}, inner);
        addTilesOfLines(serial, *same, inner);
    }
    for (const Variation &each : inner) {
        StepChain chain(each.path);
        chain.apply("parallel", {{"loop", chain.nest().loopsTo(same->id).front()}});
        chain.finish(variations, each.title + ", run the outermost in parallel");
    }
    return variations;
}

std::optional<Symptom> findScalarLoop(const Scene &scene)
{
    for (const SceneBlock &block : scene.blocks()) {
        if (!isScalar(scene, block) || !block.loops.back().isSpatial
            || block.loops.back().kind != ir::ForKind::Serial || farthestJump(block).bytes >= longStride)
            continue;
        return Symptom{block.name, block.loops.back().id,
                       std::format("{} computes one element at a time", scene.name(block.loops.back().id))};
    }
    return std::nullopt;
}

std::vector<Variation> mendScalarLoop(const Scene &scene, const Symptom &symptom)
{
    std::vector<Variation> variations;
    addInnermost(scene, *scene.block(symptom.block), scene.path(), {}, variations);
    return variations;
}

std::optional<Symptom> findGather(const Scene &scene)
{
    for (const SceneBlock &block : scene.blocks()) {
        const auto vector = block.vectorLoop();
        if (!vector || block.share < leastShare)
            continue;
        for (const AccessStrides &access : block.accesses) {
            if (isDense(access, *vector) || !access.strides[*vector] || access.buffer->scope == "local")
                continue;
            const std::int64_t bytes = std::abs(*access.strides[*vector]) * access.buffer.dtype().bytes();
            return Symptom{block.name, block.loops[*vector].id,
                           std::format("Elements of a vector along {} lie {} bytes apart in {}",
                                       scene.name(block.loops[*vector].id), bytes, access.buffer.name()),
                           gathered};
        }
    }
    return std::nullopt;
}

/// The same vectors along other loops.
std::vector<Variation> mendGather(const Scene &scene, const Symptom &symptom)
{
    std::vector<Variation> variations;
    const SceneBlock &block = *scene.block(symptom.block);
    const auto place = placeOfStep(scene.path(), "vectorize", symptom.at);
    if (!place)
        return variations;
    const StepPath scalar = scene.path().without(*place);
    const std::string before = std::format("leave {} as it is", scene.name(symptom.at));
    addInnermost(scene, block, scalar, before, variations);
    // Loops may have been made for the vector: the schedule before that, and another loop in its place.
    if (const auto made = placeWhereMade(scalar, symptom.at)) {
        const Scene plain(scalar.without(*made), scene.target(), scene.machine(), scene.stop());
        if (const SceneBlock *same = plain.block(symptom.block))
            addInnermost(plain, *same, plain.path(), std::format("without {}", scene.path().label(*made)),
                         variations);
    }
    return variations;
}

std::optional<Symptom> findNarrowVector(const Scene &scene)
{
    for (const SceneBlock &block : scene.blocks()) {
        const auto vector = block.vectorLoop();
        if (!vector || block.share < leastShare || !isDense(block, *vector))
            continue;
        const std::int64_t lanes = lanesOf(scene, block), own = block.loops[*vector].extent;
        // The wider loop around it takes the rest where the compiler makes one of both.
        if (own < lanes)
            return Symptom{block.name, block.loops[*vector].id,
                           std::format("{} computes {} elements at a time; {} fit into a vector",
                                       scene.name(block.loops[*vector].id), own, lanes)};
    }
    return std::nullopt;
}

std::vector<Variation> mendNarrowVector(const Scene &scene, const Symptom &symptom)
{
    const std::int64_t lanes = lanesOf(scene, *scene.block(symptom.block));
    return otherNumbers(scene, symptom.at, [&](std::int64_t, std::int64_t iterations) {
        std::vector<std::int64_t> values;
        for (const std::int64_t times : {1, 2, 4}) {
            if (iterations == 0 || iterations % (times * lanes) == 0)
                values.push_back(times * lanes);
        }
        return values;
    });
}

/// The step that split a loop into parts which do not divide it; nothing where none did.
std::optional<std::size_t> placeOfUneven(const StepPath &path, const SceneBlock &block)
{
    for (const SceneLoop &loop : block.loops) {
        const auto place = placeWhereMade(path, loop.id);
        if (!place || path.step(*place).primitive->name != "split")
            continue;
        const auto iterations = iterationsOf(path.state(*place), path.step(*place));
        std::int64_t product = 1;
        for (const StepNumber &number : numbersOf(path.step(*place)))
            product *= std::max<std::int64_t>(1, number.value);
        if (iterations && *iterations % product != 0)
            return place;
    }
    return std::nullopt;
}

bool isGuarded(const SceneBlock &block) { return !ir::isTrue(block.block->predicate); }

std::optional<Symptom> findScalarRemainder(const Scene &scene)
{
    for (const SceneBlock &block : scene.blocks()) {
        if (block.share < leastShare || !isGuarded(block))
            continue;
        const auto place = placeOfUneven(scene.path(), block);
        if (!place)
            continue;
        const auto applied = schedule::apply(scene.path().state(*place), scene.path().step(*place));
        const bool isVector = applied && block.vectorLoop()
                              && std::ranges::contains(
                                  applied->outputs, schedule::ArgValue(block.loops[*block.vectorLoop()].id));
        const std::int64_t all =
            iterationsOf(scene.path().state(*place), scene.path().step(*place)).value_or(0);
        return Symptom{block.name, block.id,
                       std::format("{} does not divide {} iterations: what is left over is guarded",
                                   scene.path().label(*place), all),
                       isVector ? guardedVectors : 1};
    }
    return std::nullopt;
}

std::vector<Variation> mendScalarRemainder(const Scene &scene, const Symptom &symptom)
{
    const SceneBlock &block = *scene.block(symptom.block);
    const std::size_t place = *placeOfUneven(scene.path(), block);
    const auto applied = schedule::apply(scene.path().state(place), scene.path().step(place));
    const auto *last = applied ? applied->outputs.back().as<StmtId>() : nullptr;
    if (!last)
        return {};
    return otherNumbers(scene, *last, [](std::int64_t value, std::int64_t iterations) {
        std::vector<std::int64_t> values = divisorsOf(iterations, 4 * value);
        std::erase_if(values, [&](std::int64_t each) { return each * 4 < value; });
        return values;
    });
}

} // namespace

std::vector<FaultRule> vectorRules()
{
    return {
        {.fault = Fault::LongStride,
         .name = "long-stride",
         .explanation = "Each iteration of the innermost loop needs another cache line, of which it uses "
                        "one element; along another loop elements lie side by side.",
         .find = findLongStride,
         .remedies = mendLongStride},
        {.fault = Fault::ReductionInnermost,
         .name = "reduction-innermost",
         .explanation = "Each iteration adds to the sum of the one before, so that none can begin before "
                        "that is done, and no two can be one vector.",
         .find = findReductionInnermost,
         .remedies = mendReductionInnermost,
         .readsCode = true},
        {.fault = Fault::ScalarLoop,
         .name = "scalar-loop",
         .explanation = "The processor computes several elements in the time of one.",
         .find = findScalarLoop,
         .remedies = mendScalarLoop,
         .readsCode = true},
        {.fault = Fault::Gather,
         .name = "gather",
         .explanation = "Elements that lie apart are loaded or stored one by one, however wide the vector.",
         .find = findGather,
         .remedies = mendGather},
        {.fault = Fault::NarrowVector,
         .name = "narrow-vector",
         .explanation = "Loads, stores and arithmetic take as long for a few elements as for a whole vector.",
         .find = findNarrowVector,
         .remedies = mendNarrowVector},
        {.fault = Fault::ScalarRemainder,
         .name = "scalar-remainder",
         .explanation = "Where a factor does not divide a loop, a condition tells iterations that are there "
                        "from those that are not.",
         .find = findScalarRemainder,
         .remedies = mendScalarRemainder}};
}

} // namespace nestwright::explore
