// SPDX-License-Identifier: Apache-2.0
/// Sums that are computed tile by tile: halves of their loops, and the stage behind, which takes the results
/// of a tile out of the registers.
#pragma once

#include "core/graph/strategy/scheduler.h"

#include <functional>
#include <optional>
#include <vector>

namespace nestwright::graph {

/// The loop over tiles, and the one within a tile; one of them is the whole loop where the other one is
/// missing.
struct Halves {
    std::optional<StmtId> outer, inner;
};
/// Nothing where the loop cannot be split so that `factor` iterations are within a tile.
std::optional<Halves> halve(Scheduler &scheduler, const LoopOf &loop, std::int64_t factor);

/// Schedules `block` by `place`, which gets the stage behind: an elementwise consumer, or a copy where there
/// is none or `place` fails with it, since it reads outside its tile. False (the schedule is then to be
/// restored) where that fails too, or several read the block, or a sum, unless `isPart`: the block is
/// computed part by part anyway.
bool withStageBehind(Scheduler &scheduler, StmtId block, bool isPart,
                     const std::function<bool(StmtId)> &place);
/// The last loop becomes a vector, those before it are unrolled.
void unrollAndVectorize(Scheduler &scheduler, const std::vector<StmtId> &loops);
/// The innermost loops of a block, as many as are asked for.
std::vector<StmtId> innermost(const Scheduler &scheduler, StmtId block, std::size_t count);

} // namespace nestwright::graph
