// SPDX-License-Identifier: Apache-2.0
// Where loops are cut at their guards.
#include "tests/core/lower/passes/bodies.h"
#include "tests/support/passes.h"

using namespace nestwright::tests;

class LoopPartitionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void guardedLoopsAreCut()
    {
        checkPass("loop-partition", R"(
@T.prim_func
def main(A: T.Buffer((10,), "float32")):
    for i_0, i_1 in T.grid(3, 4):
        if i_0 * 4 + i_1 < 10:
            A[i_0 * 4 + i_1] = T.float32(1)
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((10,), "float32")):
    for i_0, i_1 in T.grid(2, 4):
        A[i_0 * 4 + i_1] = T.float32(1)
    for i_0 in range(2, 3):
        for i_1 in range(2):
            A[T.Mul(2, 4) + i_1] = T.float32(1)
        for i_1 in range(2, 4):
            if T.Mul(2, 4) + i_1 < 10:
                A[T.Mul(2, 4) + i_1] = T.float32(1)
)");
    }

    void paddingIsCutOff()
    {
        checkPass("loop-partition", R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((10,), "float32")):
    for i in range(10):
        B[i] = T.if_then_else(1 <= i and i < 9, A[i - 1], T.float32(0))
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((10,), "float32")):
    for i in range(1):
        B[0] = T.if_then_else(T.LE(1, 0) and T.LT(0, 9), A[T.Sub(0, 1)], T.float32(0))
    for i in range(1, 9):
        B[i] = A[i - 1]
    for i in range(9, 10):
        B[9] = T.if_then_else(T.LE(1, 9) and T.LT(9, 9), A[T.Sub(9, 1)], T.float32(0))
)");
    }

    /// Memory whose size depends on the loop that is cut has the size of each piece.
    void memoryOfAnySize()
    {
        checkPass("loop-partition", R"(
@T.prim_func
def main(A: T.Buffer((7,), "float32")):
    for i_0 in range(2):
        for i_1 in range(5):
            if i_0 * 5 + i_1 < 7:
                memory = T.allocate([i_0 + 1], "float32", "global")
                B = T.decl_buffer((i_0 + 1,), data=memory)
                B[0] = T.float32(1)
                A[i_0 * 5 + i_1] = B[0]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((7,), "float32")):
    for i_0 in range(1):
        for i_1 in range(5):
            memory = T.allocate([T.Add(0, 1)], "float32", "global")
            B = T.decl_buffer((T.Add(0, 1),), data=memory)
            B[0] = T.float32(1)
            A[T.Mul(0, 5) + i_1] = B[0]
    for i_0 in range(1, 2):
        for i_1 in range(2):
            memory = T.allocate([T.Add(1, 1)], "float32", "global")
            B = T.decl_buffer((T.Add(1, 1),), data=memory)
            B[0] = T.float32(1)
            A[T.Mul(1, 5) + i_1] = B[0]
        for i_1 in range(2, 5):
            if T.Mul(1, 5) + i_1 < 7:
                memory = T.allocate([T.Add(1, 1)], "float32", "global")
                B = T.decl_buffer((T.Add(1, 1),), data=memory)
                B[0] = T.float32(1)
                A[T.Mul(1, 5) + i_1] = B[0]
)");
    }

    void guards_data()
    {
        addBodyColumns();
        row("a lower bound", R"(
    for i in range(16):
        if i >= 3:
            A[i] = T.float32(1)
)",
            R"(
    for i in range(3):
        if i >= 3:
            A[i] = T.float32(1)
    for i in range(3, 16):
        A[i] = T.float32(1)
)");
        row("a lower bound that is not reached itself", R"(
    for i in range(16):
        if i > 3:
            A[i] = T.float32(1)
)",
            R"(
    for i in range(4):
        if i > 3:
            A[i] = T.float32(1)
    for i in range(4, 16):
        A[i] = T.float32(1)
)");
        row("an upper bound that is reached", R"(
    for i in range(16):
        if i <= 3:
            A[i] = T.float32(1)
)",
            R"(
    for i in range(4):
        A[i] = T.float32(1)
    for i in range(4, 16):
        if i <= 3:
            A[i] = T.float32(1)
)");
        row("the bound first", R"(
    for i in range(16):
        if 3 < i:
            A[i] = T.float32(1)
)",
            R"(
    for i in range(4):
        if 3 < i:
            A[i] = T.float32(1)
    for i in range(4, 16):
        A[i] = T.float32(1)
)");
        row("both bounds", R"(
    for i in range(16):
        if i >= 3 and i < 12:
            A[i] = T.float32(1)
)",
            R"(
    for i in range(3):
        if i >= 3 and i < 12:
            A[i] = T.float32(1)
    for i in range(3, 12):
        A[i] = T.float32(1)
    for i in range(12, 16):
        if i >= 3 and i < 12:
            A[i] = T.float32(1)
)");
        row("a bound beside another condition", R"(
    for i in range(16):
        if i < 12 and A[0] < T.float32(3):
            A[i] = T.float32(1)
)",
            R"(
    for i in range(12):
        if A[0] < T.float32(3):
            A[i] = T.float32(1)
    for i in range(12, 16):
        if i < 12 and A[0] < T.float32(3):
            A[i] = T.float32(1)
)");
        row("likely", R"(
    for i in range(16):
        if T.likely(i < 12):
            A[i] = T.float32(1)
)",
            R"(
    for i in range(12):
        A[i] = T.float32(1)
    for i in range(12, 16):
        if T.likely(i < 12):
            A[i] = T.float32(1)
)");
        row("no bound", R"(
    for i in range(16):
        if i % 3 == 1:
            A[i] = T.float32(1)
        if i != 4:
            A[i] = T.float32(2)
        if A[i] < T.float32(3):
            A[i] = T.float32(3)
        if i < J[0]:
            A[i] = T.float32(4)
)");
        row("a multiple", R"(
    for i in range(16):
        if i * 3 < 20:
            A[i] = T.float32(1)
)",
            R"(
    for i in range(7):
        A[i] = T.float32(1)
    for i in range(7, 16):
        if i * 3 < 20:
            A[i] = T.float32(1)
)");
        row("a negative multiple", R"(
    for i in range(16):
        if 20 - i * 3 < 2:
            A[i] = T.float32(1)
)",
            R"(
    for i in range(7):
        if 20 - i * 3 < 2:
            A[i] = T.float32(1)
    for i in range(7, 16):
        A[i] = T.float32(1)
)");
        row("with inner loops of either sign", R"(
    for i in range(8):
        for j, k in T.grid(2, 3):
            if i * 2 + j - k < 9:
                A[i * 2 + j] = T.float32(1)
)",
            R"(
    for i, j, k in T.grid(4, 2, 3):
        A[i * 2 + j] = T.float32(1)
    for i in range(4, 8):
        for j, k in T.grid(T.max(0, T.min(2, 9 - i * 2)), 3):
            A[i * 2 + j] = T.float32(1)
        for j in range(T.max(0, T.min(2, 9 - i * 2)),
                       T.max(0, T.min(2, 9 - i * 2)) + (2 - T.max(0, T.min(2, 9 - i * 2)))):
            for k in range(T.min(T.max(0, i * 2 + j - 8), 3)):
                if i * 2 + j - k < 9:
                    A[i * 2 + j] = T.float32(1)
            for k in range(T.min(T.max(0, i * 2 + j - 8), 3),
                           T.min(T.max(0, i * 2 + j - 8), 3) + T.max(3 - T.max(0, i * 2 + j - 8), 0)):
                A[i * 2 + j] = T.float32(1)
)");
        row("with inner loops that begin later", R"(
    for i in range(8):
        for j in range(2, 5):
            if i + j < 9:
                A[i + j] = T.float32(1)
)",
            R"(
    for i in range(5):
        for j in range(2, 5):
            A[i + j] = T.float32(1)
    for i in range(5, 8):
        for j in range(2, 2 + (T.min(5, 9 - i) - 2)):
            A[i + j] = T.float32(1)
        for j in range(T.min(5, 9 - i), T.min(5, 9 - i) + T.max(0, i - 4)):
            if i + j < 9:
                A[i + j] = T.float32(1)
)");
        row("an inner loop whose length differs", R"(
    for i in range(8):
        for j in range(i):
            if i + j < 9:
                A[i + j] = T.float32(1)
)",
            R"(
    for i in range(8):
        for j in range(T.min(i, 9 - i)):
            A[i + j] = T.float32(1)
        for j in range(T.min(i, 9 - i), T.min(i, 9 - i) + T.max(0, i * 2 - 9)):
            if i + j < 9:
                A[i + j] = T.float32(1)
)");
        row("a guard of an inner loop only", R"(
    for i in range(2):
        for j in range(8):
            if j < 5:
                A[i * 8 + j] = T.float32(1)
)",
            R"(
    for i in range(2):
        for j in range(5):
            A[i * 8 + j] = T.float32(1)
        for j in range(5, 8):
            if j < 5:
                A[i * 8 + j] = T.float32(1)
)");
        row("a loop that does not begin at 0", R"(
    for i in range(2, 10):
        if i < 5:
            A[i] = T.float32(1)
)",
            R"(
    for i in range(2, 5):
        A[i] = T.float32(1)
    for i in range(5, 10):
        if i < 5:
            A[i] = T.float32(1)
)");
        row("a guard that always holds", R"(
    for i in range(8):
        if i < 8:
            A[i] = T.float32(1)
)",
            R"(
    for i in range(8):
        A[i] = T.float32(1)
)");
        row("a guard that never holds", R"(
    for i in range(8):
        if i >= 8:
            A[i] = T.float32(1)
)");
        row("a guard that ends one round early", R"(
    for i in range(8):
        if i < 7:
            A[i] = T.float32(1)
)",
            R"(
    for i in range(7):
        A[i] = T.float32(1)
    for i in range(7, 8):
        if T.LT(7, 7):
            A[7] = T.float32(1)
)");
        row("a symbolic bound", R"(
    for i in range(16):
        if i < n:
            A[i] = T.float32(1)
)",
            R"(
    for i in range(T.max(0, T.min(16, n))):
        A[i] = T.float32(1)
    for i in range(T.max(0, T.min(16, n)), T.max(0, T.min(16, n)) + (16 - T.max(0, T.min(16, n)))):
        if i < n:
            A[i] = T.float32(1)
)");
        row("a choice", R"(
    for i in range(16):
        A[i] = T.if_then_else(i < 12, A[i] + T.float32(1), T.float32(0))
)",
            R"(
    for i in range(12):
        A[i] = A[i] + T.float32(1)
    for i in range(12, 16):
        A[i] = T.if_then_else(i < 12, A[i] + T.float32(1), T.float32(0))
)");
        row("what is otherwise", R"(
    for i in range(16):
        if i < 12:
            A[i] = T.float32(1)
        else:
            A[i] = T.float32(2)
)",
            R"(
    for i in range(12):
        A[i] = T.float32(1)
    for i in range(12, 16):
        if i < 12:
            A[i] = T.float32(1)
        else:
            A[i] = T.float32(2)
)");
        row("two guards that do not meet", R"(
    for i in range(16):
        if i < 4:
            A[i] = T.float32(1)
        if i >= 8:
            A[i] = T.float32(2)
)",
            R"(
    for i in range(4):
        A[i] = T.float32(1)
        if i >= 8:
            A[i] = T.float32(2)
    for i in range(4, 8):
        if i < 4:
            A[i] = T.float32(1)
        if i >= 8:
            A[i] = T.float32(2)
    for i in range(8, 16):
        if i < 4:
            A[i] = T.float32(1)
        A[i] = T.float32(2)
)");
        row("a second guard in a piece of few rounds", R"(
    for i in range(16):
        if i >= 2:
            A[i] = T.float32(1)
        if i < 1:
            A[i] = T.float32(2)
)",
            R"(
    for i in range(2):
        if i >= 2:
            A[i] = T.float32(1)
        if i < 1:
            A[i] = T.float32(2)
    for i in range(2, 16):
        A[i] = T.float32(1)
        if i < 1:
            A[i] = T.float32(2)
)");
        row("two guards that meet in no round", R"(
    for i in range(16):
        if i < 8:
            A[i] = T.float32(1)
        if i >= 8:
            A[i] = T.float32(2)
)",
            R"(
    for i in range(8):
        A[i] = T.float32(1)
        if i >= 8:
            A[i] = T.float32(2)
    for i in range(8, 16):
        if i < 8:
            A[i] = T.float32(1)
        if i >= 8:
            A[i] = T.float32(2)
)");
        row("other integers", R"(
    for i in range(16):
        if T.Cast("uint8", i) < T.uint8(3):
            A[i] = T.float32(1)
)");
    }
    void guards()
    {
        checkRow("loop-partition",
                 R"(A: T.Buffer((64,), "float32"), J: T.Buffer((4,), "int32"), n: T.int32)");
    }
};

QTEST_GUILESS_MAIN(LoopPartitionTest)
#include "loop_partition_test.moc"
