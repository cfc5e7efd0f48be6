// SPDX-License-Identifier: Apache-2.0
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

class DecomposeReductionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void beforeTheReductionLoop()
    {
        checkPrimitive(
            mmRelu, "b = sch.get_block('Y')\ni, j, k = sch.get_loops(b)\nsch.decompose_reduction(b, k)", R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    Y = T.alloc_buffer((8, 8))
    for i, j in T.grid(8, 8):
        with T.block("Y_init"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads()
            T.writes(Y[vi, vj])
            Y[vi, vj] = T.float32(0)
        for k in range(8):
            with T.block("Y_update"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.reads(Y[vi, vj], A[vi, vk], B[vk, vj])
                T.writes(Y[vi, vj])
                Y[vi, vj] = Y[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.max(Y[vi, vj], T.float32(0))
)");
    }

    void loopsOfTheInitKeepTheirKind()
    {
        checkPrimitive(mmRelu, R"(
b = sch.get_block("Y")
i, j, k = sch.get_loops(b)
j0, j1 = sch.split(j, [None, 4])
sch.reorder(j0, k, j1)
sch.vectorize(j1)
sch.annotate(j1, "note", 1)
sch.parallel(i)
sch.decompose_reduction(b, k)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    Y = T.alloc_buffer((8, 8))
    for i in T.parallel(8):
        for j_0 in range(2):
            for j_1_init in T.vectorized(4, annotations={"note": 1}):
                with T.block("Y_init"):
                    vi = T.axis.spatial(8, i)
                    vj = T.axis.spatial(8, j_0 * 4 + j_1_init)
                    T.reads()
                    T.writes(Y[vi, vj])
                    Y[vi, vj] = T.float32(0)
            for k in range(8):
                for j_1 in T.vectorized(4, annotations={"note": 1}):
                    with T.block("Y_update"):
                        vi = T.axis.spatial(8, i)
                        vj = T.axis.spatial(8, j_0 * 4 + j_1)
                        vk = T.axis.reduce(8, k)
                        T.reads(Y[vi, vj], A[vi, vk], B[vk, vj])
                        T.writes(Y[vi, vj])
                        Y[vi, vj] = Y[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.max(Y[vi, vj], T.float32(0))
)");
    }

    void predicates()
    {
        checkSchedule(
            mmRelu, "b = sch.get_block('Y')\ni, j, k = sch.get_loops(b)\na, c = sch.split(k, [None, 3])\n"
                    "d, e = sch.split(j, [None, 3])\nsch.reorder(d, a, e, c)\nsch.decompose_reduction(b, a)");
        checkSchedule(mmRelu,
                      "b = sch.get_block('Y')\ni, j, k = sch.get_loops(b)\na, c = sch.split(k, [None, 3])\n"
                      "d, e = sch.split(j, [None, 3])\nsch.decompose_reduction(b, i)");
    }

    void guardOfALoopOfOneIterationStays()
    {
        checkSchedule(mmRelu, "b = sch.get_block('Y')\ni, j, k = sch.get_loops(b)\n"
                              "a, c, d = sch.split(j, [5, None, 2], preserve_unit_iters=False)\n"
                              "e, f, g = sch.split(a, [6, None, 6])\nsch.decompose_reduction(b, f)");
    }

    void repeatedReductionIsRefused()
    {
        constexpr const char *product = R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    B = T.alloc_buffer((8,))
    for i, k in T.grid(8, 8):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi] * B[vj]
)";
        checkRefused(product,
                     "i, j = sch.get_loops('C')\nsch.compute_at('B', i)\nsch.decompose_reduction('B', i)",
                     "schedule.reduction-repeated", "within loop");
    }

    void updateKeepsTheId()
    {
        const auto run =
            schedule::runScheduleScript(scheduled(mmRelu),
                                        "b = sch.get_block('Y')\ni, j, k = sch.get_loops(b)\n"
                                        "sch.decompose_reduction(b, k)\nsch.get_block('Y_update')",
                                        "");
        QVERIFY(run);
        QVERIFY(run->steps.front().outputs == run->steps.back().outputs);
    }

    void refused()
    {
        constexpr const char *loops = "b = sch.get_block('Y')\ni, j, k = sch.get_loops(b)\n";
        checkRefused(mmRelu, loops + std::string("sch.reorder(k, i)\nsch.decompose_reduction(b, j)"),
                     "schedule.loop-below-reduction", "'k'");
        checkRefused(mmRelu, loops + std::string("x, y = sch.get_loops('C')\nsch.decompose_reduction(b, x)"),
                     "schedule.loop-not-around-block");
        checkRefused(mmRelu, loops + std::string("sch.decompose_reduction('C', i)"),
                     "analysis.not-reduction");
        checkRefused(mmRelu,
                     loops + std::string("sch.decompose_reduction(b, k)\nsch.decompose_reduction(b, k)"),
                     "analysis.not-reduction");
    }
};

QTEST_GUILESS_MAIN(DecomposeReductionTest)
#include "decompose_reduction_test.moc"
