// SPDX-License-Identifier: Apache-2.0
// Contributions of steps, with times that are made up from the program.
#include "core/explore/judge/ablation.h"

#include "core/ir/node/equality.h"
#include "core/schedule/script/reader.h"
#include "tests/core/explore/planned_times.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::explore;
using namespace nestwright::tests;

namespace {

constexpr std::array bothModes{AblationMode::Added, AblationMode::Removed};

bool isNear(double value, double expected) { return std::abs(value / expected - 1) < 0.01; }

/// The steps of a script on the matmul of the tests.
StepPath scripted(const std::string &text)
{
    const schedule::State initial = scheduled(programText("matmul"));
    const auto run = schedule::runScheduleScript(initial, text, "test.py");
    if (!run)
        qFatal("%s", run.error().render().c_str());
    StepPath path(initial);
    for (const schedule::ScriptStep &each : run->steps) {
        if (!each.step.primitive->isQuery && !path.add(each.step))
            qFatal("a step of the script");
    }
    return path;
}

void removeNote(StepPath &path, const std::string &key)
{
    const auto block = path.end().index->function("main")->blockByName("C").value();
    const auto step = schedule::makeStep("unannotate", {{"block_or_loop", block}, {"ann_key", key}});
    QVERIFY(path.add(step.value()));
}

} // namespace

class AblationTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachStepHasItsFactor()
    {
        for (const AblationMode mode : bothModes) {
            PlannedTimes times({{"fast", 0.5}, {"slow", 3}, {"faster", 0.8}}, 0.0001);
            const auto found =
                ablate(notes({"a", "fast", "slow", "b", "faster"}), std::ref(times), mode).value();
            QCOMPARE(found.steps.size(), 5U);
            const std::vector<double> gains{1, 2, 1.0 / 3, 1, 1.25};
            for (std::size_t i = 0; i < gains.size(); ++i) {
                const Contribution &step = found.steps[i];
                QCOMPARE(step.place, i);
                QVERIFY(step.others.empty() && !step.failure && !step.isSame);
                QVERIFY2(step.gain && isNear(step.gain->ratio.median, gains[i]), step.label.c_str());
                QCOMPARE(step.gain->significant, gains[i] != 1);
                QVERIFY(isNear(step.without.median / step.with.median, gains[i]));
                if (mode == AblationMode::Added)
                    QCOMPARE(step.from, i);
            }
            QVERIFY(isNear(found.last.median, 1.2));
            QCOMPARE(found.first.median > 0, mode == AblationMode::Added);
            QCOMPARE(found.measured, 6U);
            QCOMPARE(times.runs, 1);
        }
    }

    void noiseIsNotSignificant()
    {
        for (const AblationMode mode : bothModes) {
            PlannedTimes noisy({}, 0.3);
            const auto found = ablate(notes({"a", "b", "c", "d", "e", "f"}), std::ref(noisy), mode).value();
            for (const Contribution &step : found.steps)
                QVERIFY2(step.gain && !step.gain->significant, step.label.c_str());
        }
    }

    /// In several runs, each with the program that its first is compared with.
    void longPathsAreMeasuredInGroups()
    {
        std::vector<std::string> keys;
        std::map<std::string, double> effects;
        for (int i = 0; i < 11; ++i) {
            keys.push_back("k" + std::to_string(i) + "x");
            effects[keys.back()] = i % 2 == 0 ? 0.5 : 1.5;
        }
        for (const AblationMode mode : bothModes) {
            PlannedTimes times(effects, 0);
            std::size_t most = 0;
            const Timer counted = [&](std::vector<ir::Module> programs) {
                most = std::max(most, programs.size());
                return times(std::move(programs));
            };
            const auto found = ablate(notes(keys), counted, mode, 5).value();
            QCOMPARE(times.runs, 3); // 4 + 4 + 3 and the program before them
            QCOMPARE(most, 10U);     // each twice
            QCOMPARE(found.measured, 14U);
            for (std::size_t i = 0; i < keys.size(); ++i)
                QVERIFY(isNear(found.steps[i].gain->ratio.median, i % 2 == 0 ? 2 : 1 / 1.5));
        }
    }

    /// A note that goes again: the program is that of before.
    void equalProgramsAreMeasuredOnce()
    {
        StepPath path = notes({"a", "slow"});
        removeNote(path, "slow");
        PlannedTimes times({{"slow", 2}}, 0);
        const auto added = ablate(path, std::ref(times), AblationMode::Added).value();
        QCOMPARE(added.steps.size(), 3U);
        QCOMPARE(added.measured, 3U);
        QVERIFY(isNear(added.steps[1].gain->ratio.median, 0.5));
        QVERIFY(isNear(added.steps[2].gain->ratio.median, 2));

        // Without the note there is none to be removed.
        const auto removed = ablate(path, std::ref(times), AblationMode::Removed).value();
        QCOMPARE(removed.steps.size(), 3U);
        QVERIFY(removed.steps[1].isSame);
        QCOMPARE(removed.steps[1].others, std::vector<std::size_t>{2});
        QCOMPARE(othersText(removed.steps[1], AblationMode::Removed),
                 std::string("left out with it: step 3"));
        QVERIFY(!removed.steps[1].gain);
        QVERIFY(isNear(removed.steps[2].gain->ratio.median, 2));
    }

    /// Steps that need the loops of a split go with it.
    void dependentsAreNamed()
    {
        const StepPath path = scripted(R"(def apply_trace(sch):
    b = sch.get_block("C")
    i, j, k = sch.get_loops(b)
    j0, j1 = sch.split(j, [None, 8])
    sch.parallel(i)
    sch.vectorize(j1)
)");
        PlannedTimes times({}, 0);
        const auto found = ablate(path, std::ref(times), AblationMode::Removed).value();
        QCOMPARE(found.steps.size(), 3U);
        QCOMPARE(found.steps[0].others, std::vector<std::size_t>{2});
        QVERIFY(found.steps[1].others.empty() && found.steps[2].others.empty());
    }

    /// They stand with the next that does, or else with the last.
    void stepsThatChangeNothingStandWithTheirNeighbour()
    {
        const StepPath path = scripted(R"(def apply_trace(sch):
    b = sch.get_block("C")
    i, j, k = sch.get_loops(b)
    sch.parallel(i)
    sch.reorder(i, j)
    sch.annotate(b, "b", 1)
    sch.reorder(j, k)
)");
        QCOMPARE(path.size(), 4U);
        PlannedTimes times({{"b", 0.5}}, 0);
        const auto found = ablate(path, std::ref(times), AblationMode::Added).value();
        QCOMPARE(found.steps.size(), 2U);
        QCOMPARE(found.steps[1].place, 2U);
        QVERIFY(isNear(found.steps[1].gain->ratio.median, 2));
        QCOMPARE(found.steps[1].others, (std::vector<std::size_t>{1, 3}));
        QCOMPARE(othersText(found.steps[1], AblationMode::Added), std::string("with steps 2 and 4"));
    }

    /// The next is compared with the last that was.
    void whatIsNotMeasuredSaysWhy()
    {
        PlannedTimes times({{"refused", std::nan("")}, {"fast", 0.5}}, 0);
        StepPath path = notes({"a", "refused"});
        removeNote(path, "refused");
        const StepPath more = notes({"fast"});
        QVERIFY(path.add(more.step(0)));
        const auto found = ablate(path, std::ref(times), AblationMode::Added).value();
        QVERIFY(found.steps[1].failure && !found.steps[1].gain);
        QCOMPARE(found.steps[1].failure->code, std::string("test.refused"));
        QCOMPARE(found.steps[2].from, 1U);
        QVERIFY(isNear(found.steps[2].gain->ratio.median, 1));
        QVERIFY(isNear(found.steps[3].gain->ratio.median, 2));

        const auto wrong = ablate(notes({"refused"}), std::ref(times), AblationMode::Removed);
        QCOMPARE(wrong.error().code, std::string("explore.unknown"));
        QVERIFY(wrong.error().message.contains("it does not compile"));
    }

    void withoutStepsThereIsNothing()
    {
        PlannedTimes times({});
        QCOMPARE(ablate(notes({}), std::ref(times), AblationMode::Added).error().code,
                 std::string("explore.no-steps"));
    }
};

QTEST_GUILESS_MAIN(AblationTest)
#include "ablation_test.moc"
