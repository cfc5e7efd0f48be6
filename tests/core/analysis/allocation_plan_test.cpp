// SPDX-License-Identifier: Apache-2.0
// The loop whose rounds each need an array for themselves, so that it may have memory there.
#include "core/analysis/kernel/allocation_plan.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;

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
        row("written under a wrapper that does not always run", "", R"(
    for i in range(8):
        with T.block("wrapper"):
            T.where(i < 1)
            T.reads()
            T.writes()
            for j in range(16):
                with T.block("B"):
                    vj = T.axis.spatial(16, j)
                    T.reads(A[0, vj])
                    T.writes(B[0, vj])
                    B[0, vj] = A[0, vj]
        for j in range(16):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[0, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[0, vj]
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
        row("half of it", "", R"(
    for i in range(8):
        for j in range(8):
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
        row("half of it twice", "i", R"(
    for i in range(8):
        for j in range(8):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj]
        for j in range(16):
            with T.block("C"):
                T.where(j < 8)
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, vj]
)");
        row("under a condition", "", R"(
    for i in range(8):
        if i < 4:
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
        row("read under a condition", "i", R"(
    for i in range(8):
        for j in range(16):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj]
        if i < 4:
            for j in range(16):
                with T.block("C"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(B[vi, vj])
                    T.writes(C[vi, vj])
                    C[vi, vj] = B[vi, vj]
        else:
            for j in range(16):
                with T.block("D"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(B[vi, 15 - vj])
                    T.writes(C[vi, vj])
                    C[vi, vj] = B[vi, 15 - vj]
)");
        row("where data say", "", R"(
    for i in range(8):
        for j in range(16):
            with T.block("B"):
                T.where(J[j] < 3)
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj], J[vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj]
        for j in range(16):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, vj]
)");
        row("as far as data say", "", R"(
    for i in range(8):
        for j in range(J[i]):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj]
        for j in range(J[i]):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, vj]
)");
        row("at places that data say", "", R"(
    for i in range(8):
        for j in range(16):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj], J[vj])
                T.writes(B[vi, J[vj]])
                B[vi, J[vj]] = A[vi, vj]
        for j in range(16):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[vi, J[vj]])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, J[vj]]
)");
        row("a sum that begins anew", "i", R"(
    for i in range(8):
        for k in range(16):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(B[vi, 0])
                if vk == 0:
                    B[vi, 0] = T.float32(0)
                B[vi, 0] = B[vi, 0] + A[vi, vk]
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            T.reads(B[vi, 0])
            T.writes(C[vi, 0])
            C[vi, 0] = B[vi, 0]
)");
        row("a sum that begins at another place", "", R"(
    for i in range(8):
        for k in range(16):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(B[vi, 0])
                if vk == 1:
                    B[vi, 0] = T.float32(0)
                B[vi, 0] = B[vi, 0] + A[vi, vk]
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            T.reads(B[vi, 0])
            T.writes(C[vi, 0])
            C[vi, 0] = B[vi, 0]
)");
        row("a sum that begins anew or not", "", R"(
    for i in range(8):
        for k in range(16):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(B[vi, 0])
                if vk == 0:
                    B[vi, 0] = T.float32(0)
                else:
                    B[vi, 0] = B[vi, 0] + T.float32(1)
                B[vi, 0] = B[vi, 0] + A[vi, vk]
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            T.reads(B[vi, 0])
            T.writes(C[vi, 0])
            C[vi, 0] = B[vi, 0]
)");
        row("a sum that never begins anew", "", R"(
    for i in range(8):
        for k in range(16):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(B[vi, 0])
                B[vi, 0] = B[vi, 0] + A[vi, vk]
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            T.reads(B[vi, 0])
            T.writes(C[vi, 0])
            C[vi, 0] = B[vi, 0]
)");
        row("a sum that begins with another array", "", R"(
    for i in range(8):
        for k in range(16):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk], B[vi, 0])
                T.writes(B[vi, 0], C[vi, 1])
                if vk == 0:
                    C[vi, 1] = T.float32(0)
                B[vi, 0] = B[vi, 0] + A[vi, vk]
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            T.reads(B[vi, 0])
            T.writes(C[vi, 0])
            C[vi, 0] = B[vi, 0]
)");
        row("a sum over the rounds", "", R"(
    for k in range(16):
        for i in range(8):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(B[vi, 0])
                if vk == 0:
                    B[vi, 0] = T.float32(0)
                B[vi, 0] = B[vi, 0] + A[vi, vk]
        for i in range(8):
            with T.block("C"):
                vi, vk = T.axis.remap("SS", [i, k])
                T.reads(B[vi, 0])
                T.writes(C[vi, vk])
                C[vi, vk] = B[vi, 0]
)");
        row("written in the first round alone, read in all", "i", R"(
    for i in range(8):
        for t in range(2):
            with T.block("B"):
                vi = T.axis.spatial(8, i)
                T.where(t < 1)
                T.reads(A[vi, 0])
                T.writes(B[vi, 0])
                B[vi, 0] = A[vi, 0]
            with T.block("C"):
                vi, vt = T.axis.remap("SS", [i, t])
                T.reads(B[vi, 0])
                T.writes(C[vi, vt])
                C[vi, vt] = B[vi, 0]
)");
        row("written and read in the first round alone", "t", R"(
    for i in range(8):
        for t in range(2):
            with T.block("B"):
                vi = T.axis.spatial(8, i)
                T.where(t < 1)
                T.reads(A[vi, 0])
                T.writes(B[vi, 0])
                B[vi, 0] = A[vi, 0]
            with T.block("C"):
                vi, vt = T.axis.remap("SS", [i, t])
                T.where(t < 1)
                T.reads(B[vi, 0])
                T.writes(C[vi, vt])
                C[vi, vt] = B[vi, 0]
)");
        row("written under a condition that always holds", "t", R"(
    for i in range(8):
        for t in range(2):
            with T.block("B"):
                vi = T.axis.spatial(8, i)
                T.where(t < 3)
                T.reads(A[vi, 0])
                T.writes(B[vi, 0])
                B[vi, 0] = A[vi, 0]
            with T.block("C"):
                vi, vt = T.axis.remap("SS", [i, t])
                T.reads(B[vi, 0])
                T.writes(C[vi, vt])
                C[vi, vt] = B[vi, 0]
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
        row("a sum whose terms come from outside", "", R"(
    for k, i in T.grid(16, 8):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi, vk])
            T.writes(B[vi, 0])
            with T.init():
                B[vi, 0] = T.float32(0)
            B[vi, 0] = B[vi, 0] + A[vi, vk]
        with T.block("C"):
            vi, vk = T.axis.remap("SS", [i, k])
            T.reads(B[vi, 0])
            T.writes(C[vi, vk])
            C[vi, vk] = B[vi, 0]
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
    /// The loop that B is allocated in; none: it lives through the whole function.
    void arraysOfARound()
    {
        QFETCH(QString, body);
        QFETCH(QString, loop);
        const ir::Module module = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((8, 16), "float32"), C: T.Buffer((8, 16), "float32"), J: T.Buffer((16,), "int32")):
    B = T.alloc_buffer((8, 16)))" + body.toStdString());
        QString found;
        for (const auto &[planned, buffers] : analysis::planAllocations(*module.mainEntry()->function)) {
            QCOMPARE(buffers.size(), 1U);
            QCOMPARE(buffers[0].name(), "B");
            found += QString::fromStdString(static_cast<const ir::For *>(planned)->var.name());
        }
        QCOMPARE(found, loop);
    }
};

QTEST_GUILESS_MAIN(AllocationPlanTest)
#include "allocation_plan_test.moc"
