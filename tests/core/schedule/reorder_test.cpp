// SPDX-License-Identifier: Apache-2.0
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

#include <format>

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

    /// The kinds of variables do not say that a block reads what other iterations of it write.
    void iterationsThatMeetStayInOrder()
    {
        const char *code = "schedule.order-of-accesses";
        const std::string scan = R"(
@T.prim_func
def main(A: T.Buffer((10,), "float32"), C: T.Buffer((10,), "float32")):
    for k in range(10):
        with T.block("C"):
            vk = T.axis.spatial(10, k)
            T.reads(C[vk - 1], A[vk])
            T.writes(C[vk])
            C[vk] = A[vk] + T.if_then_else(vk > 0, C[vk - 1], T.float32(0))
)";
        checkRefused(scan, "k0, k1 = sch.split(sch.get_loops('C')[0], [None, 5])\nsch.reorder(k1, k0)", code,
                     "block 'C' writes C[vk] in one, block 'C' reads C[vk - 1] in the other");
        checkSchedule(scan, "k0, k1 = sch.split(sch.get_loops('C')[0], [None, 5])\nsch.reorder(k0, k1)");
        checkRefused(scan, "sch.transform_block_layout('C', lambda k: (k % 5, k // 5))", code);
        const auto grid = [](const char *value) {
            return std::format(R"(
@T.prim_func
def main(A: T.Buffer((6, 8), "float32"), C: T.Buffer((6, 8), "float32")):
    for i, j in T.grid(6, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = {}
)",
                               value);
        };
        const char *exchange = "i, j = sch.get_loops('C')\nsch.reorder(j, i)";
        const char *tiles =
            "i, j = sch.get_loops('C')\nj0, j1 = sch.split(j, [None, 4])\nsch.reorder(j0, i, j1)";
        const char *inner =
            "i, j = sch.get_loops('C')\nj0, j1 = sch.split(j, [None, 4])\nsch.reorder(j1, j0)";
        // Every element for itself.
        for (const char *steps : {exchange, tiles, inner})
            checkSchedule(grid("C[vi, vj] + A[vi, vj]"), steps);
        // Along one of the dimensions: rows may come in any order, what lies in them not.
        const std::string rows = grid("A[vi, vj] + T.if_then_else(vj > 0, C[vi, vj - 1], T.float32(0))");
        checkSchedule(rows, exchange);
        checkSchedule(rows, tiles);
        checkRefused(rows, inner, code, "'j_0' and 'j_1'");
        const std::string columns = grid("A[vi, vj] + T.if_then_else(vi > 0, C[vi - 1, vj], T.float32(0))");
        for (const char *steps : {exchange, tiles, inner})
            checkSchedule(columns, steps);
        // Across both: what lies right of it in the row above.
        const std::string across =
            grid("A[vi, vj] + T.if_then_else(vi > 0 and vj < 7, C[vi - 1, vj + 1], T.float32(0))");
        checkRefused(across, exchange, code);
        checkRefused(across, tiles, code);
        checkSchedule(across, inner);
    }

    /// Terms of a reduction that has no init, and of one that another block has begun, come in any order.
    void accumulationsAreNoOrder()
    {
        checkSchedule(mmRelu, "i, j, k = sch.get_loops('Y')\nsch.decompose_reduction('Y', i)\n"
                              "i, j, k = sch.get_loops('Y_update')\nk0, k1 = sch.split(k, [None, 4])\n"
                              "sch.reorder(k1, k0, i, j)");
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
