// SPDX-License-Identifier: Apache-2.0
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

constexpr const char *transposed = R"(
@T.prim_func
def main(A: T.Buffer((6, 8), "float32"), B: T.Buffer((8, 6), "float32")):
    for i, j in T.grid(8, 6):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vj, vi] * T.float32(2)
)";

} // namespace

class ReindexTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The inner loop's extent depends on an outer one, which the copy needs with it.
    void copyUnderDependentLoops()
    {
        checkSchedule(R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), C: T.Buffer((4, 4), "float32")):
    B = T.alloc_buffer((4,))
    for i in range(4):
        with T.block("B"):
            vi = T.axis.spatial(4, i)
            B[vi] = A[vi] + T.float32(1)
    for i, j in T.grid(4, 4):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi] * B[vj]
)",
                      "sch.compute_at('B', sch.get_loops('C')[1])\n"
                      "sch.reindex_cache_read('B', 0, 'local', lambda i: (i // 2, i % 2))");
    }

    void ofWhatIsRead()
    {
        constexpr const char *expected = R"(
@T.prim_func
def main(A: T.Buffer((6, 8), "float32"), B: T.Buffer((8, 6), "float32")):
    A_reindex = T.alloc_buffer((8, 6))
    for ax0, ax1 in T.grid(8, 6):
        with T.block("A_reindex_reindex"):
            v0, v1 = T.axis.remap("SS", [ax0, ax1])
            A_reindex[v0, v1] = A[v1, v0]
    for i, j in T.grid(8, 6):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A_reindex[vi, vj] * T.float32(2)
)";
        checkPrimitive(transposed, "sch.reindex('B', ('read', 0))", expected);
        checkPrimitive(transposed, "sch.reindex('B', 'A')", expected);
    }

    void ofWhatIsWritten()
    {
        checkPrimitive(mmRelu, "sch.reindex('Y', ('write', 0))\nsch.reindex('Y', 'B')", R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    Y = T.alloc_buffer((8, 8))
    Y_reindex = T.alloc_buffer((8, 8))
    B_reindex = T.alloc_buffer((8, 8))
    for ax0, ax1 in T.grid(8, 8):
        with T.block("B_reindex_reindex"):
            v0, v1 = T.axis.remap("SS", [ax0, ax1])
            B_reindex[v0, v1] = B[v1, v0]
    for i, j, k in T.grid(8, 8, 8):
        with T.block("Y"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                Y_reindex[vi, vj] = T.float32(0)
            Y_reindex[vi, vj] = Y_reindex[vi, vj] + A[vi, vk] * B_reindex[vj, vk]
    for ax0, ax1 in T.grid(8, 8):
        with T.block("Y_reindex"):
            v0, v1 = T.axis.remap("SS", [ax0, ax1])
            Y[v0, v1] = Y_reindex[v0, v1]
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.max(Y[vi, vj], T.float32(0))
)");
    }

    /// The copy goes beside the shared loop, where the other block does not need the buffer.
    void besideALoopThatHoldsMore()
    {
        checkPrimitive(chain, "i, j = sch.get_loops('C')\nsch.compute_at('B', j)\nsch.reindex('B', 'A')", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    A_reindex = T.alloc_buffer((10, 12))
    for ax0, ax1 in T.grid(10, 12):
        with T.block("A_reindex_reindex"):
            v0, v1 = T.axis.remap("SS", [ax0, ax1])
            A_reindex[v0, v1] = A[v0, v1]
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A_reindex[vi, vj] * T.float32(2)
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + T.float32(1)
)");
    }

    /// Where the block touches the buffer depends on the block around it too.
    void withinABlock()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((8, 12), "float32"), B: T.Buffer((8, 12), "float32")):
    for i, j in T.grid(2, 4):
        with T.block("tile"):
            vi, vj = T.axis.remap("SS", [i, j])
            for x, y in T.grid(4, 3):
                with T.block("B"):
                    vx, vy = T.axis.remap("SS", [x, y])
                    B[vi * 4 + vx, vj * 3 + vy] = A[vi * 4 + vx, vj * 3 + vy] * T.float32(2)
)",
                       "sch.reindex('B', ('write', 0))", R"(
@T.prim_func
def main(A: T.Buffer((8, 12), "float32"), B: T.Buffer((8, 12), "float32")):
    for i, j in T.grid(2, 4):
        with T.block("tile"):
            vi, vj = T.axis.remap("SS", [i, j])
            B_reindex = T.alloc_buffer((4, 3))
            for x, y in T.grid(4, 3):
                with T.block("B"):
                    vx, vy = T.axis.remap("SS", [x, y])
                    B_reindex[vx, vy] = A[vi * 4 + vx, vj * 3 + vy] * T.float32(2)
            for ax0, ax1 in T.grid(4, 3):
                with T.block("B_reindex"):
                    v0, v1 = T.axis.remap("SS", [ax0, ax1])
                    B[vi * 4 + v0, vj * 3 + v1] = B_reindex[v0, v1]
)");
    }

    void refused()
    {
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):
    for i, j in T.grid(8, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vj, vi] + A[vi, vj]
)",
                     "sch.reindex('B', 'A')", "schedule.different-indices");
        checkRefused(stencil, "sch.reindex('B', 'A')", "schedule.out-of-bounds", "guard");
        // The copies would stand outside the loop that the two blocks share.
        const std::string shared = "i, j = sch.get_loops('C')\nsch.compute_at('B', j)\n";
        checkRefused(chain, shared + "sch.reindex('B', 'B')", "schedule.not-only-child", "reads 'B'");
        checkRefused(chain, shared + "sch.reindex('C', 'B')", "schedule.not-only-child", "writes 'B'");
        checkRefused(chain, "i, j = sch.get_loops('C')\nsch.compute_at('B', i)\nsch.reindex('C', 'C')",
                     "schedule.not-only-child", "directly");
        checkRefused(mmRelu, "sch.reindex('Y', ('read', 5))", "schedule.buffer-index");
        // The block runs in one of three rounds of a loop outside its scope; a copy back would run in all.
        const std::string rounds = "i, k = sch.get_loops('B')\nu = sch.add_unit_loop(i)\n"
                                   "sch.split(u, [3, None])\nsch.loop_partition(i, [1, None])\n";
        checkRefused(rowSum, rounds + "sch.reindex('B_i0', ('write', 0))", "schedule.predicate");
        checkRefused(rowSum, rounds + "sch.cache_write('B_i0', 0, 'local')", "schedule.predicate");
        checkRefused(
            rowSum,
            "i, k = sch.get_loops('B')\nsch.decompose_reduction('B', i)\nsch.reindex('B_update', 'B')",
            "schedule.reads-what-it-writes");
    }

    void intoOtherMemory()
    {
        checkPrimitive(chain, "sch.reindex_cache_read('C', 0, 'shared', lambda i, j: (j, i // 3, i % 3))", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    B_shared = T.alloc_buffer((12, 4, 3), scope="shared")
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(10, 12):
        with T.block("B_shared"):
            vi, vj = T.axis.remap("SS", [i, j])
            B_shared[vj, vi // 3, vi % 3] = B[vi, vj]
    for i, j in T.grid(10, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B_shared[vj, vi // 3, vi % 3] + T.float32(1)
)");
    }

    void fromOtherMemory()
    {
        checkPrimitive(mmRelu, "sch.reindex_cache_write('Y', 'Y', 'local', lambda i, j, k: [j, i])", R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    Y = T.alloc_buffer((8, 8))
    Y_local = T.alloc_buffer((8, 8), scope="local")
    for i, j, k in T.grid(8, 8, 8):
        with T.block("Y"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                Y_local[vj, vi] = T.float32(0)
            Y_local[vj, vi] = Y_local[vj, vi] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(8, 8):
        with T.block("Y_local"):
            vi, vj = T.axis.remap("SS", [i, j])
            Y[vi, vj] = Y_local[vj, vi]
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.max(Y[vi, vj], T.float32(0))
)");
    }

    void underLoopsThatAreSplit()
    {
        checkSchedule(chain, R"(
i, j = sch.get_loops("C")
sch.split(j, [None, 5])
sch.reindex_cache_read("C", 0, "local", lambda i, j: (i // 2, j, i % 2))
sch.reindex_cache_write("C", 0, "local", lambda i, j: (j, i))
)");
        checkSchedule(chain, R"(
i, j = sch.get_loops("C")
sch.compute_at("B", i)
sch.reindex_cache_read("C", 0, "local", lambda i, j: (j, i))
sch.reindex_cache_write("B", 0, "local", lambda i, j: (j, i))
)");
    }

    void refusedIntoOtherMemory()
    {
        checkRefused(chain, "sch.reindex_cache_read('C', 0, 'local', lambda i, j: (i,))",
                     "schedule.index-map-variables");
        checkRefused(mmRelu, "sch.reindex_cache_write('Y', 0, 'local', lambda i, j, k: (i, j, k))",
                     "schedule.index-map-variables");
        checkRefused(chain, "sch.reindex_cache_read('C', 0, 'local', lambda i: (i,))", "schedule.index-map");
        checkRefused(chain, "sch.reindex_cache_read('C', 0, 'local', lambda i, j: (i // 2, j))",
                     "schedule.not-injective");
        checkRefused(stencil, "sch.reindex_cache_read('B', 0, 'local', lambda i: (i,))",
                     "schedule.out-of-bounds");
        checkRefused(chain, "sch.reindex_cache_read('C', 0, 'lokal', lambda i, j: (i, j))",
                     "schedule.storage-scope", "local");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            T.reads(A[vi, 0:8])
            T.writes(B[vi])
            B[vi] = A[vi, 0] + A[vi, 7]
)",
                     "sch.reindex_cache_read('B', 0, 'local', lambda i: (i,))", "schedule.not-a-point");
    }

    /// A number in place of an index map is an index, whatever the buffer holds.
    void placeOfOneElement()
    {
        constexpr const char *program = R"(
@T.prim_func
def main(A: T.Buffer((1,), "int8"), B: T.Buffer((1,), "int8")):
    with T.block("root"):
        with T.block("B"):
            T.reads(A[0])
            T.writes(B[0])
            B[0] = A[0]
)";
        checkPrimitive(program, "sch.reindex_cache_read('B', 0, 'local', 0)", R"(
@T.prim_func
def main(A: T.Buffer((1,), "int8"), B: T.Buffer((1,), "int8")):
    with T.block("root"):
        A_local = T.alloc_buffer((1,), "int8", scope="local")
        with T.block("A_local"):
            T.reads(A[0])
            T.writes(A_local[0])
            A_local[0] = A[0]
        with T.block("B"):
            T.reads(A_local[0])
            T.writes(B[0])
            B[0] = A_local[0]
)");
        for (const char *place : {"300", "1099511627776"})
            checkRefused(program, "sch.reindex_cache_read('B', 0, 'local', " + std::string(place) + ')',
                         "schedule.index-map");
    }
};

QTEST_GUILESS_MAIN(ReindexTest)
#include "reindex_test.moc"
