// SPDX-License-Identifier: Apache-2.0
/// The default schedule: which stages it computes anew where they are read, what goes into vectors and
/// threads.
#include "core/graph/strategy/strategy.h"

#include "core/graph/strategy/lanes.h"
#include "core/schedule/primitive.h"
#include "tests/support/check.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <format>

using namespace nestwright;

namespace {

constexpr target::Machine wide; ///< vectors of 64 bytes, 32 registers
constexpr target::Machine narrow{.vectors = {.bytes = 32, .registers = 16, .sums = 12}};

/// T = `value` of A, read by a sum over its columns and, with `again`, by another stage.
ir::Module stageBeforeASum(const std::string &value, bool again = false)
{
    std::string text = R"(
@T.prim_func
def main(A: T.Buffer((8, 32), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8, 32), "float32")):
    S = T.alloc_buffer((8, 32))
    for i, j in T.grid(8, 32):
        with T.block("S"):
            vi, vj = T.axis.remap("SS", [i, j])
            S[vi, vj] = )"
                       + value + R"(
    for i, k in T.grid(8, 32):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + S[vi, vk]
)";
    if (again)
        text += R"(    for i, j in T.grid(8, 32):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = S[vi, vj]
)";
    return tests::parsed(text);
}

/// T = `value` of A, read by `readers` stages that are no reductions.
ir::Module stageBeforeOthers(const std::string &value, int readers)
{
    std::string text = R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    S = T.alloc_buffer((64,))
    for i in range(64):
        with T.block("S"):
            vi = T.axis.spatial(64, i)
            S[vi] = )" + value
                       + "\n";
    for (const char name : std::string(readers == 1 ? "B" : "BC"))
        text += std::format("    for i in range(64):\n        with T.block(\"{0}\"):\n            vi = "
                            "T.axis.spatial(64, i)\n            {0}[vi] = S[vi] * T.float32(3)\n",
                            name);
    return tests::parsed(text);
}

/// Whether the stage S is inlined; the schedule must keep the results.
bool isInlined(const ir::Module &module)
{
    const auto scheduled = graph::defaultSchedule(module, target::tunedMachine());
    if (!scheduled)
        qFatal("%s", scheduled.error().render().c_str());
    if (!tests::checkEquivalent(module, scheduled->state.module))
        qFatal("another result");
    return std::ranges::any_of(scheduled->steps, [](const schedule::Step &step) {
        return step.primitive->name == "compute_inline";
    });
}

/// The names of the primitives that the default schedule takes.
QString stepsOf(const std::string &text)
{
    const ir::Module module = tests::parsed(text);
    const auto scheduled = graph::defaultSchedule(module, target::tunedMachine());
    if (!scheduled)
        qFatal("%s", scheduled.error().render().c_str());
    if (!tests::checkEquivalent(module, scheduled->state.module))
        qFatal("another result");
    QStringList names;
    for (const schedule::Step &step : scheduled->steps)
        if (!step.primitive->isQuery)
            names << QString::fromUtf8(step.primitive->name);
    return names.join(u' ');
}

/// One stage over loops of these extents.
QString stepsOfStage(int rows, int columns, const std::string &type = "float32")
{
    return stepsOf(std::format(R"(
@T.prim_func
def main(A: T.Buffer(({0}, {1}), "{2}"), B: T.Buffer(({0}, {1}), "{2}")):
    for i, j in T.grid({0}, {1}):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + A[vi, vj]
)",
                               rows, columns, type));
}

/// Sums of rows.
QString stepsOfSum(int rows, int columns)
{
    return stepsOf(std::format(R"(
@T.prim_func
def main(A: T.Buffer(({0}, {1}), "float32"), B: T.Buffer(({0},), "float32")):
    for i, k in T.grid({0}, {1}):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)",
                               rows, columns));
}

} // namespace

class StrategyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cheapStagesAreComputedWithinReductions()
    {
        for (const char *cheap :
             {"A[vi, vj] + T.float32(1)", "A[vi, vj] * A[vi, vj]", "T.max(A[vi, vj], T.float32(0))",
              "A[vi, vj] - T.float32(2)", "T.Cast(\"float32\", vj // 2)"})
            QVERIFY2(isInlined(stageBeforeASum(cheap)), cheap);
    }

    void dearStagesAreComputedOnceBeforeReductions()
    {
        for (const char *dear :
             {"A[vi, vj] / T.float32(3)", "T.exp(A[vi, vj])",
              "T.if_then_else(vj < 3, A[vi, vj], T.float32(0))", "A[vi, vj] + T.tanh(A[vi, vj])"})
            QVERIFY2(!isInlined(stageBeforeASum(dear)), dear);
    }

    void oneReaderMayComputeAnything()
    {
        for (const char *value : {"T.exp(A[vi])", "A[vi] / T.float32(3)", "A[vi] + T.float32(1)"})
            QVERIFY2(isInlined(stageBeforeOthers(value, 1)), value);
    }

    void severalReadersComputeCheapOnesOnly()
    {
        QVERIFY(isInlined(stageBeforeOthers("A[vi] + T.float32(1)", 2)));
        for (const char *dear :
             {"T.exp(A[vi])", "A[vi] / T.float32(3)", "T.if_then_else(vi < 3, A[vi], T.float32(0))"})
            QVERIFY2(!isInlined(stageBeforeOthers(dear, 2)), dear);
    }

    void largestDivisors()
    {
        using graph::largestDivisor;
        QCOMPARE(largestDivisor(12, 5), 4);
        QCOMPARE(largestDivisor(12, 12), 12);
        QCOMPARE(largestDivisor(12, 100), 12);
        QCOMPARE(largestDivisor(13, 12), 1);
        QCOMPARE(largestDivisor(6, 2), 2);
        QCOMPARE(largestDivisor(1, 8), 1);
        QCOMPARE(largestDivisor(0, 8), 1); // symbolic
    }

    void elementsPerInstruction()
    {
        using graph::laneEfficiency;
        QCOMPARE(laneEfficiency(wide, 16, 4), 16.0);
        QCOMPARE(laneEfficiency(wide, 32, 4), 16.0);
        QCOMPARE(laneEfficiency(wide, 8, 4), 8.0);
        QCOMPARE(laneEfficiency(wide, 12, 4), 6.0); // 8 and 4
        QCOMPARE(laneEfficiency(wide, 17, 4), 8.5); // 16 and 1
        QCOMPARE(laneEfficiency(wide, 7, 4), 7.0 / 3);
        QCOMPARE(laneEfficiency(wide, 8, 8), 8.0);
        QCOMPARE(laneEfficiency(narrow, 16, 4), 8.0); // in two
    }

    void lanesDivideTheLoop()
    {
        using graph::lanesFor;
        QCOMPARE(lanesFor(wide, 64, 4), 16);
        QCOMPARE(lanesFor(wide, 16, 4), 16);
        QCOMPARE(lanesFor(wide, 48, 4), 16);
        QCOMPARE(lanesFor(wide, 24, 4), 24); // 16 and 8: 12 at a time
        QCOMPARE(lanesFor(wide, 10, 4), 10);
        QCOMPARE(lanesFor(wide, 13, 4), 13);
        QCOMPARE(lanesFor(wide, 2, 4), 2);
        QCOMPARE(lanesFor(wide, 1, 4), 1);
        QCOMPARE(lanesFor(wide, 67, 4), 1); // beyond four vectors
        QCOMPARE(lanesFor(wide, 64, 8), 8);
        QCOMPARE(lanesFor(wide, 0, 4), 1);
        QCOMPARE(lanesFor(narrow, 64, 4), 8);
        QCOMPARE(lanesFor(narrow, 64, 8), 4);
    }

    void rowsThatRegistersHold()
    {
        QCOMPARE(graph::registerTileRows(wide, 16, 4), 24);
        QCOMPARE(graph::registerTileRows(wide, 32, 4), 12);
        QCOMPARE(graph::registerTileRows(wide, 64, 4), 6);
        QCOMPARE(graph::registerTileRows(wide, 1000, 4), 1);
        QCOMPARE(graph::registerTileRows(wide, 16, 4, 2), 28); // two operands beside the sums
        QCOMPARE(graph::registerTileRows(narrow, 8, 4), 12);
        QCOMPARE(graph::registerTileRows(narrow, 16, 4), 6);
    }

    void stagesGoIntoVectorsAndThreads()
    {
        // From 16384 iterations on it is worth to wake threads.
        QCOMPARE(stepsOfStage(256, 64), "split vectorize fuse parallel");
        QCOMPARE(stepsOfStage(255, 64), "split vectorize");
        QCOMPARE(stepsOfStage(1024, 16), "vectorize parallel");
        QCOMPARE(stepsOfStage(1023, 16), "vectorize");
        QCOMPARE(stepsOfStage(300, 67), "split vectorize fuse parallel"); // the last vector in part
        QCOMPARE(stepsOfStage(1, 67), "split vectorize");
        QCOMPARE(stepsOfStage(64, 64, "float64"), "split vectorize");
    }

    void sumsOverRowsRunInParallel()
    {
        QCOMPARE(stepsOfSum(67, 300), "parallel annotate decompose_reduction");
        QCOMPARE(stepsOfSum(67, 200), "annotate decompose_reduction");
    }

    void aReductionAmongTheReadersDecides()
    {
        QVERIFY(isInlined(stageBeforeASum("A[vi, vj] * T.float32(2)", true)));
        QVERIFY(!isInlined(stageBeforeASum("A[vi, vj] / T.float32(2)", true)));
    }
};

QTEST_GUILESS_MAIN(StrategyTest)
#include "strategy_test.moc"
