// SPDX-License-Identifier: Apache-2.0
/// Columns of the operands of a sum of products that share what is read of the other operand.
#pragma once

#include "core/graph/strategy/scheduler.h"

namespace nestwright::graph {

/// Further columns of the operands that vectors are read of: blocks of filters of a convolution, say, whose
/// vectors share what is read of the image.
struct Columns {
    std::size_t loop = 0;         ///< that goes along them, and along no other operand
    std::int64_t bytes = 0;       ///< of the operands that have them
    std::int64_t sharedBytes = 0; ///< of the others; both 0 where sizes are not known
};
/// Nothing where no loop does; `loops`: those of the results, the last of which is to become vectors.
std::optional<Columns> columnsOf(const Scheduler &scheduler, StmtId block, const std::vector<LoopOf> &loops);
/// Number of vectors of that loop beside each other in a tile: each number of the other operand is read
/// once for all of them.
std::int64_t columnsTogether(const LoopOf &columns);
/// How much of each loop of the results, but the last, goes into a tile of `room` vectors, which becomes what
/// is left of it. `isPart`: within loops that run in parallel already.
std::vector<std::int64_t> factorsWithin(std::int64_t &room, const std::vector<LoopOf> &spatial,
                                        const std::optional<Columns> &columns, bool isPart);

} // namespace nestwright::graph
