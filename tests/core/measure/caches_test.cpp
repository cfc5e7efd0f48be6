// SPDX-License-Identifier: Apache-2.0
// Caches as the system and people tell them.
#include "core/measure/machine/caches.h"

#include <QtTest>

using namespace nestwright;
using target::MemoryLevel;

class CachesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void levelsEndWithMemory()
    {
        const auto levels = measure::memoryLevels();
        QCOMPARE(levels.back().name, std::string("DRAM"));
        QCOMPARE(levels.back().bytes, 0);
        QCOMPARE(levels.size(), measure::caches().levels.size() + 1);
        for (std::size_t i = 0; i + 1 < levels.size(); ++i)
            QVERIFY(levels[i].bytes > 0);
    }

    void smallestCacheThatHolds()
    {
        const auto nearest = static_cast<double>(measure::caches().levels.front().bytes);
        QCOMPARE(measure::cacheHolding(1e15), 4);
        QCOMPARE(measure::cacheHolding(1), 1);
        QCOMPARE(measure::cacheHolding(nearest), 1);
        QVERIFY(measure::cacheHolding(nearest + 1) > 1);
    }

    void asPeopleTell()
    {
        const auto cache = measure::parseCache("32k,8,64", 2);
        QVERIFY(cache.has_value());
        QCOMPARE(cache->name, std::string("L2"));
        QCOMPARE(cache->sets(), 64);
        for (const char *text : {"", "32k", "32k,8", "32k,8,64,1", "0,8,64", "32k,3,64", "32k,8,48", "x,8,64",
                                 ",,", "99999999999999999999,1,64", "9999999M,1,64"}) {
            const auto none = measure::parseCache(text, 1);
            QVERIFY2(!none, text);
            QCOMPARE(none.error().code, std::string("usage.cache"));
            QVERIFY(!none.error().hint.empty());
        }
    }
};

QTEST_MAIN(CachesTest)
#include "caches_test.moc"
