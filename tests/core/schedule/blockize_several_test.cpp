// SPDX-License-Identifier: Apache-2.0
// Several blocks side by side become one.
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

/// C and B by rows.
constexpr const char *rows = R"(
@T.prim_func
def main(A: T.Buffer((8, 16), "float32"), B: T.Buffer((8, 16), "float32")):
    C = T.alloc_buffer((8, 16))
    for i in range(8):
        for j in range(16):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj] + T.float32(1)
        for j in range(16):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = C[vi, vj] * T.float32(2)
)";

} // namespace

class BlockizeSeveralTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void blocksSideBySide()
    {
        checkPrimitive(rows, R"(
sch.blockize([sch.get_block('C'), sch.get_block('B')])
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((8, 16), "float32"), B: T.Buffer((8, 16), "float32")):
    C = T.alloc_buffer((8, 16))
    for i in range(8):
        with T.block("outer_C_B_"):
            vi_o = T.axis.spatial(8, i)
            vj_o = T.axis.spatial(1, 0)
            T.reads(C[vi_o:vi_o + (vi_o + 1 - vi_o), 0:16], A[vi_o:vi_o + (vi_o + 1 - vi_o), 0:16])
            T.writes(B[vi_o:vi_o + (vi_o + 1 - vi_o), 0:16], C[vi_o:vi_o + (vi_o + 1 - vi_o), 0:16])
            for j in range(16):
                with T.block("C"):
                    vj_i = T.axis.spatial(16, j)
                    T.reads(A[vi_o, vj_i])
                    T.writes(C[vi_o, vj_i])
                    C[vi_o, vj_i] = A[vi_o, vj_i] + T.float32(1.0)
            for j in range(16):
                with T.block("B"):
                    vj_i = T.axis.spatial(16, j)
                    T.reads(C[vi_o, vj_i])
                    T.writes(B[vi_o, vj_i])
                    B[vi_o, vj_i] = C[vi_o, vj_i] * T.float32(2.0)
)");
    }

    /// Regions of blocks side by side have extents such as "vi_o + 1 - vi_o"; allocations for them have the
    /// value.
    void aCacheWithinHasConstantExtents()
    {
        checkPrimitive(rows, R"(
sch.blockize([sch.get_block('C'), sch.get_block('B')])
sch.cache_read(sch.get_block('C'), 0, 'global')
)",
                       R"(
@T.prim_func
def main(A: T.Buffer((8, 16), "float32"), B: T.Buffer((8, 16), "float32")):
    C = T.alloc_buffer((8, 16))
    for i in range(8):
        with T.block("outer_C_B_"):
            vi_o = T.axis.spatial(8, i)
            vj_o = T.axis.spatial(1, 0)
            T.reads(C[vi_o:vi_o + (vi_o + 1 - vi_o), 0:16], A[vi_o:vi_o + (vi_o + 1 - vi_o), 0:16])
            T.writes(B[vi_o:vi_o + (vi_o + 1 - vi_o), 0:16], C[vi_o:vi_o + (vi_o + 1 - vi_o), 0:16])
            A_global = T.alloc_buffer((1, 16))
            for ax0, ax1 in T.grid(1, 16):
                with T.block("A_global"):
                    v0, v1 = T.axis.remap("SS", [ax0, ax1])
                    T.reads(A[vi_o + v0, v1])
                    T.writes(A_global[v0, v1])
                    A_global[v0, v1] = A[vi_o + v0, v1]
            for j in range(16):
                with T.block("C"):
                    vj_i = T.axis.spatial(16, j)
                    T.reads(A_global[0, vj_i])
                    T.writes(C[vi_o, vj_i])
                    C[vi_o, vj_i] = A_global[0, vj_i] + T.float32(1.0)
            for j in range(16):
                with T.block("B"):
                    vj_i = T.axis.spatial(16, j)
                    T.reads(C[vi_o, vj_i])
                    T.writes(B[vi_o, vj_i])
                    B[vi_o, vj_i] = C[vi_o, vj_i] * T.float32(2.0)
)");
    }

    void regionsOfBlocksSideBySide()
    {
        checkPrimitive(R"(
@T.prim_func
def main(A: T.Buffer((8, 16), "float32"), B: T.Buffer((8, 16), "float32")):
    C = T.alloc_buffer((8, 16))
    for i in range(2):
        for ii, j in T.grid(4, 16):
            with T.block("C"):
                vi = T.axis.spatial(8, i * 4 + ii)
                vj = T.axis.spatial(16, j)
                C[vi, vj] = A[vi, vj] + T.float32(1.0)
        for ii, j in T.grid(4, 8):
            with T.block("B"):
                vi = T.axis.spatial(8, i * 4 + ii)
                vj = T.axis.spatial(8, j)
                B[vi, vj] = C[vi, vj] * A[vi, 0]
)",
                       "sch.blockize(['C', 'B'])", R"(
@T.prim_func
def main(A: T.Buffer((8, 16), "float32"), B: T.Buffer((8, 16), "float32")):
    C = T.alloc_buffer((8, 16))
    for i in range(2):
        with T.block("outer_C_B_"):
            vi_o = T.axis.spatial(2, i)
            vj_o = T.axis.spatial(1, 0)
            T.reads(C[vi_o * 4:vi_o * 4 + (4 + vi_o * 4 - 1 + 1 - vi_o * 4), 0:8],
                    A[vi_o * 4:vi_o * 4 + (vi_o * 4 + 3 + 1 - vi_o * 4), 0:16])
            T.writes(B[vi_o * 4:vi_o * 4 + (4 + vi_o * 4 - 1 + 1 - vi_o * 4), 0:8],
                     C[vi_o * 4:vi_o * 4 + (4 + vi_o * 4 - 1 + 1 - vi_o * 4), 0:16])
            for ii, j in T.grid(4, 16):
                with T.block("C"):
                    vi_i, vj_i = T.axis.remap("SS", [ii, j])
                    T.reads(A[vi_o * 4 + vi_i, vj_i])
                    T.writes(C[vi_o * 4 + vi_i, vj_i])
                    C[vi_o * 4 + vi_i, vj_i] = A[vi_o * 4 + vi_i, vj_i] + T.float32(1.0)
            for ii, j in T.grid(4, 8):
                with T.block("B"):
                    vi_i, vj_i = T.axis.remap("SS", [ii, j])
                    T.reads(C[vi_o * 4 + vi_i, vj_i], A[vi_o * 4 + vi_i, 0])
                    T.writes(B[vi_o * 4 + vi_i, vj_i])
                    B[vi_o * 4 + vi_i, vj_i] = C[vi_o * 4 + vi_i, vj_i] * A[vi_o * 4 + vi_i, 0]
)");
    }

    void refused()
    {
        checkRefused(rows, R"(
i, j = sch.get_loops('B')
sch.blockize(i)
)",
                     "schedule.not-single-block", "list");
        checkRefused(rows, R"(
sch.blockize([sch.get_block('B'), sch.get_block('C')])
)",
                     "schedule.not-consecutive");
        checkRefused(rows, R"(
sch.blockize(['B', 'B'])
)",
                     "schedule.nested-blocks");
        checkRefused(rows, R"(
i, j = sch.get_loops('C')
sch.blockize(j)
sch.blockize(['C', 'B'])
)",
                     "schedule.nested-blocks", "the block around it");
    }
};

QTEST_GUILESS_MAIN(BlockizeSeveralTest)
#include "blockize_several_test.moc"
