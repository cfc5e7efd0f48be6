// SPDX-License-Identifier: Apache-2.0
// The step that lost the speed, with times that are made up from the program.
#include "core/explore/judge/slowdown.h"

#include "core/explore/judge/smallest.h"
#include "tests/core/explore/planned_times.h"

#include <QtTest>

#include <cmath>

using namespace nestwright;
using namespace nestwright::explore;
using namespace nestwright::tests;

class SlowdownTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyPlaceIsFound()
    {
        for (std::size_t guilty = 0; guilty < 8; ++guilty) {
            std::vector<std::string> keys{"a", "b", "fast", "c", "d", "e", "f"};
            keys.insert(keys.begin() + static_cast<std::ptrdiff_t>(guilty), "slow");
            PlannedTimes times({{"fast", 0.5}, {"slow", 3}}, 0);
            const auto found = findSlowdown(notes(keys), std::ref(times)).value();
            QVERIFY(found);
            QCOMPARE(found->good, guilty);
            QCOMPARE(found->bad, guilty + 1);
            QCOMPARE(found->best, guilty > 2 ? 3U : 0U);
            QVERIFY(found->ratio.significant);
            QVERIFY(std::abs(found->ratio.ratio.median - 1.0 / 3) < 0.01);
            QCOMPARE(found->measured, 9U);
            QCOMPARE(times.runs, 2);
        }
    }

    void whatIsRegainedIsNoLoss()
    {
        PlannedTimes times({{"copy", 1.5}, {"moved", 0.4}, {"bad", 1.3}});
        const auto found = findSlowdown(notes({"copy", "moved", "a", "bad", "b"}), std::ref(times)).value();
        QVERIFY(found);
        QCOMPARE(found->bad, 4U);
        QCOMPARE(found->regained, std::vector<std::size_t>{1});
        PlannedTimes better({{"copy", 1.5}, {"moved", 0.4}});
        QVERIFY(!findSlowdown(notes({"copy", "moved"}), std::ref(better)).value());
    }

    void littleOrNoiseIsNoLoss()
    {
        PlannedTimes little({{"slow", 1.04}});
        QVERIFY(!findSlowdown(notes({"a", "slow", "b"}), std::ref(little)).value());
        PlannedTimes more({{"slow", 1.04}});
        QVERIFY(findSlowdown(notes({"a", "slow", "b"}), std::ref(more), 0.02).value());
        PlannedTimes noisy({}, 0.4); // of the same programs
        QVERIFY(!findSlowdown(notes({"a", "b", "c", "d"}), std::ref(noisy)).value());
    }

    void whatIsNotMeasuredIsGoneAround()
    {
        PlannedTimes times({{"refused", std::nan("")}, {"slow", 2}});
        const auto end = findSlowdown(notes({"slow", "refused"}), std::ref(times));
        QCOMPARE(end.error().code, std::string("explore.unknown"));
        QVERIFY(end.error().message.contains("it does not compile"));
    }

    void sameProgramsAreMeasuredOnce()
    {
        StepPath path = notes({"a", "slow"});
        const auto block = path.end().index->function("main")->blockByName("C").value();
        const auto away =
            schedule::makeStep("unannotate", {{"block_or_loop", block}, {"ann_key", std::string("slow")}});
        QVERIFY(path.add(away.value()));
        PlannedTimes times({{"slow", 2}});
        QVERIFY(!findSlowdown(path, std::ref(times)).value());
        QCOMPARE(times.runs, 1);
    }

    void theSmallestListThatLosesIt()
    {
        PlannedTimes times({{"slow", 2}});
        const Timer timer = std::ref(times);
        const auto least =
            smallest(notes({"a", "b", "c", "slow"}),
                     [&](const StepPath &some) { return judgeLastStep(some, timer); }, {.kept = 3})
                .value();
        QCOMPARE(least.places, std::vector<std::size_t>{3});
        QCOMPARE(least.reason.code, std::string("explore.slower"));
    }
};

QTEST_GUILESS_MAIN(SlowdownTest)
#include "slowdown_test.moc"
