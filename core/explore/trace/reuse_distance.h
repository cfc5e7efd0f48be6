// SPDX-License-Identifier: Apache-2.0
/// Reuse distances: how many distinct cache lines were touched since a line was touched last.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace nestwright::explore {

/// Exact distances in logarithmic time each, by a Fenwick tree over the times at which lines were touched
/// last (B. T. Bennett and V. J. Kruskal, "LRU stack processing", 1975).
class ReuseDistance {
public:
    /// Touches a line. The number of other lines touched since its last touch; nothing at the first.
    std::optional<std::uint32_t> touch(std::uint64_t line);

private:
    void add(std::size_t time, std::int32_t amount);
    std::int64_t before(std::size_t time) const;
    void compact();

    std::unordered_map<std::uint64_t, std::uint32_t> m_last; ///< time of the last touch, by line
    std::vector<std::int32_t> m_tree;                        ///< marks the times that are last ones
    std::uint32_t m_now = 0;
    std::uint64_t m_lastLine = 0; ///< where `m_now` is not 0
};

} // namespace nestwright::explore
