// SPDX-License-Identifier: Apache-2.0
/// Faults of how threads share the work.
#include "core/analysis/access/footprint.h"
#include "core/explore/findings/rules.h"
#include "core/support/text/bytes_text.h"

#include <algorithm>
#include <cmath>
#include <format>
#include <set>

namespace nestwright::explore {

namespace {

constexpr double fairShare = 0.9;   ///< of what threads could do, below which work is not well shared out
constexpr double sharedLines = 2;   ///< times as long where threads take lines from each other
constexpr double allocation = 5e-7; ///< seconds for the memory of an array
constexpr double usualCache = 512.0 * 1024;

double fairnessOf(std::int64_t iterations, int threads)
{
    const auto each = (iterations + threads - 1) / threads;
    return static_cast<double>(iterations) / static_cast<double>(each * threads);
}

std::optional<Symptom> findIdleThreads(const Scene &scene)
{
    const int threads = scene.machine().threads;
    if (threads < 2)
        return std::nullopt;
    for (const SceneBlock &block : scene.blocks()) {
        if (block.share >= leastShare && !block.parallelLoop() && !block.loops.empty())
            return Symptom{block.name, block.loops.front().id,
                           std::format("Only one of {} threads works on {}", threads, block.name)};
    }
    return std::nullopt;
}

/// A loop of `path` in parallel: each of the block's outer ones that is spatial, or the first two of them as
/// one.
void addParallel(const Scene &scene, std::string_view name, const StepPath &path, const std::string &before,
                 std::vector<Variation> &variations)
{
    const Scene plain(path, scene.target(), scene.machine(), scene.stop());
    const SceneBlock *block = plain.block(name);
    if (!block)
        return;
    for (std::size_t i = 0; i < block->loops.size() && i < 3; ++i) {
        const SceneLoop &loop = block->loops[i];
        if (loop.isReduction)
            break;
        if (loop.kind != ir::ForKind::Serial)
            continue;
        StepChain chain(path);
        chain.apply("parallel", {{"loop", loop.id}});
        chain.finish(variations, before + std::format("run {} in parallel", plain.name(loop.id)));
        if (i + 1 >= block->loops.size() || block->loops[i + 1].isReduction)
            continue;
        const StmtId next = block->loops[i + 1].id;
        StepChain fused(path);
        const StmtId both = fused.applied("fuse", {{"loops", schedule::ArgList{loop.id, next}}});
        fused.apply("parallel", {{"loop", both}});
        fused.finish(variations, before
                                     + std::format("fuse {} and {}, run them in parallel",
                                                   plain.name(loop.id), plain.name(next)));
    }
}

std::vector<Variation> mendIdleThreads(const Scene &scene, const Symptom &symptom)
{
    std::vector<Variation> variations;
    addParallel(scene, symptom.block, scene.path(), {}, variations);
    StepChain all(scene.path());
    std::set<StmtId> outermost;
    for (const SceneBlock &block : scene.blocks()) {
        if (block.loops.empty() || block.parallelLoop() || !block.loops.front().isSpatial
            || !outermost.insert(block.loops.front().id).second)
            continue;
        StepChain next = all;
        next.apply("parallel", {{"loop", block.loops.front().id}});
        if (next.isLegal())
            all = std::move(next);
    }
    if (outermost.size() > 1)
        all.finish(variations, "Run the outermost loops of all nests in parallel");
    return variations;
}

/// The same with another loop in parallel.
void addOtherParallel(const Scene &scene, const Symptom &symptom, std::vector<Variation> &variations)
{
    if (const auto place = placeOfStep(scene.path(), "parallel", symptom.at))
        addParallel(scene, symptom.block, scene.path().without(*place),
                    std::format("leave {} serial, ", scene.name(symptom.at)), variations);
}

std::optional<Symptom> findImbalance(const Scene &scene)
{
    const int threads = scene.machine().threads;
    for (const SceneBlock &block : scene.blocks()) {
        const auto parallel = block.parallelLoop();
        if (!parallel || block.share < leastShare)
            continue;
        const SceneLoop &loop = block.loops[*parallel];
        if (fairnessOf(loop.extent, threads) >= fairShare)
            continue;
        return Symptom{block.name, loop.id,
                       std::format("{} threads share {} iterations of {}: {:.0f} % of their time is used",
                                   threads, loop.extent, scene.name(loop.id),
                                   100 * fairnessOf(loop.extent, threads))};
    }
    return std::nullopt;
}

std::vector<Variation> mendImbalance(const Scene &scene, const Symptom &symptom)
{
    std::vector<Variation> variations =
        otherNumbers(scene, symptom.at, [](std::int64_t value, std::int64_t iterations) {
            std::vector<std::int64_t> values = divisorsOf(iterations, 16 * value);
            std::erase_if(values, [&](std::int64_t each) { return each * 4 < value; });
            return values;
        });
    addOtherParallel(scene, symptom, variations);
    return variations;
}

std::optional<Symptom> findFalseSharing(const Scene &scene)
{
    const int threads = scene.machine().threads;
    for (const SceneBlock &block : scene.blocks()) {
        const auto parallel = block.parallelLoop();
        if (!parallel || block.share < leastShare || threads < 2)
            continue;
        const SceneLoop &loop = block.loops[*parallel];
        for (const AccessStrides &access : block.accesses) {
            const std::int64_t stride =
                std::abs(access.strides[*parallel].value_or(0)) * access.buffer.dtype().bytes();
            const std::int64_t each = (loop.extent + threads - 1) / threads;
            if (!access.isWrite || stride == 0 || static_cast<double>(stride * each) >= analysis::lineSize)
                continue;
            return Symptom{block.name, loop.id,
                           std::format("Threads write into the same cache lines of {}: their parts of {} lie "
                                       "{} bytes apart",
                                       access.buffer.name(), scene.name(loop.id), stride * each),
                           sharedLines};
        }
    }
    return std::nullopt;
}

std::vector<Variation> mendFalseSharing(const Scene &scene, const Symptom &symptom)
{
    std::vector<Variation> variations =
        otherNumbers(scene, symptom.at, [](std::int64_t value, std::int64_t iterations) {
            std::vector<std::int64_t> values = divisorsOf(iterations, 64 * value);
            std::erase_if(values, [&](std::int64_t each) { return each < value; });
            return values;
        });
    addOtherParallel(scene, symptom, variations);
    return variations;
}

/// An array that all accesses within one loop share.
struct LoopArray {
    ir::Buffer buffer;
    StmtId writer, loop; ///< that it is allocated in
    double bytes = 0;    ///< of an iteration
    double times = 1;    ///< it is allocated
};

/// Bytes of the second-level cache.
double nearCache(const Scene &scene)
{
    const std::vector<target::MemoryLevel> &levels = scene.machine().levels;
    return levels.size() > 2 ? static_cast<double>(levels[1].bytes) : usualCache;
}

std::optional<LoopArray> largestLoopArray(const Scene &scene)
{
    const analysis::FunctionIndex &index = scene.index();
    std::optional<LoopArray> largest;
    for (const SceneBlock &block : scene.blocks()) {
        const ir::Buffer &buffer =
            block.block->writes.empty() ? ir::Buffer() : block.block->writes.front().buffer;
        if (block.block->writes.empty() || !scene.isIntermediate(buffer))
            continue;
        StmtId common = block.id;
        for (const SceneBlock &other : scene.blocks()) {
            const bool touches = std::ranges::any_of(
                other.accesses, [&](const AccessStrides &access) { return access.buffer == buffer; });
            common = touches && common ? index.lowestCommonAncestor(common, other.id) : common;
        }
        while (common && !index.loop(common))
            common = index.parent(common);
        if (!common || common == block.id)
            continue;
        LoopArray found{buffer, block.id, common};
        for (const analysis::Footprint &each : analysis::footprintOfIteration(index, common))
            found.bytes += each.buffer == buffer ? each.bytes.value_or(0) : 0;
        bool isParallel = false;
        for (const StmtId loop : scene.nest().loopsTo(common)) {
            isParallel = isParallel || index.loop(loop)->forKind == ir::ForKind::Parallel;
            found.times *= static_cast<double>(scene.nest().iterations(loop).value_or(1));
        }
        if (isParallel && found.bytes > nearCache(scene) && (!largest || found.bytes > largest->bytes))
            largest = found;
    }
    return largest;
}

std::optional<Symptom> findLoopAllocation(const Scene &scene)
{
    const auto array = largestLoopArray(scene);
    if (!array || scene.seconds() <= 0)
        return std::nullopt;
    const double seconds =
        array->times * allocation / std::min<double>(scene.machine().threads, array->times);
    return Symptom{scene.name(array->writer), array->loop,
                   std::format("{} of {} are allocated in each iteration of {}",
                               support::bytesText(array->bytes), array->buffer.name(),
                               scene.name(array->loop)),
                   1 + seconds / scene.seconds()};
}

/// The stage computed further in, so that less of it is there at a time.
std::vector<Variation> mendLoopAllocation(const Scene &scene, const Symptom &symptom)
{
    const SceneBlock *block = scene.block(symptom.block);
    const auto place = block ? placeOfMove(scene.path(), block->id) : std::nullopt;
    return place ? otherPlaces(scene, *place, symptom.block, true) : std::vector<Variation>();
}

} // namespace

std::vector<FaultRule> threadRules()
{
    return {{.fault = Fault::IdleThreads,
             .name = "idle-threads",
             .explanation = "Loops run on one thread unless one of them is parallel.",
             .find = findIdleThreads,
             .remedies = mendIdleThreads},
            {.fault = Fault::Imbalance,
             .name = "imbalance",
             .explanation = "All threads wait for the one that has most iterations.",
             .find = findImbalance,
             .remedies = mendImbalance},
            {.fault = Fault::FalseSharing,
             .name = "false-sharing",
             .explanation =
                 "A cache line belongs to one core at a time: threads that write different elements "
                 "of it take it from each other.",
             .find = findFalseSharing,
             .remedies = mendFalseSharing},
            {.fault = Fault::LoopAllocation,
             .name = "loop-allocation",
             .explanation = "Memory for a large array is asked for and given back in each iteration, and is "
                            "too much for the near caches.",
             .find = findLoopAllocation,
             .remedies = mendLoopAllocation}};
}

} // namespace nestwright::explore
