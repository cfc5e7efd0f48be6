// SPDX-License-Identifier: Apache-2.0
#include "core/graph/strategy/columns.h"

#include "core/arith/affine.h"
#include "core/graph/strategy/lanes.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"

#include <algorithm>

namespace nestwright::graph {

namespace {

/// Whether the block reads another part of `read` for each iteration of the loop.
bool isReadAlong(const Scheduler &scheduler, const ir::Block &block, const ir::BufferRegion &read,
                 const LoopOf &loop)
{
    const ir::Var &counter = scheduler.index().loop(loop.id)->var;
    for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
        const ir::Var &var = block.iterVars[i].var;
        const bool isThere = std::ranges::any_of(read.region, [&](const ir::Range &range) {
            return ir::uses(range.min, var) || ir::uses(range.extent, var);
        });
        if (isThere && ir::uses(block.iterValues[i], counter))
            return true;
    }
    return false;
}

/// Bytes that the block reads there, each element counted once; overlapping windows add up to the whole
/// buffer at most. A stride over rows counts double: processors fetch the adjacent row with each one.
std::int64_t bytesRead(const ir::Block &block, const ir::BufferRegion &read)
{
    std::int64_t bytes = read.buffer.dtype().bytes();
    for (const ir::IterVar &axis : block.iterVars) {
        const std::int64_t *extent = ir::asInt(axis.domain.extent);
        const bool isThere = std::ranges::any_of(
            read.region, [&](const ir::Range &range) { return ir::uses(range.min, axis.var); });
        if (!isThere)
            continue;
        bytes *= extent ? *extent : 0;
        const auto place = read.region.size() < 2
                               ? std::nullopt
                               : arith::affineIn(read.region[read.region.size() - 2].min, {axis.var});
        if (place && place->factorOf(axis.var) > 1)
            bytes *= 2;
    }
    return std::min(bytes, bytesOf(read.buffer));
}

} // namespace

std::optional<Columns> columnsOf(const Scheduler &scheduler, StmtId block, const std::vector<LoopOf> &loops)
{
    const ir::Block &summed = scheduler.block(block);
    for (std::size_t i = 0; i + 1 < loops.size(); ++i) {
        Columns found{.loop = i};
        bool isAlong = false, isShared = false, isOther = false;
        for (const ir::BufferRegion &read : summed.reads) {
            if (read.buffer == summed.writes[0].buffer)
                continue;
            const bool inVectors = isReadAlong(scheduler, summed, read, loops.back());
            isOther = isOther || inVectors != isReadAlong(scheduler, summed, read, loops[i]);
            (inVectors ? isAlong : isShared) = true;
            (inVectors ? found.bytes : found.sharedBytes) += bytesRead(summed, read);
        }
        if (isAlong && isShared && !isOther)
            return found;
    }
    return std::nullopt;
}

std::int64_t columnsTogether(const LoopOf &columns) { return largestDivisor(columns.extent, 2); }

std::vector<std::int64_t> factorsWithin(std::int64_t &room, const std::vector<LoopOf> &spatial,
                                        const std::optional<Columns> &columns, bool isPart)
{
    std::vector<std::int64_t> factors(spatial.size(), 1);
    if (columns)
        factors[columns->loop] = columnsTogether(spatial[columns->loop]);
    bool hasRest = false;
    for (std::size_t i = spatial.size() - 1; i-- > 0 && room > 1;) {
        if (columns && columns->loop == i)
            continue;
        factors[i] = largestDivisor(spatial[i].extent, room);
        // No copies round up what is part of a larger nest: there the last tile is smaller.
        if (isPart && !hasRest && 2 * factors[i] <= room && spatial[i].extent > room) {
            factors[i] = room;
            hasRest = true;
        }
        room /= factors[i];
    }
    return factors;
}

} // namespace nestwright::graph
