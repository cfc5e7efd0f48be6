// SPDX-License-Identifier: Apache-2.0
/// Sums over windows: the image is padded where it is read, where that is the same for all lanes of a vector.
/// Else, where they take few terms each (depthwise convolutions), the padded rows that some rows of results
/// need are made just before them, so that they come from the cache.
#include "core/graph/strategy/columns.h"
#include "core/graph/strategy/lanes.h"
#include "core/graph/strategy/rules.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"

#include <algorithm>

namespace nestwright::graph {

namespace {

/// Sums of more terms take so long that a pass over memory before them does not count.
constexpr std::int64_t mostTerms = 64;
/// The dimension of rows, behind images and channels.
constexpr std::size_t rowDimension = 2;

/// The stage without reduction that pads for the block alone; nothing where there is none.
std::optional<StmtId> paddingBefore(const Scheduler &scheduler, StmtId block)
{
    std::optional<StmtId> found;
    for (const StmtId producer : scheduler.index().producers(block)) {
        if (isReduction(scheduler, producer) || found)
            return std::nullopt;
        found = producer;
    }
    return found && scheduler.index().consumers(*found).size() == 1
                   && scheduler.index().producers(*found).empty()
               ? found
               : std::nullopt;
}

/// Number of rows of results made at a time, for each of `others`; 0 where sizes are not known.
std::int64_t rowsTogether(const Scheduler &scheduler, StmtId padding, std::int64_t rows, std::int64_t others)
{
    const ir::Block &stage = scheduler.block(padding);
    std::int64_t bytes = stage.writes[0].buffer.dtype().bytes(), padded = 1;
    for (std::size_t i = rowDimension; i < stage.iterVars.size(); ++i) {
        const std::int64_t *extent = ir::asInt(stage.iterVars[i].domain.extent);
        if (!extent)
            return 0;
        (i == rowDimension ? padded : bytes) *= *extent;
    }
    return fairDivisor(scheduler.machine(), rows,
                       std::max<std::int64_t>(1, scheduler.machine().second.rows / bytes * rows / padded),
                       others);
}

/// Whether what is padding is the same for all lanes of a vector: the innermost dimension is one of channels.
bool padsWholeVectors(const Scheduler &scheduler, StmtId padding)
{
    const ir::Block &stage = scheduler.block(padding);
    const ir::Var &lanes = stage.iterVars.back().var;
    bool asks = false;
    ir::forEachExpr(stage.body, [&](const ir::Expr &e) {
        const auto *choice = e.as<ir::Call>();
        asks =
            asks
            || (choice && choice->callee == ir::intrinsics::ifThenElse && ir::uses(choice->args[0], lanes));
        return true;
    });
    return !asks;
}

/// A stage that reads a row of results, which is one tile: it takes them from the registers.
bool placeBehindRow(Scheduler &scheduler, StmtId reader, StmtId row)
{
    if (!scheduler.attempt("reverse_compute_at",
                           {{"block", reader}, {"loop", row}, {"preserve_unit_loops", true}}))
        return false;
    const std::vector<LoopOf> loops = loopsWithin(scheduler, reader, 1);
    for (const LoopOf &loop : loops)
        scheduler.annotate(loop.id == loops.back().id ? "vectorize" : "unroll", loop.id);
    return true;
}

/// One loop over images, channels and rows, within which a row of results is computed: of two blocks of
/// channels where these read the same of the image. Of images of a single row there is no loop over these.
std::optional<StmtId> fuseAroundRow(Scheduler &scheduler, StmtId block)
{
    std::vector<LoopOf> loops = scheduler.loops(block);
    std::erase_if(loops, [](const LoopOf &loop) { return loop.reduces; });
    std::vector<StmtId> outer{loops[0].id, loops[1].id};
    if (loops.size() > rowDimension + 2)
        outer.push_back(loops[rowDimension].id);
    const auto columns = columnsOf(scheduler, block, loops);
    const std::int64_t elementBytes = scheduler.block(block).writes[0].buffer.dtype().bytes();
    const std::int64_t others =
        loops[0].extent * (outer.size() > rowDimension ? loops[rowDimension].extent : 1);
    const std::int64_t together =
        columns ? columnsTogether(scheduler.machine(),
                                  {loops, loops.back().extent, elementBytes, true, others}, *columns)
                : 1;
    if (columns && columns->loop == 1 && together > 1) {
        const std::vector<StmtId> parts = scheduler.split(loops[1].id, {together});
        if (parts.size() != 2 || (outer.size() > 2 && !scheduler.reorder({outer[2], parts[1]})))
            return std::nullopt;
        outer[1] = parts[0];
    }
    return scheduler.fuse(outer);
}

/// Places a sum row of results by row.
bool placeByRows(Scheduler &scheduler, StmtId block)
{
    const auto around = fuseAroundRow(scheduler, block);
    if (!around)
        return false;
    if (isWorthThreads(scheduler, block))
        scheduler.annotate("parallel", *around);
    const std::vector<StmtId> readers = scheduler.index().consumers(block);
    return tileReduction(scheduler, block, 1) && std::ranges::all_of(readers, [&](StmtId reader) {
               return isPlaced(scheduler, reader) || placeBehindRow(scheduler, reader, *around);
           });
}

/// Places a window without a copy of its rows: conditions on whole vectors are cut off the loops at the
/// borders of the image.
bool placeWithoutCopy(Scheduler &scheduler, StmtId block, StmtId padding)
{
    if (!padsWholeVectors(scheduler, padding) || !scheduler.attempt("compute_inline", {{"block", padding}}))
        return false;
    return sumInChunks(scheduler, block) || placeByRows(scheduler, block);
}

bool place(Scheduler &scheduler, StmtId block, StmtId padding)
{
    const std::vector<LoopOf> loops = scheduler.loops(block);
    const std::int64_t together =
        rowsTogether(scheduler, padding, loops[rowDimension].extent, loops[0].extent * loops[1].extent);
    if (together == 0)
        return false;
    std::vector<StmtId> outer{loops[0].id, loops[1].id};
    if (together < loops[rowDimension].extent) {
        const std::vector<StmtId> parts = scheduler.split(loops[rowDimension].id, {together});
        if (parts.size() != 2)
            return false;
        outer.push_back(parts[0]);
    }
    const auto around = scheduler.fuse(outer);
    if (!around
        || !scheduler.attempt("compute_at",
                              {{"block", padding}, {"loop", *around}, {"preserve_unit_loops", false}}))
        return false;
    if (isWorthThreads(scheduler, block))
        scheduler.annotate("parallel", *around);
    vectorizeStage(scheduler, padding, 1);
    return tileReduction(scheduler, block, 1);
}

} // namespace

bool nestWindow(Scheduler &scheduler, StmtId block)
{
    std::int64_t terms = 1;
    std::size_t spatial = 0;
    bool reduces = false;
    for (const LoopOf &loop : scheduler.loops(block)) {
        if (loop.reduces)
            terms *= std::max<std::int64_t>(1, loop.extent);
        else if (reduces)
            return false;
        reduces = reduces || loop.reduces;
        spatial += loop.reduces ? 0 : 1;
    }
    if (!reduces || spatial < 4)
        return false;
    const auto padding = paddingBefore(scheduler, block);
    if (!padding || scheduler.block(*padding).iterVars.size() != spatial)
        return false;
    const Scheduler::Checkpoint before = scheduler.checkpoint();
    if (placeWithoutCopy(scheduler, block, *padding))
        return true;
    scheduler.restore(before);
    if (terms <= mostTerms && place(scheduler, block, *padding))
        return true;
    scheduler.restore(before);
    return false;
}

bool nestUnevenRows(Scheduler &scheduler, StmtId block)
{
    constexpr double worthRests = 0.85; // borders cost some
    TiledSum sum;
    for (const LoopOf &loop : scheduler.loops(block)) {
        if (!loop.reduces)
            sum.spatial.push_back(loop);
    }
    if (sum.spatial.size() < rowDimension + 3 || panelsOf(scheduler, block).width > 1)
        return false;
    sum.elementBytes = scheduler.block(block).writes[0].buffer.dtype().bytes();
    sum.lanes = sum.spatial.back().extent;
    const auto columns = columnsOf(scheduler, block, sum.spatial);
    if (!columns || columns->loop != 1
        || lanesFor(scheduler.machine(), sum.lanes, sum.elementBytes) != sum.lanes)
        return false;
    const double whole = tileSize(scheduler.machine(), sum, *columns).cycles;
    sum.isPart = true;
    sum.others = sum.spatial[0].extent * sum.spatial[rowDimension].extent;
    if (tileSize(scheduler.machine(), sum, *columns).cycles >= worthRests * whole)
        return false;
    const Scheduler::Checkpoint before = scheduler.checkpoint();
    if (placeByRows(scheduler, block))
        return true;
    scheduler.restore(before);
    return false;
}

} // namespace nestwright::graph
