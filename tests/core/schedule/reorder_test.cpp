// SPDX-License-Identifier: Apache-2.0
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

class ReorderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A loop that feeds no variable repeats the reduction: within its loops each term would be added twice.
    void aLoopThatRepeatsStaysOutside()
    {
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((2,), "float32"), D: T.Buffer((2,), "float32"), C: T.Buffer((2,), "float32")):
    B = T.alloc_buffer(())
    for r, i in T.grid(2, 2):
        with T.block("B"):
            vi = T.axis.reduce(2, i)
            with T.init():
                B[()] = T.float32(0)
            B[()] = B[()] + A[vi]
    for j in range(2):
        with T.block("C"):
            vj = T.axis.spatial(2, j)
            C[vj] = D[vj] + B[()]
)",
                     "r, i = sch.get_loops('B')\nsch.reorder(i, r)", "schedule.reduction-repeated");
    }

    void threeLoops()
    {
        checkPrimitive(mmRelu, "i, j, k = sch.get_loops('Y')\nsch.reorder(k, i, j)", R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    Y = T.alloc_buffer((8, 8))
    for k, i, j in T.grid(8, 8, 8):
        with T.block("Y"):
            vi = T.axis.spatial(8, i)
            vj = T.axis.spatial(8, j)
            vk = T.axis.reduce(8, k)
            with T.init():
                Y[vi, vj] = T.float32(0)
            Y[vi, vj] = Y[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.max(Y[vi, vj], T.float32(0))
)");
    }

    void loopsBetweenStay()
    {
        checkPrimitive(mmRelu, "i, j, k = sch.get_loops('Y')\nsch.reorder(k, i)", R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    Y = T.alloc_buffer((8, 8))
    for k, j, i in T.grid(8, 8, 8):
        with T.block("Y"):
            vi = T.axis.spatial(8, i)
            vj = T.axis.spatial(8, j)
            vk = T.axis.reduce(8, k)
            with T.init():
                Y[vi, vj] = T.float32(0)
            Y[vi, vj] = Y[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.max(Y[vi, vj], T.float32(0))
)");
    }

    void loopsKeepTheirIds()
    {
        const schedule::State before = scheduled(mmRelu);
        const auto run = schedule::runScheduleScript(before,
                                                     "b = sch.get_block('Y')\ni, j, k = sch.get_loops(b)\n"
                                                     "sch.reorder(k, j)\nx, y, z = sch.get_loops(b)",
                                                     "");
        QVERIFY(run);
        const schedule::ArgList &old = run->steps[1].outputs, &now = run->steps[3].outputs;
        QVERIFY(old[0] == now[0] && old[1] == now[2] && old[2] == now[1]);
    }

    void guardedAndTiled()
    {
        checkSchedule(mmRelu, R"(
i, j, k = sch.get_loops("Y")
i0, i1 = sch.split(i, [None, 3])
j0, j1 = sch.split(j, [None, 3])
k0, k1 = sch.split(k, [None, 4])
sch.reorder(i0, j0, k0, i1, k1, j1)
)");
    }

    void initMustComeFirst()
    {
        constexpr const char *fused = "f = sch.fuse(*sch.get_loops('B'))\na, b = sch.split(f, [None, 5])\n";
        checkRefused(rowSum, fused + std::string("sch.reorder(b, a)"), "schedule.init-order",
                     "decompose_reduction");
        checkSchedule(rowSum, fused + std::string("sch.decompose_reduction('B', a)\nsch.reorder(b, a)"));
    }

    void nothingToDo()
    {
        checkSchedule(mmRelu, "i, j, k = sch.get_loops('Y')\nsch.reorder(j)\nsch.reorder(i, j)\n");
    }

    void refused()
    {
        for (const auto &[kind, word] : {std::pair{"scan", "is a scan"}, {"opaque", "is opaque"}}) {
            const std::string program = std::string(R"(
@T.prim_func
def main(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
    for i, j in T.grid(4, 4):
        with T.block("B"):
            vi = T.axis.)") + kind + R"((4, i)
            vj = T.axis.spatial(4, j)
            B[vi, vj] = A[vi, vj]
)";
            checkRefused(program, "i, j = sch.get_loops('B')\nsch.reorder(j, i)", "schedule.iter-kind", word);
        }
        checkRefused(mmRelu, "i, j, k = sch.get_loops('Y')\nsch.reorder(i, i)", "schedule.duplicate-loop");
        checkRefused(mmRelu, "i, j, k = sch.get_loops('Y')\na, b = sch.get_loops('C')\nsch.reorder(b, i)",
                     "schedule.not-a-chain");
        checkRefused(mmRelu,
                     "i, j, k = sch.get_loops('Y')\nsch.reverse_compute_at('C', i)\nsch.reorder(j, i)",
                     "schedule.not-only-child");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    for i in range(8):
        for j in range(i + 1):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj]
)",
                     "i, j = sch.get_loops('C')\nsch.reorder(j, i)", "schedule.dependent-loop");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            vj = T.axis.opaque(8, j)
            C[vi, vj] = A[vi, vj]
)",
                     "i, j = sch.get_loops('C')\nsch.reorder(j, i)", "schedule.iter-kind");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((50,), "float32"), C: T.Buffer((50,), "float32")):
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi = T.axis.spatial(50, i * j)
            C[vi] = A[vi]
)",
                     "i, j = sch.get_loops('C')\nsch.reorder(j, i)", "analysis.not-affine");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((8, 32), "float32"), C: T.Buffer((8, 32), "float32")):
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            vj = T.axis.spatial(32, j * 4)
            C[vi, vj] = A[vi, vj]
)",
                     "i, j = sch.get_loops('C')\nsch.reorder(j, i)", "analysis.not-affine");
    }
};

QTEST_GUILESS_MAIN(ReorderTest)
#include "reorder_test.moc"
