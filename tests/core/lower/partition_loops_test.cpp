// SPDX-License-Identifier: Apache-2.0
// Where loops are cut at their guards, and which stay whole.
#include "tests/core/lower/bodies.h"

using namespace nestwright::tests;

class PartitionLoopsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
        for j in range(T.max(0, T.min(2, 9 - i * 2)), T.max(0, T.min(2, 9 - i * 2)) + (2 - T.max(0, T.min(2, 9 - i * 2)))):
            for k in range(T.min(T.max(0, i * 2 + j - 8), 3)):
                if i * 2 + j - k < 9:
                    A[i * 2 + j] = T.float32(1)
            for k in range(T.min(T.max(0, i * 2 + j - 8), 3), T.min(T.max(0, i * 2 + j - 8), 3) + T.max(3 - T.max(0, i * 2 + j - 8), 0)):
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
        row("a symbolic bound of a vectorized loop", R"(
    for i in T.vectorized(16):
        if i < n:
            A[i] = T.float32(1)
)");
        row("a constant bound of a vectorized loop", R"(
    for i in T.vectorized(16):
        if i < 8:
            A[i] = T.float32(1)
)",
            R"(
    for i in T.vectorized(8):
        A[i] = T.float32(1)
    for i in T.vectorized(8, 16):
        if i < 8:
            A[i] = T.float32(1)
)");
        row("a symbolic bound of an unrolled loop", R"(
    for i in T.unroll(16):
        if i < n:
            A[i] = T.float32(1)
)");
        row("a parallel loop with a lower bound", R"(
    for i in T.parallel(16):
        if i >= 4:
            A[i] = T.float32(1)
)",
            R"(
    for i in T.parallel(16):
        if i >= 4:
            A[i] = T.float32(1)
        else:
            if i >= 4:
                A[i] = T.float32(1)
)");
        row("a parallel loop with both bounds", R"(
    for i in T.parallel(16):
        if i >= 4 and i < 12:
            A[i] = T.float32(1)
)",
            R"(
    for i in T.parallel(16):
        if i >= 4 and i < 12:
            A[i] = T.float32(1)
        else:
            if i >= 4 and i < 12:
                A[i] = T.float32(1)
)");
        row("threads", R"(
    for i in T.thread_binding(16, thread="threadIdx.x"):
        if i < 12:
            A[i] = T.float32(1)
)");
        row("a loop whose length is read", R"(
    for i in range(J[0]):
        if i < 12:
            A[i] = T.float32(1)
)");
        row("a loop whose start is read", R"(
    for i in range(J[0], J[0] + 4):
        if i < 12:
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
    for i in range(4, 16):
        if i < 4:
            A[i] = T.float32(1)
        if i >= 8:
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
        checkRow("partition-loops",
                 R"(A: T.Buffer((64,), "float32"), J: T.Buffer((4,), "int32"), n: T.int32)");
    }
};

QTEST_GUILESS_MAIN(PartitionLoopsTest)
#include "partition_loops_test.moc"
