// SPDX-License-Identifier: Apache-2.0
// Large kernels are interpreted at smaller sizes, and the interpreter says how far it is.
#include "core/explore/judge/smaller_program.h"

#include "core/measure/verify/interpreted.h"
#include "core/schedule/script/reader.h"
#include "core/support/phase.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <array>

using namespace nestwright;
using namespace nestwright::explore;

namespace {

/// A product in tiles of 32 × 16 with its rows in parallel.
StepPath product(int size)
{
    const std::string n = std::to_string(size), matrix = "T.Buffer((" + n + ", " + n + "))";
    const auto root = schedule::makeState(tests::parsed(
        "@T.prim_func\ndef main(A: " + matrix + ", B: " + matrix + ", C: " + matrix
        + "):\n    for i, j, k in T.grid(" + n + ", " + n + ", " + n + "):\n        with T.block(\"C\"):\n"
        + "            vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n            with T.init():\n"
          "                C[vi, vj] = T.float32(0)\n"
          "            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]\n"));
    const auto run =
        schedule::runScheduleScript(*root,
                                    "def f(sch):\n  i, j, k = sch.get_loops(sch.get_block(\"C\"))\n"
                                    "  i0, i1 = sch.split(i, [None, 32])\n"
                                    "  j0, j1 = sch.split(j, [None, 16])\n"
                                    "  sch.reorder(i0, j0, k, i1, j1)\n  sch.parallel(i0)\n",
                                    "f.py");
    std::vector<schedule::Step> steps;
    for (const schedule::ScriptStep &each : run->steps)
        steps.push_back(each.step);
    return StepPath::along(*root, steps).value();
}

measure::MeasureJob jobOf(const StepPath &path)
{
    measure::MeasureJob job;
    job.reference = path.state(0).module;
    job.variants = {path.end().module};
    return job;
}

} // namespace

class SmallerProgramTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void largeKernelsAreCut()
    {
        const StepPath path = product(1024);
        measure::MeasureJob job = jobOf(path);
        const auto smaller = smallerProgram(path, job);
        QVERIFY(smaller);
        QVERIFY2(smaller->sizes.starts_with("1024 → "), smaller->sizes.c_str());
        measure::MeasureJob cut = job;
        cut.reference = smaller->reference;
        QVERIFY(measure::interpretedOperations(cut, smaller->scheduled) < 20 * measure::operationsOfSeconds);
        measure::Measurer measurer({.program = "/nonexistent/nestc"});
        constexpr std::array rungs{measure::Rung::Interpreter};
        const auto results = measure::climb(measurer, job, rungs, {}, {}, &*smaller);
        QVERIFY2(results, results ? "" : results.error().render().c_str());
        QCOMPARE(results->front().outcome, measure::RungResult::Outcome::Holds);
        QVERIFY2(results->front().found.contains("1024 → "), results->front().found.c_str());
        job.sizes["n"] = 3; // a person's sizes stay
        QVERIFY(!smallerProgram(path, job));
    }

    void smallKernelsStay()
    {
        const StepPath path = product(64);
        QVERIFY(!smallerProgram(path, jobOf(path)));
    }

    void theInterpreterSaysHowFarItIs()
    {
        const StepPath path = product(256);
        std::vector<std::string> phases;
        const support::PhaseScope scope([&](std::string_view phase) { phases.emplace_back(phase); });
        QVERIFY(measure::verifyByInterpreter(jobOf(path), path.end().module));
        const auto told = std::ranges::find_if(phases, [](const std::string &phase) {
            return phase.starts_with("interpreter: ") && phase.contains(" %, some ");
        });
        QVERIFY(told != phases.end());
    }
};

QTEST_GUILESS_MAIN(SmallerProgramTest)
#include "smaller_program_test.moc"
