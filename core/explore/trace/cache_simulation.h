// SPDX-License-Identifier: Apache-2.0
/// Simulation of caches: which level holds the line of each access.
#pragma once

#include "core/measure/machine/caches.h"

#include <cstdint>
#include <span>
#include <vector>

namespace nestwright::explore {

/// Set-associative levels; each evicts the least recently used line of a set and takes in what missed it,
/// for stores as for loads. A level sees only what the levels before it do not hold, as in cachegrind
/// (N. Nethercote, "Dynamic Binary Analysis and Instrumentation", 2004).
class CacheSimulation {
public:
    explicit CacheSimulation(std::span<const target::MemoryLevel> levels);

    /// The number of the level that holds the line: 0 for the first, that of levels where none does.
    std::size_t access(std::uint64_t address)
    {
        for (std::size_t i = 0; i < m_levels.size(); ++i) {
            if (m_levels[i].access(address))
                return i;
        }
        return m_levels.size();
    }

    std::size_t levelCount() const { return m_levels.size(); }

private:
    struct Level {
        std::uint64_t sets = 1;
        std::uint64_t setMask = 0; ///< 0 where the number of sets is no power of two
        std::size_t ways = 1;
        int lineBits = 6;
        std::vector<std::uint64_t> lines; ///< 1 more than the line, by set, the last used first; 0: none

        bool access(std::uint64_t address);
    };
    std::vector<Level> m_levels;
};

} // namespace nestwright::explore
