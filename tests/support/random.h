// SPDX-License-Identifier: Apache-2.0
/// Seeded choices, the same on every machine.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace nestwright::tests {

class Random {
public:
    /// Different seeds give different sequences, not the same from another place on.
    explicit Random(std::uint64_t seed) : m_state(mixed((seed + 1) * increment + 1)) {}

    /// From 0 to count - 1.
    std::int64_t below(std::int64_t count)
    {
        return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(count));
    }
    /// From low to high.
    std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
    bool chance(int percent) { return below(100) < percent; }
    template <class T> const T &pick(const std::vector<T> &items)
    {
        return items[static_cast<std::size_t>(below(static_cast<std::int64_t>(items.size())))];
    }
    template <class T> void shuffle(std::vector<T> &items)
    {
        for (std::size_t i = items.size(); i > 1; --i)
            std::swap(items[i - 1], items[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
    }

private:
    // splitmix64
    static constexpr std::uint64_t increment = 0x9e3779b97f4a7c15ULL;
    static std::uint64_t mixed(std::uint64_t z)
    {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
    std::uint64_t next() { return mixed(m_state += increment); }
    std::uint64_t m_state;
};

} // namespace nestwright::tests
