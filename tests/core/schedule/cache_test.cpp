// SPDX-License-Identifier: Apache-2.0
#include "core/ir/equality.h"
#include "core/script/printer.h"
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

class CacheTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The parts of a partitioned loop lie within the loop of the reduction: a copy there would forget what
    /// it has.
    void aReductionThatGoesOnOutsideItsScope()
    {
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((6, 6), "float32"), B: T.Buffer((6,), "float32")):
    for k, j in T.grid(6, 6):
        with T.block("B"):
            vk, vj = T.axis.remap("RS", [k, j])
            with T.init():
                B[vj] = T.float32(0)
            B[vj] = B[vj] + A[vj, vk]
)",
                     "sch.loop_partition(sch.get_loops('B')[1], [None, 5])\n"
                     "sch.cache_write('B_j0', 0, 'global')",
                     "schedule.reads-what-it-writes");
    }

    void readOfAnInput()
    {
        checkPrimitive(mmRelu, "sch.cache_read('Y', 0, 'local')", R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    Y = T.alloc_buffer((8, 8))
    A_local = T.alloc_buffer((8, 8), scope="local")
    for ax0, ax1 in T.grid(8, 8):
        with T.block("A_local"):
            v0, v1 = T.axis.remap("SS", [ax0, ax1])
            A_local[v0, v1] = A[v0, v1]
    for i, j, k in T.grid(8, 8, 8):
        with T.block("Y"):
            vi = T.axis.spatial(8, i)
            vj = T.axis.spatial(8, j)
            vk = T.axis.reduce(8, k)
            with T.init():
                Y[vi, vj] = T.float32(0)
            Y[vi, vj] = Y[vi, vj] + A_local[vi, vk] * B[vk, vj]
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.max(Y[vi, vj], T.float32(0))
)");
    }

    void readOfAnIntermediate()
    {
        checkPrimitive(mmRelu, "sch.cache_read(block='C', read_buffer_index='Y', storage_scope='shared')", R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    Y = T.alloc_buffer((8, 8))
    Y_shared = T.alloc_buffer((8, 8), scope="shared")
    for i, j, k in T.grid(8, 8, 8):
        with T.block("Y"):
            vi = T.axis.spatial(8, i)
            vj = T.axis.spatial(8, j)
            vk = T.axis.reduce(8, k)
            with T.init():
                Y[vi, vj] = T.float32(0)
            Y[vi, vj] = Y[vi, vj] + A[vi, vk] * B[vk, vj]
    for ax0, ax1 in T.grid(8, 8):
        with T.block("Y_shared"):
            v0, v1 = T.axis.remap("SS", [ax0, ax1])
            Y_shared[v0, v1] = Y[v0, v1]
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.max(Y_shared[vi, vj], T.float32(0))
)");
    }

    void writeOfAReduction()
    {
        checkPrimitive(mmRelu, "sch.cache_write('Y', 0, 'global')", R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    Y = T.alloc_buffer((8, 8))
    Y_global = T.alloc_buffer((8, 8))
    for i, j, k in T.grid(8, 8, 8):
        with T.block("Y"):
            vi = T.axis.spatial(8, i)
            vj = T.axis.spatial(8, j)
            vk = T.axis.reduce(8, k)
            with T.init():
                Y_global[vi, vj] = T.float32(0)
            Y_global[vi, vj] = Y_global[vi, vj] + A[vi, vk] * B[vk, vj]
    for ax0, ax1 in T.grid(8, 8):
        with T.block("Y_global"):
            v0, v1 = T.axis.remap("SS", [ax0, ax1])
            Y[v0, v1] = Y_global[v0, v1]
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.max(Y[vi, vj], T.float32(0))
)");
    }

    void writeOfAnOutput()
    {
        checkPrimitive(chain, "sch.cache_write('C', 'C', 'local')", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    C_local = T.alloc_buffer((10, 12), scope="local")
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(10, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C_local[vi, vj] = B[vi, vj] + T.float32(1)
    for ax0, ax1 in T.grid(10, 12):
        with T.block("C_local"):
            v0, v1 = T.axis.remap("SS", [ax0, ax1])
            C[v0, v1] = C_local[v0, v1]
)");
    }

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

    void onlyForSomeConsumers()
    {
        constexpr const char *twoReaders = R"(
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
)";
        checkPrimitive(twoReaders, "sch.cache_read('D', 0, 'local', consumer_blocks=['D'])", R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32"), D: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((8,))
    B_local = T.alloc_buffer((8,), scope="local")
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] + T.float32(1)
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = B[vi] + T.float32(2)
    for ax0 in range(8):
        with T.block("B_local"):
            v0 = T.axis.spatial(8, ax0)
            B_local[v0] = B[v0]
    for i in range(8):
        with T.block("D"):
            vi = T.axis.spatial(8, i)
            D[vi] = B_local[vi] + T.float32(3)
)");
        checkSchedule(twoReaders, "sch.cache_write('B', 0, 'local', consumer_blocks=['D'])");
        checkSchedule(twoReaders, "sch.cache_write('B', 0, 'local', consumer_blocks=['C', 'D'])");
        checkRefused(twoReaders, "sch.cache_read('D', 0, 'local', consumer_blocks=['B'])",
                     "schedule.not-a-consumer");
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

    /// Where the blocks of a size divide it, no copy has to stop at the edge.
    void copyOfAPartOfWhatGrows()
    {
        checkPrimitive(R"(
@T.prim_func
def main(a: T.handle, b: T.handle, s: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n * 4,), "float32")
    B = T.match_buffer(b, (n * 4,), "float32")
    S = T.match_buffer(s, (n,), "float32")
    for i_0 in range(n):
        with T.block("o"):
            vo = T.axis.spatial(n, i_0)
            T.reads(A[vo * 4:vo * 4 + 4])
            T.writes(B[vo * 4:vo * 4 + 4])
            for i_1 in range(4):
                with T.block("B"):
                    vi = T.axis.spatial(4, i_1)
                    B[vo * 4 + vi] = A[vo * 4 + vi] * T.float32(2)
)",
                       "sch.cache_write('B', 0, 'local')", R"(
@T.prim_func
def main(a: T.handle, b: T.handle, s: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n * 4,), "float32")
    B = T.match_buffer(b, (n * 4,), "float32")
    S = T.match_buffer(s, (n,), "float32")
    for i_0 in range(n):
        with T.block("o"):
            vo = T.axis.spatial(n, i_0)
            T.reads(A[vo * 4:vo * 4 + 4])
            T.writes(B[vo * 4:vo * 4 + 4])
            B_local = T.alloc_buffer((4,), "float32", scope="local")
            for i_1 in range(4):
                with T.block("B"):
                    vi = T.axis.spatial(4, i_1)
                    B_local[vi] = A[vo * 4 + vi] * T.float32(2)
            for ax0 in range(4):
                with T.block("B_local"):
                    v0 = T.axis.spatial(4, ax0)
                    B[vo * 4 + v0] = B_local[v0]
)");
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

    void guardedReadOfABlockAround()
    {
        constexpr const char *padded = R"(
@T.prim_func
def main(A: T.Buffer((6,), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = T.if_then_else(vi >= 1 and vi < 7, A[vi - 1], T.float32(0))
)";
        checkSchedule(padded, "i, = sch.get_loops('B')\nsch.blockize(i)\nsch.cache_read('B', 0, 'local')");
        checkRefused(padded,
                     "i, = sch.get_loops('B')\no, p = sch.split(i, [2, 4])\nsch.blockize(p)\n"
                     "sch.cache_read('B', 0, 'local')",
                     "schedule.out-of-bounds", "before the block");
    }

    void initOfABlockizedReduction()
    {
        checkRefused(mmRelu,
                     "i, j, k = sch.get_loops('Y')\nsch.blockize(k)\nsch.cache_write('Y_init', 0, 'local')",
                     "schedule.in-init", "decompose_reduction");
    }

    void readersBeforeAndAfterTheWriter()
    {
        constexpr const char *before = R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] + T.float32(1)
    for i in range(8):
        with T.block("A"):
            vi = T.axis.spatial(8, i)
            A[vi] = T.float32(3)
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = A[vi]
)";
        checkSchedule(before, "sch.cache_read('B', 0, 'local', ['B'])");
        checkSchedule(before, "sch.cache_read('B', 0, 'local', ['C'])");
        checkRefused(before, "sch.cache_read('B', 0, 'local')", "schedule.written-between", "name");
        checkRefused(before, "sch.cache_read('B', 0, 'local', ['B', 'C'])", "schedule.written-between");
    }

    /// The copy would have to follow every change.
    void copyForTheWriterItself()
    {
        constexpr const char *sum = R"(
@T.prim_func
def main(A: T.Buffer((4, 12), "float32"), B: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 12):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)";
        const std::string inside = "i, k = sch.get_loops('B')\nsch.blockize(k)\n";
        checkRefused(sum, inside + "sch.cache_read('B', 0, 'local', ['B'])", "schedule.reads-what-it-writes",
                     "cache_inplace");
        checkRefused(sum,
                     inside + "c, d = sch.cache_inplace('B', 0, 'local')\nsch.cache_read(c, 0, 'shared')",
                     "schedule.written-between");
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

    /// What the next iteration reads must be back in the buffer by then.
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

    void theCopyOfAConstantStandsWithinWhatDefinesIt()
    {
        const std::string head = R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
)",
                          memory = R"(    K = T.allocate_const([0.0, 0.5, 1.0, 1.5], "float32", [4])
    B = T.decl_buffer((4,), data=K)
)";
        const auto loop = [](const char *from) {
            return std::string(R"(    for i in range(4):
        with T.block("C"):
            vi = T.axis.spatial(4, i)
            C[vi] = A[vi] + )")
                   + from + "[vi]\n";
        };
        // The interpreter has no constant memory, so nothing is run.
        const schedule::State before = scheduled(head + memory + loop("B"));
        const auto run = schedule::runScheduleScript(before, "sch.cache_read('C', 1, 'global')", "s.py");
        QVERIFY2(run, run ? "" : run.error().render().c_str());
        const schedule::State expected =
            scheduled(head + "    B_global = T.alloc_buffer((4,))\n" + memory + R"(
    for ax0 in range(4):
        with T.block("B_global"):
            v0 = T.axis.spatial(4, ax0)
            B_global[v0] = B[v0]
)" + loop("B_global"));
        const auto difference = ir::firstDifference(run->state.module, expected.module);
        QVERIFY2(!difference, (difference.value_or("") + script::print(run->state.module).text).c_str());
    }

    void boundsThatAreDataAreWhole()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((5, 4), "float32"), I: T.Buffer((5,), "int32"), B: T.Buffer((5, 4), "float32")):
    for i in range(5):
        with T.block("B_o"):
            vi = T.axis.spatial(5, i)
            T.reads(A[T.min(I[vi] % 5, vi):T.max(I[vi] % 5, vi) + 1, 0:4], I[vi])
            T.writes(B[vi, 0:4])
            for j in range(4):
                with T.block("B"):
                    vj = T.axis.spatial(4, j)
                    T.reads(A[T.min(I[vi] % 5, vi):T.max(I[vi] % 5, vi) + 1, vj], I[vi])
                    T.writes(B[vi, vj])
                    B[vi, vj] = A[I[vi] % 5, vj] + A[vi, vj]
)",
                       "sch.cache_read('B', 0, 'global')", R"(
@T.prim_func
def main(A: T.Buffer((5, 4), "float32"), I: T.Buffer((5,), "int32"), B: T.Buffer((5, 4), "float32")):
    for i in range(5):
        with T.block("B_o"):
            vi = T.axis.spatial(5, i)
            T.reads(A[T.min(I[vi] % 5, vi):T.max(I[vi] % 5, vi) + 1, 0:4], I[vi])
            T.writes(B[vi, 0:4])
            A_global = T.alloc_buffer((5, 4))
            for ax0, ax1 in T.grid(5, 4):
                with T.block("A_global"):
                    v0, v1 = T.axis.remap("SS", [ax0, ax1])
                    T.reads(A[v0, v1])
                    T.writes(A_global[v0, v1])
                    A_global[v0, v1] = A[v0, v1]
            for j in range(4):
                with T.block("B"):
                    vj = T.axis.spatial(4, j)
                    T.reads(A_global[T.min(I[vi] % 5, vi):T.max(I[vi] % 5, vi) + 1, vj], I[vi])
                    T.writes(B[vi, vj])
                    B[vi, vj] = A_global[I[vi] % 5, vj] + A_global[vi, vj]
)");
    }

    void anUpdateBelowItsInitGetsNoFreshMemory()
    {
        constexpr const char *rowSums = R"(
@T.prim_func
def main(A: T.Buffer((4, 3), "float32"), B: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 3):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)";
        const std::string blocked = R"(
sch.reorder(sch.get_loops("B")[1], sch.get_loops("B")[0])
sch.blockize(sch.get_loops("B")[1])
)";
        checkRefused(rowSums, blocked + "sch.cache_write(\"B\", 0, \"global\")",
                     "schedule.reads-what-it-writes");
        checkSchedule(rowSums, blocked + "sch.cache_write(\"B_o\", 0, \"global\")");
    }

    void aPartThatIsNoBoxIsNotWrittenBack()
    {
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 3), "float32")):
    for i, j in T.grid(2, 3):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
)",
                     R"(
sch.loop_partition(sch.fuse(*sch.get_loops("B")), [2, None])
sch.cache_write("B_i_j_fused1", 0, "shared")
)",
                     "schedule.not-written");
    }

    /// A part of a loop in which the predicate never holds.
    void nothingTouched()
    {
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((7,), "float32"), B: T.Buffer((7,), "float32")):
    for i in range(7):
        with T.block("B"):
            vi = T.axis.spatial(7, i)
            B[vi] = A[vi] * T.float32(2)
)",
                     R"(
i0, i1 = sch.split(sch.get_loops('B')[0], [6, None])
sch.loop_partition(i0, [1, None, 1])
sch.cache_write('B_i_02', 0, 'global')
)",
                     "schedule.never-touched", "'B'");
    }
};

QTEST_GUILESS_MAIN(CacheTest)
#include "cache_test.moc"
