// SPDX-License-Identifier: Apache-2.0
// What blocks become: their values, predicates, views and memory.
#include "tests/core/lower/bodies.h"

using namespace nestwright::tests;

class LowerBlocksTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
            C[T.min(i * 4 + j, 7), j + 1] = A[T.min(i * 4 + j, 7), j + 1] * T.Cast("float32", T.min(i * 4 + j, 7))
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
