// SPDX-License-Identifier: Apache-2.0
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

class FuseTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void twoLoops()
    {
        checkPrimitive(chain, "sch.fuse(*sch.get_loops('B'))", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    for i_j_fused in range(120):
        with T.block("B"):
            vi = T.axis.spatial(10, i_j_fused // 12)
            vj = T.axis.spatial(12, i_j_fused % 12)
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(10, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + T.float32(1)
)");
    }

    void reductionLoopToo()
    {
        checkPrimitive(mmRelu, "i, j, k = sch.get_loops('Y')\nsch.fuse(j, k)", R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    Y = T.alloc_buffer((8, 8))
    for i, j_k_fused in T.grid(8, 64):
        with T.block("Y"):
            vi = T.axis.spatial(8, i)
            vj = T.axis.spatial(8, j_k_fused // 8)
            vk = T.axis.reduce(8, j_k_fused % 8)
            with T.init():
                Y[vi, vj] = T.float32(0)
            Y[vi, vj] = Y[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.max(Y[vi, vj], T.float32(0))
)");
    }

    void loopsOfOneIterationLeaveNothing()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), B: T.Buffer((10, 12), "float32")):
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
)",
                       "i, j = sch.get_loops('B')\nj0, j1, j2 = sch.split(j, [1, 3, 4])\nsch.fuse(i, j0, j1)",
                       R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), B: T.Buffer((10, 12), "float32")):
    for i_j_0_j_1_fused, j_2 in T.grid(30, 4):
        with T.block("B"):
            vi = T.axis.spatial(10, i_j_0_j_1_fused // 3)
            vj = T.axis.spatial(12, i_j_0_j_1_fused % 3 * 4 + j_2)
            B[vi, vj] = A[vi, vj] * T.float32(2)
)");
    }

    void afterSplitGivesTheOldBindingBack()
    {
        checkPrimitive(chain, R"(
i, j = sch.get_loops("B")
j0, j1 = sch.split(j, [None, 4])
sch.fuse(j0, j1)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    for i, j_0_j_1_fused in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j_0_j_1_fused])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(10, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + T.float32(1)
)");
    }

    void oneLoop() { checkSchedule(chain, "i, j = sch.get_loops('B')\nsch.fuse(j)"); }

    void guardedLoops()
    {
        checkSchedule(chain, "i, j = sch.get_loops('B')\na, b = sch.split(j, [None, 5])\nsch.fuse(i, a)\n");
        checkSchedule(
            chain,
            "i, j = sch.get_loops('B')\na, b = sch.split(j, [None, 5])\nc, d = sch.split(i, [None, 3])\n"
            "sch.fuse(c, d, a, b)\n");
    }

    void symbolicLength()
    {
        checkSchedule(symbolic, "i, = sch.get_loops('B')\na, b = sch.split(i, [None, 4])\nsch.fuse(a, b)");
    }

    void severalSymbolicLengths()
    {
        checkPrimitive(R"(
@T.prim_func
def main(a: T.handle, b: T.handle):
    n, m = T.int32(), T.int32()
    A = T.match_buffer(a, (2, n, m), "float32")
    B = T.match_buffer(b, (2, n, m), "float32")
    for i, j, k in T.grid(2, n, m):
        with T.block("B"):
            vi, vj, vk = T.axis.remap("SSS", [i, j, k])
            B[vi, vj, vk] = A[vi, vj, vk] + T.float32(1)
)",
                       "sch.fuse(*sch.get_loops('B'))", R"(
@T.prim_func
def main(a: T.handle, b: T.handle):
    n, m = T.int32(), T.int32()
    A = T.match_buffer(a, (2, n, m), "float32")
    B = T.match_buffer(b, (2, n, m), "float32")
    for f in range(n * m * 2):
        with T.block("B"):
            vi = T.axis.spatial(2, f // (n * m))
            vj = T.axis.spatial(n, f % (n * m) // m)
            vk = T.axis.spatial(m, f % m)
            B[vi, vj, vk] = A[vi, vj, vk] + T.float32(1)
)");
    }

    void forwardsBothLoops()
    {
        const schedule::State before = scheduled(chain);
        const auto run =
            schedule::runScheduleScript(before, "i, j = sch.get_loops('B')\nf = sch.fuse(i, j)", "");
        QVERIFY(run);
        const auto applied = schedule::apply(before, run->steps.back().step);
        QVERIFY(applied);
        for (const schedule::ArgValue &loop : run->steps[1].outputs)
            QVERIFY(applied->forward(*loop.as<ir::StmtId>()) == applied->id(0));
    }

    /// They are too many to run.
    void moreIterationsThanTheTypeCounts()
    {
        const auto run = schedule::runAsFarAsLegal(scheduled(R"(
@T.prim_func
def main(C: T.Buffer((1,), "int64")):
    for i, k in T.grid(70000, 70000):
        with T.block("C"):
            vi, vk = T.axis.remap("RR", [i, k])
            with T.init():
                C[0] = T.int64(0)
            C[0] = C[0] + T.int64(1)
)"),
                                                   "sch.fuse(*sch.get_loops('C'))", "s.py");
        QVERIFY(run.error);
        QCOMPARE(run.error->code, std::string("schedule.too-many-iterations"));
        QVERIFY2(run.error->message.contains("4900000000 times"), run.error->render().c_str());
    }

    void refused()
    {
        checkRefused(mmRelu, "i, j, k = sch.get_loops('Y')\nsch.fuse(i, k)", "schedule.not-only-child",
                     "reorder");
        checkRefused(mmRelu, "i, j, k = sch.get_loops('Y')\nsch.fuse(j, i)", "schedule.not-outermost-first");
        checkRefused(mmRelu, "i, j, k = sch.get_loops('Y')\nsch.fuse(i, i)", "schedule.duplicate-loop");
        checkRefused(mmRelu, "i, j, k = sch.get_loops('Y')\nsch.bind(i, 'blockIdx.x')\nsch.fuse(i, j)",
                     "schedule.loop-thread-bound");
        checkRefused(mmRelu, "sch.fuse()", "schedule.argument");
        checkRefused(mmRelu, "i, j, k = sch.get_loops('Y')\na, b = sch.get_loops('C')\nsch.fuse(i, b)",
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
                     "sch.fuse(*sch.get_loops('C'))", "schedule.dependent-loop");
    }
};

QTEST_GUILESS_MAIN(FuseTest)
#include "fuse_test.moc"
