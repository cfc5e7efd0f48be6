// SPDX-License-Identifier: Apache-2.0
#include "core/graph/strategy/tiles.h"

#include "core/graph/strategy/lanes.h"
#include "core/graph/strategy/rules.h"

#include <algorithm>

namespace nestwright::graph {

namespace {

/// Gives the block a buffer of its own, and a stage behind it that copies from there.
std::optional<StmtId> appendCopyStage(Scheduler &scheduler, StmtId block)
{
    if (!scheduler.attempt("cache_write",
                           {{"block", block}, {"write_buffer_index", 0}, {"storage_scope", "global"}}))
        return std::nullopt;
    const std::vector<StmtId> copies = scheduler.index().consumers(block);
    return copies.size() == 1 ? std::optional(copies[0]) : std::nullopt;
}

/// Whether the reader takes a part of the innermost dimension only, so that it would have to ask of each
/// element of a vector.
bool cutsVectors(const Scheduler &scheduler, StmtId block, StmtId reader)
{
    std::vector<LoopOf> sums = scheduler.loops(block), reads = scheduler.loops(reader);
    std::erase_if(sums, [](const LoopOf &loop) { return loop.reduces; });
    if (sums.empty() || reads.size() != sums.size() || reads.back().extent >= sums.back().extent)
        return false;
    const std::int64_t bytes = scheduler.block(block).writes[0].buffer.dtype().bytes();
    return reads.back().extent % lanesFor(scheduler.machine(), sums.back().extent, bytes) != 0;
}

/// The stage that takes the results of a tile out of the registers: an elementwise consumer, else a copy.
/// Nothing where several read them, or a sum, unless the block is computed part by part anyway.
std::optional<StmtId> epilogueStage(Scheduler &scheduler, StmtId block, bool isPart)
{
    const std::vector<StmtId> readers = scheduler.index().consumers(block);
    if (readers.empty())
        return appendCopyStage(scheduler, block);
    if (readers.size() != 1 || isReduction(scheduler, readers[0]))
        return isPart ? appendCopyStage(scheduler, block) : std::nullopt;
    return cutsVectors(scheduler, block, readers[0]) ? appendCopyStage(scheduler, block) : readers[0];
}

} // namespace

std::optional<Halves> halve(Scheduler &scheduler, const LoopOf &loop, std::int64_t factor)
{
    if (factor == 1)
        return Halves{loop.id, std::nullopt};
    if (factor == loop.extent)
        return Halves{std::nullopt, loop.id};
    const std::vector<StmtId> parts = scheduler.split(loop.id, {factor});
    return parts.size() == 2 ? std::optional(Halves{parts[0], parts[1]}) : std::nullopt;
}

bool withStageBehind(Scheduler &scheduler, StmtId block, bool isPart,
                     const std::function<bool(StmtId)> &place)
{
    if (scheduler.block(block).writes.size() != 1)
        return false;
    const std::optional<StmtId> behind = epilogueStage(scheduler, block, isPart);
    if (!behind)
        return false;
    const Scheduler::Checkpoint before = scheduler.checkpoint();
    if (place(*behind))
        return true;
    scheduler.restore(before);
    const std::optional<StmtId> copy = appendCopyStage(scheduler, block);
    return copy && place(*copy);
}

void unrollAndVectorize(Scheduler &scheduler, const std::vector<StmtId> &loops)
{
    for (std::size_t i = 0; i < loops.size(); ++i)
        scheduler.annotate(i + 1 == loops.size() ? "vectorize" : "unroll", loops[i]);
}

std::vector<StmtId> innermost(const Scheduler &scheduler, StmtId block, std::size_t count)
{
    std::vector<StmtId> loops = scheduler.index().loopsOf(block);
    loops.erase(loops.begin(), loops.end() - static_cast<std::ptrdiff_t>(std::min(count, loops.size())));
    return loops;
}

} // namespace nestwright::graph
