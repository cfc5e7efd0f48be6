// SPDX-License-Identifier: Apache-2.0
// Loops that a predicate bounds, that are partitioned, or that are partly unknown.
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

/// B = A * 2 with extents that tiles do not divide.
constexpr const char *odd = R"(
@T.prim_func
def main(A: T.Buffer((30, 50), "float32"), B: T.Buffer((30, 50), "float32")):
    for i, j in T.grid(30, 50):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
)";

/// A symbolic number of rows.
constexpr const char *openRows = R"(
@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n, 64), "float32")
    B = T.match_buffer(b, (n, 64), "float32")
    for i, j in T.grid(n, 64):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
)";

} // namespace

class BlockizeLoopsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void predicateOutside()
    {
        checkPrimitive(odd, R"(
i, j = sch.get_loops('B')
i0, i1 = sch.split(i, [None, 16])
sch.blockize(j)
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((30, 50), "float32"), B: T.Buffer((30, 50), "float32")):
    for i_0, i_1 in T.grid(2, 16):
        with T.block("B_o"):
            vi_o = T.axis.spatial(30, i_0 * 16 + i_1)
            vj_o = T.axis.spatial(1, 0)
            T.where(i_0 * 16 + i_1 < 30)
            T.reads(A[vi_o, 0:50])
            T.writes(B[vi_o, 0:50])
            for j in range(50):
                with T.block("B"):
                    vj_i = T.axis.spatial(50, j)
                    T.reads(A[vi_o, vj_i])
                    T.writes(B[vi_o, vj_i])
                    B[vi_o, vj_i] = A[vi_o, vj_i] * T.float32(2.0)
)");
    }

    /// A loop split by more than its iterations: the remaining predicate is inside.
    void predicateOfASplitLoop()
    {
        constexpr const char *column = R"(
@T.prim_func
def main(A: T.Buffer((6, 1), "float32"), B: T.Buffer((6, 1), "float32")):
    for i, j in T.grid(6, 1):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + T.float32(1)
)";
        checkPrimitive(column,
                       "i, j = sch.get_loops('B')\nj0, j1 = sch.split(j, [None, 2])\n"
                       "sch.blockize(j1, preserve_unit_iters=False)",
                       R"(
@T.prim_func
def main(A: T.Buffer((6, 1), "float32"), B: T.Buffer((6, 1), "float32")):
    for i, j_0 in T.grid(6, 1):
        with T.block("B_o"):
            vi_o = T.axis.spatial(6, i)
            vj_o = T.axis.spatial(1, 0)
            T.reads(A[vi_o, 0])
            T.writes(B[vi_o, 0])
            for j_1 in range(2):
                with T.block("B"):
                    T.where(j_1 < 1)
                    T.reads(A[vi_o, 0])
                    T.writes(B[vi_o, 0])
                    B[vi_o, 0] = A[vi_o, 0] + T.float32(1)
)");
        checkPrimitive(column,
                       "i, j = sch.get_loops('B')\ni0, i1 = sch.split(i, [None, 8])\n"
                       "sch.blockize(i1, preserve_unit_iters=False)",
                       R"(
@T.prim_func
def main(A: T.Buffer((6, 1), "float32"), B: T.Buffer((6, 1), "float32")):
    for i_0 in range(1):
        with T.block("B_o"):
            vi_o = T.axis.spatial(1, 0)
            vj_o = T.axis.spatial(1, 0)
            T.reads(A[0:6, 0])
            T.writes(B[0:6, 0])
            for i_1, j in T.grid(8, 1):
                with T.block("B"):
                    vi_i = T.axis.spatial(6, i_1)
                    T.where(i_1 < 6)
                    T.reads(A[vi_i, 0])
                    T.writes(B[vi_i, 0])
                    B[vi_i, 0] = A[vi_i, 0] + T.float32(1)
)");
        checkRefused(column, "i, j = sch.get_loops('B')\nj0, j1 = sch.split(j, [None, 2])\nsch.blockize(j1)",
                     "schedule.no-subspace");
    }

    /// A bound on one loop alone stays where that loop is.
    void predicateOfOneLoop()
    {
        constexpr const char *guarded = R"(
@T.prim_func
def main(A: T.Buffer((6, 4), "float32"), B: T.Buffer((6, 4), "float32")):
    for i, j in T.grid(8, 5):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.where(i < 6 and j < 4)
            B[vi, vj] = A[vi, vj] + T.float32(1)
)";
        for (const char *loop : {"i", "j"})
            checkSchedule(guarded, std::string("i, j = sch.get_loops('B')\nsch.blockize(") + loop + ')');
    }

    void partOfAPartition()
    {
        constexpr const char *padded = R"(
@T.prim_func
def main(A: T.Buffer((12,), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.block("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = T.if_then_else(vi >= 2 and vi < 14, A[vi - 2], T.float32(0))
)";
        const std::string parts = "i, = sch.get_loops('B')\nj, k = sch.loop_partition(i, [3])\n";
        checkSchedule(padded, parts + "sch.blockize(k)");
        checkSchedule(padded, parts + "sch.blockize(j)");
        checkSchedule(padded, parts + "sch.blockize(k, preserve_unit_iters=False)");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(1, 4):
        for j in range(4):
            with T.block("B"):
                vi = T.axis.spatial((4, 16), i * 4 + j)
                B[vi] = A[vi] + T.float32(1)
)",
                     "i, j = sch.get_loops('B')\nsch.blockize(j)", "schedule.no-subspace", "split");
    }

    /// The new block would hold a loop whose range speaks of a loop around it, or declare what only a loop in
    /// it says.
    void rangesThatTheLoopsOutsideGive()
    {
        const auto triangle = [](const std::string &columns) {
            return R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):
    for i in range(8):
        for j in range(i + 1):
            with T.block("B"):
                vi = T.axis.spatial(8, i)
                vj = T.axis.spatial()"
                   + columns + R"(, j)
                B[vi, vj] = A[vi, vj] + T.float32(1)
)";
        };
        for (const char *loop : {"i", "j"})
            checkRefused(triangle("i + 1"),
                         std::string("i, j = sch.get_loops('B')\nsch.blockize(") + loop + ')',
                         "schedule.no-subspace", "changes with another loop");
        checkRefused(triangle("8"), "i, j = sch.get_loops('B')\nsch.blockize(j)", "schedule.no-subspace");
        checkSchedule(triangle("8"), "i, j = sch.get_loops('B')\nsch.blockize(i)");
    }

    void loopAroundTheScope()
    {
        checkSchedule(odd, "i, j = sch.get_loops('B')\nk, l = sch.loop_partition(j, [5])\nsch.blockize(l)");
        checkSchedule(product, "i, j, k = sch.get_loops('C')\nl, m = sch.loop_partition(j, [5])\n"
                               "j, k = sch.get_loops('C_j0')\nsch.blockize(k)");
    }

    void shiftedValues()
    {
        constexpr const char *tail = R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((13,), "float32")):
    for i in range(13):
        with T.block("B"):
            vi = T.axis.spatial((3, 16), i + 3)
            B[vi - 3] = A[vi]
)";
        checkSchedule(tail, "i, = sch.get_loops('B')\nsch.blockize(i)");
    }

    void symbolicRows()
    {
        checkPrimitive(openRows, R"(
i, j = sch.get_loops('B')
j0, j1 = sch.split(j, [None, 4])
sch.reorder(j0, i, j1)
sch.blockize(i)
)",
                       R"(
@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n, 64))
    B = T.match_buffer(b, (n, 64))
    for j_0 in range(16):
        with T.block("B_o"):
            vi_o = T.axis.spatial(1, 0)
            vj_o = T.axis.spatial(16, j_0)
            T.reads(A[0:n, vj_o * 4:vj_o * 4 + 4])
            T.writes(B[0:n, vj_o * 4:vj_o * 4 + 4])
            for i, j_1 in T.grid(n, 4):
                with T.block("B"):
                    vi_i, vj_i = T.axis.remap("SS", [i, j_1])
                    T.reads(A[vi_i, vj_o * 4 + vj_i])
                    T.writes(B[vi_i, vj_o * 4 + vj_i])
                    B[vi_i, vj_o * 4 + vj_i] = A[vi_i, vj_o * 4 + vj_i] * T.float32(2.0)
)");
    }

    void unevenSplitsAreRefused()
    {
        checkRefused(odd, R"(
i, j = sch.get_loops('B')
i0, i1 = sch.split(i, [None, 16])
sch.blockize(i1)
)",
                     "schedule.no-subspace", "split");
    }
};

QTEST_GUILESS_MAIN(BlockizeLoopsTest)
#include "blockize_loops_test.moc"
