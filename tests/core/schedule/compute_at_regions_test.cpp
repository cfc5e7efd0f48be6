// SPDX-License-Identifier: Apache-2.0
// How much of the producer is computed at the loop of its consumer.
#include "core/analysis/kernel/index.h"
#include "core/ir/build/builder.h"
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

class ComputeAtRegionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stencilTakesItsBorder()
    {
        checkPrimitive(
            stencil, "i, r = sch.get_loops('C')\na, b = sch.split(i, [None, 4])\nsch.compute_at('B', a)", R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.alloc_buffer((18,))
    for i_0 in range(4):
        for ax0 in range(6):
            with T.block("B"):
                vi = T.axis.spatial(18, i_0 * 4 + ax0)
                B[vi] = T.if_then_else(vi >= 1 and vi < 17, A[vi - 1], T.float32(0))
        for i_1, r in T.grid(4, 3):
            with T.block("C"):
                vi = T.axis.spatial(16, i_0 * 4 + i_1)
                vr = T.axis.reduce(3, r)
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + B[vi + vr]
)");
        checkSchedule(stencil,
                      "i, r = sch.get_loops('C')\na, b = sch.split(i, [None, 5])\nsch.compute_at('B', a)");
        checkSchedule(stencil, "i, r = sch.get_loops('C')\nsch.compute_at('B', r)");
    }

    void reshaped()
    {
        checkPrimitive(reshape,
                       "i, = sch.get_loops('C')\na, b = sch.split(i, [None, 12])\nsch.compute_at('B', a)", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((120,), "float32")):
    B = T.alloc_buffer((10, 12))
    for i_0 in range(10):
        for ax0 in range(12):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i_0, ax0])
                B[vi, vj] = A[vi, vj] * T.float32(2)
        for i_1 in range(12):
            with T.block("C"):
                vi = T.axis.spatial(120, i_0 * 12 + i_1)
                C[vi] = B[vi // 12, vi % 12] + T.float32(1)
)");
        checkPrimitive(reshape, "i, = sch.get_loops('C')\nsch.compute_at('B', i)", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((120,), "float32")):
    B = T.alloc_buffer((10, 12))
    for i in range(120):
        with T.block("B"):
            vi = T.axis.spatial(10, i // 12)
            vj = T.axis.spatial(12, i % 12)
            B[vi, vj] = A[vi, vj] * T.float32(2)
        with T.block("C"):
            vi = T.axis.spatial(120, i)
            C[vi] = B[vi // 12, vi % 12] + T.float32(1)
)");
    }

    void writtenBackwards()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((10, 3), "float32"), C: T.Buffer((10, 3), "float32")):
    B = T.alloc_buffer((10, 3))
    for i, j in T.grid(10, 3):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[9 - vi, vj] = A[vi, vj]
    for i, j in T.grid(10, 3):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj]
)",
                       "sch.compute_at('B', sch.get_loops('C')[0])", R"(
@T.prim_func
def main(A: T.Buffer((10, 3), "float32"), C: T.Buffer((10, 3), "float32")):
    B = T.alloc_buffer((10, 3))
    for i in range(10):
        for ax0 in range(3):
            with T.block("B"):
                vi = T.axis.spatial(10, 9 - i)
                vj = T.axis.spatial(3, ax0)
                B[9 - vi, vj] = A[vi, vj]
        for j in range(3):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vi, vj]
)");
    }

    /// A tile of a padded window begins before the edge at one end and ends behind it at the other.
    void paddedWindow()
    {
        checkSchedule(R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), D: T.Buffer((16,), "float32")):
    B = T.alloc_buffer((16,))
    for i in range(16):
        with T.block("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi]
    for i0, i1, k in T.grid(4, 4, 3):
        with T.block("D"):
            vi = T.axis.spatial(16, i0 * 4 + i1)
            vk = T.axis.reduce(3, k)
            with T.init():
                D[vi] = T.float32(0)
            D[vi] = D[vi] + T.if_then_else(1 <= vi + vk and vi + vk < 17, B[vi + vk - 1], T.float32(0))
)",
                      "sch.compute_at('B', sch.get_loops('D')[0])");
    }

    void onlyWhatIsReadOfAnEdge()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), D: T.Buffer((87,), "float32")):
    B = T.alloc_buffer((16,))
    for i in range(16):
        with T.block("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi]
    for u in range(1):
        for i in range(87):
            with T.block("D"):
                vi = T.axis.spatial(87, i)
                D[vi] = T.if_then_else(85 <= vi, B[vi - 85], T.float32(0))
)",
                       "sch.compute_at('B', sch.get_loops('D')[0])", R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), D: T.Buffer((87,), "float32")):
    B = T.alloc_buffer((16,))
    for u in range(1):
        for ax0 in range(2):
            with T.block("B"):
                vi = T.axis.spatial(16, ax0)
                B[vi] = A[vi]
        for i in range(87):
            with T.block("D"):
                vi = T.axis.spatial(87, i)
                D[vi] = T.if_then_else(85 <= vi, B[vi - 85], T.float32(0))
)");
    }

    /// Of 86 elements only the last reads B, and of B only the first.
    void oneElementOfAnEdge()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), D: T.Buffer((86,), "float32")):
    B = T.alloc_buffer((16,))
    for i in range(16):
        with T.block("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi]
    for u in range(1):
        for i in range(86):
            with T.block("D"):
                vi = T.axis.spatial(86, i)
                D[vi] = T.if_then_else(85 <= vi, B[vi - 85], T.float32(0))
)",
                       "sch.compute_at('B', sch.get_loops('D')[0])", R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), D: T.Buffer((86,), "float32")):
    B = T.alloc_buffer((16,))
    for u in range(1):
        with T.block("B"):
            vi = T.axis.spatial(16, 0)
            B[vi] = A[vi]
        for i in range(86):
            with T.block("D"):
                vi = T.axis.spatial(86, i)
                D[vi] = T.if_then_else(85 <= vi, B[vi - 85], T.float32(0))
)");
    }

    void guardedTile()
    {
        checkPrimitive(
            chain, "i, j = sch.get_loops('C')\na, b = sch.split(j, [None, 5])\nsch.compute_at('B', a)", R"(
@T.prim_func
def main(A: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    B = T.alloc_buffer((10, 12))
    for i, j_0 in T.grid(10, 3):
        for ax0 in range(5):
            with T.block("B"):
                vi = T.axis.spatial(10, i)
                vj = T.axis.spatial(12, j_0 * 5 + ax0)
                T.where(j_0 * 5 + ax0 < 12)
                B[vi, vj] = A[vi, vj] * T.float32(2)
        for j_1 in range(5):
            with T.block("C"):
                vi = T.axis.spatial(10, i)
                vj = T.axis.spatial(12, j_0 * 5 + j_1)
                T.where(j_0 * 5 + j_1 < 12)
                C[vi, vj] = B[vi, vj] + T.float32(1)
)");
    }

    /// Threads of one block fill memory that they share together; global memory each fills for itself.
    void threadsShareWhatTheyFill()
    {
        const auto extentIn = [](const std::string &scope) {
            std::string program = R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    B = T.alloc_buffer((64,), "float32", scope="SCOPE")
    for i in range(64):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B[vi] = A[vi] + T.float32(1)
    for b in T.thread_binding(4, thread="blockIdx.x"):
        for v in T.thread_binding(2, thread="vthread.x"):
            for t in T.thread_binding(4, thread="threadIdx.x"):
                for i in range(2):
                    with T.block("C"):
                        vi = T.axis.spatial(64, b * 16 + v * 8 + t * 2 + i)
                        C[vi] = B[vi]
)";
            program.replace(program.find("SCOPE"), 5, scope);
            checkSchedule(program, "sch.compute_at('B', sch.get_loops('C')[2])");
            const auto run = schedule::runScheduleScript(
                scheduled(program), "sch.compute_at('B', sch.get_loops('C')[2])\nsch.get_loops('B')", "");
            const analysis::FunctionIndex index(run->state.module.functions().front().function);
            const ir::For *loop = index.loop(*run->steps.back().outputs.back().as<support::StmtId>());
            return *ir::asInt(loop->extent);
        };
        QCOMPARE(extentIn("global"), 2);
        QCOMPARE(extentIn("shared"), 16);
        QCOMPARE(extentIn("warp"), 8);
        QCOMPARE(extentIn("local"), 2);
    }

    void howOftenALoopRunsIsNotLeftToData()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((8, 4), "float32"), P: T.Buffer((8,), "int32"), C: T.Buffer((8, 4), "float32")):
    B = T.alloc_buffer((8, 4))
    for i, j in T.grid(8, 4):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(8, 4):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[P[vi] % 8, vj] + B[vi, vj]
)",
                       "sch.compute_at('B', sch.get_loops('C')[1])", R"(
@T.prim_func
def main(A: T.Buffer((8, 4), "float32"), P: T.Buffer((8,), "int32"), C: T.Buffer((8, 4), "float32")):
    B = T.alloc_buffer((8, 4))
    for i, j in T.grid(8, 4):
        for ax0 in range(8):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [ax0, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[P[vi] % 8, vj] + B[vi, vj]
)");
    }

    /// Nor is where it begins, where a consumer's guard keeps the data from being read beyond their buffer.
    void whereALoopBeginsIsNotReadBeyondABuffer()
    {
        const auto loopsOfB = [](std::string_view value) {
            std::string program = R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), P: T.Buffer((4,), "int32"), C: T.Buffer((4,), "float32")):
    B = T.alloc_buffer((8,))
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] * T.float32(2)
    for i in range(4):
        with T.block("C"):
            vi = T.axis.spatial(4, i)
            C[vi] = VALUE
)";
            program.replace(program.find("VALUE"), 5, value);
            const std::string at = "sch.compute_at('B', sch.get_loops('C')[0])";
            checkSchedule(program, at);
            const auto run = schedule::runScheduleScript(scheduled(program), at + "\nsch.get_loops('B')", "");
            return run->steps.back().outputs.size();
        };
        QCOMPARE(loopsOfB("B[P[vi] % 8]"), std::size_t{1}); // that of C alone
        QCOMPARE(loopsOfB("T.if_then_else(vi >= 1, B[P[vi - 1] % 8], T.float32(0))"), std::size_t{2});
    }

    /// In an iteration that makes nothing, nothing is read: places that depend on it would be any.
    void onlyWhereSomethingIsMade()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((3,), "int32"), D: T.Buffer((3,), "float32"), C: T.Buffer((3,), "float32")):
    B = T.alloc_buffer((3,), "int32")
    for i in range(3):
        with T.block("B"):
            v = T.axis.spatial(3, i)
            B[v] = T.max(T.min(A[v], 2), 0)
    for i in range(3):
        with T.block("C"):
            v = T.axis.spatial(3, i)
            C[v] = D[B[v]]
)",
                       R"(
i0, i1 = sch.split(sch.get_loops('B')[0], [None, 1])
o, p = sch.split(i1, [None, 3])
sch.reverse_compute_at('C', p)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((3,), "int32"), D: T.Buffer((3,), "float32"), C: T.Buffer((3,), "float32")):
    B = T.alloc_buffer((3,), "int32")
    for i0, i1_0, i1_1 in T.grid(3, 1, 3):
        with T.block("B"):
            v = T.axis.spatial(3, i0 + (i1_0 * 3 + i1_1))
            T.where(i1_0 * 3 + i1_1 < 1)
            B[v] = T.max(T.min(A[v], 2), 0)
        with T.block("C"):
            v = T.axis.spatial(3, i0 + i1_1)
            T.where(i0 + i1_1 < 3 and i1_1 < 1)
            C[v] = D[B[v]]
)");
    }
};

QTEST_GUILESS_MAIN(ComputeAtRegionsTest)
#include "compute_at_regions_test.moc"
