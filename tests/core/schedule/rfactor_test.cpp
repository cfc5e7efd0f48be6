// SPDX-License-Identifier: Apache-2.0
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

class RfactorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void wholeReduction()
    {
        checkPrimitive(rowSum, "i, k = sch.get_loops('B')\nsch.rfactor(k, 0)", R"(
@T.prim_func
def main(A: T.Buffer((6, 12), "float32"), B: T.Buffer((6,), "float32")):
    B_rf = T.alloc_buffer((12, 6))
    for i, k in T.grid(6, 12):
        with T.block("B_rf"):
            vk, vi = T.axis.remap("SS", [k, i])
            B_rf[vk, vi] = A[vi, vk]
    for i, k in T.grid(6, 12):
        with T.block("B"):
            vk, vi = T.axis.remap("RS", [k, i])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + B_rf[vk, vi]
)");
    }

    void innerPart()
    {
        checkPrimitive(
            rowSum,
            "i, k = sch.get_loops('B')\na, b = sch.split(k, [None, 4])\nsch.rfactor(loop=b, factor_axis=1)",
            R"(
@T.prim_func
def main(A: T.Buffer((6, 12), "float32"), B: T.Buffer((6,), "float32")):
    B_rf = T.alloc_buffer((6, 4))
    for i, k_0, k_1 in T.grid(6, 3, 4):
        with T.block("B_rf"):
            vk_1, vi, vk_0 = T.axis.remap("SSR", [k_1, i, k_0])
            with T.init():
                B_rf[vi, vk_1] = T.float32(0)
            B_rf[vi, vk_1] = B_rf[vi, vk_1] + A[vi, vk_0 * 4 + vk_1]
    for i, k_1 in T.grid(6, 4):
        with T.block("B"):
            vk_1, vi = T.axis.remap("RS", [k_1, i])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + B_rf[vi, vk_1]
)");
        checkSchedule(rowSum,
                      "i, k = sch.get_loops('B')\na, b = sch.split(k, [None, 4])\nsch.rfactor(a, -1)");
    }

    void thenInParallel()
    {
        checkSchedule(mmRelu, R"(
b = sch.get_block("Y")
i, j, k = sch.get_loops(b)
k0, k1 = sch.split(k, [None, 4])
sch.reorder(k1, i)
parts = sch.rfactor(k1, 0)
sch.parallel(sch.get_loops(parts)[0])
sch.vectorize(sch.get_loops(parts)[1])
sch.reverse_compute_at("C", sch.get_loops(b)[1])
)");
    }

    void guardOfALoopOfOneIterationStays()
    {
        checkSchedule(rowSum, "i, k = sch.get_loops('B')\nsch.split(i, [7, None], "
                              "preserve_unit_iters=False)\nsch.rfactor(k, 0)");
    }

    void blocksKeepTheirIds()
    {
        const auto run = schedule::runScheduleScript(scheduled(rowSum),
                                                     "b = sch.get_block('B')\ni, k = sch.get_loops(b)\n"
                                                     "sch.rfactor(k, 0)\nsch.get_block('B')",
                                                     "");
        QVERIFY(run);
        QVERIFY(run->steps.front().outputs == run->steps.back().outputs);
    }

    void refused()
    {
        checkRefused(rowSum, "i, k = sch.get_loops('B')\nsch.rfactor(i, 0)", "schedule.iter-kind",
                     "reduction");
        checkRefused(rowSum, "i, k = sch.get_loops('B')\nsch.rfactor(k, 2)", "schedule.axis");
        checkRefused(rowSum, "i, k = sch.get_loops('B')\nsch.rfactor(k, -3)", "schedule.axis");
        checkRefused(rowSum, "i, k = sch.get_loops('B')\nsch.unroll(k)\nsch.rfactor(k, 0)",
                     "schedule.loop-not-serial");
        checkRefused(rowSum, "f = sch.fuse(*sch.get_loops('B'))\nsch.rfactor(f, 0)", "schedule.iter-kind",
                     "fused");
        checkRefused(rowSum, "i, k = sch.get_loops('B')\na, b = sch.split(k, [None, 5])\nsch.rfactor(a, 0)",
                     "schedule.predicate", "divides");
        checkRefused(mmRelu, "i, j = sch.get_loops('C')\nsch.rfactor(j, 0)", "analysis.not-reduction");
        checkRefused(mmRelu,
                     "i, j, k = sch.get_loops('Y')\nsch.reverse_compute_at('C', i)\nsch.rfactor(k, 0)",
                     "schedule.not-only-child");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((6, 12), "float32"), B: T.Buffer((6,), "float32")):
    for i, k in T.grid(6, 12):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(1)
            B[vi] = B[vi] + A[vi, vk]
)",
                     "i, k = sch.get_loops('B')\nsch.rfactor(k, 0)", "schedule.unknown-reducer", "sum");
    }
};

QTEST_GUILESS_MAIN(RfactorTest)
#include "rfactor_test.moc"
