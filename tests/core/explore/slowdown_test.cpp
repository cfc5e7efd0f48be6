// SPDX-License-Identifier: Apache-2.0
// The step that lost the speed, with times that are made up from the program.
#include "core/explore/slowdown.h"

#include "core/explore/smallest.h"
#include "core/measure/statistics.h"
#include "core/schedule/script/reader.h"
#include "core/script/printer.h"
#include "tests/support/check_primitive.h"
#include "tests/support/programs.h"
#include "tests/support/random.h"

#include <QtTest>

#include <cmath>

using namespace nestwright;
using namespace nestwright::explore;
using namespace nestwright::tests;

namespace {

/// Notes on a block, one a step; the first two stand for nothing.
StepPath notes(const std::vector<std::string> &keys)
{
    StepPath path(scheduled(programText("matmul")));
    for (const std::string &key : keys) {
        const auto block = path.end().index->function("main")->blockByName("C").value();
        const auto step = schedule::makeStep(
            "annotate", {{"block_or_loop", block}, {"ann_key", key}, {"ann_val", schedule::ArgValue(1)}});
        if (const auto added = path.add(step.value()); !added)
            qFatal("%s", added.error().render().c_str());
    }
    return path;
}

/// Times of programs by what they have noted: `effects` are factors; samples are off by `noise` at most.
class PlannedTimes {
public:
    explicit PlannedTimes(std::map<std::string, double> effects, double noise = 0.001)
        : m_effects(std::move(effects))
        , m_noise(noise)
    {
    }

    support::Result<std::vector<measure::Measurement>> operator()(std::vector<ir::Module> programs)
    {
        ++runs;
        std::vector<measure::Measurement> times;
        const std::vector<double> again = samples(secondsOf(programs.front()));
        for (const ir::Module &program : programs) {
            measure::Measurement &each = times.emplace_back();
            const double seconds = secondsOf(program);
            if (std::isnan(seconds)) {
                each.failed = measure::Failure::Compile;
                each.failure = support::diagnostic("test.refused", "it does not compile");
                continue;
            }
            each.samples = samples(seconds);
            each.time = measure::bootstrapMedian(each.samples);
            if (times.size() > 1 && times.front().ok())
                each.speedup = measure::pairedSpeedup(times.front().samples, each.samples, again);
        }
        return times;
    }

    int runs = 0;

private:
    double secondsOf(const ir::Module &program) const
    {
        const std::string text = script::print(program).text;
        double seconds = 1;
        for (const auto &[key, factor] : m_effects) {
            if (text.contains('"' + key + '"'))
                seconds *= factor;
        }
        return seconds;
    }

    std::vector<double> samples(double seconds)
    {
        std::vector<double> result;
        for (int i = 0; i < 5; ++i)
            result.push_back(seconds * (1 + m_noise * static_cast<double>(m_random.between(-10, 10)) / 10));
        return result;
    }

    std::map<std::string, double> m_effects;
    double m_noise;
    Random m_random{7};
};

} // namespace

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
