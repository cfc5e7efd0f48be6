// SPDX-License-Identifier: Apache-2.0
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

class CacheWriteTest : public QObject {
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

    void initOfABlockizedReduction()
    {
        checkRefused(mmRelu,
                     "i, j, k = sch.get_loops('Y')\nsch.blockize(k)\nsch.cache_write('Y_init', 0, 'local')",
                     "schedule.in-init", "decompose_reduction");
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

    /// Elements that a condition within the block leaves alone are not copied back.
    void conditionsWithinTheBlock()
    {
        const auto program = [](const std::string &body) {
            return "@T.prim_func\ndef main(A: T.Buffer((12, 24), \"float32\"), C: T.Buffer((12, 24), "
                   "\"float32\")):\n    for i, j in T.grid(12, 24):\n        with T.block(\"C\"):\n          "
                   "  "
                   "vi, vj = T.axis.remap(\"SS\", [i, j])\n"
                   + body;
        };
        const std::string step = "sch.cache_write('C', 0, 'local')";
        checkSchedule(program(R"(            with T.block("inner"):
                T.where(vi < 10 and vj < 20)
                C[vi, vj] = A[vi, vj] * T.float32(2)
)"),
                      step);
        checkSchedule(program(R"(            if vi < 10:
                C[vi, vj] = A[vi, vj] * T.float32(2)
)"),
                      step);
        checkSchedule(program(R"(            if A[vi, vj] < T.float32(1):
                C[vi, vj] = A[vi, vj] * T.float32(2)
            else:
                C[vi, vj] = A[vi, vj]
)"),
                      step);
        for (const char *condition : {"vi % 2 == 0", "vi * 24 + vj < 100", "A[vi, vj] < T.float32(1)"})
            checkRefused(program("            if " + std::string(condition)
                                 + ":\n                C[vi, vj] = A[vi, vj] * T.float32(2)\n"),
                         step, "schedule.not-written");
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

QTEST_GUILESS_MAIN(CacheWriteTest)
#include "cache_write_test.moc"
