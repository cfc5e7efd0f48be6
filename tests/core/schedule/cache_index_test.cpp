// SPDX-License-Identifier: Apache-2.0
#include "tests/support/check_primitive.h"

#include <QtTest>
#include <format>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

/// One block that stores `value`, in terms of vi and vj.
std::string kernel(std::string_view value)
{
    return std::format(R"(
@T.prim_func
def main(A: T.Buffer((32, 32), "float32"), C: T.Buffer((16, 12), "float32")):
    for i, j in T.grid(16, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = {}
)",
                       value);
}

} // namespace

class CacheIndexTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachIndexInABufferOfItsOwn()
    {
        checkPrimitive(kernel("A[vi // 4 + vj // 4, vj // 2]"), "a, b = sch.cache_index('C', 'global')", R"(
@T.prim_func
def main(A: T.Buffer((32, 32), "float32"), C: T.Buffer((16, 12), "float32")):
    index_var_0 = T.alloc_buffer((16, 12), "int32", strides=[1])
    index_var_1 = T.alloc_buffer((12,), "int32", strides=[1])
    for ax0, ax1 in T.grid(16, 12):
        with T.block("index_0"):
            v0, v1 = T.axis.remap("SS", [ax0, ax1])
            T.reads()
            T.writes(index_var_0[v0, v1])
            index_var_0[v0, v1] = v0 // 4 + v1 // 4
    for ax0 in range(12):
        with T.block("index_1"):
            v0 = T.axis.spatial(12, ax0)
            T.reads()
            T.writes(index_var_1[v0])
            index_var_1[v0] = v0 // 2
    for i, j in T.grid(16, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi // 4 + vj // 4, vj // 2])
            T.writes(C[vi, vj])
            C[vi, vj] = A[index_var_0[vi, vj], index_var_1[vj]]
)");
    }

    void aThresholdTakesWhatIsComputedOften()
    {
        checkPrimitive(kernel("A[vi // 2 + 1, vj // 2] + A[vi // 2 + 1, vj // 2 + 1] + A[vi // 2, vj // 2]"),
                       "a, b = sch.cache_index('C', 'shared', 2)", R"(
@T.prim_func
def main(A: T.Buffer((32, 32), "float32"), C: T.Buffer((16, 12), "float32")):
    index_var_0 = T.alloc_buffer((16,), "int32", strides=[1], scope="shared")
    index_var_1 = T.alloc_buffer((12,), "int32", strides=[1], scope="shared")
    for ax0 in range(16):
        with T.block("index_0"):
            v0 = T.axis.spatial(16, ax0)
            T.reads()
            T.writes(index_var_0[v0])
            index_var_0[v0] = v0 // 2 + 1
    for ax0 in range(12):
        with T.block("index_1"):
            v0 = T.axis.spatial(12, ax0)
            T.reads()
            T.writes(index_var_1[v0])
            index_var_1[v0] = v0 // 2
    for i, j in T.grid(16, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi // 2:vi // 2 + 2, vj // 2:vj // 2 + 2])
            T.writes(C[vi, vj])
            C[vi, vj] = (A[index_var_0[vi], index_var_1[vj]] + A[index_var_0[vi], index_var_1[vj] + 1]
                         + A[vi // 2, index_var_1[vj]])
)");
    }

    void partsCountWhereTheWholeIsTooRare()
    {
        checkPrimitive(kernel("A[vi // 2 + 1, vj // 2] + A[vi // 2 + 1, vj // 2 + 1] + A[vi // 2, vj // 2]"),
                       "sch.cache_index(block='C', storage_scope='global', cse_thresh=3)", R"(
@T.prim_func
def main(A: T.Buffer((32, 32), "float32"), C: T.Buffer((16, 12), "float32")):
    index_var_0 = T.alloc_buffer((16,), "int32", strides=[1])
    index_var_1 = T.alloc_buffer((12,), "int32", strides=[1])
    for ax0 in range(16):
        with T.block("index_0"):
            v0 = T.axis.spatial(16, ax0)
            T.reads()
            T.writes(index_var_0[v0])
            index_var_0[v0] = v0 // 2
    for ax0 in range(12):
        with T.block("index_1"):
            v0 = T.axis.spatial(12, ax0)
            T.reads()
            T.writes(index_var_1[v0])
            index_var_1[v0] = v0 // 2
    for i, j in T.grid(16, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi // 2:vi // 2 + 2, vj // 2:vj // 2 + 2])
            T.writes(C[vi, vj])
            C[vi, vj] = (A[index_var_0[vi] + 1, index_var_1[vj]] + A[index_var_0[vi] + 1, index_var_1[vj] + 1]
                         + A[index_var_0[vi], index_var_1[vj]])
)");
    }

    void valuesCountAsIndicesDo()
    {
        checkPrimitive(
            kernel("T.exp(T.Cast('float32', vi * 2)) + A[vi, vj] * T.exp(T.Cast('float32', vi + vi))"),
            "a, = sch.cache_index('C', 'global', 2)", R"(
@T.prim_func
def main(A: T.Buffer((32, 32), "float32"), C: T.Buffer((16, 12), "float32")):
    index_var_0 = T.alloc_buffer((16,), strides=[1])
    for ax0 in range(16):
        with T.block("index_0"):
            v0 = T.axis.spatial(16, ax0)
            T.reads()
            T.writes(index_var_0[v0])
            index_var_0[v0] = T.exp(T.Cast("float32", v0 * 2))
    for i, j in T.grid(16, 12):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(C[vi, vj])
            C[vi, vj] = index_var_0[vi] + A[vi, vj] * index_var_0[vi]
)");
    }

    void loopsThatWereSplitAndMerged()
    {
        checkPrimitive(kernel("A[vi, vj // 3]"), R"(
i, j = sch.get_loops("C")
sch.split(j, [None, 5])
sch.cache_index("C", "global")
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((32, 32), "float32"), C: T.Buffer((16, 12), "float32")):
    index_var_0 = T.alloc_buffer((15,), "int32", strides=[1])
    for ax0, ax1 in T.grid(3, 5):
        with T.block("index_0"):
            v0 = T.axis.spatial(15, ax0 * 5 + ax1)
            T.reads()
            T.writes(index_var_0[v0])
            index_var_0[v0] = v0 // 3
    for i, j_0, j_1 in T.grid(16, 3, 5):
        with T.block("C"):
            vi = T.axis.spatial(16, i)
            vj = T.axis.spatial(12, j_0 * 5 + j_1)
            T.where(j_0 * 5 + j_1 < 12)
            T.reads(A[vi, vj // 3])
            T.writes(C[vi, vj])
            C[vi, vj] = A[vi, index_var_0[vj]]
)");
    }

    void constantsToo()
    {
        checkSchedule(kernel("A[vi, vj] * T.exp(T.float32(2))"), "sch.cache_index('C', 'global')");
    }

    void beforeTheBlockOnly()
    {
        checkSchedule(R"(
@T.prim_func
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.alloc_buffer((32,))
    for i in range(32):
        with T.block("B"):
            vi = T.axis.spatial(32, i)
            B[vi] = A[vi] + T.float32(1)
    for i in range(16):
        with T.block("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = B[vi // 3 * 2]
)",
                      "a, = sch.cache_index('C', 'global')\nsch.parallel(sch.get_loops(a)[0])");
    }

    void refuses()
    {
        checkRefused(kernel("A[vi, vj]"), "sch.cache_index('C', 'global')", "schedule.no-index");
        checkRefused(kernel("A[vi // 2, vj]"), "sch.cache_index('C', 'global', 2)", "schedule.no-index");
        checkRefused(kernel("A[vi // 2, vj]"), "sch.cache_index('C', 'global', -1)", "schedule.argument");
        checkRefused(kernel("A[vi // 2, vj]"), "sch.cache_index('C', 'nowhere')", "schedule.storage-scope");
        checkRefused(kernel("A[vi // 2, vj]"), "sch.cache_index('root', 'global')", "schedule.root-block");
        checkRefused(kernel("T.if_then_else(vj > 2, A[vi, 9 // (vj - 2)], T.float32(0))"),
                     "sch.cache_index('C', 'global')", "schedule.zero-divisor");
        checkRefused(R"(
@T.prim_func
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((16, 8), "float32")):
    for i in range(16):
        with T.block("C"):
            vi = T.axis.spatial(16, i)
            T.reads(A[0:32])
            T.writes(C[vi, 0:8])
            for j in range(8):
                C[vi, j] = A[vi + j // 2]
)",
                     "sch.cache_index('C', 'global')", "schedule.index-of-others", "own variables");
    }

    void readersOfTheIndexStayBehindIt()
    {
        constexpr const char *shifted = R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.block("B"):
            vi = T.axis.spatial(4, i)
            B[vi] = A[vi * 2]
)";
        checkRefused(shifted, R"(
index, = sch.cache_index("B", "global", 0)
sch.merge(sch.get_loops("B")[0], sch.get_loops(index)[0])
)",
                     "schedule.order");
    }

    void guardsOfACachedIndexComeBeforeIt()
    {
        // The parts of the loop reach beyond the padded array, whose cached indices the predicate of B reads.
        constexpr const char *padded = R"(
@T.prim_func
def main(A: T.Buffer((14,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.alloc_buffer((14,))
    for i in range(14):
        with T.block("B"):
            vi = T.axis.spatial(14, i)
            B[vi] = A[vi] * T.float32(2)
    for i in range(16):
        with T.block("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = T.if_then_else(vi >= 1 and vi < 15, B[vi - 1], T.float32(0))
)";
        const std::string moved = "a, b = sch.cache_index('C', 'global')\ni, = sch.get_loops('C')\n"
                                  "sch.compute_at('B', i)\n";
        checkSchedule(padded, moved);
        checkSchedule(padded, moved + "sch.split(i, [None, 5])");
        checkSchedule(
            padded,
            "a, b = sch.cache_index('C', 'global')\ni, = sch.get_loops('C')\no, _ = sch.split(i, [None, "
            "5])\nsch.compute_at('B', _)");
    }
};

QTEST_GUILESS_MAIN(CacheIndexTest)
#include "cache_index_test.moc"
