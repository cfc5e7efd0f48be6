// SPDX-License-Identifier: Apache-2.0
/// Sums of so many terms that the columns which a tile of results is made of do not stay in the first-level
/// cache: some terms of all tiles come before further ones, and the tiles wait in memory meanwhile. (The
/// blocks of terms of K. Goto and R. van de Geijn, "Anatomy of High-Performance Matrix Multiplication",
/// 2008.)
#include "core/graph/strategy/columns.h"
#include "core/graph/strategy/lanes.h"
#include "core/graph/strategy/rules.h"
#include "core/graph/strategy/tiles.h"

#include <algorithm>

namespace nestwright::graph {

namespace {

/// Results of a piece beside each vector.
constexpr std::int64_t enoughResults = 56;

/// A sum whose sizes are known.
struct Nest {
    std::vector<LoopOf> spatial, reduce;
    Columns columns;
    std::int64_t together = 1; ///< columns of a tile beside each other
    std::int64_t chunk = 0;    ///< of the outermost loop over terms
};

/// Rows of an image whose results wait at a time: what they read stays in the second-level cache for all
/// columns, there are pieces for many threads, and each has results enough to read the columns for.
std::int64_t rowsOfPiece(const target::Machine &machine, const Nest &nest, std::size_t loop)
{
    const std::int64_t rows = nest.spatial[loop].extent, bytes = nest.columns.sharedBytes / rows;
    std::int64_t pieces = 1, width = 1;
    for (std::size_t i = 0; i + 1 < nest.spatial.size(); ++i) {
        if (i != loop)
            (i < loop ? pieces : width) *= nest.spatial[i].extent;
    }
    const std::int64_t least = (machine.pieces() * nest.together + pieces - 1) / pieces;
    std::int64_t most = std::max(rows / least, (enoughResults + width - 1) / width);
    if (nest.columns.sharedBytes > machine.second.passing)
        most = std::min(most, machine.second.kept / std::max<std::int64_t>(1, bytes));
    return fairDivisor(machine, rows, std::max<std::int64_t>(1, most),
                       std::max<std::int64_t>(1, pieces / nest.together));
}

/// Fewer columns of a tile than `most` where their pieces are shared out badly.
std::int64_t fairColumns(const target::Machine &machine, Nest nest, std::int64_t most)
{
    const std::size_t rows = nest.columns.loop + 1;
    const auto imbalance = [&](std::int64_t together) {
        nest.together = together;
        std::int64_t pieces = nest.spatial[nest.columns.loop].extent / together;
        for (std::size_t i = 0; i < nest.columns.loop; ++i)
            pieces *= nest.spatial[i].extent;
        if (rows + 1 < nest.spatial.size())
            pieces *= nest.spatial[rows].extent / rowsOfPiece(machine, nest, rows);
        return machine.imbalance(pieces);
    };
    std::int64_t best = most;
    for (std::int64_t other = most; other >= 1 && imbalance(best) > target::fairImbalance; --other) {
        if (nest.spatial[nest.columns.loop].extent % other == 0 && imbalance(other) < imbalance(best))
            best = other;
    }
    return best;
}

std::optional<Nest> nestOf(const Scheduler &scheduler, StmtId block)
{
    Nest nest;
    std::int64_t terms = 1;
    for (const LoopOf &loop : scheduler.loops(block)) {
        if (loop.extent == 0)
            return std::nullopt;
        (loop.reduces ? nest.reduce : nest.spatial).push_back(loop);
        terms *= loop.reduces ? loop.extent : 1;
    }
    if (nest.spatial.size() < 3 || nest.reduce.empty() || panelsOf(scheduler, block).width > 1)
        return std::nullopt;
    const std::int64_t elementBytes = scheduler.block(block).writes[0].buffer.dtype().bytes(),
                       lanes = nest.spatial.back().extent;
    const auto columns = columnsOf(scheduler, block, nest.spatial);
    if (!columns || lanes < 2 || lanesFor(scheduler.machine(), lanes, elementBytes) != lanes)
        return std::nullopt;
    nest.columns = *columns;
    nest.together =
        fairColumns(scheduler.machine(), nest,
                    columnsTogether(scheduler.machine(), {nest.spatial, lanes, elementBytes}, *columns));
    const std::int64_t outer = nest.reduce.front().extent,
                       bytes = nest.together * lanes * terms * elementBytes;
    if (nest.together == 1 || outer < 2 || bytes < scheduler.machine().first.manyColumns)
        return std::nullopt;
    nest.chunk =
        largestDivisor(outer, std::max<std::int64_t>(1, outer * scheduler.machine().first.columns / bytes));
    return nest;
}

void append(std::vector<StmtId> &loops, const std::optional<StmtId> &loop)
{
    if (loop)
        loops.push_back(*loop);
}

/// Loops in their order: the first ones around everything, then those of a chunk.
struct Order {
    std::vector<StmtId> around, outer, inner;
};

std::optional<Order> orderOf(Scheduler &scheduler, StmtId block, const Nest &nest)
{
    const std::int64_t elementBytes = scheduler.block(block).writes[0].buffer.dtype().bytes();
    const std::size_t along = nest.columns.loop, last = nest.spatial.size() - 1;
    const TiledSum sum{nest.spatial, nest.spatial[last].extent, elementBytes};
    std::int64_t room = rowsBeside(scheduler.machine(), sum, nest.together);
    const std::vector<std::int64_t> factors = factorsWithin(room, sum, nest.columns, nest.together);
    Order order;
    for (std::size_t i = 0; i < last; ++i) {
        if (i == along)
            continue;
        const bool isRows = i == along + 1 && factors[i] == 1;
        const auto halves = halve(scheduler, nest.spatial[i],
                                  isRows ? rowsOfPiece(scheduler.machine(), nest, i) : factors[i]);
        if (!halves)
            return std::nullopt;
        append(isRows || i < along ? order.around : order.outer, halves->outer);
        append(isRows ? order.outer : order.inner, halves->inner);
    }
    // Columns innermost: the image that a piece reads is there for all of them.
    const auto columns = halve(scheduler, nest.spatial[along], nest.together);
    if (!columns)
        return std::nullopt;
    append(order.around, columns->outer);
    append(order.inner, columns->inner);
    order.inner.push_back(nest.spatial[last].id);
    return order;
}

bool place(Scheduler &scheduler, StmtId block, const Nest &nest, StmtId behind)
{
    const auto order = orderOf(scheduler, block, nest);
    const auto terms = halve(scheduler, nest.reduce.front(), nest.chunk);
    if (!order || order->around.empty() || !terms || !terms->outer)
        return false;
    std::vector<StmtId> all = order->around;
    all.push_back(*terms->outer);
    all.insert(all.end(), order->outer.begin(), order->outer.end());
    append(all, terms->inner);
    for (std::size_t i = 1; i < nest.reduce.size(); ++i)
        all.push_back(nest.reduce[i].id);
    all.insert(all.end(), order->inner.begin(), order->inner.end());
    if (!scheduler.reorder(all))
        return false;
    const auto around = scheduler.fuse(order->around);
    if (!around
        || !scheduler.attempt("reverse_compute_at",
                              {{"block", behind}, {"loop", *around}, {"preserve_unit_loops", true}}))
        return false;
    if (isWorthThreads(scheduler, block))
        scheduler.annotate("parallel", *around);
    unrollAndVectorize(scheduler, order->inner);
    fetchColumns(scheduler, block,
                 nest.reduce.size() > 1 ? nest.reduce.back().id : terms->inner.value_or(*terms->outer));
    const auto init = scheduler.attempt("decompose_reduction", {{"block", block}, {"loop", *terms->outer}});
    if (!init)
        return false;
    unrollAndVectorize(scheduler, innermost(scheduler, *init->at(0).as<StmtId>(), 1));
    vectorizeStage(scheduler, behind, 1);
    return true;
}

} // namespace

bool sumInChunks(Scheduler &scheduler, StmtId block)
{
    const auto nest = nestOf(scheduler, block);
    if (!nest)
        return false;
    const Scheduler::Checkpoint before = scheduler.checkpoint();
    if (withStageBehind(scheduler, block, false,
                        [&](StmtId behind) { return place(scheduler, block, *nest, behind); }))
        return true;
    scheduler.restore(before);
    return false;
}

} // namespace nestwright::graph
