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

    /// A size of 64 bits beside sizes of 32: fuse casts what is left of the fused loop.
    void loopsOfSizesOfBothWidths()
    {
        checkPrimitive(R"(
@T.prim_func
def main(a: T.handle, B: T.Buffer((8,), "float32"), c: T.handle):
    n = T.int64()
    A = T.match_buffer(a, (n, 8))
    C = T.match_buffer(c, (n, 4))
    for i, j, k in T.grid(n, 4, 8):
        with T.block("C"):
            vi = T.axis.spatial(n, i)
            vj, vk = T.axis.remap("SR", [j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj + vk % 4]
)",
                       R"(
b = sch.get_block("C")
i, j, k = sch.get_loops(b)
f0, f1 = sch.split(sch.fuse(i, j), [None, 16])
sch.decompose_reduction(b, k))",
                       R"(
@T.prim_func
def main(a: T.handle, B: T.Buffer((8,), "float32"), c: T.handle):
    n = T.int64()
    A = T.match_buffer(a, (n, 8))
    C = T.match_buffer(c, (n, 4))
    for f0, f1 in T.grid((n * T.int64(4) + T.int64(15)) // T.int64(16), T.int64(16)):
        with T.block("C_init"):
            vi = T.axis.spatial(n, (f0 * T.int64(16) + f1) // T.int64(4))
            vj = T.axis.spatial(4, T.Cast("int32", (f0 * T.int64(16) + f1) % T.int64(4)))
            T.where(f0 * T.int64(16) + f1 < n * T.int64(4))
            T.reads()
            T.writes(C[vi, vj])
            C[vi, vj] = T.float32(0)
        for k in range(8):
            with T.block("C_update"):
                vi = T.axis.spatial(n, (f0 * T.int64(16) + f1) // T.int64(4))
                vj = T.axis.spatial(4, T.Cast("int32", (f0 * T.int64(16) + f1) % T.int64(4)))
                vk = T.axis.reduce(8, k)
                T.where(f0 * T.int64(16) + f1 < n * T.int64(4))
                T.reads(C[vi, vj], A[vi, vk], B[vj + vk % 4])
                T.writes(C[vi, vj])
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj + vk % 4]
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

    /// The init runs wherever the fused loops do: no second guard is needed for sizes that are not known.
    void symbolicSizesThatAreFused()
    {
        constexpr const char *product = R"(
@T.prim_func
def main(a: T.handle, B: T.Buffer((4, 8), "float32"), c: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n, 4), "float32")
    C = T.match_buffer(c, (n, 8), "float32")
    for i, j, k in T.grid(n, 8, 4):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)";
        checkPrimitive(product,
                       "i, j, k = sch.get_loops('C')\na, b = sch.split(sch.fuse(i, j), [None, 32])\n"
                       "sch.decompose_reduction('C', k)",
                       R"(
@T.prim_func
def main(a: T.handle, B: T.Buffer((4, 8), "float32"), c: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n, 4), "float32")
    C = T.match_buffer(c, (n, 8), "float32")
    for f0, f1 in T.grid((n * 8 + 31) // 32, 32):
        with T.block("C_init"):
            vi = T.axis.spatial(n, (f0 * 32 + f1) // 8)
            vj = T.axis.spatial(8, (f0 * 32 + f1) % 8)
            T.where(f0 * 32 + f1 < n * 8)
            C[vi, vj] = T.float32(0)
        for k in range(4):
            with T.block("C_update"):
                vi = T.axis.spatial(n, (f0 * 32 + f1) // 8)
                vj = T.axis.spatial(8, (f0 * 32 + f1) % 8)
                vk = T.axis.reduce(4, k)
                T.where(f0 * 32 + f1 < n * 8)
                T.reads(C[vi, vj], A[vi, vk], B[vk, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)");
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

    /// Each j computes the window of three elements that it needs; its neighbours compute two of them too.
    void overlappingWindows()
    {
        constexpr const char *window = R"(
@T.prim_func
def main(A: T.Buffer((14, 4), "float32"), C: T.Buffer((2, 6), "float32")):
    B = T.alloc_buffer((14,))
    for i, k in T.grid(14, 4):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
    for i, j in T.grid(2, 6):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi * 6 + vj] + B[vi * 6 + vj + 1] + B[vi * 6 + vj + 2]
)";
        const std::string atJ = "i, j = sch.get_loops('C')\nsch.compute_at('B', j)\n";
        checkRefused(window, atJ + "sch.decompose_reduction('B', i)", "schedule.reduction-repeated",
                     "within 'i'");
        checkRefused(window, atJ + "sch.decompose_reduction('B', j)", "schedule.reduction-repeated",
                     "within 'j'");
        checkSchedule(window, atJ + "sch.decompose_reduction('B', sch.get_loops('B')[2])");
        checkSchedule(window, atJ + "sch.decompose_reduction('B', sch.get_loops('B')[3])");
        checkSchedule(window, atJ
                                  + "i, j, ax, k = sch.get_loops('B')\nsch.reorder(k, ax)\n"
                                    "sch.decompose_reduction('B', k)");
        checkSchedule(window, "i, j = sch.get_loops('C')\nsch.compute_at('B', i)\n"
                              "sch.decompose_reduction('B', sch.get_loops('B')[1])");
        checkRefused(window,
                     "i, j = sch.get_loops('C')\nsch.compute_at('B', i)\n"
                     "sch.decompose_reduction('B', sch.get_loops('B')[0])",
                     "schedule.reduction-repeated");
    }

    void overlappingLoopsOfOneNest()
    {
        constexpr const char *window = R"(
@T.prim_func
def main(A: T.Buffer((9, 4), "float32"), B: T.Buffer((9,), "float32")):
    for j, a, k in T.grid(7, 3, 4):
        with T.block("B"):
            vi = T.axis.spatial(9, j + a)
            vk = T.axis.reduce(4, k)
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)";
        const std::string loops = "j, a, k = sch.get_loops('B')\n";
        checkSchedule(window, loops + "sch.reorder(a, j)");
        checkRefused(window, loops + "sch.reorder(k, j)", "schedule.reduction-repeated");
        checkSchedule(window, loops + "sch.rfactor(sch.split(k, [2, 2])[0], 0)");
        checkRefused(window, loops + "sch.decompose_reduction('B', j)", "schedule.reduction-repeated");
        checkSchedule(window, loops + "sch.reorder(k, a)\nsch.decompose_reduction('B', k)");
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

    /// The init's predicate has the terms in the other order, as TVM's has.
    void predicateOfSeveralTerms()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((7, 5, 3), "float32"), B: T.Buffer((7, 5), "float32")):
    for i_0, j_0, k, i_1, j_1 in T.grid(2, 2, 3, 4, 3):
        with T.block("B"):
            vi = T.axis.spatial(7, i_0 * 4 + i_1)
            vj = T.axis.spatial(5, j_0 * 3 + j_1)
            vk = T.axis.reduce(3, k)
            T.where(i_0 * 4 + i_1 < 7 and j_0 * 3 + j_1 < 5)
            with T.init():
                B[vi, vj] = T.float32(0)
            B[vi, vj] = B[vi, vj] + A[vi, vj, vk]
)",
                       "sch.decompose_reduction('B', sch.get_loops('B')[2])", R"(
@T.prim_func
def main(A: T.Buffer((7, 5, 3), "float32"), B: T.Buffer((7, 5), "float32")):
    for i_0, j_0 in T.grid(2, 2):
        for i_1_init, j_1_init in T.grid(4, 3):
            with T.block("B_init"):
                vi = T.axis.spatial(7, i_0 * 4 + i_1_init)
                vj = T.axis.spatial(5, j_0 * 3 + j_1_init)
                T.where(j_0 * 3 + j_1_init < 5 and i_0 * 4 + i_1_init < 7)
                T.reads()
                T.writes(B[vi, vj])
                B[vi, vj] = T.float32(0)
        for k, i_1, j_1 in T.grid(3, 4, 3):
            with T.block("B_update"):
                vi = T.axis.spatial(7, i_0 * 4 + i_1)
                vj = T.axis.spatial(5, j_0 * 3 + j_1)
                vk = T.axis.reduce(3, k)
                T.where(i_0 * 4 + i_1 < 7 and j_0 * 3 + j_1 < 5)
                T.reads(B[vi, vj], A[vi, vj, vk])
                T.writes(B[vi, vj])
                B[vi, vj] = B[vi, vj] + A[vi, vj, vk]
)");
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
