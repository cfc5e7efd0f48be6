// SPDX-License-Identifier: Apache-2.0
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

class CacheInplaceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void changedInPlace()
    {
        constexpr const char *inPlace = R"(
@T.prim_func
def main(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32")):
    for i in range(4):
        with T.block("A"):
            vi = T.axis.spatial(4, i)
            T.reads(A[vi, 0:8])
            T.writes(A[vi, 0:8])
            for j in range(8):
                A[vi, j] = A[vi, j] * T.float32(2)
    for i, j in T.grid(4, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj]
)";
        checkPrimitive(inPlace, "before, after = sch.cache_inplace('A', 0, 'local')", R"(
@T.prim_func
def main(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32")):
    A_local = T.alloc_buffer((4, 8), scope="local")
    for i in range(4):
        for ax0, ax1 in T.grid(1, 8):
            with T.block("A_local"):
                v0 = T.axis.spatial(4, i + ax0)
                v1 = T.axis.spatial(8, ax1)
                A_local[v0, v1] = A[v0, v1]
        with T.block("A"):
            vi = T.axis.spatial(4, i)
            T.reads(A_local[vi, 0:8])
            T.writes(A_local[vi, 0:8])
            for j in range(8):
                A_local[vi, j] = A_local[vi, j] * T.float32(2)
        for ax0, ax1 in T.grid(1, 8):
            with T.block("A_local"):
                v0 = T.axis.spatial(4, i + ax0)
                v1 = T.axis.spatial(8, ax1)
                A[v0, v1] = A_local[v0, v1]
    for i, j in T.grid(4, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj]
)");
        checkRefused(inPlace, "sch.cache_inplace('B', 0, 'local')", "schedule.not-in-place", "cache_read");
        checkRefused(inPlace, "sch.cache_write('A', 0, 'local')", "schedule.reads-what-it-writes",
                     "cache_inplace");
    }

    /// A loop of one iteration has no next one that would read what this one wrote.
    void copiesOfCopiesInALoopOfOneIteration()
    {
        constexpr const char *inPlace = R"(
@T.prim_func
def main(A: T.Buffer((8,), "int32")):
    for i in range(1):
        with T.block("A"):
            T.reads(A[0:8])
            T.writes(A[0:8])
            for j in range(8):
                A[j] = A[j] * 2
)";
        checkPrimitive(inPlace, R"(
there, back = sch.cache_inplace('A', 0, 'local')
sch.cache_read(there, 0, 'global', [there])
sch.cache_write(back, 0, 'global')
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((8,), "int32")):
    A_local = T.alloc_buffer((8,), "int32", scope="local")
    A_global = T.alloc_buffer((8,), "int32")
    A_global_1 = T.alloc_buffer((8,), "int32")
    for ax0 in range(8):
        with T.block("A_global"):
            v0 = T.axis.spatial(8, ax0)
            A_global[v0] = A[v0]
    for i in range(1):
        for ax0 in range(8):
            with T.block("A_local"):
                v0 = T.axis.spatial(8, ax0)
                A_local[v0] = A_global[v0]
        with T.block("A"):
            T.reads(A_local[0:8])
            T.writes(A_local[0:8])
            for j in range(8):
                A_local[j] = A_local[j] * 2
        for ax0 in range(8):
            with T.block("A_local"):
                v0 = T.axis.spatial(8, ax0)
                A_global_1[v0] = A_local[v0]
    for ax0 in range(8):
        with T.block("A_global"):
            v0 = T.axis.spatial(8, ax0)
            A[v0] = A_global_1[v0]
)");
    }

    /// The block reads beyond the ends of what it writes, where a guard keeps it from doing so.
    void inPlaceWithinTheBuffer()
    {
        checkSchedule(R"(
@T.prim_func
def main(A: T.Buffer((6,), "float32"), C: T.Buffer((10,), "float32")):
    B = T.alloc_buffer((6,))
    for i in range(6):
        with T.block("B"):
            vi = T.axis.spatial(6, i)
            B[vi] = A[vi] * T.float32(2)
    for i in range(10):
        with T.block("C"):
            vi = T.axis.spatial(10, i)
            C[vi] = T.if_then_else(vi >= 2 and vi < 8, B[vi - 2], T.float32(0))
)",
                      "both = sch.blockize(['B', 'C'])\nsch.cache_inplace(both, 'B', 'local')");
    }

    /// Values that the next iteration reads must be back in the buffer by then.
    void readBeforeItIsWrittenBack()
    {
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((4, 12), "float32"), B: T.Buffer((4, 11), "float32")):
    for i in range(4):
        with T.block("B_o"):
            vi = T.axis.spatial(4, i)
            for j, k in T.grid(11, 2):
                with T.block("B"):
                    vj, vk = T.axis.remap("SR", [j, k])
                    T.reads(B[vi, vj], A[vi, vj + vk])
                    T.writes(B[vi, vj])
                    B[vi, vj] = B[vi, vj] + A[vi, vj + vk]
)",
                     "c, d = sch.cache_inplace('B', 0, 'global')\nsch.cache_write(d, 0, 'global')",
                     "schedule.written-between");
    }
};

QTEST_GUILESS_MAIN(CacheInplaceTest)
#include "cache_inplace_test.moc"
