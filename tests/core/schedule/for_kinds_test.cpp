// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/script/reader.h"
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

class ForKindsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void kinds()
    {
        checkPrimitive(chain, R"(
i, j = sch.get_loops("B")
sch.parallel(i)
sch.vectorize(j)
x, y = sch.get_loops("C")
sch.bind(x, "blockIdx.x")
sch.bind(loop=y, thread_axis="threadIdx.x")
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    for i in T.parallel(10):
        for j in T.vectorized(12):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)
    for i in T.thread_binding(10, thread="blockIdx.x"):
        for j in T.thread_binding(12, thread="threadIdx.x"):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi, vj] + T.float32(1)
)");
    }

    void reductionsMayBeUnrolledOrSpreadOverThreads()
    {
        checkPrimitive(mmRelu, "i, j, k = sch.get_loops('Y')\nsch.unroll(k)", R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    Y = T.alloc_buffer((8, 8))
    for i, j in T.grid(8, 8):
        for k in T.unroll(8):
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
        checkSchedule(mmRelu, "i, j, k = sch.get_loops('Y')\nsch.bind(k, 'threadIdx.x')");
    }

    void kindsReplaceEachOther()
    {
        checkSchedule(chain, "i, j = sch.get_loops('B')\nsch.parallel(i)\nsch.unroll(i)\nsch.bind(i, "
                             "'vthread.x')\nsch.parallel(i)");
    }

    /// The init of a block is no second writer in its scope.
    void blocksWithinAnInit()
    {
        checkSchedule(R"(
@T.prim_func
def main(A: T.Buffer((6, 5, 4), "float32"), B: T.Buffer((6, 5), "float32")):
    for i in range(6):
        with T.block("outer"):
            vi = T.axis.spatial(6, i)
            with T.init():
                for j in range(5):
                    with T.block("zero"):
                        vj = T.axis.spatial(5, j)
                        B[vi, vj] = T.float32(0)
            for k, j in T.grid(4, 5):
                with T.block("inner"):
                    vk, vj = T.axis.remap("RS", [k, j])
                    B[vi, vj] = B[vi, vj] + A[vi, vj, vk]
)",
                      "sch.bind(sch.get_loops('outer')[0], 'threadIdx.x')");
    }

    /// Runs for the same values write the same, so that it does not matter how often and when.
    void completeBlocksNeedNoAffineBindings()
    {
        constexpr std::string_view overlapping = R"(
@T.prim_func
def main(A: T.Buffer((50,), "float32"), C: T.Buffer((50,), "float32")):
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi = T.axis.spatial(50, i * j)
            C[vi] = A[vi] * T.float32(2)
)";
        for (const char *step : {"sch.parallel(i)", "sch.vectorize(j)", "sch.bind(i, 'threadIdx.x')"})
            checkSchedule(overlapping, std::string("i, j = sch.get_loops('C')\n") + step);
        // A symbolic extent that is not a whole number of groups of threads.
        checkSchedule(R"(
@T.prim_func
def main(a: T.handle, c: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n, 64))
    C = T.match_buffer(c, (n, 64))
    for i, j in T.grid(n, 64):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj] * T.float32(2)
)",
                      "f = sch.fuse(*sch.get_loops('C'))\na, b = sch.split(f, [None, 1024])\n"
                      "sch.bind(a, 'blockIdx.x')\nsch.bind(b, 'threadIdx.x')");
    }

    void idsStay()
    {
        const schedule::State before = scheduled(chain);
        const auto run = schedule::runScheduleScript(
            before, "i, j = sch.get_loops('B')\nsch.parallel(i)\nk, l = sch.get_loops('B')", "");
        QVERIFY(run);
        QVERIFY(run->steps[1].outputs == run->steps.back().outputs);
    }

    void refused()
    {
        checkRefused(mmRelu, "i, j, k = sch.get_loops('Y')\nsch.parallel(k)", "schedule.iter-kind",
                     "rfactor");
        checkRefused(mmRelu, "i, j, k = sch.get_loops('Y')\nsch.vectorize(k)", "schedule.iter-kind");
        checkRefused(mmRelu, "i, j, k = sch.get_loops('Y')\nf = sch.fuse(j, k)\nsch.parallel(f)",
                     "schedule.iter-kind");
        checkRefused(mmRelu, "i, j, k = sch.get_loops('Y')\nsch.bind(k, 'blockIdx.x')", "schedule.iter-kind");
        checkRefused(mmRelu, "i, j, k = sch.get_loops('Y')\nsch.bind(i, 'blockIdx.q')",
                     "schedule.thread-axis", "blockIdx.x");
        checkRefused(mmRelu,
                     "b = sch.get_block('Y')\ni, j, k = sch.get_loops(b)\nsch.decompose_reduction(b, "
                     "k)\nsch.parallel(i)",
                     "analysis.not-complete-or-reduction", "decompose_reduction");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((50,), "float32"), C: T.Buffer((50,), "float32")):
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi = T.axis.spatial(50, i * j)
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + A[vi]
)",
                     "i, j = sch.get_loops('C')\nsch.parallel(i)", "analysis.not-affine");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("A"):
            vi = T.axis.spatial(8, i)
            A[vi] = A[vi] + T.float32(1)
)",
                     "i, = sch.get_loops('A')\nsch.vectorize(i)", "analysis.not-complete-or-reduction");
    }

    /// The element written depends on data; the other loop is told by the index.
    void scattered()
    {
        constexpr std::string_view scatter = R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), I: T.Buffer((8,), "int32"), B: T.Buffer((8, 8), "float32")):
    for i, j in T.grid(8, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[T.max(T.min(I[vi], 7), 0), vj] = A[vi, vj]
)";
        checkRefused(scatter, "i, j = sch.get_loops('B')\nsch.parallel(i)", "analysis.parallel-conflict",
                     "depends on data");
        checkSchedule(scatter, "i, j = sch.get_loops('B')\nsch.parallel(j)");
    }

    /// Statements that a step brings below a parallel loop keep to elements of each iteration's own, whatever
    /// step it is. A loop whose iterations met before the step hinders none.
    void stepsBelowAParallelLoop()
    {
        constexpr std::string_view sums = R"(
@T.prim_func
def main(A: T.Buffer((4, 8), "float32"), C: T.Buffer((4, 4), "float32")):
    for i, j, k in T.grid(4, 4, 2):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vj * 2 + vk] * A[vi, vj * 2 + vk]
)";
        const std::string cached =
            "index, = sch.cache_index('C', 'global', 0)\ni, j, k = sch.get_loops('C')\n";
        checkSchedule(sums, cached + "sch.compute_at(index, j)");
        checkRefused(sums, cached + "sch.parallel(i)\nsch.compute_at(index, j)", "analysis.parallel-conflict",
                     "index_var_0");
        constexpr std::string_view padded = R"(
@T.prim_func
def main(A: T.Buffer((5,), "float32"), B: T.Buffer((5,), "float32")):
    for i, j in T.grid(3, 2):
        with T.block("B"):
            vi = T.axis.spatial(5, i * 2 + j)
            T.where(i * 2 + j < 5)
            B[vi] = A[vi] + T.float32(1)
)";
        const std::string loops = "i, j = sch.get_loops('B')\n";
        checkSchedule(padded, loops + "sch.parallel(i)\nsch.read_at(i, 'B', 0, 'local')");
        checkRefused(padded, loops + "sch.parallel(i)\nsch.read_at(j, 'B', 0, 'local')",
                     "analysis.parallel-conflict", "in both");
        constexpr std::string_view overlapping = R"(
@T.prim_func
def main(A: T.Buffer((36,), "float32"), C: T.Buffer((32,), "float32")):
    B = T.alloc_buffer((36,))
    for i in range(4):
        for j, k in T.grid(3, 4):
            with T.block("B"):
                v = T.axis.spatial(36, i * 8 + j * 4 + k)
                B[v] = A[v] * T.float32(2)
        for k in range(8):
            with T.block("C"):
                v = T.axis.spatial(32, i * 8 + k)
                C[v] = B[v] + T.float32(1)
)";
        const std::string tiles = "i, j, k = sch.get_loops('B')\n";
        checkSchedule(overlapping, tiles + "sch.reverse_compute_at('C', j)");
        checkSchedule(overlapping, tiles + "sch.parallel(i)\nsch.fuse(j, k)");
        checkRefused(overlapping, tiles + "sch.parallel(i)\nsch.reverse_compute_at('C', j)",
                     "analysis.parallel-conflict", "C[v]");
        // Lowering makes memory of an iteration within the parallel loop, but never within a vectorized one.
        constexpr std::string_view rounds = R"(
@T.prim_func
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    B = T.alloc_buffer((16,))
    for o in range(2):
        for i in T.parallel(4):
            for k in range(10):
                with T.block("B"):
                    v = T.axis.spatial(16, i * 2 + k)
                    B[v] = A[v] * A[v + 16]
            for k in range(2):
                with T.block("C"):
                    v = T.axis.spatial(32, i * 2 + k)
                    C[v] = B[v] + T.float32(1)
)";
        checkSchedule(rounds, "o, i, k = sch.get_loops('B')\nsch.unroll(o)");
        checkRefused(rounds, "o, i, k = sch.get_loops('B')\nsch.vectorize(o)", "analysis.parallel-conflict",
                     "B[v]");
        constexpr std::string_view meeting = R"(
@T.prim_func
def main(I: T.Buffer((8,), "int32"), B: T.Buffer((8, 8), "float32")):
    for i in T.parallel(8):
        for j in range(8):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[T.max(T.min(I[vi], 7), 0), vj] = T.float32(1) * vi
)";
        for (const char *step : {"sch.split(j, [2, 4])", "sch.split(i, [2, 4])"})
            QVERIFY(schedule::runScheduleScript(
                scheduled(meeting), std::string("i, j = sch.get_loops('B')\n") + step, "steps.py"));
    }
};

QTEST_GUILESS_MAIN(ForKindsTest)
#include "for_kinds_test.moc"
