// SPDX-License-Identifier: Apache-2.0
#include "core/graph/strategy/columns.h"

#include "core/arith/affine.h"
#include "core/graph/strategy/lanes.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"

#include <algorithm>
#include <array>
#include <limits>

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

std::int64_t rowsBeside(const target::Machine &machine, const TiledSum &sum, std::int64_t together)
{
    // Within a larger nest borders of images make several loops of one, between which registers are moved.
    std::int64_t room = registerTileRows(machine, sum.lanes, sum.elementBytes, sum.isPart ? 1 : together);
    if (sum.isPart)
        room = std::min<std::int64_t>(room, machine.vectors.registers - together - 1);
    return room / together;
}

namespace {

/// Rows of a tile, which share of the rows tiles fill, and how many there are; 0: not of threads.
struct Tiling {
    std::int64_t rows = 1, tiles = 1;
    double share = 1; ///< the last one may be smaller
};

Tiling tilingOf(const TiledSum &sum, const std::optional<Columns> &columns, std::int64_t together,
                std::int64_t room)
{
    Tiling tiling;
    const std::vector<std::int64_t> factors = factorsWithin(room, sum, columns, together);
    for (std::size_t i = 0; i + 1 < factors.size(); ++i) {
        const std::int64_t extent = std::max<std::int64_t>(1, sum.spatial[i].extent), factor = factors[i];
        const std::int64_t count = (extent + factor - 1) / factor;
        const bool isOfColumns = columns && i == columns->loop;
        tiling.tiles *= sum.isPart && !isOfColumns ? 1 : count;
        if (isOfColumns)
            continue;
        tiling.rows *= factor;
        tiling.share *= static_cast<double>(extent) / static_cast<double>(count * factor);
    }
    if (sum.isPart)
        tiling.tiles *= sum.others;
    else
        tiling.tiles *= std::max<std::int64_t>(1, sum.spatial.back().extent / sum.lanes);
    return tiling;
}

/// Cycles of a result, those of waiting threads too.
double cyclesOfResult(const target::Machine &machine, const TiledSum &sum, const Tiling &tiling,
                      std::int64_t together)
{
    const std::int64_t registers =
        std::max<std::int64_t>(1, sum.lanes * sum.elementBytes / machine.vectors.bytes);
    const double waiting = tiling.tiles > 0 ? machine.imbalance(tiling.tiles) : 1;
    return target::cyclesOfTile(machine, tiling.rows, together * registers) * waiting
           / (tiling.share * static_cast<double>(tiling.rows * together));
}

/// Another tile must be better by so much.
constexpr double worthIt = 0.95;

} // namespace

std::int64_t fairRoom(const target::Machine &machine, const TiledSum &sum, std::int64_t room)
{
    const auto tiling = [&](std::int64_t vectors) { return tilingOf(sum, std::nullopt, 1, vectors); };
    std::int64_t best = room;
    if (machine.imbalance(tiling(room).tiles) <= target::fairImbalance)
        return room;
    for (std::int64_t other = room - 1; other >= 1; --other) {
        if (cyclesOfResult(machine, sum, tiling(other), 1) < cyclesOfResult(machine, sum, tiling(best), 1))
            best = other;
    }
    return best;
}

TileSize tileSize(const target::Machine &machine, const TiledSum &sum, const Columns &columns)
{
    const auto cycles = [&](const TileSize &size) {
        return size.room < 1 ? std::numeric_limits<double>::infinity()
                             : cyclesOfResult(machine, sum, tilingOf(sum, columns, size.together, size.room),
                                              size.together);
    };
    const auto whole = [&](std::int64_t together) {
        return TileSize{together, rowsBeside(machine, sum, together)};
    };
    const std::int64_t extent = sum.spatial[columns.loop].extent;
    constexpr std::array candidates{4, 1, 3, 6, 8};
    TileSize best = whole(largestDivisor(extent, 2));
    const auto tryOut = [&](const TileSize &other, double share) {
        if (cycles(other) < share * cycles(best))
            best = other;
    };
    for (const std::int64_t other : candidates) {
        if (other < extent && extent % other == 0)
            tryOut(whole(other), worthIt);
    }
    // Ten tiles of five rows take 49 in less time than nine of six, one of which has a single row.
    for (std::int64_t room = best.room - 1; room >= 1; --room)
        tryOut({best.together, room}, worthIt);
    const std::int64_t tiles = tilingOf(sum, columns, best.together, best.room).tiles;
    const bool isFair = tiles == 0 || machine.imbalance(tiles) <= target::fairImbalance;
    for (std::int64_t together = best.together; !isFair && together >= 1; --together) {
        const std::int64_t most = rowsBeside(machine, sum, together);
        for (std::int64_t room = most; extent % together == 0 && room >= (sum.isPart ? most : 1); --room)
            tryOut({together, room}, 1);
    }
    best.cycles = cycles(best);
    return best;
}

std::int64_t columnsTogether(const target::Machine &machine, const TiledSum &sum, const Columns &columns)
{
    return tileSize(machine, sum, columns).together;
}

std::vector<std::int64_t> factorsWithin(std::int64_t &room, const TiledSum &sum,
                                        const std::optional<Columns> &columns, std::int64_t together)
{
    const std::vector<LoopOf> &spatial = sum.spatial;
    std::vector<std::int64_t> factors(spatial.size(), 1);
    if (columns)
        factors[columns->loop] = together;
    bool hasRest = false;
    for (std::size_t i = spatial.size() - 1; i-- > 0 && room > 1;) {
        if (columns && columns->loop == i)
            continue;
        factors[i] = largestDivisor(spatial[i].extent, room);
        // No copies round up what is part of a larger nest: there the last tile is smaller.
        if (sum.isPart && !hasRest && 2 * factors[i] <= room && spatial[i].extent > room) {
            factors[i] = room;
            hasRest = true;
        }
        room /= factors[i];
    }
    return factors;
}

} // namespace nestwright::graph
