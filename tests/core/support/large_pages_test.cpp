// SPDX-License-Identifier: Apache-2.0
#include "core/support/large_pages.h"

#include <QtTest>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

using namespace nestwright;

namespace {

constexpr std::size_t page = std::size_t{2} << 20;

bool isZero(const std::byte *memory, std::size_t bytes)
{
    return std::all_of(memory, memory + bytes, [](std::byte each) { return each == std::byte{0}; });
}

} // namespace

class LargePagesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Memory that was written and given back is zero when it is given again.
    void zeroAndAligned()
    {
        for (const std::size_t bytes :
             {std::size_t{0}, std::size_t{64}, std::size_t{4100}, support::leastForLargePages - 64,
              support::leastForLargePages, support::leastForLargePages + 64, 3 * page + 4096,
              support::mostSpareBytes + page}) {
            for (int round = 0; round < 3; ++round) {
                const auto memory = support::takeMemory(bytes);
                QVERIFY(memory);
                const std::size_t wanted =
                    bytes < support::leastForLargePages ? support::memoryAlignment : page;
                QCOMPARE(reinterpret_cast<std::uintptr_t>(memory.get()) % wanted, std::size_t{0});
                QVERIFY(isZero(memory.get(), bytes));
                std::memset(memory.get(), 1, bytes);
            }
        }
    }

    /// Large memory that was given back serves whoever takes some next, also in parts.
    void isTakenAgain()
    {
        (void)support::takeMemory(support::mostSpareBytes); // in the place of what other tests gave back
        auto first = support::takeMemory(4 * page);
        std::byte *const begin = first.get();
        std::memset(begin, 1, 4 * page);
        first.reset();
        const auto part = support::takeMemory(page, support::Contents::Any);
        QCOMPARE(part.get(), begin);
        QCOMPARE(*part, std::byte{1}); // as it was left
        const auto rest = support::takeMemory(3 * page);
        QCOMPARE(rest.get(), begin + page);
        QVERIFY(isZero(rest.get(), 3 * page));
        QCOMPARE(*part, std::byte{1});
        const auto other = support::takeMemory(page);
        QVERIFY(other.get() < begin || other.get() >= begin + 4 * page);
    }

    /// As much is kept as may be, the largest blocks first.
    void keepsTheLargest()
    {
        std::vector<std::shared_ptr<std::byte>> small;
        for (int i = 0; i < 4; ++i) {
            small.push_back(support::takeMemory(page, support::Contents::Any));
            *small.back() = std::byte{1};
        }
        auto large = support::takeMemory(support::mostSpareBytes, support::Contents::Any);
        std::byte *const begin = large.get();
        *begin = std::byte{7};
        small.clear();
        large.reset();
        const auto again = support::takeMemory(support::mostSpareBytes, support::Contents::Any);
        QCOMPARE(again.get(), begin);
        QCOMPARE(*again, std::byte{7}); // not the system's
        const auto anew = support::takeMemory(page, support::Contents::Any);
        QCOMPARE(*anew, std::byte{0}); // the small ones were given to the system
    }
};

QTEST_APPLESS_MAIN(LargePagesTest)
#include "large_pages_test.moc"
