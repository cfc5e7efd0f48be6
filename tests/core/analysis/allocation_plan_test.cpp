// SPDX-License-Identifier: Apache-2.0
// The loop whose rounds each need an array for themselves, so that it may have memory there.
#include "tests/core/analysis/planned_loops.h"

using namespace nestwright::tests;

class AllocationPlanTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void arraysOfARound_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("loop");
        const auto row = [](const char *name, const char *loop, const char *body) {
            QTest::newRow(name) << body << loop;
        };
        row("each round for itself", "i", R"(
    for i in range(8):
        for j in range(16):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj]
        for j in range(16):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, vj]
)");
        row("tiles at the edges, copied by one loop", "t", R"(
    for i, t in T.grid(5, 2):
        for f in range(24):
            with T.block("B"):
                vi = T.axis.spatial(8, i * 2 + f // 12)
                vj = T.axis.spatial(16, t * 12 + f % 12)
                T.where(i * 2 + f // 12 < 8 and t * 12 + f % 12 < 16)
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj]
        for a, b in T.grid(2, 12):
            with T.block("C"):
                vi = T.axis.spatial(8, i * 2 + a)
                vj = T.axis.spatial(16, t * 12 + b)
                T.where(i * 2 + a < 8 and t * 12 + b < 16)
                T.reads(B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, vj]
)");
        row("rows of tiles wider than the matrix, read by threads of two columns each", "i", R"(
    for t in range(12):
        for i in range(5):
            for f in range(40):
                with T.block("B"):
                    vi = T.axis.spatial(8, i * 2 + f // 14)
                    vj = T.axis.spatial(16, f % 14)
                    T.where(i * 2 + f // 14 < 8 and f < 28)
                    T.reads(A[vi, vj])
                    T.writes(B[vi, vj])
                    B[vi, vj] = A[vi, vj]
            for a, b in T.grid(2, 4):
                with T.block("C"):
                    vi = T.axis.spatial(8, i * 2 + a)
                    vj = T.axis.spatial(16, t * 4 + b)
                    T.where(i * 2 + a < 8 and t * 4 + b < 14)
                    T.reads(B[vi, vj])
                    T.writes(C[vi, vj])
                    C[vi, vj] = B[vi, vj]
)");
        row("less of a tile than is read", "", R"(
    for i, t in T.grid(5, 2):
        for f in range(24):
            with T.block("B"):
                vi = T.axis.spatial(8, i * 2 + f // 12)
                vj = T.axis.spatial(16, t * 12 + f % 12)
                T.where(i * 2 + f // 12 < 8 and t * 12 + f % 12 < 15)
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj]
        for a, b in T.grid(2, 12):
            with T.block("C"):
                vi = T.axis.spatial(8, i * 2 + a)
                vj = T.axis.spatial(16, t * 12 + b)
                T.where(i * 2 + a < 8 and t * 12 + b < 16)
                T.reads(B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, vj]
)");
        row("read through a wrapper that declares nothing", "", R"(
    for i in range(8):
        for j in range(16):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj]
        with T.block("wrapper"):
            T.reads()
            T.writes()
            for j in range(16):
                with T.block("C"):
                    vj = T.axis.spatial(16, j)
                    T.reads(B[0, vj])
                    T.writes(C[0, vj])
                    C[0, vj] = B[0, vj]
)");
        row("two loops in", "j", R"(
    for i in range(8):
        for j in range(16):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj]
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, vj]
)");
        row("vectorized", "i", R"(
    for i in range(8):
        for j in T.vectorized(16):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj]
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, vj]
)");
        row("threads", "", R"(
    for i in T.thread_binding(8, thread="threadIdx.x"):
        for j in range(16):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj]
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, vj]
)");
        row("parallel", "i", R"(
    for i in T.parallel(8):
        for j in range(16):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj]
        for j in range(16):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, vj]
)");
        row("a row of another round", "", R"(
    for i in range(8):
        for j in range(16):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj]
        for j in range(16):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[0, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[0, vj]
)");
        row("another round's, by another buffer of its memory", "", R"(
    V = T.Buffer((128,), "int32", data=B.data)
    for i in range(8):
        if i == 0:
            V[3] = 5
        J[i] = V[3]
)");
        row("another round's, written by another buffer of its memory", "", R"(
    V = T.Buffer((128,), data=B.data)
    for i in range(8):
        if i == 0:
            V[3] = A[0, 0]
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            T.reads(B[0, 3])
            T.writes(C[vi, 0])
            C[vi, 0] = B[0, 3]
)");
        row("windows that overlap, each written before it is read", "w", R"(
    for i, h, w in T.grid(2, 2, 3):
        for a in range(4):
            with T.block("B"):
                vi = T.axis.spatial(8, h * 2 + w + a)
                T.reads(A[vi, 0])
                T.writes(B[vi, 0])
                B[vi, 0] = A[vi, 0]
        for j in range(2):
            with T.block("C"):
                vi = T.axis.spatial(8, i * 4 + j)
                vj = T.axis.spatial(16, h * 3 + w)
                vs = T.axis.spatial(8, h * 2 + w + j)
                T.reads(B[vs, 0])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vs, 0]
)");
        row("set and added to", "i", R"(
    for i in range(8):
        for j in range(16):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj]
                B[vi, vj] = B[vi, vj] + T.float32(1)
        for j in range(16):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, vj]
)");
    }
    void arraysOfARound() { checkPlannedLoop(); }
};

QTEST_GUILESS_MAIN(AllocationPlanTest)
#include "allocation_plan_test.moc"
