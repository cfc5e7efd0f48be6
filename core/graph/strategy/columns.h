// SPDX-License-Identifier: Apache-2.0
/// Operand columns that reuse each load of the other operand: the N loop of a register tile.
#pragma once

#include "core/graph/strategy/scheduler.h"

namespace nestwright::graph {

/// Further columns of the operands that are read in vectors, such as blocks of a convolution's filters, whose
/// vectors share each load of the image.
struct Columns {
    std::size_t loop = 0;         ///< that goes along them, and along no other operand
    std::int64_t bytes = 0;       ///< of the operands that have them
    std::int64_t sharedBytes = 0; ///< of the others; both 0 where sizes are not known
};
/// Nothing where no loop has such columns. `loops`: those of the results; the last one is to become vectors.
std::optional<Columns> columnsOf(const Scheduler &scheduler, StmtId block, const std::vector<LoopOf> &loops);
/// How a sum of products is tiled: its loops, and the vectors that the last of them becomes.
struct TiledSum {
    std::vector<LoopOf> spatial; ///< loops of the results
    std::int64_t lanes = 1;
    std::int64_t elementBytes = 4;
    bool isPart = false; ///< within loops that run in parallel already
    /// Iterations of these loops for each tile of columns; 0: the columns are not shared out. Of a sum that
    /// is no part, tiles are what is parallel.
    std::int64_t others = 0;
};
/// Vectors of the columns side by side in a tile, for which each number of the other operand is loaded once,
/// and how many there are in all.
struct TileSize {
    std::int64_t together = 1, room = 1;
    double cycles = 0; ///< of a vector of results
};
/// Those that keep the multipliers of the machine, and its threads, busiest.
TileSize tileSize(const target::Machine &machine, const TiledSum &sum, const Columns &columns);
/// Vectors of a tile without columns: at most so many, fewer where its threads share the tiles badly.
std::int64_t fairRoom(const target::Machine &machine, const TiledSum &sum, std::int64_t room);
/// The columns of tileSize.
std::int64_t columnsTogether(const target::Machine &machine, const TiledSum &sum, const Columns &columns);
/// Rows of a tile beside so many columns.
std::int64_t rowsBeside(const target::Machine &machine, const TiledSum &sum, std::int64_t together);
/// Share of each loop of the results except the last in a tile of `room` vectors, `together` of the columns;
/// `room` becomes the vectors that are left.
std::vector<std::int64_t> factorsWithin(std::int64_t &room, const TiledSum &sum,
                                        const std::optional<Columns> &columns, std::int64_t together);

} // namespace nestwright::graph
