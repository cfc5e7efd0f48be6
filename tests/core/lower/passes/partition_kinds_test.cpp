// SPDX-License-Identifier: Apache-2.0
// Guards in loops that are parallel, unrolled, vectorized or threads, and in loops whose length is data.
#include "tests/core/lower/passes/bodies.h"
#include "tests/support/passes.h"

using namespace nestwright::tests;

class PartitionKindsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void parallelLoopsStayWhole()
    {
        checkPass("loop-partition", R"(
@T.prim_func
def main(A: T.Buffer((10,), "float32")):
    for i_0 in T.parallel(3):
        for i_1 in T.unroll(4):
            if i_0 * 4 + i_1 < 10:
                A[i_0 * 4 + i_1] = T.float32(1)
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((10,), "float32")):
    for i_0 in T.parallel(3):
        if i_0 < 2:
            for i_1 in T.unroll(4):
                A[i_0 * 4 + i_1] = T.float32(1)
        else:
            for i_1 in T.unroll(2):
                A[T.Mul(2, 4) + i_1] = T.float32(1)
            for i_1 in T.unroll(2, 4):
                if T.Mul(2, 4) + i_1 < 10:
                    A[T.Mul(2, 4) + i_1] = T.float32(1)
)");
    }

    /// The round outside is the first one here.
    void firstRoundOfAParallelLoopIsKnown()
    {
        checkPass("loop-partition", R"(
@T.prim_func
def main(A: T.Buffer((10,), "float32")):
    for i_0 in T.parallel(3):
        for i_1 in range(4):
            if i_0 * 4 + i_1 >= 2:
                A[i_0 * 4 + i_1 - 2] = T.float32(1)
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((10,), "float32")):
    for i_0 in T.parallel(3):
        if i_0 >= 1:
            for i_1 in range(4):
                A[i_0 * 4 + i_1 - 2] = T.float32(1)
        else:
            for i_1 in range(2):
                if T.Mul(0, 4) + i_1 >= 2:
                    A[T.Mul(0, 4) + i_1 - 2] = T.float32(1)
            for i_1 in range(2, 4):
                A[T.Mul(0, 4) + i_1 - 2] = T.float32(1)
)");
    }

    void roundsOutsideOfAParallelLoopKeepTheirGuards()
    {
        checkPass("loop-partition", R"(
@T.prim_func
def main(A: T.Buffer((6,), "float32")):
    for i_0 in T.parallel(4):
        for i_1 in range(4):
            if i_0 * 4 + i_1 < 6:
                A[i_0 * 4 + i_1] = T.float32(1)
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((6,), "float32")):
    for i_0 in T.parallel(4):
        if i_0 < 1:
            for i_1 in range(4):
                A[i_0 * 4 + i_1] = T.float32(1)
        else:
            for i_1 in range(T.max(0, T.min(4, 6 - i_0 * 4))):
                A[i_0 * 4 + i_1] = T.float32(1)
            for i_1 in range(T.max(0, T.min(4, 6 - i_0 * 4)), 4):
                if i_0 * 4 + i_1 < 6:
                    A[i_0 * 4 + i_1] = T.float32(1)
)");
    }

    void kinds_data()
    {
        addBodyColumns();
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
    }
    void kinds()
    {
        checkRow("loop-partition",
                 R"(A: T.Buffer((64,), "float32"), J: T.Buffer((4,), "int32"), n: T.int32)");
    }
};

QTEST_GUILESS_MAIN(PartitionKindsTest)
#include "partition_kinds_test.moc"
