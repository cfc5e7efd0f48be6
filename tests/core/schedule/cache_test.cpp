// SPDX-License-Identifier: Apache-2.0
// Copies for reading and writing in one program.
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

class CacheTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void withinALoop()
    {
        checkPrimitive(reshape, R"(
i, = sch.get_loops("C")
a, b = sch.split(i, [None, 12])
sch.compute_at("B", a)
sch.cache_write("B", 0, "local")
sch.cache_read("C", 0, "shared")
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((120,), "float32")):
    B = T.alloc_buffer((10, 12))
    B_local = T.alloc_buffer((10, 12), scope="local")
    B_shared = T.alloc_buffer((10, 12), scope="shared")
    for i_0 in range(10):
        for ax0 in range(12):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i_0, ax0])
                B_local[vi, vj] = A[vi, vj] * T.float32(2)
        for ax0, ax1 in T.grid(1, 12):
            with T.block("B_local"):
                v0 = T.axis.spatial(10, i_0 + ax0)
                v1 = T.axis.spatial(12, ax1)
                B[v0, v1] = B_local[v0, v1]
        for ax0, ax1 in T.grid(1, 12):
            with T.block("B_shared"):
                v0 = T.axis.spatial(10, i_0 + ax0)
                v1 = T.axis.spatial(12, ax1)
                B_shared[v0, v1] = B[v0, v1]
        for i_1 in range(12):
            with T.block("C"):
                vi = T.axis.spatial(120, i_0 * 12 + i_1)
                C[vi] = B_shared[vi // 12, vi % 12] + T.float32(1)
)");
    }

    void guarded()
    {
        checkSchedule(chain, R"(
i, j = sch.get_loops("C")
a, b = sch.split(j, [None, 5])
sch.compute_at("B", a)
sch.cache_write("B", 0, "local")
sch.cache_read("C", 0, "shared")
)");
        checkSchedule(symbolic, "sch.cache_write('C', 0, 'local')\nsch.cache_read('B', 0, 'local')");
    }

    void copyMovedToWhereItIsNeeded()
    {
        checkSchedule(mmRelu, R"(
b = sch.get_block("Y")
i, j, k = sch.get_loops(b)
j0, j1 = sch.split(j, [None, 4])
k0, k1 = sch.split(k, [None, 2])
sch.reorder(i, j0, k0, k1, j1)
c = sch.cache_write(b, 0, "local")
sch.reverse_compute_at(c, j0)
a = sch.cache_read(b, 0, "shared")
sch.compute_at(a, k0)
x = sch.cache_read(b, 1, "shared")
sch.compute_at(x, k0)
sch.vectorize(j1)
sch.reverse_compute_at("C", j0)
)");
    }

    void ofABlockInsideABlock()
    {
        constexpr const char *nested = R"(
@T.prim_func
def main(B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    A = T.alloc_buffer((8, 8))
    for i0, j0 in T.grid(2, 2):
        with T.block("tile"):
            i, j = T.axis.remap("SS", [i0, j0])
            for x, y in T.grid(4, 4):
                with T.block("A"):
                    vi = T.axis.spatial(8, i * 4 + x)
                    vj = T.axis.spatial(8, j * 4 + y)
                    A[vi, vj] = T.float32(1)
            for x, y in T.grid(4, 4):
                with T.block("B"):
                    vi = T.axis.spatial(8, i * 4 + x)
                    vj = T.axis.spatial(8, j * 4 + y)
                    B[vi, vj] = A[vi, vj] + T.float32(1)
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj] * T.float32(2)
)";
        checkPrimitive(nested, "sch.cache_read('B', 0, 'local')\nsch.cache_write('tile', 0, 'global')", R"(
@T.prim_func
def main(B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    A = T.alloc_buffer((8, 8))
    A_global = T.alloc_buffer((8, 8))
    for i0, j0 in T.grid(2, 2):
        with T.block("tile"):
            i, j = T.axis.remap("SS", [i0, j0])
            T.reads(A_global[i * 4:i * 4 + 4, j * 4:j * 4 + 4])
            T.writes(A_global[i * 4:i * 4 + 4, j * 4:j * 4 + 4], B[i * 4:i * 4 + 4, j * 4:j * 4 + 4])
            A_local = T.alloc_buffer((4, 4), scope="local")
            for x, y in T.grid(4, 4):
                with T.block("A"):
                    vi = T.axis.spatial(8, i * 4 + x)
                    vj = T.axis.spatial(8, j * 4 + y)
                    A_global[vi, vj] = T.float32(1)
            for ax0, ax1 in T.grid(4, 4):
                with T.block("A_local"):
                    v0, v1 = T.axis.remap("SS", [ax0, ax1])
                    A_local[v0, v1] = A_global[i * 4 + v0, j * 4 + v1]
            for x, y in T.grid(4, 4):
                with T.block("B"):
                    vi = T.axis.spatial(8, i * 4 + x)
                    vj = T.axis.spatial(8, j * 4 + y)
                    B[vi, vj] = A_local[vi - i * 4, vj - j * 4] + T.float32(1)
    for ax0, ax1 in T.grid(8, 8):
        with T.block("A_global"):
            v0, v1 = T.axis.remap("SS", [ax0, ax1])
            A[v0, v1] = A_global[v0, v1]
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj] * T.float32(2)
)");
    }

    void refused()
    {
        checkRefused(mmRelu, "sch.cache_read('Y', 2, 'local')", "schedule.buffer-index", "0 is 'A'");
        checkRefused(mmRelu, "sch.cache_write('Y', -1, 'local')", "schedule.buffer-index");
        checkRefused(mmRelu, "sch.cache_read('Y', 0, 'locale')", "schedule.storage-scope", "local");
        checkRefused(mmRelu, "sch.cache_read('Y', 'C', 'local')", "schedule.argument", "'A'");
        checkRefused(mmRelu,
                     "b = sch.get_block('Y')\ni, j, k = sch.get_loops(b)\nsch.decompose_reduction(b, k)\n"
                     "sch.cache_write(b, 0, 'local')",
                     "schedule.several-writers", "decompose");
        checkRefused(mmRelu, "sch.cache_read('root', 0, 'local')", "schedule.root-block");
    }
};

QTEST_GUILESS_MAIN(CacheTest)
#include "cache_test.moc"
