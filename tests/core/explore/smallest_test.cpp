// SPDX-License-Identifier: Apache-2.0
#include "core/explore/judge/smallest.h"

#include "core/schedule/script/reader.h"
#include "core/support/errors/stop.h"
#include "tests/support/check_primitive.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <thread>

using namespace nestwright;
using namespace nestwright::explore;
using namespace nestwright::tests;

namespace {

/// Ten steps: splits of each loop, a reordering, annotations.
StepPath somePath()
{
    const schedule::State initial = scheduled(programText("matmul"));
    const auto run = schedule::runScheduleScript(initial, R"(def apply_trace(sch):
  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  i0, i1 = sch.split(i, [None, 16])
  j0, j1 = sch.split(j, [None, 8])
  k0, k1 = sch.split(k, [None, 4])
  sch.reorder(i0, j0, k0, k1, i1, j1)
  sch.annotate(b, "first", 1)
  sch.vectorize(j1)
  sch.unroll(i1)
  sch.parallel(i0)
  sch.annotate(b, "second", 2)
  sch.annotate(b, "third", 3)
)",
                                                 "path.py");
    std::vector<schedule::Step> steps;
    for (const schedule::ScriptStep &each : run.value().steps) {
        if (!each.step.primitive->isQuery)
            steps.push_back(each.step);
    }
    return StepPath::along(initial, steps).value();
}

/// Bad where all of these are among the labels of the steps.
PathJudge badWith(std::vector<std::string> needed)
{
    return [needed = std::move(needed)](const StepPath &path) -> Opinion {
        for (const std::string &each : needed) {
            bool has = false;
            for (std::size_t place = 0; place < path.size(); ++place)
                has = has || path.label(place).starts_with(each);
            if (!has)
                return {};
        }
        return {Judgement::Bad, support::diagnostic("test.bad", "it is bad")};
    };
}

std::vector<std::string> labelsOf(const StepPath &path)
{
    std::vector<std::string> labels;
    for (std::size_t place = 0; place < path.size(); ++place)
        labels.push_back(path.label(place).substr(0, path.label(place).find('(')));
    return labels;
}

} // namespace

class SmallestTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneStep()
    {
        const auto least = smallest(somePath(), badWith({"annotate(C, \"second\""})).value();
        QCOMPARE(least.places, std::vector<std::size_t>{8});
        QVERIFY(least.isMinimal);
        QCOMPARE(least.reason.code, std::string("test.bad"));
    }

    void stepsThatItNeedsStay()
    {
        const auto least = smallest(somePath(), badWith({"vectorize", "annotate(C, \"first\""})).value();
        QVERIFY(least.isMinimal);
        QCOMPARE(labelsOf(least.path), (std::vector<std::string>{"split", "annotate", "vectorize"}));
        QCOMPARE(least.path.step(0).args.size(), somePath().step(0).args.size());
    }

    void stepsThatDependGoWithWhatIsLeftOut()
    {
        std::vector<std::size_t> places{0, 2, 3, 4, 5, 6}; // without the split of j
        const StepPath without = somePath().only(places);
        QCOMPARE(labelsOf(without), (std::vector<std::string>{"split", "split", "annotate", "unroll"}));
        QCOMPARE(places, (std::vector<std::size_t>{0, 2, 4, 6}));
    }

    void aStepMayBeKept()
    {
        const auto least = smallest(somePath(), badWith({"annotate(C, \"first\""}), {.kept = 9}).value();
        QCOMPARE(least.places, (std::vector<std::size_t>{4, 9}));
    }

    void allMustBeBad()
    {
        QCOMPARE(smallest(somePath(), badWith({"fuse"})).error().code, std::string("explore.not-bad"));
    }

    void theTimeIsLimited()
    {
        const auto slow = [judge = badWith({"vectorize"})](const StepPath &path) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            return judge(path);
        };
        const auto least = smallest(somePath(), slow, {.limit = std::chrono::milliseconds(1)}).value();
        QVERIFY(!least.isMinimal);
        QVERIFY(badWith({"vectorize"})(least.path).judgement == Judgement::Bad);
    }

    void stops()
    {
        std::stop_source source;
        const support::StopScope scope(source.get_token());
        QVERIFY_EXCEPTION_THROWN(smallest(somePath(),
                                          [&](const StepPath &path) {
                                              source.request_stop();
                                              return badWith({"vectorize"})(path);
                                          }),
                                 support::Stopped);
    }
};

QTEST_GUILESS_MAIN(SmallestTest)
#include "smallest_test.moc"
