// SPDX-License-Identifier: Apache-2.0
// In schedules of 60 steps, one of which makes the result wrong, that step is found, and the few that it
// needs.
#include "core/explore/judge/bisect.h"
#include "core/explore/judge/smallest.h"
#include "core/schedule/script/reader.h"
#include "core/schedule/script/writer.h"
#include "tests/core/explore/faulty_trace.h"

#include <QtTest>

#include <chrono>

using namespace nestwright;
using namespace nestwright::explore;
using namespace nestwright::tests;

namespace {

double secondsSince(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

class FaultyTracesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theStepIsFound_data()
    {
        QTest::addColumn<quint64>("seed");
        for (quint64 seed = 1; seed <= 20; ++seed)
            QTest::addRow("seed %d", static_cast<int>(seed)) << seed;
    }

    void theStepIsFound()
    {
        QFETCH(quint64, seed);
        const FaultyTrace trace(seed);
        const StepPath &path = trace.path();
        QCOMPARE(path.size(), FaultyTrace::length);
        measure::Measurer measurer;
        const auto judge = interpretedJudge(measurer, path.state(0).module);

        auto begin = std::chrono::steady_clock::now();
        const auto turn = bisect(path.size(), [&](std::size_t position, Round round) {
            return judge(path.state(position).module, round);
        });
        const double bisected = secondsSince(begin);
        QVERIFY2(turn, turn ? "" : turn.error().render().c_str());
        QVERIFY(*turn);
        QCOMPARE((*turn)->good, trace.guilty());
        QCOMPARE((*turn)->bad, trace.guilty() + 1);
        QVERIFY((*turn)->isConfirmed);
        QVERIFY((*turn)->judgements <= 16);

        begin = std::chrono::steady_clock::now();
        const auto least = smallest(path.upTo((*turn)->bad), [&](const StepPath &some) {
            return judge(some.end().module, Round::Search);
        });
        const double reduced = secondsSince(begin);
        QVERIFY2(least, least ? "" : least.error().render().c_str());
        QVERIFY(least->isMinimal);
        QVERIFY(reduced < 60);
        QVERIFY(least->places.size() <= 8);
        QVERIFY(std::ranges::contains(least->places, trace.guilty()));
        qInfo("%s: step %zu found with %zu judgements in %.2f s; %zu steps left of %zu with %zu in %.2f s",
              path.label(trace.guilty()).c_str(), (*turn)->bad, (*turn)->judgements, bisected,
              least->places.size(), (*turn)->bad, least->judgements, reduced);

        // No step is one too many, and the script says the same.
        for (const std::size_t place : least->places) {
            std::vector<std::size_t> others = least->places;
            std::erase(others, place);
            QVERIFY(judge(path.only(others).end().module, Round::Search).judgement != Judgement::Bad);
        }
        const auto script = schedule::writeScheduleScript(path.state(0), least->path.steps());
        QVERIFY2(script, script ? "" : script.error().render().c_str());
        const auto run = schedule::runScheduleScript(path.state(0), *script, "smallest.py");
        QVERIFY2(run, run ? "" : run.error().render().c_str());
        QCOMPARE(judge(run->state.module, Round::Search).judgement, Judgement::Bad);
    }
};

QTEST_GUILESS_MAIN(FaultyTracesTest)
#include "faulty_traces_test.moc"
