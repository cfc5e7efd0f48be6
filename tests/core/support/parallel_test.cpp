// SPDX-License-Identifier: Apache-2.0
#include "core/support/parallel.h"

#include <QtTest>

#include <numeric>
#include <set>
#include <stdexcept>

using namespace nestwright::support;

class ParallelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void eachCallIsMadeOnce()
    {
        for (const std::int64_t count : {0, 1, 2, 3, 1000}) {
            std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
            const auto done = inParallel(count, [&](std::int64_t i) -> Result<void> {
                ++calls[static_cast<std::size_t>(i)];
                return {};
            });
            QVERIFY(done);
            for (const std::atomic<int> &each : calls)
                QCOMPARE(each.load(), 1);
        }
    }

    void whatFailsIsTold()
    {
        std::atomic<int> begun = 0;
        const auto done = inParallel(100'000, [&](std::int64_t i) -> Result<void> {
            ++begun;
            if (i == 5)
                return fail("test.five", "it is 5");
            return {};
        });
        QVERIFY(!done);
        QCOMPARE(done.error().code, "test.five");
        QVERIFY(begun < 100'000); // the rest is left
    }

    void whatIsThrownIsThrown()
    {
        for (const std::int64_t thrower : {0, 7, 99}) {
            std::string told;
            try {
                (void)inParallel(100, [&](std::int64_t i) -> Result<void> {
                    if (i == thrower)
                        throw std::runtime_error("it is " + std::to_string(i));
                    return {};
                });
            } catch (const std::runtime_error &error) {
                told = error.what();
            }
            QCOMPARE(told, "it is " + std::to_string(thrower));
        }
    }

    void partsMeetAndCoverAll()
    {
        for (const std::int64_t count : {1, 7, 1000}) {
            for (const std::int64_t most : {0, 1, 3, 1000}) {
                std::mutex mutex;
                std::set<std::pair<std::int64_t, std::int64_t>> parts;
                inParts(count, most, [&](std::int64_t begin, std::int64_t end) {
                    const std::scoped_lock lock(mutex);
                    parts.emplace(begin, end);
                });
                QVERIFY(std::ssize(parts) <= std::max<std::int64_t>(1, most));
                std::int64_t next = 0;
                for (const auto &[begin, end] : parts) {
                    QCOMPARE(begin, next);
                    QVERIFY(end > begin);
                    next = end;
                }
                QCOMPARE(next, count);
            }
        }
    }
};

QTEST_GUILESS_MAIN(ParallelTest)
#include "parallel_test.moc"
