// SPDX-License-Identifier: Apache-2.0
#include "core/graph/strategy/lanes.h"
#include "core/graph/strategy/rules.h"

#include <algorithm>
#include <bit>

namespace nestwright::graph {

namespace {

constexpr double leastForThreads = 16'384; ///< iterations; fewer take less time than waking a thread

/// Fuses `loops`, as far as they are there, and runs them in parallel.
void parallelize(Scheduler &scheduler, StmtId block, const std::vector<StmtId> &loops)
{
    if (loops.empty() || !isWorthThreads(scheduler, block))
        return;
    if (const auto fused = scheduler.fuse(loops))
        scheduler.annotate("parallel", *fused);
}

} // namespace

std::int64_t largestDivisor(std::int64_t extent, std::int64_t limit)
{
    for (std::int64_t factor = std::min(extent, limit); factor > 1; --factor) {
        if (extent % factor == 0)
            return factor;
    }
    return 1;
}

double laneEfficiency(std::int64_t lanes, std::int64_t elementBytes)
{
    const std::int64_t whole = vectorBytes / elementBytes;
    const auto pieces = lanes / whole + std::popcount(static_cast<std::uint64_t>(lanes % whole));
    return static_cast<double>(lanes) / static_cast<double>(pieces);
}

std::int64_t registerTileRows(std::int64_t lanes, std::int64_t elementBytes)
{
    // Most of the 32 registers that AVX-512 has, with room for operands.
    constexpr std::int64_t registerTile = 24;
    return std::max<std::int64_t>(1, registerTile * vectorBytes / (lanes * elementBytes));
}

std::int64_t lanesFor(std::int64_t extent, std::int64_t elementBytes)
{
    const std::int64_t whole = vectorBytes / elementBytes;
    std::int64_t best = 1;
    for (std::int64_t lanes = 2; lanes <= std::min(extent, 4 * whole); ++lanes) {
        if (extent % lanes == 0 && laneEfficiency(lanes, elementBytes) > laneEfficiency(best, elementBytes))
            best = lanes;
    }
    return best;
}

bool isWorthThreads(const Scheduler &scheduler, StmtId block)
{
    double iterations = 1;
    for (const LoopOf &loop : scheduler.loops(block))
        iterations *= static_cast<double>(std::max<std::int64_t>(1, loop.extent));
    return iterations >= leastForThreads;
}

void parallelizeReduction(Scheduler &scheduler, StmtId block)
{
    std::vector<StmtId> spatial;
    for (const LoopOf &loop : scheduler.loops(block)) {
        if (loop.reduces)
            break;
        spatial.push_back(loop.id);
    }
    parallelize(scheduler, block, spatial);
}

void parallelizeStage(Scheduler &scheduler, StmtId block)
{
    std::vector<LoopOf> loops = scheduler.loops(block);
    if (loops.empty())
        return;
    const std::int64_t bytes =
        scheduler.block(block).writes.empty() ? 4 : scheduler.block(block).writes[0].buffer.dtype().bytes();
    const std::int64_t lanes = lanesFor(loops.back().extent, bytes);
    std::vector<StmtId> outer;
    for (std::size_t i = 0; i + 1 < loops.size(); ++i)
        outer.push_back(loops[i].id);
    if (lanes > 1 && lanes < loops.back().extent) {
        const std::vector<StmtId> parts = scheduler.split(loops.back().id, {lanes});
        if (parts.size() == 2) {
            scheduler.annotate("vectorize", parts[1]);
            outer.push_back(parts[0]);
        }
    } else if (lanes == loops.back().extent) {
        scheduler.annotate("vectorize", loops.back().id);
    } else if (loops.size() == 1) {
        outer.push_back(loops.back().id);
    }
    parallelize(scheduler, block, outer);
}

} // namespace nestwright::graph
