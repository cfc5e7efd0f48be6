// SPDX-License-Identifier: Apache-2.0
/// Sizes that the rules of the default schedule choose.
#pragma once

#include "core/graph/strategy/scheduler.h"

namespace nestwright::graph {

/// The innermost variable of a block's results, whose elements become the lanes of vectors.
ir::Var laneVariable(const ir::Block &block);

/// Bytes of all elements; 0 where the size is not known.
std::int64_t bytesOf(const ir::Buffer &buffer);
/// The largest divisor of `extent` that is at most `limit`; 1 where it is symbolic.
std::int64_t largestDivisor(std::int64_t extent, std::int64_t limit);
/// The largest divisor of `extent` that is at most `limit` and leaves pieces that threads share well,
/// `others` of them for each one of the loop; where none does, the one that they share best.
std::int64_t fairDivisor(const target::Machine &machine, std::int64_t extent, std::int64_t limit,
                         std::int64_t others);
/// Share of a vector instruction's lanes that adjacent elements fill: a number that is no power of two is
/// processed in power-of-two pieces.
double laneEfficiency(const target::Machine &machine, std::int64_t lanes, std::int64_t elementBytes);
/// Vectors of `lanes` elements whose results stay in registers at a time. `beside`: so many of them share
/// each multiplier, which then is kept in a register.
std::int64_t registerTileRows(const target::Machine &machine, std::int64_t lanes, std::int64_t elementBytes,
                              std::int64_t beside = 1);
/// How a sum of products reads a matrix whose columns stand in panels (nn.packed_matmul).
struct Panels {
    std::int64_t width = 1; ///< columns of a panel; 1: there are none
    std::int64_t kept =
        0; ///< vectors for each of a panel that stay over the innermost reduction: scales, say
};
/// Panels whose columns are the innermost dimension of the block's result.
Panels panelsOf(const Scheduler &scheduler, StmtId block);
/// Like `registerTileRows`, for rows as wide as a panel.
std::int64_t tileRows(const target::Machine &machine, std::int64_t lanes, const Panels &panels,
                      std::int64_t elementBytes);
/// Elements of a loop of that extent that go into one vector: the divisor that makes best use of each vector
/// instruction; 1: none.
std::int64_t lanesFor(const target::Machine &machine, std::int64_t extent, std::int64_t elementBytes);
/// The loops around a block but for the outermost `depth`.
std::vector<LoopOf> loopsWithin(const Scheduler &scheduler, StmtId block, std::size_t depth);
/// Whether the loops around a block run often enough that waking other processors pays.
bool isWorthThreads(const Scheduler &scheduler, StmtId block);

} // namespace nestwright::graph
