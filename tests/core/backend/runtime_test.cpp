// SPDX-License-Identifier: Apache-2.0
// The thread pool and the memory that kernels run on.
#include "core/backend/link/runtime.h"
#include "tests/support/sanitized.h"

#include <QtTest>

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <limits>
#include <thread>

using namespace nestwright;

class RuntimeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void thePoolRunsEveryPieceOnce()
    {
        static std::array<std::atomic<int>, 1000> hits;
        const auto body = [](void *context, std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                ++hits[static_cast<std::size_t>(i)];
            return begin <= 500 && 500 < end ? *static_cast<int *>(context) : 0;
        };
        int code = 7;
        for (const int threads : {1, 2, 4, 0}) {
            nestwright_set_threads(threads);
            for (const std::int64_t count : {0, 1, 3, 1000}) {
                for (auto &hit : hits)
                    hit = 0;
                QCOMPARE(nestwright_parallel_for(body, &code, count), count > 500 ? 7 : 0);
                for (std::int64_t i = 0; i < 1000; ++i)
                    QCOMPARE(hits[static_cast<std::size_t>(i)].load(), i < count ? 1 : 0);
            }
        }
    }

    void helpersLeaveTheCallersCore()
    {
        cpu_set_t allowed;
        QCOMPARE(sched_getaffinity(0, sizeof allowed, &allowed), 0);
        if (CPU_COUNT(&allowed) < 2)
            QSKIP("needs two cores");
        static std::array<std::atomic<int>, CPU_SETSIZE> isUsed;
        const auto body = [](void *, std::int64_t, std::int64_t) {
            isUsed[static_cast<std::size_t>(sched_getcpu())] = 1;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return 0;
        };
        const auto used = [] {
            return std::ranges::count_if(isUsed, [](const std::atomic<int> &each) { return each == 1; });
        };
        nestwright_set_threads(2);
        nestwright_parallel_for(body, nullptr, 2); // helpers are born with the cores of their caller
        for (int core = 0; core < CPU_SETSIZE; ++core) {
            if (!CPU_ISSET(core, &allowed))
                continue;
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(core, &one);
            QCOMPARE(sched_setaffinity(0, sizeof one, &one), 0);
            for (auto &each : isUsed)
                each = 0;
            for (int i = 0; i < 100 && used() < 2; ++i)
                nestwright_parallel_for(body, nullptr, 8);
            sched_setaffinity(0, sizeof allowed, &allowed);
            QCOMPARE(used(), 2);
        }
        nestwright_set_threads(0);
    }

    void memoryIsAligned()
    {
        for (const std::uint64_t bytes : {1, 63, 1000, 100000}) {
            void *memory = nestwright_alloc(bytes);
            QVERIFY(memory);
            QCOMPARE(reinterpret_cast<std::uintptr_t>(memory) % 64, 0U);
            nestwright_free(memory);
        }
        QVERIFY(!nestwright_alloc(std::numeric_limits<std::uint64_t>::max()));
    }

    void memoryIsKeptForTheNextLoop()
    {
        std::thread([] { // with nothing kept from other tests, and nothing left behind at its end
            void *first = nestwright_alloc(300'000), *second = nestwright_alloc(1000);
            nestwright_free(first);
            nestwright_free(second);
            nestwright_free(nullptr);
            if (tests::isSanitized) // which looks after each block by itself
                return;
            QCOMPARE(nestwright_alloc(200'000), first);
            void *another = nestwright_alloc(200'000);
            QVERIFY(another != first);
            nestwright_free(another);
            nestwright_free(first);
            void *small = nestwright_alloc(900);
            QCOMPARE(small, second);
            nestwright_free(small);
            void *large = nestwright_alloc(400'000); // more than what is kept
            QVERIFY(large != first);
            nestwright_free(large);
        })
            .join();
    }
};

QTEST_GUILESS_MAIN(RuntimeTest)
#include "runtime_test.moc"
