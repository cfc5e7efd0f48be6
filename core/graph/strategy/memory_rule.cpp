// SPDX-License-Identifier: Apache-2.0
/// Rules for memory-bound kernels: prefetches of operands, and non-temporal stores of results that no cache
/// could keep.
#include "core/graph/strategy/lanes.h"
#include "core/graph/strategy/rules.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"

#include <algorithm>

namespace nestwright::graph {

namespace {

/// 0 where `buffer` is no parameter of the kernel, or its size is symbolic.
std::int64_t bytesOfParameter(const Scheduler &scheduler, const ir::Buffer &buffer)
{
    const std::vector<ir::Param> &params = scheduler.index().function()->params;
    return std::ranges::find(params, buffer, &ir::Param::buffer) == params.end() ? 0 : bytesOf(buffer);
}

/// Bytes of the largest parameter that the block reads.
std::int64_t bytesRead(const Scheduler &scheduler, StmtId block)
{
    std::int64_t most = 0;
    for (const ir::BufferRegion &read : scheduler.block(block).reads)
        most = std::max(most, bytesOfParameter(scheduler, read.buffer));
    return most;
}

} // namespace

void streamResult(Scheduler &scheduler, StmtId block, StmtId loop)
{
    const std::vector<ir::BufferRegion> &writes = scheduler.block(block).writes;
    const auto isLarge = [&](const ir::BufferRegion &write) {
        return bytesOfParameter(scheduler, write.buffer) >= scheduler.machine().last.results;
    };
    if (std::ranges::any_of(writes, isLarge))
        scheduler.note(loop, ir::streamKey, 1);
}

void fetchNextRow(Scheduler &scheduler, StmtId block, StmtId loop, std::int64_t elements)
{
    const std::int64_t bytes = elements * scheduler.block(block).writes[0].buffer.dtype().bytes();
    if (bytesRead(scheduler, block) >= scheduler.machine().second.passing
        && bytes <= scheduler.machine().first.fetchedRow)
        scheduler.note(loop, ir::prefetchKey, bytes);
}

void fetchColumns(Scheduler &scheduler, StmtId block, StmtId loop)
{
    const ir::Block &sum = scheduler.block(block);
    ir::VarSet results, terms;
    for (const ir::IterVar &axis : sum.iterVars)
        (axis.kind == ir::IterKind::Spatial ? results : terms).insert(axis.var);
    // Windows of an image overlap, so that most of its elements are cached already.
    const auto isOfWindow = [&](const ir::Range &range) {
        return ir::usesAny(range.min, results) && ir::usesAny(range.min, terms);
    };
    const auto isVector = [lanes = laneVariable(sum)](const ir::Range &range) {
        return ir::uses(range.min, lanes);
    };
    const bool areMany = std::ranges::any_of(sum.reads, [&](const ir::BufferRegion &read) {
        return bytesOfParameter(scheduler, read.buffer) >= scheduler.machine().second.passing
               && std::ranges::any_of(read.region, isVector) && std::ranges::none_of(read.region, isOfWindow);
    });
    if (areMany)
        scheduler.note(loop, ir::prefetchKey, scheduler.machine().first.ahead);
}

void fetchTerms(Scheduler &scheduler, StmtId block, StmtId loop)
{
    if (bytesRead(scheduler, block) >= scheduler.machine().last.inputs)
        scheduler.note(loop, ir::prefetchKey, scheduler.machine().first.ahead);
}

} // namespace nestwright::graph
