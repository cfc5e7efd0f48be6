// SPDX-License-Identifier: Apache-2.0
// Blocks as statements: their values, predicates, views and memory.
#include "tests/core/lower/passes/bodies.h"
#include "tests/support/passes.h"

using namespace nestwright::tests;

class LowerBlocksTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void blocksBecomeStatements()
    {
        checkPass("lower-blocks", R"(
@T.prim_func
def main(A: T.Buffer((10,), "float32"), B: T.Buffer((10,), "float32")):
    for i_0, i_1 in T.grid(3, 4):
        with T.block("B"):
            T.where(i_0 * 4 + i_1 < 10)
            vi = T.axis.spatial(10, i_0 * 4 + i_1)
            T.reads(A[vi])
            T.writes(B[vi])
            B[vi] = A[vi] + T.float32(1)
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((10,), "float32"), B: T.Buffer((10,), "float32")):
    for i_0, i_1 in T.grid(3, 4):
        with T.attr("B", "nw.block", 4):
            if i_0 * 4 + i_1 < 10:
                B[i_0 * 4 + i_1] = A[i_0 * 4 + i_1] + T.float32(1)
)");
    }

    void memoryGoesToTheLoopThatNeedsIt()
    {
        checkPass("lower-blocks", R"(
@T.prim_func
def main(A: T.Buffer((8, 16), "float32"), C: T.Buffer((8, 16), "float32")):
    B = T.alloc_buffer((8, 16))
    for i in range(8):
        for j in range(16):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj] * T.float32(2)
        for j in range(16):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[vi, 15 - vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, 15 - vj]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((8, 16), "float32"), C: T.Buffer((8, 16), "float32")):
    for i in range(8):
        with T.decl_buffer((8, 16)) as B:
            for j in range(16):
                with T.attr("B", "nw.block", 4):
                    B[i, j] = A[i, j] * T.float32(2)
            for j in range(16):
                with T.attr("C", "nw.block", 6):
                    C[i, j] = B[i, 15 - j]
)");
    }

    /// Each round reads what the one before wrote: the memory must live through all of them.
    void carriedValuesKeepTheirMemoryOutside()
    {
        checkPass("lower-blocks", R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((9,))
    with T.block("first"):
        T.reads()
        T.writes(B[0])
        B[0] = T.float32(0)
    for i in range(8):
        with T.block("step"):
            vi = T.axis.opaque(8, i)
            T.reads(A[vi], B[vi])
            T.writes(B[vi + 1])
            B[vi + 1] = A[vi] + B[vi]
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            T.reads(B[vi + 1])
            T.writes(C[vi])
            C[vi] = B[vi + 1]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    with T.decl_buffer((9,)) as B:
        with T.attr("first", "nw.block", 2):
            B[0] = T.float32(0)
        for i in range(8):
            with T.attr("step", "nw.block", 4):
                B[i + 1] = A[i] + B[i]
        for i in range(8):
            with T.attr("C", "nw.block", 6):
                C[i] = B[i + 1]
)");
    }

    /// A sum that goes on from round to round, its init among the statements already.
    void sumsKeepTheirMemoryOutside()
    {
        checkPass("lower-blocks", R"(
@T.prim_func
def main(A: T.Buffer((8, 4), "float32"), C: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((8,))
    for i_k_fused in range(32):
        with T.block("B"):
            vi = T.axis.spatial(8, i_k_fused // 4)
            vk = T.axis.reduce(4, i_k_fused % 4)
            T.reads(A[vi, vk])
            T.writes(B[vi])
            if vk == 0:
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
        with T.block("C"):
            vi = T.axis.spatial(8, i_k_fused // 4)
            T.reads(B[vi])
            T.writes(C[vi])
            C[vi] = B[vi]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((8, 4), "float32"), C: T.Buffer((8,), "float32")):
    with T.decl_buffer((8,)) as B:
        for i_k_fused in range(32):
            with T.attr("B", "nw.block", 3):
                if i_k_fused % 4 == 0:
                    B[i_k_fused // 4] = T.float32(0)
                B[i_k_fused // 4] = B[i_k_fused // 4] + A[i_k_fused // 4, i_k_fused % 4]
            with T.attr("C", "nw.block", 4):
                C[i_k_fused // 4] = B[i_k_fused // 4]
)");
    }

    void blocks_data()
    {
        addBodyColumns();
        row("a view", R"(
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            T.reads(A[vi, 0:16])
            T.writes(C[vi, 0:16])
            V = T.match_buffer(A[vi, 4:12], (8,), strides=["s"], offset_factor=1, elem_offset=T.int32())
            for j in range(8):
                C[vi, j] = V[j]
)",
            R"(
    for i in range(8):
        T.attr("B", "nw.block", 3)
        for j in range(8):
            C[i, j] = A[i, 4 + j]
)");
        row("a view of a view", R"(
    for i in range(2):
        with T.block("outer"):
            vi = T.axis.spatial(2, i)
            T.reads(A[vi * 4:vi * 4 + 4, 0:16])
            T.writes(C[vi * 4:vi * 4 + 4, 0:16])
            V = T.match_buffer(A[vi * 4:vi * 4 + 4, 2:16], (4, 14), offset_factor=1)
            for j in range(4):
                with T.block("inner"):
                    vj = T.axis.spatial(4, j)
                    T.reads(V[vj, 0:14])
                    T.writes(C[vi * 4 + vj, 0:16])
                    W = T.match_buffer(V[vj, 3:13], (10,), offset_factor=1)
                    W2 = T.match_buffer(C[vi * 4 + vj, 1:11], (10,), offset_factor=1)
                    for k in range(10):
                        W2[k] = W[k]
)",
            R"(
    for i in range(2):
        T.attr("outer", "nw.block", 3)
        for j in range(4):
            T.attr("inner", "nw.block", 5)
            for k in range(10):
                C[i * 4 + j, 1 + k] = A[i * 4 + j, 5 + k]
)");
        row("sizes, strides and offset of a view", R"(
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            T.reads(A[vi, 0:16])
            T.writes(C[vi, 0:16])
            s0 = T.int32()
            s1 = T.int32()
            off = T.int32()
            V = T.match_buffer(A[vi:vi + 1, 4:12], (1, 8), strides=[s0, s1], elem_offset=off)
            C[vi, 0] = V[0, 3] + T.Cast("float32", s0 + s1 * 100 + off)
)",
            R"(
    for i in range(8):
        T.attr("B", "nw.block", 3)
        C[i, 0] = A[i, 7] + T.Cast("float32", 16 + T.Mul(1, 100) + (i * 16 + 4))
)");
        row("values and predicates", R"(
    for i, j in T.grid(3, 4):
        with T.block("B"):
            T.where(i * 4 + j < 10)
            vi = T.axis.spatial(8, T.min(i * 4 + j, 7))
            vj = T.axis.spatial(16, j + 1)
            T.reads(A[vi, vj])
            T.writes(C[vi, vj])
            C[vi, vj] = A[vi, vj] * T.Cast("float32", vi)
)",
            R"(
    for i, j in T.grid(3, 4):
        T.attr("B", "nw.block", 4)
        if i * 4 + j < 10:
            C[T.min(i * 4 + j, 7), j + 1] = (A[T.min(i * 4 + j, 7), j + 1]
                                             * T.Cast("float32", T.min(i * 4 + j, 7)))
)");
        row("memory within", R"(
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            T.reads(A[vi, 0:16])
            T.writes(C[vi, 0])
            t = T.alloc_buffer((2,))
            u = T.alloc_buffer((3,))
            t[0] = A[vi, 0]
            u[1] = t[0]
            C[vi, 0] = u[1]
)",
            R"(
    for i in range(8):
        T.attr("B", "nw.block", 3)
        t = T.decl_buffer((2,))
        u = T.decl_buffer((3,))
        t[0] = A[i, 0]
        u[1] = t[0]
        C[i, 0] = u[1]
)");
        row("memory of a size that differs between the runs of the block", R"(
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            T.reads(A[vi, 0:16])
            T.writes(C[vi, 0:16])
            t = T.alloc_buffer((16 - vi,))
            for j in range(16 - vi):
                t[j] = A[vi, j]
            for j in range(16 - vi):
                C[vi, j] = t[15 - vi - j]
)",
            R"(
    for i in range(8):
        T.attr("B", "nw.block", 3)
        t = T.decl_buffer((16 - i,))
        for j in range(16 - i):
            t[j] = A[i, j]
        for j in range(16 - i):
            C[i, j] = t[15 - i - j]
)");
        row("in turn", R"(
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            T.reads(A[vi, 0])
            T.writes(C[vi, 0])
            C[vi, 0] = A[vi, 0]
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            T.reads(A[vi, 1])
            T.writes(C[vi, 1])
            C[vi, 1] = A[vi, 1]
)",
            R"(
    for i in range(8):
        with T.attr("B", "nw.block", 3):
            C[i, 0] = A[i, 0]
        T.attr("C", "nw.block", 4)
        C[i, 1] = A[i, 1]
)");
    }
    void blocks()
    {
        checkRow("lower-blocks", R"(A: T.Buffer((8, 16), "float32"), C: T.Buffer((8, 16), "float32"))");
    }
};

QTEST_GUILESS_MAIN(LowerBlocksTest)
#include "lower_blocks_test.moc"
