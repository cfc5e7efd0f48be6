// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/script/trace_json.h"
#include "core/schedule/script/trace_simplify.h"
#include "core/schedule/script/writer.h"
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

#include <map>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

schedule::ScriptRun runOf(std::string_view program, std::string_view script, std::int64_t seed = 1)
{
    schedule::State state = scheduled(program);
    state.random = schedule::Random(seed);
    auto run = schedule::runScheduleScript(state, script, "steps.py");
    if (!run)
        qFatal("%s", run.error().render().c_str());
    return std::move(*run);
}

std::string scriptOf(std::string_view program, const schedule::ScriptRun &run)
{
    std::vector<schedule::Step> steps;
    for (const schedule::ScriptStep &step : run.steps)
        steps.push_back(step.step);
    return schedule::writeScheduleScript(scheduled(program), steps).value_or("");
}

} // namespace

class SamplingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void resultsAreFactorsAndAnnotations()
    {
        checkPrimitive(chain, R"(
i, j = sch.get_loops("C")
a, b, c = sch.sample_perfect_tile(j, n=3, decision=[2, 3, 2])
sch.split(j, factors=[a, b, c])
n = sch.sample_categorical([0, 16, 64], [0.25, 0.25, 0.5], decision=1)
sch.annotate(i, "unroll", n)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i in T.serial(10, annotations={"unroll": 16}):
        for j_0, j_1, j_2 in T.grid(2, 3, 2):
            with T.block("C"):
                vi = T.axis.spatial(10, i)
                vj = T.axis.spatial(12, j_0 * 6 + j_1 * 2 + j_2)
                C[vi, vj] = B[vi, vj] + T.float32(1)
)");
    }

    void writtenAsTvmWrites()
    {
        const schedule::ScriptRun run = runOf(chain, R"(
b = sch.get_block("B")
i, j = sch.get_loops(b)
t = sch.sample_perfect_tile(j, 2, decision=[3, 4])
sch.split(j, t)
c = sch.sample_categorical(candidates=[1, 2], probs=[0.1, 1.0], decision=0)
sch.annotate(b, "list", [c, 7])
l = sch.sample_compute_location(b, decision=1)
sch.compute_at(b, l)
sch.enter_postproc()
)");
        QCOMPARE(QString::fromStdString(scriptOf(chain, run)), QStringLiteral(R"(# from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  b0 = sch.get_block(name="B", func_name="main")
  l1, l2 = sch.get_loops(block=b0)
  v3, v4 = sch.sample_perfect_tile(loop=l2, n=2, max_innermost_factor=16, decision=[3, 4])
  l5, l6 = sch.split(loop=l2, factors=[v3, v4], preserve_unit_iters=True, disable_predication=False)
  v7 = sch.sample_categorical(candidates=[1, 2], probs=[0.10000000000000001, 1], decision=0)
  sch.annotate(block_or_loop=b0, ann_key="list", ann_val=[v7, 7])
  l8 = sch.sample_compute_location(block=b0, decision=1)
  sch.compute_at(block=b0, loop=l8, preserve_unit_loops=False, index=-1)
  sch.enter_postproc()
)"));
        QVERIFY(checkSchedule(chain, scriptOf(chain, run)));
    }

    void theSeedDecides()
    {
        // The decisions are those that TVM's schedules make with the same seeds.
        constexpr const char *tile = "i, j = sch.get_loops('B')\nsch.sample_perfect_tile(j, 3)";
        constexpr const char *program = R"(
@T.prim_func
def main(A: T.Buffer((4, 64), "float32"), B: T.Buffer((4, 64), "float32")):
    for i, j in T.grid(4, 64):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
)";
        const auto decided = [&](std::int64_t seed) {
            const schedule::ScriptRun run = runOf(program, tile, seed);
            const schedule::Step &step = run.steps.back().step;
            return schedule::str(step.args[*step.primitive->decisionIndex()]);
        };
        QCOMPARE(decided(42), "[1, 8, 8]");
        QCOMPARE(decided(1), "[16, 4, 1]");
        QCOMPARE(decided(1), decided(1));
    }

    void everyTilingIsPerfect()
    {
        schedule::Random random(7);
        for (const std::int64_t extent : {1, 2, 12, 97, 257, 1470, 1 << 20, 65537, 131074}) {
            for (const std::int64_t parts : {1, 2, 3, 5}) {
                for (int repeat = 0; repeat < 20; ++repeat) {
                    std::int64_t product = 1;
                    for (const std::int64_t factor : schedule::perfectTile(random, extent, parts))
                        product *= factor;
                    QCOMPARE(product, extent);
                }
            }
        }
    }

    void probabilitiesAreKept()
    {
        schedule::Random random(3);
        std::map<std::size_t, int> counts;
        const std::vector<double> weights{0.15, 0.55, 0.05, 0.25};
        for (int i = 0; i < 2000; ++i)
            ++counts[random.weighted(weights)];
        for (std::size_t i = 0; i < weights.size(); ++i)
            QVERIFY(std::abs(counts[i] / 2000.0 - weights[i]) < 0.05);
    }

    void oldDecisionsAreMended()
    {
        const auto results = [](const std::string &call) {
            const schedule::ScriptRun run = runOf(chain, "i, j = sch.get_loops('B')\n" + call);
            return schedule::str(schedule::ArgValue(run.steps.back().outputs));
        };
        QCOMPARE(results("sch.sample_perfect_tile(j, 3, decision=[1, 5, 4])"), "[1, 3, 4]");
        QCOMPARE(results("sch.sample_perfect_tile(j, 2, decision=[7, 5])"), "[1, 12]");
        QCOMPARE(results("sch.sample_partitioned_tile(j, 3, 1, 4, decision=[3, 2, 2])"), "[3, 2, 2]");
        QCOMPARE(results("sch.sample_partitioned_tile(j, 3, 2, 4, decision=[3, 4, 1])"), "[3, 1, 4]");
        QCOMPARE(results("sch.sample_partitioned_tile(j, 3, 2, 5)"), "[None, 1, 1]");
        QCOMPARE(results("_, one = sch.split(j, [None, 1])\nsch.sample_partitioned_tile(one, 3, 2)"),
                 "[1, 1, 1]");
    }

    void symbolicLoopsAreLeftOpen()
    {
        checkSchedule(symbolic,
                      "i, = sch.get_loops('C')\nt = sch.sample_perfect_tile(i, 3)\nsch.split(i, t)");
    }

    void unusedStepsGo()
    {
        const schedule::ScriptRun run = runOf(chain, R"(
i, j = sch.get_loops("B")
unused = sch.sample_perfect_tile(j, 2, decision=[3, 4])
c = sch.get_block("C")
n = sch.sample_categorical([1, 2], [0.5, 0.5], decision=1)
k, l = sch.get_loops(c)
sch.annotate(k, "n", n)
sch.get_producers(c)
sch.enter_postproc()
sch.parallel(i)
)");
        const auto written = [&](bool dropPostproc) {
            return schedule::writeScheduleScript(scheduled(chain),
                                                 schedule::simplifiedTrace(run.steps, dropPostproc))
                .value_or("");
        };
        const std::string head = "# from tvm import tir\ndef apply_trace(sch: tir.Schedule) -> None:\n";
        QCOMPARE(written(true), head + R"(  b0 = sch.get_block(name="C", func_name="main")
  v1 = sch.sample_categorical(candidates=[1, 2], probs=[0.5, 0.5], decision=1)
  l2, l3 = sch.get_loops(block=b0)
  sch.annotate(block_or_loop=l2, ann_key="n", ann_val=v1)
)");
        QCOMPARE(written(false), head + R"(  b0 = sch.get_block(name="B", func_name="main")
  l1, l2 = sch.get_loops(block=b0)
  b3 = sch.get_block(name="C", func_name="main")
  v4 = sch.sample_categorical(candidates=[1, 2], probs=[0.5, 0.5], decision=1)
  l5, l6 = sch.get_loops(block=b3)
  sch.annotate(block_or_loop=l5, ann_key="n", ann_val=v4)
  sch.enter_postproc()
  sch.parallel(loop=l1)
)");
    }

    void placesToCompute()
    {
        checkSchedule(chain, "l = sch.sample_compute_location('B', decision=-1)\nsch.compute_at('B', l)");
        checkSchedule(chain, "l = sch.sample_compute_location('B', decision=-2)\nsch.compute_at('B', l)");
        checkSchedule(chain, "l = sch.sample_compute_location('B')\nsch.compute_at('B', l)");
        checkSchedule(mmRelu, "l = sch.sample_compute_location('Y', decision=9)\nsch.compute_at('Y', l)");
    }

    void refused()
    {
        constexpr const char *loops = "i, j = sch.get_loops('B')\n";
        const auto refusedWith = [&](const std::string &steps, std::string_view what) {
            const auto run = schedule::runScheduleScript(scheduled(chain), loops + steps, "steps.py");
            QVERIFY(!run);
            QCOMPARE(run.error().code, "schedule.argument");
            QVERIFY2(run.error().message.contains(what), run.error().message.c_str());
        };
        refusedWith("sch.sample_categorical([1, 2], [0.5])", "probs");
        refusedWith("sch.sample_categorical([1, 2], [0, 0])", "probs");
        refusedWith("sch.sample_categorical([1, 2], [0.5, -0.5])", "probs");
        refusedWith("sch.sample_categorical([1, 2], [0.5, 0.5], decision=2)", "decision");
        refusedWith("sch.sample_categorical([1, 2], [0.5, 0.5], decision=-1)", "decision");
        refusedWith("sch.sample_categorical([1, 2], [0.5, 0.5], decision=0.5)", "decision");
        refusedWith("sch.sample_perfect_tile(j, 1)", "'n'");
        refusedWith("sch.sample_perfect_tile(j, 100000000)", "'n'");
        refusedWith("sch.sample_perfect_tile(j, 2, 0)", "max_innermost_factor");
        refusedWith("sch.sample_perfect_tile(j, 2, decision=[2, 3, 2])", "decision");
        refusedWith("sch.sample_perfect_tile(j, 2, decision=[2, 0])", "decision");
        refusedWith("sch.sample_partitioned_tile(j, 2, 2)", "partition_pos");
        refusedWith("sch.sample_partitioned_tile(j, 2, 1, 0)", "innerpart_factor");
        refusedWith("sch.sample_compute_location('B', decision='x')", "decision");
    }
};

QTEST_GUILESS_MAIN(SamplingTest)
#include "sampling_test.moc"
