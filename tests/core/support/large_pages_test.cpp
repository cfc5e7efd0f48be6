// SPDX-License-Identifier: Apache-2.0
#include "core/support/large_pages.h"

#include <QtTest>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

using namespace nestwright;

class LargePagesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Memory that was written and given back is zero when it is given again.
    void zeroAndAligned()
    {
        constexpr std::size_t alignment = 64, page = std::size_t{2} << 20;
        for (const std::size_t bytes :
             {std::size_t{64}, std::size_t{4096}, support::leastForLargePages - 64,
              support::leastForLargePages, support::leastForLargePages + 64, 3 * page + 4096}) {
            for (int round = 0; round < 3; ++round) {
                auto *memory = static_cast<unsigned char *>(support::allocateLarge(bytes, alignment));
                const std::size_t wanted = bytes < support::leastForLargePages ? alignment : page;
                QCOMPARE(reinterpret_cast<std::uintptr_t>(memory) % wanted, std::size_t{0});
                QVERIFY(std::all_of(memory, memory + bytes, [](unsigned char each) { return each == 0; }));
                std::memset(memory, 1, bytes);
                support::freeLarge(memory, bytes, alignment);
            }
        }
    }

    void containers()
    {
        struct Line {
            std::uint64_t words[8];
        };
        using Lines = std::vector<Line, support::LargePageAllocator<Line>>;
        for (const std::size_t count : {std::size_t{10}, std::size_t{100'000}}) {
            Lines lines(count);
            QCOMPARE(lines[count - 1].words[7], std::uint64_t{0});
            lines[count / 2].words[3] = 5;
            const Lines copy = lines;
            QCOMPARE(copy[count / 2].words[3], std::uint64_t{5});
            const Lines moved = std::move(lines);
            QCOMPARE(moved[count / 2].words[3], std::uint64_t{5});
        }
    }
};

QTEST_APPLESS_MAIN(LargePagesTest)
#include "large_pages_test.moc"
