// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/walk.h"
#include "tests/support/check_primitive.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

/// B = A * 2 in three dimensions.
constexpr const char *cube = R"(
@T.prim_func
def main(A: T.Buffer((16, 18, 20), "float32"), B: T.Buffer((16, 18, 20), "float32")):
    for i, j, k in T.grid(16, 18, 20):
        with T.block("B"):
            vi, vj, vk = T.axis.remap("SSS", [i, j, k])
            B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2)
)";

/// The same with a block without variables around it.
constexpr const char *opaque = R"(
@T.prim_func
def main(A: T.Buffer((16, 18, 20), "float32"), B: T.Buffer((16, 18, 20), "float32")):
    for i, j, k in T.grid(16, 18, 20):
        with T.block("opaque"):
            T.reads(A[i, j, k])
            T.writes(B[i, j, k])
            with T.block("B"):
                vi, vj, vk = T.axis.remap("SSS", [i, j, k])
                T.reads(A[vi, vj, vk])
                T.writes(B[vi, vj, vk])
                B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2)
)";

/// A loop that begins at 2, and a reader of its results.
constexpr const char *shifted = R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.alloc_buffer((16,))
    for i in range(16):
        with T.block("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi] + T.float32(1)
    for i in range(2, 14):
        with T.block("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = B[vi] + B[15 - vi]
)";

/// Sums of rows of symbolic number.
constexpr const char *sums = R"(
@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n, 12), "float32")
    B = T.match_buffer(b, (n,), "float32")
    for i, k in T.grid(n, 12):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)";

} // namespace

class LoopPartitionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyLengthGiven()
    {
        checkPrimitive(cube, R"(
i, j, k = sch.get_loops('B')
sch.loop_partition(i, [2, 5])
i, j, k = sch.get_loops('B_i1')
sch.loop_partition(j, factors=[4])
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((16, 18, 20), "float32"), B: T.Buffer((16, 18, 20), "float32")):
    with T.block("root"):
        T.reads()
        T.writes()
        with T.block("B_i_common"):
            T.reads()
            T.writes()
            with T.block("B_i0_partition"):
                T.reads()
                T.writes()
                for i0, j, k in T.grid(2, 18, 20):
                    with T.block("B_i0"):
                        vi, vj, vk = T.axis.remap("SSS", [i0, j, k])
                        T.reads(A[0:2, 0:18, 0:20])
                        T.writes(B[0:2, 0:18, 0:20])
                        B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2.0)
            with T.block("B_i1_partition"):
                T.reads()
                T.writes()
                for i1 in range(2, 7):
                    with T.block("B_i1_j_common"):
                        T.reads()
                        T.writes()
                        with T.block("B_i1_j0_partition"):
                            T.reads()
                            T.writes()
                            for j0, k in T.grid(4, 20):
                                with T.block("B_i1_j0"):
                                    vi, vj, vk = T.axis.remap("SSS", [i1, j0, k])
                                    T.reads(A[2:7, 0:4, 0:20])
                                    T.writes(B[2:7, 0:4, 0:20])
                                    B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2.0)
                        with T.block("B_i1_j1_partition"):
                            T.reads()
                            T.writes()
                            for j1 in range(4, 18):
                                for k in range(20):
                                    with T.block("B_i1_j1"):
                                        vi, vj, vk = T.axis.remap("SSS", [i1, j1, k])
                                        T.reads(A[2:7, 4:18, 0:20])
                                        T.writes(B[2:7, 4:18, 0:20])
                                        B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2.0)
            with T.block("B_i2_partition"):
                T.reads()
                T.writes()
                for i2 in range(7, 16):
                    for j, k in T.grid(18, 20):
                        with T.block("B_i2"):
                            vi, vj, vk = T.axis.remap("SSS", [i2, j, k])
                            T.reads(A[7:16, 0:18, 0:20])
                            T.writes(B[7:16, 0:18, 0:20])
                            B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2.0)
)");
    }

    void oneLengthOpen()
    {
        checkPrimitive(cube, R"(
i, j, k = sch.get_loops('B')
x, y, z = sch.loop_partition(i, [None, 1, 6])
sch.parallel(x)
sch.loop_partition(sch.get_loops('B_i1')[2], [1, 6, None])
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((16, 18, 20), "float32"), B: T.Buffer((16, 18, 20), "float32")):
    with T.block("root"):
        T.reads()
        T.writes()
        with T.block("B_i_common"):
            T.reads()
            T.writes()
            with T.block("B_i0_partition"):
                T.reads()
                T.writes()
                for i0 in T.parallel(9):
                    for j, k in T.grid(18, 20):
                        with T.block("B_i0"):
                            vi, vj, vk = T.axis.remap("SSS", [i0, j, k])
                            T.reads(A[0:9, 0:18, 0:20])
                            T.writes(B[0:9, 0:18, 0:20])
                            B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2.0)
            with T.block("B_i1_partition"):
                T.reads()
                T.writes()
                for i1 in range(9, 10):
                    for j in range(18):
                        with T.block("B_i1_k_common"):
                            T.reads()
                            T.writes()
                            with T.block("B_i1_k0_partition"):
                                T.reads()
                                T.writes()
                                for k0 in range(1):
                                    with T.block("B_i1_k0"):
                                        vi, vj, vk = T.axis.remap("SSS", [i1, j, k0])
                                        T.reads(A[9, 0:18, 0])
                                        T.writes(B[9, 0:18, 0])
                                        B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2.0)
                            with T.block("B_i1_k1_partition"):
                                T.reads()
                                T.writes()
                                for k1 in range(1, 7):
                                    with T.block("B_i1_k1"):
                                        vi, vj, vk = T.axis.remap("SSS", [i1, j, k1])
                                        T.reads(A[9, 0:18, 1:7])
                                        T.writes(B[9, 0:18, 1:7])
                                        B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2.0)
                            with T.block("B_i1_k2_partition"):
                                T.reads()
                                T.writes()
                                for k2 in range(7, 20):
                                    with T.block("B_i1_k2"):
                                        vi, vj, vk = T.axis.remap("SSS", [i1, j, k2])
                                        T.reads(A[9, 0:18, 7:20])
                                        T.writes(B[9, 0:18, 7:20])
                                        B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2.0)
            with T.block("B_i2_partition"):
                T.reads()
                T.writes()
                for i2 in range(10, 16):
                    for j, k in T.grid(18, 20):
                        with T.block("B_i2"):
                            vi, vj, vk = T.axis.remap("SSS", [i2, j, k])
                            T.reads(A[10:16, 0:18, 0:20])
                            T.writes(B[10:16, 0:18, 0:20])
                            B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2.0)
)");
    }

    /// As in a program that is lowered.
    void aLoopWithoutBlocksHasNoParts()
    {
        const auto state = schedule::makeState(tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    for i in range(16):
        A[i] = T.float32(1)
)"))
                               .value();
        ir::StmtId loop;
        ir::forEachStmt(state.module.mainEntry()->function->body, [&](const ir::Stmt &s) {
            if (const auto *found = s.as<ir::For>())
                loop = found->id;
            return true;
        });
        const auto step =
            schedule::makeStep("loop_partition", {{"loop", loop}, {"factors", schedule::ArgList{4}}});
        QCOMPARE(schedule::check(state, *step).error().code, std::string("schedule.no-block"));
    }

    void belowAnOpaqueBlock()
    {
        checkPrimitive(opaque, R"(
i, j, k = sch.get_loops('opaque')
sch.loop_partition(i, [None, 6])
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((16, 18, 20), "float32"), B: T.Buffer((16, 18, 20), "float32")):
    with T.block("root"):
        T.reads()
        T.writes()
        with T.block("opaque_i_common"):
            T.reads()
            T.writes()
            with T.block("opaque_i0_partition"):
                T.reads()
                T.writes()
                for i0, j, k in T.grid(10, 18, 20):
                    with T.block("opaque_i0"):
                        T.reads(A[i0, j, k])
                        T.writes(B[i0, j, k])
                        with T.block("B_i0"):
                            vi, vj, vk = T.axis.remap("SSS", [i0, j, k])
                            T.reads(A[0:10, 0:18, 0:20])
                            T.writes(B[0:10, 0:18, 0:20])
                            B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2.0)
            with T.block("opaque_i1_partition"):
                T.reads()
                T.writes()
                for i1 in range(10, 16):
                    for j, k in T.grid(18, 20):
                        with T.block("opaque_i1"):
                            T.reads(A[i1, j, k])
                            T.writes(B[i1, j, k])
                            with T.block("B_i1"):
                                vi, vj, vk = T.axis.remap("SSS", [i1, j, k])
                                T.reads(A[10:16, 0:18, 0:20])
                                T.writes(B[10:16, 0:18, 0:20])
                                B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2.0)
)");
    }

    /// Each part has memory of its own.
    void allocationsWithin()
    {
        checkSchedule(cube, R"(
i, j, k = sch.get_loops('B')
outer = sch.blockize(j)
sch.cache_read('B', 0, 'local')
sch.loop_partition(sch.get_loops(outer)[0], [4, None])
)");
    }

    void composedBindingsKeepTheirDomain()
    {
        checkPrimitive(cube, R"(
i, j, k = sch.get_loops('B')
i0, i1 = sch.split(i, [None, 4])
sch.loop_partition(i0, [1, None])
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((16, 18, 20), "float32"), B: T.Buffer((16, 18, 20), "float32")):
    with T.block("root"):
        T.reads()
        T.writes()
        with T.block("B_i_0_common"):
            T.reads()
            T.writes()
            with T.block("B_i_00_partition"):
                T.reads()
                T.writes()
                for i_00, i_1, j, k in T.grid(1, 4, 18, 20):
                    with T.block("B_i_00"):
                        vi = T.axis.spatial(16, i_00 * 4 + i_1)
                        vj, vk = T.axis.remap("SS", [j, k])
                        T.reads(A[vi, vj, vk])
                        T.writes(B[vi, vj, vk])
                        B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2.0)
            with T.block("B_i_01_partition"):
                T.reads()
                T.writes()
                for i_01 in range(1, 4):
                    for i_1, j, k in T.grid(4, 18, 20):
                        with T.block("B_i_01"):
                            vi = T.axis.spatial(16, i_01 * 4 + i_1)
                            vj, vk = T.axis.remap("SS", [j, k])
                            T.reads(A[vi, vj, vk])
                            T.writes(B[vi, vj, vk])
                            B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2.0)
)");
    }

    void loopsMayBeginAnywhere()
    {
        checkPrimitive(shifted, R"(
i, = sch.get_loops('C')
sch.loop_partition(i, [3, None])
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.alloc_buffer((16,))
    for i in range(16):
        with T.block("B"):
            vi = T.axis.spatial(16, i)
            T.reads(A[vi])
            T.writes(B[vi])
            B[vi] = A[vi] + T.float32(1.0)
    with T.block("C_i_common"):
        T.reads()
        T.writes()
        with T.block("C_i0_partition"):
            T.reads()
            T.writes()
            for i0 in range(2, 5):
                with T.block("C_i0"):
                    vi = T.axis.spatial((2, 5), i0)
                    T.reads(B[T.min(vi, 15 - vi):T.min(vi, 15 - vi)
                              + (T.max(vi, 15 - vi) + 1 - T.min(vi, 15 - vi))])
                    T.writes(C[2:5])
                    C[vi] = B[vi] + B[15 - vi]
        with T.block("C_i1_partition"):
            T.reads()
            T.writes()
            for i1 in range(5, 14):
                with T.block("C_i1"):
                    vi = T.axis.spatial((5, 14), i1)
                    T.reads(B[T.min(vi, 15 - vi):T.min(vi, 15 - vi)
                              + (T.max(vi, 15 - vi) + 1 - T.min(vi, 15 - vi))])
                    T.writes(C[5:14])
                    C[vi] = B[vi] + B[15 - vi]
)");
    }

    void readersStillWait()
    {
        checkSchedule(shifted, R"(
sch.loop_partition(sch.get_loops("B")[0], [3, None])
reader, = sch.get_consumers("B_i_common")
sch.get_loops(reader)
)");
    }

    void refused()
    {
        checkRefused(cube, R"(
i, j, k = sch.get_loops('B')
sch.loop_partition(i, [1000, 2])
)",
                     "schedule.factors-too-large", "leave");
        checkRefused(cube, R"(
i, j, k = sch.get_loops('B')
sch.loop_partition(i, [9, 7])
)",
                     "schedule.factors-too-large");
        checkRefused(cube, R"(
i, j, k = sch.get_loops('B')
sch.loop_partition(i, [9223372036854775807, 9223372036854775807])
)",
                     "schedule.factors-too-large");
        checkRefused(cube, R"(
i, j, k = sch.get_loops('B')
sch.loop_partition(i, [None, None])
)",
                     "schedule.factors");
        checkRefused(cube, R"(
i, j, k = sch.get_loops('B')
sch.loop_partition(i, [0, None])
)",
                     "schedule.factor-not-positive");
        checkRefused(cube, R"(
i, j, k = sch.get_loops('B')
sch.bind(i, 'threadIdx.x')
sch.loop_partition(i, [2])
)",
                     "schedule.loop-thread-bound");
        checkRefused(cube, R"(
i, j, k = sch.get_loops('B')
sch.annotate(i, 'a', 1)
sch.loop_partition(i, [2])
)",
                     "schedule.loop-annotated", "unannotate");
        checkRefused(sums, R"(
i, k = sch.get_loops('B')
sch.loop_partition(i, [2, None])
)",
                     "schedule.symbolic-loop");
        checkRefused(sums, R"(
i, k = sch.get_loops('B')
sch.loop_partition(k, [2, None])
)",
                     "schedule.partitioned-reduction", "decompose_reduction");
    }
};

QTEST_GUILESS_MAIN(LoopPartitionTest)
#include "loop_partition_test.moc"
