// SPDX-License-Identifier: Apache-2.0
/// Counts of a cache simulation: which level holds how many accesses of each statement to each buffer.
#pragma once

#include "core/explore/trace/access_trace.h"
#include "core/measure/machine/caches.h"

namespace nestwright::explore {

/// Number of accesses held by each level; those that no cache holds come last.
using LevelCounts = std::vector<std::int64_t>;

std::int64_t accessesOf(const LevelCounts &counts);
/// Number of accesses that neither this level nor one before it holds.
std::int64_t missesOf(const LevelCounts &counts, std::size_t level);

struct CacheCounts {
    TraceTables tables;
    std::vector<LevelCounts> held; ///< by access of the tables
    LevelCounts total;
    bool isWhole = true; ///< the run went to its end
};

/// Accesses simulated in about 5 s.
inline constexpr std::int64_t manyAccesses = 200'000'000;

/// Simulates the accesses of a run, at most so many. Errors are those of traceAccesses.
support::Result<CacheCounts> countCacheMisses(const ir::PrimFunc &function, const interp::Sizes &sizes,
                                              std::span<const target::MemoryLevel> levels,
                                              std::int64_t mostAccesses = manyAccesses);

} // namespace nestwright::explore
