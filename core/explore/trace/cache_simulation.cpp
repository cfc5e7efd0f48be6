// SPDX-License-Identifier: Apache-2.0
#include "core/explore/trace/cache_simulation.h"

#include <algorithm>
#include <bit>

namespace nestwright::explore {

CacheSimulation::CacheSimulation(std::span<const target::MemoryLevel> levels)
{
    for (const target::MemoryLevel &geometry : levels) {
        Level level;
        level.sets = static_cast<std::uint64_t>(std::max<std::int64_t>(geometry.sets(), 1));
        level.setMask = std::has_single_bit(level.sets) ? level.sets - 1 : 0;
        level.ways = static_cast<std::size_t>(geometry.ways);
        level.lineBits = std::countr_zero(static_cast<std::uint64_t>(geometry.lineBytes));
        level.lines.resize(level.sets * level.ways);
        m_levels.push_back(std::move(level));
    }
}

bool CacheSimulation::Level::access(std::uint64_t address)
{
    const std::uint64_t line = address >> lineBits;
    const std::uint64_t set = setMask ? line & setMask : line % sets;
    const auto first = lines.begin() + static_cast<std::ptrdiff_t>(set * ways);
    if (*first == line + 1) [[likely]]
        return true;
    const auto last = first + static_cast<std::ptrdiff_t>(ways);
    auto found = std::find(first + 1, last, line + 1);
    const bool hits = found != last;
    if (!hits)
        --found; // the least recently used goes
    std::move_backward(first, found, found + 1);
    *first = line + 1;
    return hits;
}

} // namespace nestwright::explore
