// SPDX-License-Identifier: Apache-2.0
#include "core/explore/trace/cache_counts.h"

#include "core/explore/trace/cache_simulation.h"

#include <numeric>

namespace nestwright::explore {

using interp::TraceEvent;

std::int64_t accessesOf(const LevelCounts &counts)
{
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

std::int64_t missesOf(const LevelCounts &counts, std::size_t level)
{
    return std::accumulate(counts.begin() + static_cast<std::ptrdiff_t>(level) + 1, counts.end(),
                           std::int64_t{0});
}

support::Result<CacheCounts> countCacheMisses(const ir::PrimFunc &function, const interp::Sizes &sizes,
                                              std::span<const target::MemoryLevel> levels,
                                              std::int64_t mostAccesses)
{
    CacheSimulation caches(levels);
    const std::size_t width = levels.size() + 1;
    std::vector<std::int64_t> held; // by access and level
    std::int64_t left = mostAccesses;
    bool isWhole = true;
    auto tables =
        traceAccesses(function, sizes, [&](const TraceTables &known, std::span<const TraceEvent> events) {
            held.resize(known.accesses.size() * width);
            for (const TraceEvent &event : events) {
                if (event.kind != TraceEvent::Access)
                    continue;
                if (left-- <= 0) {
                    isWhole = false;
                    return false;
                }
                ++held[known.accessOf(event) * width + caches.access(known.addressOf(event))];
            }
            return true;
        });
    if (!tables)
        return support::fail(std::move(tables.error()));
    CacheCounts counts{
        .tables = *std::move(tables), .held = {}, .total = LevelCounts(width, 0), .isWhole = isWhole};
    held.resize(counts.tables.accesses.size() * width);
    for (std::size_t i = 0; i < counts.tables.accesses.size(); ++i) {
        const auto first = held.begin() + static_cast<std::ptrdiff_t>(i * width);
        counts.held.emplace_back(first, first + static_cast<std::ptrdiff_t>(width));
        for (std::size_t level = 0; level < width; ++level)
            counts.total[level] += counts.held.back()[level];
    }
    return counts;
}

} // namespace nestwright::explore
