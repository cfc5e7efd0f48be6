// SPDX-License-Identifier: Apache-2.0
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

class ComputeAtTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void belowTheConsumersLoop()
    {
        checkPrimitive(chain, "i, j = sch.get_loops('C')\nsch.compute_at('B', i)", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    for i in range(10):
        for ax0 in range(12):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, ax0])
                B[vi, vj] = A[vi, vj] * T.float32(2)
        for j in range(12):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi, vj] + T.float32(1)
)");
    }

    void unitLoopsKept()
    {
        checkPrimitive(chain, "i, j = sch.get_loops('C')\nsch.compute_at('B', i, preserve_unit_loops=True)",
                       R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    for i in range(10):
        for ax0, ax1 in T.grid(1, 12):
            with T.block("B"):
                vi = T.axis.spatial(10, i + ax0)
                vj = T.axis.spatial(12, ax1)
                B[vi, vj] = A[vi, vj] * T.float32(2)
        for j in range(12):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi, vj] + T.float32(1)
)");
    }

    void reductionWithItsWholeSum()
    {
        checkPrimitive(mmRelu, "i, j = sch.get_loops('C')\nsch.compute_at('Y', i)", R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    Y = T.alloc_buffer((8, 8))
    for i in range(8):
        for ax0, ax1 in T.grid(8, 8):
            with T.block("Y"):
                vi = T.axis.spatial(8, i)
                vj = T.axis.spatial(8, ax0)
                vk = T.axis.reduce(8, ax1)
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + A[vi, vk] * B[vk, vj]
        for j in range(8):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.max(Y[vi, vj], T.float32(0))
)");
    }

    void symbolicLength()
    {
        checkSchedule(symbolic,
                      "i, = sch.get_loops('C')\na, b = sch.split(i, [None, 4])\nsch.compute_at('B', a)");
    }

    void positions()
    {
        constexpr const char *twoInputs = R"(
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
)";
        checkPrimitive(twoInputs,
                       "i, = sch.get_loops('D')\nsch.compute_at('C', i)\nsch.compute_at('B', i, index=0)", R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), D: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((8,))
    C = T.alloc_buffer((8,))
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] + T.float32(1)
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = A[vi] + T.float32(2)
        with T.block("D"):
            vi = T.axis.spatial(8, i)
            D[vi] = B[vi] + C[vi]
)");
        checkSchedule(twoInputs,
                      "i, = sch.get_loops('D')\nsch.compute_at('C', i)\nsch.compute_at('B', i, index=-1)");
        checkSchedule(twoInputs,
                      "i, = sch.get_loops('D')\nsch.compute_at('C', i)\nsch.compute_at('B', i, index=-2)");
        checkRefused(twoInputs,
                     "i, = sch.get_loops('D')\nsch.compute_at('C', i)\nsch.compute_at('B', i, index=2)",
                     "schedule.no-such-position", "-1");
    }

    void blockKeepsItsId()
    {
        const schedule::State before = scheduled(chain);
        const auto run =
            schedule::runScheduleScript(before,
                                        "b = sch.get_block('B')\nx, y = sch.get_loops(b)\n"
                                        "i, j = sch.get_loops('C')\nsch.compute_at(b, i)\nsch.get_block('B')",
                                        "");
        QVERIFY(run);
        QVERIFY(run->steps.front().outputs == run->steps.back().outputs);
        const auto applied = schedule::apply(before, run->steps[4].step);
        QVERIFY(applied);
        for (const schedule::ArgValue &loop : run->steps[1].outputs)
            QVERIFY(ir::StmtId(applied->forward(*loop.as<ir::StmtId>()))
                    == *run->steps[0].outputs[0].as<ir::StmtId>());
    }

    /// The block of the partial sums has a predicate that its variables' domains do not tell.
    void predicateOfAFactoredBlockGoesAlong()
    {
        checkSchedule(rowSum, "i, j = sch.get_loops('B')\na, b, c = sch.split(j, [None, 1, 16])\n"
                              "rf = sch.rfactor(a, -1)\nsch.compute_at(rf, i)");
        checkSchedule(rowSum, "i, j = sch.get_loops('B')\na, b, c = sch.split(j, [None, 1, 16])\n"
                              "rf = sch.rfactor(a, -1)\nfor_rf = sch.get_loops(rf)\n"
                              "sch.split(for_rf[3], [None, 4])\nsch.compute_at(rf, i)");
    }

    /// Partial sums whose tail is cut off: 1027 terms by 16 run 65 times in three threads, 64 times in the
    /// others, and begin in all.
    void partialSumsWithATail()
    {
        constexpr std::string_view sums = R"(
@T.prim_func
def main(A: T.Buffer((4, 1027), "float32"), B: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 1027):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)";
        const std::string factored = "i, k = sch.get_loops('B')\nk0, k1 = sch.split(k, [None, 16])\n"
                                     "rf = sch.rfactor(k1, 0)\ni, t = sch.get_loops('B')\n";
        checkPrimitive(sums, factored + "sch.compute_at(rf, t)", R"(
@T.prim_func
def main(A: T.Buffer((4, 1027), "float32"), B: T.Buffer((4,), "float32")):
    B_rf = T.alloc_buffer((16, 4))
    for i, k_1 in T.grid(4, 16):
        for ax0 in range(65):
            with T.block("B_rf"):
                vk_1, vi, vk_0 = T.axis.remap("SSR", [k_1, i, ax0])
                T.where(ax0 * 16 + k_1 < 1027)
                with T.init():
                    B_rf[vk_1, vi] = T.float32(0)
                B_rf[vk_1, vi] = B_rf[vk_1, vi] + A[vi, vk_0 * 16 + vk_1]
        with T.block("B"):
            vk_1, vi = T.axis.remap("RS", [k_1, i])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + B_rf[vk_1, vi]
)");
        checkSchedule(sums, factored + "sch.compute_at(rf, i)");
        checkSchedule(sums, factored
                                + "sch.bind(i, 'blockIdx.x')\nsch.bind(t, 'threadIdx.x')\n"
                                  "sch.compute_at(rf, t)");
        checkSchedule(sums, "i, k = sch.get_loops('B')\nk0, k1, k2 = sch.split(k, [None, 5, 7])\n"
                            "rf = sch.rfactor(k2, 0)\ni, t = sch.get_loops('B')\nsch.compute_at(rf, t)");
        checkSchedule(sums, "i, k = sch.get_loops('B')\nk0, k1, k2 = sch.split(k, [None, 5, 7])\n"
                            "rf = sch.rfactor(k1, 0)\ni, t = sch.get_loops('B')\nsch.compute_at(rf, i)");
    }

    /// A buffer that lives on outside is made whole by its consumers together.
    void outputsThatAreReadWhole()
    {
        constexpr std::string_view both = R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.block("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi] + T.float32(1)
    for i in range(16):
        with T.block("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = B[vi] * T.float32(2)
)";
        checkPrimitive(both, "i, = sch.get_loops('C')\nsch.compute_at('B', i)", R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.block("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi] + T.float32(1)
        with T.block("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = B[vi] * T.float32(2)
)");
        checkSchedule(both, "a, b = sch.split(sch.get_loops('C')[0], [None, 5])\nsch.compute_at('B', a)");
        std::string half(both);
        for (const char *const extent : {"C: T.Buffer((16,)", "spatial(16, i)\n            C"}) {
            const std::size_t at = half.find("16", half.find(extent));
            half.replace(at, 2, "8");
        }
        half.replace(half.rfind("range(16)"), 9, "range(8)");
        checkRefused(half, "i, = sch.get_loops('C')\nsch.compute_at('B', i)", "schedule.output-block",
                     "a part only");
    }

    void refused()
    {
        checkRefused(mmRelu, "i, j, k = sch.get_loops('Y')\nsch.compute_at('C', i)", "schedule.output-block",
                     "cache_write");
        checkRefused(mmRelu, "i, j, k = sch.get_loops('Y')\nsch.compute_at('Y', i)",
                     "schedule.loop-around-block");
        checkRefused(mmRelu,
                     "b = sch.get_block('Y')\ni, j, k = sch.get_loops(b)\nsch.decompose_reduction(b, i)\n"
                     "x, y = sch.get_loops('C')\nsch.compute_at(b, x)",
                     "analysis.not-complete-or-reduction", "decompose");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32"), D: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((8,))
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] + T.float32(1)
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = B[vi] + T.float32(2)
    for i in range(8):
        with T.block("D"):
            vi = T.axis.spatial(8, i)
            D[vi] = B[vi] + T.float32(3)
)",
                     "i, = sch.get_loops('C')\nsch.compute_at('B', i)", "schedule.consumer-outside",
                     "'B' writes B[vi], 'D' reads B[vi]");
        checkRefused(chain, "sch.compute_at('root', sch.get_loops('C')[0])", "schedule.root-block");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((8,))
    for i in range(4):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] + T.float32(1)
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = T.if_then_else(vi < 4, B[vi], T.float32(0))
)",
                     "i, = sch.get_loops('C')\nsch.compute_at('B', i)", "analysis.not-stage-pipeline");
    }
};

QTEST_GUILESS_MAIN(ComputeAtTest)
#include "compute_at_test.moc"
