// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/apply.h"
#include "core/schedule/script/reader.h"
#include "core/schedule/state_index.h"
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

/// A tile for each thread, and another loop outside.
constexpr std::string_view threads = R"(
@T.prim_func
def main(A: T.Buffer((16, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((16, 8), "float32")):
    for x in T.thread_binding(2, thread="blockIdx.x"):
        for t in T.thread_binding(4, thread="threadIdx.x"):
            for k0 in range(2):
                for k1, i, j in T.grid(4, 2, 8):
                    with T.block("C"):
                        vi = T.axis.spatial(16, x * 8 + t * 2 + i)
                        vj = T.axis.spatial(8, j)
                        vk = T.axis.reduce(8, k0 * 4 + k1)
                        T.reads(A[vi, vk], B[vk, vj])
                        T.writes(C[vi, vj])
                        with T.init():
                            C[vi, vj] = T.float32(0)
                        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)";

} // namespace

class ReadWriteAtTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anUpdateBelowItsInitGetsNoFreshMemory()
    {
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((4, 3), "float32"), B: T.Buffer((4,), "float32")):
    for k, i in T.grid(3, 4):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)",
                     R"(
outer = sch.blockize(sch.get_loops("B")[1])
sch.write_at(sch.get_loops("B")[0], "B", 0, "shared")
)",
                     "schedule.reads-what-it-writes");
    }

    void readOfARow()
    {
        checkPrimitive(chain,
                       "i, j = sch.get_loops('C')\nb = sch.read_at(i, sch.get_block('C'), 0, 'shared')", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    B_shared = T.alloc_buffer((10, 12), scope="shared")
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i in range(10):
        with T.block("B_shared"):
            v0 = T.axis.spatial(10, i)
            T.reads(B[v0, 0:12])
            T.writes(B_shared[v0, 0:12])
            T.block_attr({"auto_copy": True})
            for ax0, ax1 in T.grid(1, 12):
                B_shared[v0 + ax0, ax1] = B[v0 + ax0, ax1]
        for j in range(12):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B_shared[vi, vj] + T.float32(1)
)");
    }

    void writeOfARow()
    {
        checkPrimitive(chain, "sch.write_at(sch.get_loops('C')[0], 'C', 0, 'local')", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    C_local = T.alloc_buffer((10, 12), scope="local")
    for i, j in T.grid(10, 12):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i in range(10):
        for j in range(12):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C_local[vi, vj] = B[vi, vj] + T.float32(1)
        with T.block("C_local"):
            v0 = T.axis.spatial(10, i)
            T.reads(C_local[v0, 0:12])
            T.writes(C[v0, 0:12])
            T.block_attr({"auto_copy": True})
            for ax0, ax1 in T.grid(1, 12):
                C[v0 + ax0, ax1] = C_local[v0 + ax0, ax1]
)");
    }

    void sharedMemoryIsFilledForAllThreads()
    {
        checkPrimitive(threads, R"(
x, t, k0, k1, i, j = sch.get_loops("C")
sch.read_at(k0, sch.get_block("C"), 0, "shared")
sch.read_at(k0, sch.get_block("C"), 1, "local")
sch.write_at(t, sch.get_block("C"), 0, "shared")
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((16, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((16, 8), "float32")):
    A_shared = T.alloc_buffer((16, 8), scope="shared")
    B_local = T.alloc_buffer((8, 8), scope="local")
    C_shared = T.alloc_buffer((16, 8), scope="shared")
    for x in T.thread_binding(2, thread="blockIdx.x"):
        for t in T.thread_binding(4, thread="threadIdx.x"):
            for k0 in range(2):
                with T.block("A_shared"):
                    v0, v1 = T.axis.remap("SS", [x, k0])
                    T.reads(A[v0 * 8:v0 * 8 + 8, v1 * 4:v1 * 4 + 4])
                    T.writes(A_shared[v0 * 8:v0 * 8 + 8, v1 * 4:v1 * 4 + 4])
                    T.block_attr({"auto_copy": True})
                    for ax0, ax1 in T.grid(8, 4):
                        A_shared[v0 * 8 + ax0, v1 * 4 + ax1] = A[v0 * 8 + ax0, v1 * 4 + ax1]
                with T.block("B_local"):
                    v0 = T.axis.spatial(2, k0)
                    T.reads(B[v0 * 4:v0 * 4 + 4, 0:8])
                    T.writes(B_local[v0 * 4:v0 * 4 + 4, 0:8])
                    T.block_attr({"auto_copy": True})
                    for ax0, ax1 in T.grid(4, 8):
                        B_local[v0 * 4 + ax0, ax1] = B[v0 * 4 + ax0, ax1]
                for k1, i, j in T.grid(4, 2, 8):
                    with T.block("C"):
                        vi = T.axis.spatial(16, x * 8 + t * 2 + i)
                        vj = T.axis.spatial(8, j)
                        vk = T.axis.reduce(8, k0 * 4 + k1)
                        T.reads(A_shared[vi, vk], B_local[vk, vj])
                        T.writes(C_shared[vi, vj])
                        with T.init():
                            C_shared[vi, vj] = T.float32(0)
                        C_shared[vi, vj] = C_shared[vi, vj] + A_shared[vi, vk] * B_local[vk, vj]
            with T.block("C_shared"):
                v0 = T.axis.spatial(2, x)
                T.reads(C_shared[v0 * 8:v0 * 8 + 8, 0:8])
                T.writes(C[v0 * 8:v0 * 8 + 8, 0:8])
                T.block_attr({"auto_copy": True})
                for ax0, ax1 in T.grid(8, 8):
                    C[v0 * 8 + ax0, ax1] = C_shared[v0 * 8 + ax0, ax1]
)");
    }

    void aCopyStaysWithinTheBuffer()
    {
        checkSchedule(chain, R"(
i, j = sch.get_loops("C")
j0, j1 = sch.split(j, [None, 5])
sch.read_at(j0, sch.get_block("C"), 0, "local")
)");
    }

    /// The end of the last tile is beyond what 32 bits count, the buffer's is not.
    void tilesEndWithinTheirType()
    {
        const auto run = schedule::runScheduleScript(scheduled(R"(
@T.prim_func
def main(A: T.Buffer((2147483000,), "int8"), C: T.Buffer((2147483000,), "int8")):
    for i in range(2147483000):
        with T.block("C"):
            v = T.axis.spatial(2147483000, i)
            C[v] = A[v] + T.int8(1)
)"),
                                                     R"(
o, i = sch.split(sch.get_loops("C")[0], [None, 32])
tiles, o = sch.split(o, [None, 32])
sch.read_at(tiles, sch.get_block("C"), 0, "local")
)",
                                                     "tiles.py");
        QVERIFY2(run, run ? "" : run.error().render().c_str());
        const std::string text = script::print(run->state.module).text;
        QVERIFY2(text.contains("T.min(1024, 2147483000 - v0 * 1024)"), text.c_str());
    }

    /// A condition keeps the block within its buffer; the copy would stand in all iterations.
    void tilesFarBeyondTheBufferAreRefused()
    {
        const auto run = schedule::runScheduleScript(
            scheduled(R"(
@T.prim_func
def main(A: T.Buffer((70000,), "int8"), C: T.Buffer((70000,), "int8")):
    for i0, i1 in T.grid(2147483647, 15):
        with T.block("C"):
            v = T.axis.spatial(70000, i0 * 15 + i1)
            T.where(i0 < 4667 and i0 * 15 + i1 < 70000)
            C[v] = A[v] + T.int8(1)
)"),
            R"(sch.read_at(sch.get_loops("C")[0], sch.get_block("C"), 0, "local"))", "far.py");
        QVERIFY(!run);
        QCOMPARE(run.error().code, "schedule.index-range");
        QVERIFY(run.error().message.contains("2147483647"));
    }

    /// The part behind the end of a loop has no iterations, and nothing to copy.
    void aPartThatNeverRunsHasNothingToCopy()
    {
        checkSchedule(R"(
@T.prim_func
def main(A: T.Buffer((1, 8), "float32"), C: T.Buffer((1, 8), "float32")):
    for i, j in T.grid(1, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj] + T.float32(1)
)",
                      R"(
i0, i1 = sch.split(sch.get_loops("C")[0], [4, None])
sch.loop_partition(i0, [3, None])
sch.read_at(sch.get_loops("C_i_01")[0], sch.get_block("C_i_01"), 0, "shared")
)");
    }

    void behindAProducerBelowTheSameLoop()
    {
        checkSchedule(chain, R"(
i, j = sch.get_loops("C")
sch.compute_at("B", i)
sch.read_at(i, sch.get_block("C"), 0, "shared")
)");
        checkSchedule(chain, R"(
i, j = sch.get_loops("C")
sch.compute_at("B", i)
sch.write_at(sch.get_loops("B")[-1], sch.get_block("B"), 0, "shared")
)");
    }

    void readRefuses()
    {
        const std::string_view both = R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    B = T.alloc_buffer((8, 8))
    for i in range(8):
        for j in range(8):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj]
        for j in range(8):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi, vj]
)";
        checkRefused(chain, "sch.read_at(sch.get_loops('B')[0], 'C', 0, 'local')", "schedule.no-access");
        checkRefused(chain, "sch.read_at(sch.get_loops('C')[0], 'C', 1, 'local')", "schedule.buffer-index");
        checkRefused(chain, "sch.read_at(sch.get_loops('C')[0], 'C', 0, 'memory')", "schedule.storage-scope");
        checkRefused(mmRelu,
                     "i, j, k = sch.get_loops('Y')\no = sch.blockize(j)\nl = sch.get_loops('Y_init')[-1]\n"
                     "sch.write_at(l, o, 0, 'global')",
                     "schedule.in-init");
        checkRefused(both, "sch.write_at(sch.get_loops('B')[0], 'B', 0, 'local')", "schedule.read-after",
                     "further in");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32")):
    for i in range(8):
        for j in range(8):
            with T.block("A"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = A[vi, vj] + T.float32(1)
)",
                     "sch.read_at(sch.get_loops('A')[0], 'A', 0, 'local')", "schedule.written-between");
    }

    void writeRefusesWhatWouldBeOverwritten()
    {
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((16,), "float32")):
    for i, j in T.grid(2, 4):
        with T.block("C"):
            v = T.axis.spatial(8, i * 4 + j)
            C[v * 2] = A[v]
)",
                     "sch.write_at(sch.get_loops('C')[0], 'C', 0, 'local')", "schedule.not-written",
                     "whole box");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((2, 8), "float32"), C: T.Buffer((2, 8), "float32")):
    for i, j in T.grid(2, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.where(j < 5)
            C[vi, vj] = A[vi, vj]
)",
                     "sch.write_at(sch.get_loops('C')[0], 'C', 0, 'local')", "schedule.not-written");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((2, 8), "float32"), C: T.Buffer((2, 8), "float32")):
    for i, j in T.grid(2, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(C[vi, vj])
            if A[vi, vj] > T.float32(0):
                C[vi, vj] = A[vi, vj]
)",
                     "sch.write_at(sch.get_loops('C')[0], 'C', 0, 'local')", "schedule.not-written");
    }

    void writeRefusesWhatBuildsOnTheBuffer()
    {
        checkRefused(mmRelu, R"(
i, j, k = sch.get_loops("Y")
sch.decompose_reduction("Y", k)
sch.write_at(k, sch.get_block("Y_update"), 0, "local")
)",
                     "schedule.reads-what-it-writes");
    }

    void theLoopsOfACopyAreNotScheduled()
    {
        const auto run = schedule::runAsFarAsLegal(
            scheduled(chain), "sch.read_at(sch.get_loops('C')[0], sch.get_block('C'), 0, 'local')",
            "steps.py");
        QVERIFY(!run.error);
        const schedule::State &state = run.run.state;
        const auto copy = *state.index->function("main")->blockByName("B_local");
        const auto *loop = state.index->function("main")->block(copy)->body.as<ir::For>();
        QVERIFY(loop);
        const auto step = schedule::makeStep(
            "split", {{"loop", loop->id}, {"factors", schedule::ArgList{{}, std::int64_t{5}}}});
        const auto refused = schedule::check(state, *step);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("schedule.no-block"));
    }

    void whereDataSaysWhichPartIsReadAllIsCopied()
    {
        constexpr const char *picked = R"(
@T.prim_func
def main(A: T.Buffer((8, 4), "float32"), P: T.Buffer((8,), "int32"), C: T.Buffer((8, 4), "float32")):
    for i, j in T.grid(8, 4):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[P[vi] % 8, vj]
)";
        checkSchedule(picked, "sch.read_at(sch.get_loops('C')[0], sch.get_block('C'), 0, 'local')");
        checkSchedule(picked, "sch.read_at(sch.get_loops('C')[1], sch.get_block('C'), 0, 'local')");
    }
};

QTEST_GUILESS_MAIN(ReadWriteAtTest)
#include "read_write_at_test.moc"
