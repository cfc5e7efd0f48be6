// SPDX-License-Identifier: Apache-2.0
// Caches against hits and misses counted by hand, and distances of reuse against their definition.
#include "core/explore/trace/cache_simulation.h"

#include "core/explore/trace/replay.h"
#include "core/explore/trace/reuse_distance.h"
#include "tests/support/random.h"

#include <QtTest>
#include <algorithm>

using namespace nestwright;
using namespace nestwright::explore;
using target::MemoryLevel;

namespace {

std::vector<int> levelsHolding(const std::vector<MemoryLevel> &caches, const std::vector<int> &addresses)
{
    CacheSimulation simulation(caches);
    std::vector<int> levels;
    for (const int address : addresses)
        levels.push_back(static_cast<int>(simulation.access(static_cast<std::uint64_t>(address))));
    return levels;
}

} // namespace

class CacheSimulationTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Two sets of two ways: lines 0, 2 and 4 share a set, of which it holds two.
    void theLeastRecentlyUsedGoes()
    {
        const std::vector<MemoryLevel> caches{{.name = "L1", .bytes = 64, .ways = 2, .lineBytes = 16}};
        QCOMPARE(levelsHolding(caches, {0, 4, 16, 32, 0, 64, 32, 0, 64}),
                 (std::vector{1, 0, 1, 1, 0, 1, 1, 1, 1}));
        QCOMPARE(levelsHolding(caches, {0, 32, 0, 64, 0, 32}), (std::vector{1, 1, 0, 1, 0, 1}));
    }

    /// Lines that the first level drops are still in the second.
    void levels()
    {
        const std::vector<MemoryLevel> caches{{.name = "L1", .bytes = 32, .ways = 1, .lineBytes = 16},
                                              {.name = "L2", .bytes = 128, .ways = 8, .lineBytes = 16}};
        QCOMPARE(levelsHolding(caches, {0, 32, 0, 32, 16}), (std::vector{2, 2, 1, 1, 2}));
    }

    /// Sets need be no power of two.
    void anyNumberOfSets()
    {
        const std::vector<MemoryLevel> caches{{.name = "L1", .bytes = 48, .ways = 1, .lineBytes = 16}};
        QCOMPARE(levelsHolding(caches, {0, 16, 32, 48, 0, 16, 32}), (std::vector{1, 1, 1, 1, 1, 0, 0}));
    }

    /// A cache of one set holds exactly the lines whose distance is below its ways.
    void distancesAreThoseOfOneSet()
    {
        tests::Random random(7);
        ReuseDistance distances;
        std::vector<std::uint64_t> recent; // last touched first
        for (int i = 0; i < 60'000; ++i) {
            const auto line = static_cast<std::uint64_t>(random.below(i < 30'000 ? 40 : 4000));
            const auto found = std::ranges::find(recent, line);
            const auto expected = found == recent.end() ? std::optional<std::uint32_t>()
                                                        : static_cast<std::uint32_t>(found - recent.begin());
            if (found != recent.end())
                recent.erase(found);
            recent.insert(recent.begin(), line);
            QCOMPARE(distances.touch(line), expected);
        }
    }

    void classesOfReuse()
    {
        QCOMPARE(int{reuseClass({})}, 7);
        const std::vector<std::pair<std::uint32_t, int>> expected{
            {0, 0},   {1, 1},   {3, 1},    {4, 2},    {15, 2},      {16, 3},
            {255, 4}, {256, 5}, {1023, 5}, {1024, 6}, {1u << 30, 6}};
        for (const auto &[distance, number] : expected)
            QCOMPARE(int{reuseClass(distance)}, number);
        QCOMPARE(reuseText(2), std::string("4 … 15 lines"));
    }
};

QTEST_MAIN(CacheSimulationTest)
#include "cache_simulation_test.moc"
