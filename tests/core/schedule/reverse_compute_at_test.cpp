// SPDX-License-Identifier: Apache-2.0
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

#include <format>

using namespace nestwright;
using namespace nestwright::tests;

class ReverseComputeAtTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Each element of B is read by the rounds of C whose quotient it is.
    void quotientsAreSolved()
    {
        const auto upsampled = [](const char *index) {
            return std::format(R"(
@T.prim_func
def main(A: T.Buffer((36,), "float32"), C: T.Buffer((70,), "float32")):
    B = T.alloc_buffer((36,))
    for i in range(36):
        with T.block("B"):
            vi = T.axis.spatial(36, i)
            B[vi] = A[vi] + T.float32(1)
    for i in range(70):
        with T.block("C"):
            vi = T.axis.spatial(70, i)
            C[vi] = B[{}] * T.float32(2)
)",
                               index);
        };
        const char *steps = "i, = sch.get_loops('B')\nsch.reverse_compute_at('C', i)";
        checkPrimitive(upsampled("vi // 2"), steps, R"(
@T.prim_func
def main(A: T.Buffer((36,), "float32"), C: T.Buffer((70,), "float32")):
    B = T.alloc_buffer((36,))
    for i in range(36):
        with T.block("B"):
            vi = T.axis.spatial(36, i)
            B[vi] = A[vi] + T.float32(1)
        for ax0 in range(2):
            with T.block("C"):
                vi = T.axis.spatial(70, i * 2 + ax0)
                T.where(i < 35)
                C[vi] = B[vi // 2] * T.float32(2)
)");
        checkSchedule(upsampled("(vi + 1) // 2"), steps);
        checkSchedule(upsampled("vi // 2 // 3 + 1"), steps);
        checkSchedule(upsampled("(70 - vi) // 2"), steps);
        const char *tiles =
            "i, = sch.get_loops('B')\ni0, i1 = sch.split(i, [None, 4])\nsch.reverse_compute_at('C', i0)";
        checkSchedule(upsampled("vi // 2"), tiles);
    }

    /// A read that C does not declare is made in the loop that C is to go to: how much of it is there, is
    /// not known.
    void readsThatAreNotDeclared()
    {
        const std::string program = R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((8,))
    D = T.alloc_buffer((8,))
    for i in range(8):
        with T.block("B"):
            v = T.axis.spatial(8, i)
            T.reads(A[v])
            T.writes(B[v])
            B[v] = A[v] * T.float32(2)
        with T.block("D"):
            v = T.axis.spatial(8, i)
            T.reads(A[v])
            T.writes(D[v])
            D[v] = A[v] + T.float32(1)
    for i in range(8):
        with T.block("C"):
            v = T.axis.spatial(8, i)
            T.reads(D[v]READ)
            T.writes(C[v])
            C[v] = D[v] + B[7 - v]
)";
        const auto reading = [&](const std::string &what) {
            std::string text = program;
            return text.replace(text.find("READ"), 4, what);
        };
        const char *const step = "i, = sch.get_loops('D')\nsch.reverse_compute_at('C', i)";
        const auto run = schedule::runScheduleScript(scheduled(reading("")), step, "steps.py");
        QVERIFY(!run);
        QCOMPARE(run.error().code, std::string("schedule.hidden-access"));
        QVERIFY(run.error().message.contains("reads 'B' without declaring it"));
        checkRefused(reading(", B[7 - v]"), step, "schedule.region-not-covered");
    }

    void afterTheTile()
    {
        checkPrimitive(mmRelu, R"(
i, j, k = sch.get_loops("Y")
j0, j1 = sch.split(j, [None, 4])
sch.reorder(j0, k, j1)
sch.reverse_compute_at("C", j0)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    Y = T.alloc_buffer((8, 8))
    for i, j_0 in T.grid(8, 2):
        for k, j_1 in T.grid(8, 4):
            with T.block("Y"):
                vi = T.axis.spatial(8, i)
                vj = T.axis.spatial(8, j_0 * 4 + j_1)
                vk = T.axis.reduce(8, k)
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + A[vi, vk] * B[vk, vj]
        for ax0 in range(4):
            with T.block("C"):
                vi = T.axis.spatial(8, i)
                vj = T.axis.spatial(8, j_0 * 4 + ax0)
                C[vi, vj] = T.max(Y[vi, vj], T.float32(0))
)");
    }

    /// The bound that keeps the reduction within its terms also bounds the producer.
    void oneConditionForBoth()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((8, 3), "float32"), B: T.Buffer((8,), "float32")):
    for i, k in T.grid(8, 3):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)",
                       R"(
i, k = sch.get_loops("B")
k0, k1 = sch.split(k, [None, 4])
rf = sch.rfactor(k1, 0)
i, k0, k1 = sch.get_loops(rf)
sch.reverse_compute_at("B", i)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((8, 3), "float32"), B: T.Buffer((8,), "float32")):
    B_rf = T.alloc_buffer((4, 8))
    for i in range(8):
        for k_0, k_1 in T.grid(1, 4):
            with T.block("B_rf"):
                vk_1, vi, vk_0 = T.axis.remap("SSR", [k_1, i, k_0])
                T.where(k_0 * 4 + k_1 < 3)
                with T.init():
                    B_rf[vk_1, vi] = T.float32(0)
                B_rf[vk_1, vi] = B_rf[vk_1, vi] + A[vi, vk_0 * 4 + vk_1]
        for ax0 in range(4):
            with T.block("B"):
                vk_1, vi = T.axis.remap("RS", [ax0, i])
                T.where(ax0 < 3)
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + B_rf[vk_1, vi]
)");
    }

    /// As the size is not negative, the parts of the fused loop are within their ranges.
    void symbolicFusedLoop()
    {
        checkPrimitive(R"(
@T.prim_func
def main(a: T.handle, c: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (4, n), "float32")
    C = T.match_buffer(c, (4, n), "float32")
    B = T.alloc_buffer((4, n))
    for f in range(n * 4):
        with T.block("B"):
            vi = T.axis.spatial(4, f // n)
            vj = T.axis.spatial(n, f % n)
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(4, n):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + T.float32(1)
)",
                       "f, = sch.get_loops('B')\nsch.reverse_compute_at('C', f)", R"(
@T.prim_func
def main(a: T.handle, c: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (4, n), "float32")
    C = T.match_buffer(c, (4, n), "float32")
    B = T.alloc_buffer((4, n))
    for f in range(n * 4):
        with T.block("B"):
            vi = T.axis.spatial(4, f // n)
            vj = T.axis.spatial(n, f % n)
            B[vi, vj] = A[vi, vj] * T.float32(2)
        with T.block("C"):
            vi = T.axis.spatial(4, f // n)
            vj = T.axis.spatial(n, f % n)
            C[vi, vj] = B[vi, vj] + T.float32(1)
)");
    }

    void guardedTile()
    {
        checkSchedule(mmRelu, R"(
i, j, k = sch.get_loops("Y")
j0, j1 = sch.split(j, [None, 3])
i0, i1 = sch.split(i, [None, 5])
sch.reorder(i0, j0, i1, j1)
sch.reverse_compute_at("C", j0)
)");
    }

    void unitLoopsKept()
    {
        checkPrimitive(
            chain, "i, j = sch.get_loops('B')\nsch.reverse_compute_at('C', j, preserve_unit_loops=True)", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
        for ax0, ax1 in T.grid(1, 1):
            with T.block("C"):
                vi = T.axis.spatial(10, i + ax0)
                vj = T.axis.spatial(12, j + ax1)
                C[vi, vj] = B[vi, vj] + T.float32(1)
)");
    }

    void reshaped()
    {
        checkPrimitive(reshape, "i, j = sch.get_loops('B')\nsch.reverse_compute_at('C', i)", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((120,), "float32")):
    B = T.alloc_buffer((10, 12))
    for i in range(10):
        for j in range(12):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)
        for ax0 in range(12):
            with T.block("C"):
                vi = T.axis.spatial(120, i * 12 + ax0)
                C[vi] = B[vi // 12, vi % 12] + T.float32(1)
)");
    }

    /// Pairs of rows of 4 become rows of 8; both dimensions that C reads at are digits of one index.
    void regrouped()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((3, 8), "float32"), C: T.Buffer((6, 4), "float32")):
    B = T.alloc_buffer((3, 8))
    for i, j in T.grid(3, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + T.float32(1)
    for i, j in T.grid(6, 4):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[(vi * 4 + vj) // 8, (vi * 4 + vj) % 8]
)",
                       "sch.reverse_compute_at('C', sch.get_loops('B')[0])", R"(
@T.prim_func
def main(A: T.Buffer((3, 8), "float32"), C: T.Buffer((6, 4), "float32")):
    B = T.alloc_buffer((3, 8))
    for i in range(3):
        for j in range(8):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + T.float32(1)
        for ax0, ax1 in T.grid(2, 4):
            with T.block("C"):
                vi = T.axis.spatial(6, i * 2 + ax0)
                vj = T.axis.spatial(4, ax1)
                C[vi, vj] = B[(vi * 4 + vj) // 8, (vi * 4 + vj) % 8]
)");
    }

    void reductionRunsAlong()
    {
        constexpr const char *rowSum = R"(
@T.prim_func
def main(A: T.Buffer((6, 12), "float32"), S: T.Buffer((6,), "float32")):
    B = T.alloc_buffer((6, 12))
    for i, j in T.grid(6, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, k in T.grid(6, 12):
        with T.block("S"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                S[vi] = T.float32(0)
            S[vi] = S[vi] + B[vi, vk]
)";
        checkPrimitive(rowSum, "i, j = sch.get_loops('B')\nsch.reverse_compute_at('S', j)", R"(
@T.prim_func
def main(A: T.Buffer((6, 12), "float32"), S: T.Buffer((6,), "float32")):
    B = T.alloc_buffer((6, 12))
    for i, j in T.grid(6, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
        with T.block("S"):
            vi, vk = T.axis.remap("SR", [i, j])
            with T.init():
                S[vi] = T.float32(0)
            S[vi] = S[vi] + B[vi, vk]
)");
        checkSchedule(
            rowSum,
            "i, j = sch.get_loops('B')\na, b = sch.split(j, [None, 5])\nsch.reverse_compute_at('S', a)");
        checkRefused(rowSum, "i, j = sch.get_loops('B')\nsch.vectorize(j)\nsch.reverse_compute_at('S', j)",
                     "schedule.reduction-repeated", "further out");
    }

    void reductionOfUnfinishedSumsIsRefused()
    {
        constexpr const char *twoSums = R"(
@T.prim_func
def main(A: T.Buffer((6, 12, 4), "float32"), S: T.Buffer((6,), "float32")):
    B = T.alloc_buffer((6, 12))
    for i, j, k in T.grid(6, 12, 4):
        with T.block("B"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                B[vi, vj] = T.float32(0)
            B[vi, vj] = B[vi, vj] + A[vi, vj, vk]
    for i, j in T.grid(6, 12):
        with T.block("S"):
            vi, vj = T.axis.remap("SR", [i, j])
            with T.init():
                S[vi] = T.float32(0)
            S[vi] = S[vi] + B[vi, vj]
)";
        checkRefused(twoSums, "i, j, k = sch.get_loops('B')\nsch.reverse_compute_at('S', k)",
                     "schedule.reduction-repeated");
        checkSchedule(twoSums, "i, j, k = sch.get_loops('B')\nsch.reverse_compute_at('S', j)");
    }

    /// A quotient that is 0 throughout says nothing of its variable.
    void quotientOfNothing()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((3, 16), "float32")):
    B = T.alloc_buffer((1, 4, 8, 4))
    for i, j, k, l in T.grid(1, 4, 8, 4):
        with T.block("B"):
            vi, vj, vk, vl = T.axis.remap("SSSS", [i, j, k, l])
            B[vi, vj, vk, vl] = A[vk, vj + vl] + T.float32(1)
    for x, y in T.grid(3, 16):
        with T.block("C"):
            vx, vy = T.axis.remap("SS", [x, y])
            C[vx, vy] = B[vx // 8, vy // 4, vx, vy % 4]
)",
                       "sch.reverse_compute_at('C', sch.get_loops('B')[1])", R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((3, 16), "float32")):
    B = T.alloc_buffer((1, 4, 8, 4))
    for i, j in T.grid(1, 4):
        for k, l in T.grid(8, 4):
            with T.block("B"):
                vi, vj, vk, vl = T.axis.remap("SSSS", [i, j, k, l])
                B[vi, vj, vk, vl] = A[vk, vj + vl] + T.float32(1)
        for ax0, ax1 in T.grid(3, 4):
            with T.block("C"):
                vx = T.axis.spatial(3, ax0)
                vy = T.axis.spatial(16, j * 4 + ax1)
                C[vx, vy] = B[vx // 8, vy // 4, vx, vy % 4]
)");
    }

    void refused()
    {
        checkRefused(
            stencil,
            "i, = sch.get_loops('B')\na, b = sch.split(i, [None, 6])\nsch.reverse_compute_at('C', a)",
            "schedule.region-not-covered", "further out");
        checkRefused(mmRelu, "x, y = sch.get_loops('C')\nsch.reverse_compute_at('Y', x)",
                     "schedule.no-producer");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), D: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((8,))
    C = T.alloc_buffer((8,))
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] + T.float32(1)
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = A[vi] + T.float32(2)
    for i in range(8):
        with T.block("D"):
            vi = T.axis.spatial(8, i)
            D[vi] = B[vi] + C[vi]
)",
                     "i, = sch.get_loops('C')\nsch.reverse_compute_at('D', i)", "schedule.producer-outside",
                     "'B'");
    }
};

QTEST_GUILESS_MAIN(ReverseComputeAtTest)
#include "reverse_compute_at_test.moc"
