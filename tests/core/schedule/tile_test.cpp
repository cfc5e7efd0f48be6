// SPDX-License-Identifier: Apache-2.0
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

class TileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isWrittenOut()
    {
        checkPrimitive(mmRelu,
                       "i, j, k = sch.get_loops('Y')\na, b, c, d = sch.tile(i, j, 4, 2)\nsch.parallel(a)", R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    Y = T.alloc_buffer((8, 8))
    for i_0 in T.parallel(2):
        for j_0, i_1, j_1, k in T.grid(4, 4, 2, 8):
            with T.block("Y"):
                vi = T.axis.spatial(8, i_0 * 4 + i_1)
                vj = T.axis.spatial(8, j_0 * 2 + j_1)
                vk = T.axis.reduce(8, k)
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.max(Y[vi, vj], T.float32(0))
)");
        const auto run = schedule::runScheduleScript(
            scheduled(mmRelu), "i, j, k = sch.get_loops('Y')\nsch.tile(i, j, 4, 2)", "");
        QVERIFY(run);
        QCOMPARE(run->steps.size(), 5u);
        QCOMPARE(run->steps[2].step.primitive->name, "split");
        QCOMPARE(run->steps[4].step.primitive->name, "reorder");
    }

    void asOneStep()
    {
        const schedule::State before = scheduled(mmRelu);
        const auto run =
            schedule::runScheduleScript(before, "i, j, k = sch.get_loops('Y')\nsch.tile(i, j)", "");
        QVERIFY(run);
        const schedule::ArgList &loops = run->steps[1].outputs;
        const auto step = schedule::makeStep("tile", {{"x_loop", loops[0]}, {"y_loop", loops[1]}});
        QVERIFY(step);
        const auto applied = schedule::apply(before, *step);
        QVERIFY(applied);
        QCOMPARE(applied->outputs.size(), 4u);
        QVERIFY(applied->forward(*loops[0].as<ir::StmtId>()) == applied->id(0));
        QCOMPARE(schedule::describe(*step, before), "tile(i, j, 32, 32)");
        QCOMPARE(schedule::gist(*step, before), "i 32,32");
        const auto parts = schedule::expand(before, *step);
        QVERIFY(parts);
        QCOMPARE(parts->size(), 3u);
    }

    void refused()
    {
        checkRefused(mmRelu, "i, j, k = sch.get_loops('Y')\nsch.tile(i, j, 0, 2)",
                     "schedule.factor-not-positive");
        checkRefused(mmRelu, "i, j, k = sch.get_loops('Y')\nx, y = sch.get_loops('C')\nsch.tile(i, y, 2, 2)",
                     "schedule.not-a-chain");
        checkRefused(mmRelu, "i, j, k = sch.get_loops('Y')\nsch.tile(i, i, 2, 2)",
                     "schedule.unknown-statement");
    }
};

QTEST_GUILESS_MAIN(TileTest)
#include "tile_test.moc"
