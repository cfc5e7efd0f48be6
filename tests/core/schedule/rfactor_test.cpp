// SPDX-License-Identifier: Apache-2.0
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

#include <format>

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

    /// Consumers in the same loop stay with the sum of the parts.
    void withAConsumerInTheLoop()
    {
        checkPrimitive(mmRelu,
                       "i, j, k = sch.get_loops('Y')\nsch.reverse_compute_at('C', i)\nsch.rfactor(k, 0)", R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    Y = T.alloc_buffer((8, 8))
    Y_rf = T.alloc_buffer((8, 8, 8))
    for i, j, k in T.grid(8, 8, 8):
        with T.block("Y_rf"):
            vk, vi, vj = T.axis.remap("SSS", [k, i, j])
            Y_rf[vk, vi, vj] = A[vi, vk] * B[vk, vj]
    for i in range(8):
        for j, k in T.grid(8, 8):
            with T.block("Y"):
                vk, vi, vj = T.axis.remap("RSS", [k, i, j])
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + Y_rf[vk, vi, vj]
        for ax0 in range(8):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, ax0])
                C[vi, vj] = T.max(Y[vi, vj], T.float32(0))
)");
    }

    void placeAndValueOfTheGreatest()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((6, 12), "float32"), P: T.Buffer((6,), "int32"), M: T.Buffer((6,), "float32")):
    for i, k in T.grid(6, 12):
        with T.block("M"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                M[vi] = T.min_value("float32")
                P[vi] = -1
            p: T.int32 = T.Select(M[vi] >= A[vi, vk], P[vi], vk)
            m: T.float32 = T.Select(M[vi] >= A[vi, vk], M[vi], A[vi, vk])
            M[vi] = m
            P[vi] = p
)",
                       "i, k = sch.get_loops('M')\na, b = sch.split(k, [3, 4])\nsch.rfactor(b, 1)", R"(
@T.prim_func
def main(A: T.Buffer((6, 12), "float32"), P: T.Buffer((6,), "int32"), M: T.Buffer((6,), "float32")):
    P_rf = T.alloc_buffer((6, 4), "int32")
    M_rf = T.alloc_buffer((6, 4))
    for i, a, b in T.grid(6, 3, 4):
        with T.block("M_rf"):
            vb, vi, va = T.axis.remap("SSR", [b, i, a])
            T.reads(A[vi, va * 4 + vb])
            T.writes(M_rf[vi, vb], P_rf[vi, vb])
            with T.init():
                P_rf[vi, vb] = -1
                M_rf[vi, vb] = T.min_value("float32")
            p: T.int32 = T.Select(M_rf[vi, vb] >= A[vi, va * 4 + vb], P_rf[vi, vb], va * 4 + vb)
            m: T.float32 = T.Select(M_rf[vi, vb] >= A[vi, va * 4 + vb], M_rf[vi, vb], A[vi, va * 4 + vb])
            P_rf[vi, vb] = p
            M_rf[vi, vb] = m
    for i, b in T.grid(6, 4):
        with T.block("M"):
            vb, vi = T.axis.remap("RS", [b, i])
            T.reads(P_rf[vi, vb], M_rf[vi, vb])
            T.writes(P[vi], M[vi])
            with T.init():
                P[vi] = -1
                M[vi] = T.min_value("float32")
            p: T.int32 = T.Select(M[vi] >= M_rf[vi, vb], P[vi], P_rf[vi, vb])
            m: T.float32 = T.Select(M[vi] >= M_rf[vi, vb], M[vi], M_rf[vi, vb])
            P[vi] = p
            M[vi] = m
)");
    }

    void sumOfSquaresBesideTheSum()
    {
        const auto moments = [](const char *init, const char *stored) {
            return std::format(R"(
@T.prim_func
def main(A: T.Buffer((6, 12), "float32"), S: T.Buffer((6,), "float32"), Q: T.Buffer((6,), "float32")):
    for i, k in T.grid(6, 12):
        with T.block("S"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                S[vi] = T.float32(0)
                Q[vi] = T.float32({})
            s: T.float32 = S[vi] + A[vi, vk]
            q: T.float32 = Q[vi] + A[vi, vk] * A[vi, vk]
            S[vi] = s
            Q[vi] = {}
)",
                               init, stored);
        };
        constexpr const char *loops = "i, k = sch.get_loops('S')\n";
        checkSchedule(moments("0", "q"),
                      loops + std::string("a, b = sch.split(k, [3, 4])\nsch.rfactor(a, 0)"));
        checkRefused(moments("1", "q"), loops + std::string("sch.rfactor(k, 0)"), "schedule.unknown-reducer");
        checkRefused(moments("0", "s"), loops + std::string("sch.rfactor(k, 0)"), "schedule.unknown-reducer");
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

    /// A factor need not divide the reduction where each partial result gets at least one term.
    void factorsThatDoNotDivide()
    {
        checkSchedule(rowSum, "i, k = sch.get_loops('B')\na, b = sch.split(k, [None, 5])\nsch.rfactor(a, 0)");
        checkSchedule(rowSum, "i, k = sch.get_loops('B')\na, b = sch.split(k, [None, 5])\nsch.rfactor(b, 0)");
    }

    /// The last two partial results get no term, and nothing begins them: they are left out of the sum.
    void partialResultsWithoutTerms()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((8, 6), "float32"), B: T.Buffer((8,), "float32")):
    for i, a, b in T.grid(8, 4, 4):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            vk = T.axis.reduce(6, a * 4 + b)
            T.where(a * 4 + b < 6)
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)",
                       "i, a, b = sch.get_loops('B')\nsch.rfactor(a, 0)", R"(
@T.prim_func
def main(A: T.Buffer((8, 6), "float32"), B: T.Buffer((8,), "float32")):
    B_rf = T.alloc_buffer((4, 8))
    for i, a, b in T.grid(8, 4, 4):
        with T.block("B_rf"):
            va, vi, vb = T.axis.remap("SSR", [a, i, b])
            T.where(a * 4 + b < 6)
            with T.init():
                B_rf[va, vi] = T.float32(0)
            B_rf[va, vi] = B_rf[va, vi] + A[vi, va * 4 + vb]
    for i, a in T.grid(8, 4):
        with T.block("B"):
            va, vi = T.axis.remap("RS", [a, i])
            T.where(a < 2)
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + B_rf[va, vi]
)");
        checkSchedule(R"(
@T.prim_func
def main(a: T.handle, b: T.handle):
    k = T.int32()
    A = T.match_buffer(a, (6, k), "float32")
    B = T.match_buffer(b, (6,), "float32")
    for i, j in T.grid(6, k):
        with T.block("B"):
            vi, vj = T.axis.remap("SR", [i, j])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vj]
)",
                      "i, j = sch.get_loops('B')\na, b = sch.split(j, [None, 16])\np = sch.rfactor(b, 0)\n"
                      "i, a, b = sch.get_loops(p)\nsch.reorder(i, b, a)\nsch.decompose_reduction(p, a)\n"
                      "sch.reverse_compute_at('B', i)");
    }

    /// The threads of a block add up 12 numbers, five each in turn; the last turn has only two.
    void acrossThreadsByAFactorThatDoesNotDivide()
    {
        constexpr const char *script = R"(
b = sch.get_block("B")
i, k = sch.get_loops(b)
k0, k1 = sch.split(k, [None, 5])
p = sch.rfactor(k1, 0)
i, k0, k1 = sch.get_loops(p)
sch.reorder(i, k1, k0)
sch.bind(i, "blockIdx.x")
sch.bind(k1, "threadIdx.x")
sch.set_scope(p, 0, "local")
sch.decompose_reduction(p, k0)
sch.reverse_compute_at(b, i)
i, j = sch.get_loops(b)
sch.bind(j, "threadIdx.x")
)";
        checkPrimitive(rowSum, script, R"(
@T.prim_func
def main(A: T.Buffer((6, 12), "float32"), B: T.Buffer((6,), "float32")):
    B_rf = T.alloc_buffer((5, 6), scope="local")
    for i in T.thread_binding(6, thread="blockIdx.x"):
        for k1 in T.thread_binding(5, thread="threadIdx.x"):
            with T.block("B_rf_init"):
                v1, vi = T.axis.remap("SS", [k1, i])
                B_rf[v1, vi] = T.float32(0)
            for k0 in range(3):
                with T.block("B_rf_update"):
                    v1, vi, v0 = T.axis.remap("SSR", [k1, i, k0])
                    T.where(k0 * 5 + k1 < 12)
                    T.reads(B_rf[v1, vi], A[vi, v0 * 5 + v1])
                    T.writes(B_rf[v1, vi])
                    B_rf[v1, vi] = B_rf[v1, vi] + A[vi, v0 * 5 + v1]
        for j in T.thread_binding(5, thread="threadIdx.x"):
            with T.block("B"):
                v1, vi = T.axis.remap("RS", [j, i])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + B_rf[v1, vi]
)");
    }

    void refused()
    {
        checkRefused(rowSum, "i, k = sch.get_loops('B')\nsch.rfactor(i, 0)", "schedule.iter-kind",
                     "reduction");
        checkRefused(rowSum, "i, k = sch.get_loops('B')\nsch.rfactor(k, 2)", "schedule.axis");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((6, 12), "float32"), B: T.Buffer((6,), "float32")):
    for i, k in T.grid(6, 12):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(1)
            B[vi] = B[vi] * (B[vi] + A[vi, vk])
)",
                     "i, k = sch.get_loops('B')\nsch.rfactor(k, 0)", "schedule.unknown-reducer",
                     "depends on the result so far");
        checkRefused(rowSum, "i, k = sch.get_loops('B')\nsch.rfactor(k, -3)", "schedule.axis");
        checkRefused(rowSum, "i, k = sch.get_loops('B')\nsch.unroll(k)\nsch.rfactor(k, 0)",
                     "schedule.loop-not-serial");
        checkRefused(rowSum, "f = sch.fuse(*sch.get_loops('B'))\nsch.rfactor(f, 0)", "schedule.iter-kind",
                     "fused");
        checkRefused(mmRelu, "i, j = sch.get_loops('C')\nsch.rfactor(j, 0)", "analysis.not-reduction");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((6, 12), "float32"), B: T.Buffer((6,), "float32"), C: T.Buffer((6,), "float32")):
    for i in range(6):
        with T.block("C"):
            vi = T.axis.spatial(6, i)
            C[vi] = A[vi, 0]
        for k in range(12):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]
)",
                     "i, k = sch.get_loops('B')\nsch.rfactor(k, 0)", "schedule.not-only-child");
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
