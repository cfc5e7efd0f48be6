// SPDX-License-Identifier: Apache-2.0
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

/// Two tilings that agree on the number of tiles, both reading B.
constexpr const char *tiled = R"(
@T.prim_func
def main(A: T.Buffer((32, 32), "float32"), C: T.Buffer((32, 32), "float32"),
         D: T.Buffer((16, 16), "float32")):
    B = T.alloc_buffer((32, 32))
    for i, j in T.grid(32, 32):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i_0, j_0, i_1, j_1 in T.grid(4, 4, 8, 8):
        with T.block("C"):
            vi = T.axis.spatial(32, i_0 * 8 + i_1)
            vj = T.axis.spatial(32, j_0 * 8 + j_1)
            C[vi, vj] = B[vi, vj] + T.float32(1)
    for i_0, j_0, i_1, j_1 in T.grid(4, 4, 4, 4):
        with T.block("D"):
            vi = T.axis.spatial(16, i_0 * 4 + i_1)
            vj = T.axis.spatial(16, j_0 * 4 + j_1)
            D[vi, vj] = B[vi, vj] + T.float32(2)
)";

/// C needs all of a row of B.
constexpr const char *rows = R"(
@T.prim_func
def main(A: T.Buffer((8, 6), "float32"), B: T.Buffer((8, 6), "float32"), C: T.Buffer((8, 6), "float32")):
    for i, j in T.grid(8, 6):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + T.float32(1)
    for i, j in T.grid(8, 6):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, 5 - vj] * T.float32(2)
)";

/// C reads B from the other end; D is apart from both.
constexpr const char *crossing = R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32"),
         D: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] + T.float32(1)
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = B[7 - vi]
    for i in range(8):
        with T.block("D"):
            vi = T.axis.spatial(8, i)
            D[vi] = A[vi] * T.float32(2)
)";

} // namespace

class MergeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void outerLoops()
    {
        checkPrimitive(tiled, R"(
i = sch.get_loops('C')[0]
j = sch.get_loops('D')[0]
sch.merge(i, j)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((32, 32), "float32"), C: T.Buffer((32, 32), "float32"),
         D: T.Buffer((16, 16), "float32")):
    B = T.alloc_buffer((32, 32))
    for i, j in T.grid(32, 32):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi, vj])
            B[vi, vj] = A[vi, vj] * T.float32(2.0)
    for i_0_m in range(4):
        for j_0, i_1, j_1 in T.grid(4, 8, 8):
            with T.block("C"):
                vi = T.axis.spatial(32, i_0_m * 8 + i_1)
                vj = T.axis.spatial(32, j_0 * 8 + j_1)
                T.reads(B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, vj] + T.float32(1.0)
        for j_0, i_1, j_1 in T.grid(4, 4, 4):
            with T.block("D"):
                vi = T.axis.spatial(16, i_0_m * 4 + i_1)
                vj = T.axis.spatial(16, j_0 * 4 + j_1)
                T.reads(B[vi, vj])
                T.writes(D[vi, vj])
                D[vi, vj] = B[vi, vj] + T.float32(2.0)
)");
    }

    void nests()
    {
        checkPrimitive(tiled, R"(
i = sch.get_loops('C')[1]
j = sch.get_loops('D')[1]
m = sch.merge(i, j)
sch.parallel(m)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((32, 32), "float32"), C: T.Buffer((32, 32), "float32"),
         D: T.Buffer((16, 16), "float32")):
    B = T.alloc_buffer((32, 32))
    for i, j in T.grid(32, 32):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi, vj])
            B[vi, vj] = A[vi, vj] * T.float32(2.0)
    for i_0_m in range(4):
        for j_0_m in T.parallel(4):
            for i_1, j_1 in T.grid(8, 8):
                with T.block("C"):
                    vi = T.axis.spatial(32, i_0_m * 8 + i_1)
                    vj = T.axis.spatial(32, j_0_m * 8 + j_1)
                    T.reads(B[vi, vj])
                    T.writes(C[vi, vj])
                    C[vi, vj] = B[vi, vj] + T.float32(1.0)
            for i_1, j_1 in T.grid(4, 4):
                with T.block("D"):
                    vi = T.axis.spatial(16, i_0_m * 4 + i_1)
                    vj = T.axis.spatial(16, j_0_m * 4 + j_1)
                    T.reads(B[vi, vj])
                    T.writes(D[vi, vj])
                    D[vi, vj] = B[vi, vj] + T.float32(2.0)
)");
    }

    void orderAsGiven()
    {
        checkPrimitive(crossing, R"(
b, = sch.get_loops('B')
d, = sch.get_loops('D')
c, = sch.get_loops('C')
sch.merge(d, c)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32"),
         D: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            T.reads(A[vi])
            T.writes(B[vi])
            B[vi] = A[vi] + T.float32(1.0)
    for i_m in range(8):
        with T.block("D"):
            vi = T.axis.spatial(8, i_m)
            T.reads(A[vi])
            T.writes(D[vi])
            D[vi] = A[vi] * T.float32(2.0)
        with T.block("C"):
            vi = T.axis.spatial(8, i_m)
            T.reads(B[7 - vi])
            T.writes(C[vi])
            C[vi] = B[7 - vi]
)");
    }

    void readerAfterItsRow()
    {
        checkPrimitive(rows, R"(
b = sch.get_loops('B')[0]
c = sch.get_loops('C')[0]
sch.merge(b, c)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((8, 6), "float32"), B: T.Buffer((8, 6), "float32"), C: T.Buffer((8, 6), "float32")):
    for i_m in range(8):
        for j in range(6):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i_m, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj] + T.float32(1.0)
        for j in range(6):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i_m, j])
                T.reads(B[vi, 5 - vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, 5 - vj] * T.float32(2.0)
)");
    }

    void refused()
    {
        checkRefused(rows, R"(
b = sch.get_loops('B')[1]
c = sch.get_loops('C')[1]
sch.merge(b, c)
)",
                     "schedule.order");
        checkRefused(rows, R"(
b = sch.get_loops('B')[0]
c = sch.get_loops('C')[0]
sch.merge(c, b)
)",
                     "schedule.order");
        checkRefused(crossing, R"(
b, = sch.get_loops('B')
c, = sch.get_loops('C')
sch.merge(b, c)
)",
                     "schedule.order");
        checkRefused(crossing, R"(
b, = sch.get_loops('B')
d, = sch.get_loops('D')
sch.merge(b, d)
)",
                     "schedule.order");
        checkRefused(tiled, R"(
i = sch.get_loops('C')[1]
j = sch.get_loops('D')[2]
sch.merge(i, j)
)",
                     "schedule.nest-depth");
        checkRefused(tiled, R"(
i = sch.get_loops('B')[0]
j = sch.get_loops('D')[0]
sch.merge(i, j)
)",
                     "schedule.different-extents", "split");
        checkRefused(tiled, R"(
i, j = sch.get_loops('B')
sch.merge(i, j)
)",
                     "schedule.nested-loops", "fuse");
        checkRefused(tiled, R"(
i, j = sch.get_loops('B')
sch.merge(i, i)
)",
                     "schedule.duplicate-loop");
        checkRefused(tiled, R"(
c = sch.get_loops('C')[0]
d = sch.get_loops('D')[0]
sch.bind(c, 'threadIdx.x')
sch.merge(c, d)
)",
                     "schedule.loop-thread-bound");
    }

    void theProducerOfACachedIndexStaysBeforeItsReaders()
    {
        constexpr const char *program = R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32"), D: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = A[vi // 2]
    for i in range(8):
        with T.block("D"):
            vi = T.axis.spatial(8, i)
            D[vi] = A[vi]
)";
        // C reads the cached index without saying so: as a loop, and as a block by itself, that the merged
        // nest would pass.
        const std::string cached = "sch.cache_index('C', 'global')\n",
                          merged = "sch.merge(sch.get_loops('index_0')[0], sch.get_loops('D')[0])";
        checkRefused(program, cached + merged, "schedule.order");
        checkRefused(program, cached + "sch.blockize(sch.get_loops('C')[0])\n" + merged, "schedule.order");
        checkRefused(program, cached + "sch.merge(sch.get_loops('C')[0], sch.get_loops('index_0')[0])",
                     "schedule.order");
    }
};

QTEST_GUILESS_MAIN(MergeTest)
#include "merge_test.moc"
