// SPDX-License-Identifier: Apache-2.0
#include "core/graph/strategy/columns.h"
#include "core/graph/strategy/lanes.h"
#include "core/graph/strategy/rules.h"
#include "core/graph/strategy/tiles.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"

#include <algorithm>

namespace nestwright::graph {

namespace {

struct Tile {
    std::vector<StmtId> outer,
        inner; ///< halves of the spatial loops, outermost first; inner[last] is the vector
    std::vector<StmtId> reduce;
};

/// Whether the operand of the columns is best read whole for each tile of the others, which do not stay in
/// the second-level cache themselves.
bool staysInCache(const target::Machine &machine, const Columns &columns)
{
    return columns.bytes > 0 && columns.bytes <= machine.second.kept
           && columns.sharedBytes > machine.second.passing;
}

/// A loop, and how many of its iterations are done for all columns before the next ones.
struct Band {
    std::size_t loop = 0;
    std::int64_t count = 0;
};

/// Rows of an image that stay in the cache together, where neither the whole image nor the operand of the
/// columns fits.
std::optional<Band> bandOf(const target::Machine &machine, const std::vector<LoopOf> &spatial,
                           const std::vector<std::int64_t> &factors, const std::optional<Columns> &columns)
{
    if (!columns || columns->bytes <= machine.second.kept || columns->sharedBytes <= machine.second.passing)
        return std::nullopt;
    std::int64_t bytes = columns->sharedBytes;
    for (std::size_t i = 0; i + 1 < spatial.size(); ++i) {
        if (i == columns->loop || spatial[i].extent <= 1)
            continue;
        bytes /= spatial[i].extent;
        if (factors[i] != 1)
            return std::nullopt;
        if (bytes <= machine.second.kept)
            return Band{
                i, largestDivisor(spatial[i].extent, machine.second.kept / std::max<std::int64_t>(1, bytes))};
    }
    return std::nullopt;
}

/// Splits all loops but the last by their factors. Further columns are innermost in the tile, where what they
/// share is read once; outside, where they stay in the cache, all of them come before more of the others, or
/// before the next band.
bool halveAll(Scheduler &scheduler, const std::vector<LoopOf> &spatial,
              const std::vector<std::int64_t> &factors, const std::optional<Columns> &columns, Tile &tile)
{
    const std::optional<Band> band = bandOf(scheduler.machine(), spatial, factors, columns);
    std::vector<StmtId> beside, further, bands;
    for (std::size_t i = 0; i + 1 < spatial.size(); ++i) {
        const bool isAlong = columns && columns->loop == i, isOfBand = band && band->loop == i;
        std::vector<StmtId> &inner = isOfBand ? tile.outer : isAlong ? beside : tile.inner;
        std::vector<StmtId> &outer = isAlong && staysInCache(scheduler.machine(), *columns) ? further
                                     : band && i <= band->loop && !isAlong                  ? bands
                                                                                            : tile.outer;
        const auto halves = halve(scheduler, spatial[i], isOfBand ? band->count : factors[i]);
        if (!halves)
            return false;
        if (halves->outer)
            outer.push_back(*halves->outer);
        if (halves->inner)
            inner.push_back(*halves->inner);
    }
    tile.outer.insert(tile.outer.begin(), bands.begin(), bands.end());
    tile.outer.insert(tile.outer.end(), further.begin(), further.end());
    tile.inner.insert(tile.inner.end(), beside.begin(), beside.end());
    return true;
}

/// Splits the spatial loops: the innermost by vector lanes, those before it so that the tile fits the
/// registers. `isPart`: within loops that run in parallel already.
std::optional<Tile> splitLoops(Scheduler &scheduler, StmtId block, const std::vector<LoopOf> &loops,
                               bool isPart)
{
    const std::int64_t elementBytes = scheduler.block(block).writes[0].buffer.dtype().bytes();
    const Panels panels = panelsOf(scheduler, block);
    const std::int64_t panel = panels.width;
    const target::Machine &machine = scheduler.machine();
    std::vector<LoopOf> spatial;
    Tile tile;
    for (const LoopOf &loop : loops) {
        if (loop.reduces)
            tile.reduce.push_back(loop.id);
        else
            spatial.push_back(loop);
    }
    if (spatial.empty() || tile.reduce.empty())
        return std::nullopt;
    std::int64_t lanes = lanesFor(machine, panel > 1 ? panel : spatial.back().extent, elementBytes);
    const bool hasRest = lanes < 2; // the last vector of each row is filled in part
    if (hasRest && spatial.back().extent > 2 * machine.lanes(elementBytes))
        lanes = machine.lanes(elementBytes);
    if (lanes < 2)
        return std::nullopt;
    std::int64_t room = tileRows(machine, lanes, panels, elementBytes);
    std::optional<Columns> columns;
    if (panel == 1)
        columns = columnsOf(scheduler, block, spatial);
    const TiledSum sum{spatial, lanes, elementBytes, isPart};
    std::int64_t together = 1;
    if (columns) {
        const TileSize size = tileSize(machine, sum, *columns);
        together = size.together;
        room = together > 1 ? size.room : std::min(room, size.room);
    } else if (!isPart && panel == 1) {
        room = fairRoom(machine, sum, room);
    }
    std::vector<std::int64_t> factors = factorsWithin(room, sum, columns, together);
    factors.back() = lanes;
    if (!halveAll(scheduler, spatial, factors, columns, tile))
        return std::nullopt;
    // Several vectors next to each other, where the other loops leave registers free: a product with a single
    // row, say. Panels are several streams of memory then, and still enough are left for all processors.
    const std::int64_t wide = spatial.back().extent / lanes, count = wide * lanes / panel;
    std::int64_t tiles = 1; // of the other loops
    for (std::size_t i = 0; i + 1 < spatial.size(); ++i)
        tiles *= std::max<std::int64_t>(1, spatial[i].extent / factors[i]);
    const std::int64_t shared = std::max(4, 2 * machine.threads),
                       most = isPart ? room : std::min(room, std::max<std::int64_t>(1, count / shared));
    const auto divisor = [&](std::int64_t extent, std::int64_t limit) {
        return isPart ? largestDivisor(extent, limit) : fairDivisor(machine, extent, limit, tiles);
    };
    std::int64_t vectors = hasRest     ? 1
                           : panel > 1 ? panel / lanes * divisor(count, most)
                                       : divisor(wide, room);
    if (panel > 1 && vectors == panel / lanes) // too few panels: parts of one
        vectors = isPart ? vectors : fairDivisor(machine, vectors, vectors, tiles * count);
    if (lanes == spatial.back().extent) {
        tile.inner.push_back(spatial.back().id);
        return tile;
    }
    const std::vector<StmtId> parts = vectors > 1 ? scheduler.split(spatial.back().id, {vectors, lanes})
                                                  : scheduler.split(spatial.back().id, {lanes});
    if (parts.size() < 2)
        return std::nullopt;
    // A panel stays in the cache for all rows.
    tile.outer.insert(panel > 1 ? tile.outer.begin() : tile.outer.end(), parts.front());
    tile.inner.insert(tile.inner.end(), parts.begin() + 1, parts.end());
    return tile;
}

/// Whether each term picks other lanes of what is read for a whole vector: channels of small groups, say.
bool picksLanes(const Scheduler &scheduler, StmtId block)
{
    const ir::Block &sum = scheduler.block(block);
    const ir::Var lanes = laneVariable(sum);
    bool picks = false;
    ir::forEachExpr(sum.body, [&](const ir::Expr &e) {
        const auto *division = e.as<ir::Binary>();
        picks = picks || (division && division->op == ir::BinaryOp::FloorDiv && ir::uses(division->a, lanes));
        return true;
    });
    return picks;
}

/// Unrolls the innermost loops over terms as long as they are few together, where each is an instruction of
/// its own: the weights in a word of panels, lanes to pick. The outermost stays.
void unrollFewTerms(Scheduler &scheduler, StmtId block, const std::vector<StmtId> &reduce)
{
    constexpr std::int64_t few = 8;
    if (panelsOf(scheduler, block).width == 1 && !picksLanes(scheduler, block))
        return;
    std::int64_t terms = 1;
    for (std::size_t i = reduce.size(); i-- > 1;) {
        const std::int64_t *extent = ir::asInt(scheduler.index().loop(reduce[i])->extent);
        if (!extent)
            return;
        terms *= *extent;
        if (terms > few)
            return;
        scheduler.annotate("unroll", reduce[i]);
    }
}

/// `behind` is computed tile by tile.
bool tileWith(Scheduler &scheduler, StmtId block, StmtId behind, std::size_t depth)
{
    const auto tile = splitLoops(scheduler, block, loopsWithin(scheduler, block, depth), depth > 0);
    if (!tile)
        return false;
    std::vector<StmtId> order = tile->outer;
    order.insert(order.end(), tile->reduce.begin(), tile->reduce.end());
    order.insert(order.end(), tile->inner.begin(), tile->inner.end());
    if (!scheduler.reorder(order))
        return false;
    if (!tile->outer.empty()) {
        const auto fused = scheduler.fuse(tile->outer);
        if (!fused
            || !scheduler.attempt("reverse_compute_at",
                                  {{"block", behind}, {"loop", *fused}, {"preserve_unit_loops", true}}))
            return false;
        if (depth == 0 && isWorthThreads(scheduler, block))
            scheduler.annotate("parallel", *fused);
    }
    // Before the sum is parted, whose second half is no whole reduction that could be put into vectors.
    unrollAndVectorize(scheduler, tile->inner);
    unrollFewTerms(scheduler, block, tile->reduce);
    fetchColumns(scheduler, block, tile->reduce.back());
    const auto init =
        scheduler.attempt("decompose_reduction", {{"block", block}, {"loop", tile->reduce.front()}});
    if (!init)
        return false;
    unrollAndVectorize(scheduler, innermost(scheduler, *init->at(0).as<StmtId>(), tile->inner.size()));
    if (!tile->outer.empty()) {
        // All loops of the stage behind, but that around the tile, run over the tile.
        const std::size_t around = depth + 1;
        unrollAndVectorize(scheduler,
                           innermost(scheduler, behind, scheduler.index().loopsOf(behind).size() - around));
    }
    return true;
}

} // namespace

bool tileReduction(Scheduler &scheduler, StmtId block, std::size_t depth)
{
    return withStageBehind(scheduler, block, depth > 0,
                           [&](StmtId behind) { return tileWith(scheduler, block, behind, depth); });
}

bool nestSum(Scheduler &scheduler, StmtId block)
{
    const std::vector<StmtId> readers = scheduler.index().consumers(block);
    if (!isReduction(scheduler, block) || readers.size() != 1 || !isReduction(scheduler, readers[0])
        || panelsOf(scheduler, block).width == 1
        || panelsOf(scheduler, block).width != panelsOf(scheduler, readers[0]).width)
        return false;
    const Scheduler::Checkpoint before = scheduler.checkpoint();
    const auto place = [&] {
        if (!tileReduction(scheduler, readers[0]))
            return false;
        const std::vector<LoopOf> loops = scheduler.loops(readers[0]);
        const auto sum = std::ranges::find(loops, true, &LoopOf::reduces);
        if (sum == loops.end()
            || !scheduler.attempt("compute_at",
                                  {{"block", block}, {"loop", sum->id}, {"preserve_unit_loops", false}}))
            return false;
        return tileReduction(scheduler, block, static_cast<std::size_t>(sum - loops.begin()) + 1);
    };
    if (place())
        return true;
    scheduler.restore(before);
    return false;
}

} // namespace nestwright::graph
