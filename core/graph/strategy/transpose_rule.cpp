// SPDX-License-Identifier: Apache-2.0
/// Stages that read an array across its rows, as transposition does: tile by tile, each copied to registers
/// row by row and read there column by column.
#include "core/graph/strategy/lanes.h"
#include "core/graph/strategy/rules.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"

#include <algorithm>

namespace nestwright::graph {

namespace {

/// A read whose rows follow a variable other than the innermost of the result.
struct Crossing {
    std::size_t read = 0;  ///< its position among the block's reads
    ir::Var along;         ///< of the source's rows
    bool isPieces = false; ///< which are pieces of the result's
};

/// The variable that moves along rows, or along pieces of them: c of c mod 8. Null where there is none.
const ir::VarNode *alongLast(const ir::Expr &index)
{
    const auto *rest = index.as<ir::Binary>();
    const bool isRest = rest && rest->op == ir::BinaryOp::FloorMod && ir::asInt(rest->b);
    return (isRest ? rest->a : index).as<ir::VarNode>();
}

std::optional<Crossing> crossingOf(const ir::Block &block)
{
    const ir::Var &inner = block.iterVars.back().var;
    std::optional<Crossing> found;
    ir::forEachExpr(block.body, [&](const ir::Expr &e) {
        const auto *load = e.as<ir::BufferLoad>();
        if (!load || load->indices.size() < 2)
            return true;
        const auto *last = alongLast(load->indices.back());
        const bool crosses =
            last && last != inner.get() && std::ranges::any_of(load->indices, [&](const ir::Expr &index) {
                return index.as<ir::VarNode>() == inner.get();
            });
        const auto read = std::ranges::find(block.reads, load->buffer, &ir::BufferRegion::buffer);
        const auto along = std::ranges::find_if(
            block.iterVars, [&](const ir::IterVar &var) { return var.var.get() == last; });
        if (crosses && read != block.reads.end() && along != block.iterVars.end())
            found = Crossing{static_cast<std::size_t>(read - block.reads.begin()), along->var,
                             load->indices.back().as<ir::VarNode>() == nullptr};
        return true;
    });
    return found;
}

bool tile(Scheduler &scheduler, StmtId block)
{
    const ir::Block stage = scheduler.block(block);
    const std::vector<LoopOf> loops = scheduler.loops(block);
    if (loops.size() < 2 || loops.size() != stage.iterVars.size() || stage.writes.size() != 1)
        return false;
    const auto crossing = crossingOf(stage);
    if (!crossing)
        return false;
    const std::int64_t side = scheduler.machine().vectors.bytes / stage.writes[0].buffer.dtype().bytes();
    const auto place = static_cast<std::size_t>(
        std::ranges::find(stage.iterVars, crossing->along, &ir::IterVar::var) - stage.iterVars.begin());
    const LoopOf &across = loops[place], &inner = loops.back();
    const std::int64_t *row = ir::asInt(stage.reads[crossing->read].buffer.shape().back());
    const bool hasRest = inner.extent % side != 0; // the last tile of each row is filled in part
    if (!row || *row % side != 0 || across.extent % side != 0 || (hasRest && inner.extent < 4 * side))
        return false;
    // Several tiles below each other, so that whole stretches of the source's rows are read; more of them in
    // large arrays, as long as enough parts are left for all processors.
    constexpr std::int64_t fewTiles = 8, manyTiles = 32, leastParts = 8;
    const std::int64_t tiles = across.extent / side;
    const std::int64_t below =
        crossing->isPieces ? 1 : largestDivisor(tiles, std::clamp(tiles / leastParts, fewTiles, manyTiles));
    const std::vector<StmtId> rows = scheduler.split(across.id, {below, side}),
                              columns = scheduler.split(inner.id, {side});
    if (rows.size() != 3 || columns.size() != 2)
        return false;
    std::vector<StmtId> outer;
    for (std::size_t i = 0; i + 1 < loops.size(); ++i)
        outer.push_back(i == place ? rows[0] : loops[i].id);
    std::vector<StmtId> order = outer;
    order.insert(order.end(), {columns[0], rows[1], rows[2], columns[1]});
    if (!scheduler.reorder(order))
        return false;
    const auto copy =
        scheduler.attempt("cache_read", {{"block", block},
                                         {"read_buffer_index", static_cast<std::int64_t>(crossing->read)},
                                         {"storage_scope", "local"}});
    const std::optional<StmtId> copied = copy ? std::optional(*copy->at(0).as<StmtId>()) : std::nullopt;
    if (!copied
        || !scheduler.attempt("compute_at",
                              {{"block", *copied}, {"loop", rows[1]}, {"preserve_unit_loops", false}}))
        return false;
    const std::vector<StmtId> copying = scheduler.index().loopsOf(*copied);
    scheduler.annotate("unroll", copying[copying.size() - 2]);
    scheduler.annotate("vectorize", copying.back());
    scheduler.annotate("unroll", rows[2]);
    scheduler.annotate("vectorize", columns[1]);
    if (const auto around = scheduler.fuse(outer); around && isWorthThreads(scheduler, block))
        scheduler.annotate("parallel", *around);
    return true;
}

} // namespace

bool tileTransposed(Scheduler &scheduler, StmtId block)
{
    const Scheduler::Checkpoint before = scheduler.checkpoint();
    if (!scheduler.block(block).iterVars.empty() && tile(scheduler, block))
        return true;
    scheduler.restore(before);
    return false;
}

} // namespace nestwright::graph
