// SPDX-License-Identifier: Apache-2.0
#include "core/ir/node/equality.h"
#include "core/script/print/printer.h"
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

class CacheReadTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
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

    /// A block within the reader keeps it from a part of the buffer: only the rest is copied, unless another
    /// reader needs all of it.
    void underThePredicateOfABlockInside()
    {
        const std::string head =
            "@T.prim_func\ndef main(A: T.Buffer((12, 24), \"float32\"), C: T.Buffer((12, "
            "24), \"float32\"), D: T.Buffer((12, 24), \"float32\")):\n";
        const std::string guarded = R"(    for i, j in T.grid(12, 24):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            with T.block("inner"):
                T.where(vi >= 1 and vi < 10 and vj < 20)
                C[vi, vj] = A[vi, vj] * T.float32(2)
)";
        const std::string whole = R"(    for i, j in T.grid(12, 24):
        with T.block("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = A[vi, vj] + T.float32(1)
)";
        const auto copied = [&](const std::string &program, const std::string &step) {
            const auto run = schedule::runScheduleScript(scheduled(program), step, "steps.py");
            const std::string text = run ? script::print(run->state.module).text : run.error().render();
            const auto at = text.find("A_local = T.alloc_buffer(");
            return at == std::string::npos ? text : text.substr(at + 25, text.find(')', at) - at - 24);
        };
        const std::string step = "sch.cache_read('C', 0, 'local')";
        checkSchedule(head + guarded, step);
        QCOMPARE(copied(head + guarded, step), "(9, 20)");
        checkSchedule(head + guarded + whole, step);
        QCOMPARE(copied(head + guarded + whole, step), "(12, 24)");
        checkSchedule(head + guarded + whole, "sch.cache_read('C', 0, 'local', ['C'])");
        QCOMPARE(copied(head + guarded + whole, "sch.cache_read('C', 0, 'local', ['C'])"), "(9, 20)");
    }

    /// The part behind the end of a buffer has no elements to copy.
    void aPartBehindTheBuffer()
    {
        const auto run = schedule::runScheduleScript(scheduled(R"(
@T.prim_func
def main(A: T.Buffer((1,), "int8"), C: T.Buffer((1,), "int8")):
    B = T.alloc_buffer((1,), "int8")
    for i in range(9, 25):
        with T.block("B"):
            T.reads(A[9:9])
            T.writes(B[9:9])
            for x in range(0):
                B[9 + x] = A[9 + x]
        with T.block("C"):
            v = T.axis.spatial((9, 25), i)
            T.where(i < 1)
            C[v] = B[v] + T.int8(1)
)"),
                                                     "sch.cache_read('C', 0, 'global')", "steps.py");
        QVERIFY2(run, run ? "" : run.error().render().c_str());
        QVERIFY(script::print(run->state.module).text.contains("for ax0 in range(0):"));
    }

    /// Iterations of a padded tile in which nothing is written would copy what others write.
    void copiesBeyondAParallelTile()
    {
        constexpr const char *two = R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.alloc_buffer((16,))
    for i in range(16):
        with T.block("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi] + T.float32(1)
    for i in range(16):
        with T.block("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = B[vi] * T.float32(2)
)";
        const std::string tiled = "i, = sch.get_loops('B')\no, p = sch.split(i, [8, 2])\n"
                                  "sch.reverse_compute_at('C', p)\nsch.parallel(o)\n";
        checkSchedule(two, tiled + "sch.cache_read('C', 0, 'local')");
        checkRefused(two, tiled + "q, r = sch.split(p, [3, 3])\nsch.cache_read('C', 0, 'local')",
                     "analysis.parallel-conflict");
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
};

QTEST_GUILESS_MAIN(CacheReadTest)
#include "cache_read_test.moc"
