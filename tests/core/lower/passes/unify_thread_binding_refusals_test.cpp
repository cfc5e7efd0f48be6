// SPDX-License-Identifier: Apache-2.0
// Loops over threads that no kernel can launch, or whose memory would have to be another.
#include "tests/core/lower/passes/bodies.h"

using namespace nestwright::tests;
using namespace nestwright;

class UnifyThreadBindingRefusalsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ownMemoryOfBlocksWhoseNumberIsASize()
    {
        const ir::Module given = parsed(R"(
@T.prim_func
def main(A_: T.handle, B_: T.handle):
    n = T.int32()
    A = T.match_buffer(A_, (n,))
    B = T.match_buffer(B_, (n,))
    for bx in T.thread_binding(n, thread="blockIdx.x"):
        with T.decl_buffer((n,), scope="local") as L:
            L[bx] = A[bx]
            if bx == 0:
                for i in range(n):
                    B[i] = L[i]
)");
        const auto record = lower::runPass(*lower::findPass("unify-thread-binding"), given, {});
        QVERIFY(!record);
        QCOMPARE(record.error().code, std::string("lower.own-memory"));
    }

    void memoryThatWouldDoIsNamed_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("message");
        QTest::addColumn<QString>("hint");
        QTest::newRow("of threads") << R"(
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        L[tx] = A[tx]
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        B[tx] = L[63 - tx]
)"
                                    << "a thread reads elements of 'L' that another thread wrote, but local "
                                       "memory is each thread's own"
                                    << "put it into \"shared\" or \"global\" memory with set_scope, or bind "
                                       "the loops of both stages alike";
        QTest::newRow("of blocks")
            << R"(
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        S[bx * 64 + tx] = A[tx]
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        B[bx * 64 + tx] = S[tx * 8 + bx]
)"
            << "a block reads elements of 'S' that another block wrote, but shared memory is each block's own"
            << "put it into \"global\" memory with set_scope, or bind the loops of both "
               "stages alike";
    }
    void memoryThatWouldDoIsNamed()
    {
        QFETCH(QString, body);
        const ir::Module given = parsed(R"(
@T.prim_func
def main(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):
    with T.decl_buffer((64,), scope="local") as L:
        with T.decl_buffer((512,), scope="shared") as S:
            for bx in T.thread_binding(8, thread="blockIdx.x"):)"
                                        + body.replace("\n", "\n            ").toStdString());
        const auto record = lower::runPass(*lower::findPass("unify-thread-binding"), given, {});
        QVERIFY(!record);
        QCOMPARE(record.error().code, std::string("lower.own-memory"));
        QTEST(QString::fromStdString(record.error().message), "message");
        QTEST(QString::fromStdString(record.error().hint), "hint");
    }

    void whatNoLaunchCanDoIsRefused_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("code");
        QTest::newRow("an extent that changes") << R"(
    for bx in T.thread_binding(16, thread="blockIdx.x"):
        for tx in T.thread_binding(bx + 1, thread="threadIdx.x"):
            B[tx] = A[tx]
)"
                                                << "lower.thread-extent";
        QTest::newRow("shared memory of two kernels") << R"(
    with T.decl_buffer((64,), scope="shared") as S:
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S[tx] = A[tx]
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            B[tx] = S[tx]
)"
                                                      << "lower.memory-scope";
        QTest::newRow("shared memory outside of its kernel") << R"(
    with T.decl_buffer((64,), scope="shared") as S:
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S[tx] = A[tx]
        for i in range(64):
            B[i] = S[i]
)"
                                                             << "lower.memory-scope";
        QTest::newRow("shared memory kept from launch to launch") << R"(
    with T.decl_buffer((1,), scope="shared") as S:
        for i in range(64):
            for tx in T.thread_binding(1, thread="threadIdx.x"):
                if i == 0:
                    S[0] = T.float32(0)
                S[0] = S[0] + A[i]
                B[i] = S[0]
)"
                                                                  << "lower.memory-scope";
        QTest::newRow("shared memory that each thread makes") << R"(
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        with T.decl_buffer((1,), scope="shared") as S:
            S[0] = A[tx]
            B[tx] = S[0]
)"
                                                              << "lower.own-memory";
        QTest::newRow("an element that threads of two rows meet in") << R"(
    for ty in T.thread_binding(8, thread="threadIdx.y"):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            with T.decl_buffer((15,), scope="shared") as S:
                S[ty + tx] = A[tx]
                B[ty * 8 + tx] = S[ty + tx]
)"
                                                                     << "lower.own-memory";
        QTest::newRow("what each thread has in registers") << R"(
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        with T.decl_buffer((1,), scope="local") as L:
            with T.decl_buffer((1,), scope="shared") as S:
                L[0] = A[tx]
                S[0] = L[0]
                B[tx] = S[0]
)"
                                                           << "lower.own-memory";
        QTest::newRow("rows that are filled with other values") << R"(
    for ty in T.thread_binding(8, thread="threadIdx.y"):
        with T.decl_buffer((64,), scope="shared") as S:
            for ty in T.thread_binding(8, thread="threadIdx.y"):
                for tx in T.thread_binding(8, thread="threadIdx.x"):
                    S[(ty * 8 + tx) // 16] = A[ty * 8 + tx]
            for tx in T.thread_binding(8, thread="threadIdx.x"):
                B[ty * 8 + tx] = S[tx]
)"
                                                                << "lower.own-memory";
        QTest::newRow("what another block begins") << R"(
    for bx in T.thread_binding(8, thread="blockIdx.x"):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            B[tx * 8 + bx] = T.float32(0)
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            for k in range(4):
                B[bx * 8 + tx] = B[bx * 8 + tx] + A[k]
)"
                                                   << "lower.block-order";
        QTest::newRow("what the block before writes") << R"(
    for bx in T.thread_binding(8, thread="blockIdx.x"):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            B[bx * 8 + tx] = A[tx]
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            if bx > 0:
                A[bx * 8 + tx] = B[bx * 8 + tx - 1]
)"
                                                      << "lower.block-order";
        QTest::newRow("sums that two blocks each begin and add up") << R"(
    for bx in T.thread_binding(8, thread="blockIdx.x"):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            for i, k in T.grid(2, 4):
                if k == 0:
                    B[bx * 8 + i * 8 + tx] = T.float32(0)
                B[bx * 8 + i * 8 + tx] = B[bx * 8 + i * 8 + tx] + A[bx + i + k]
)"
                                                                    << "lower.block-order";
        QTest::newRow("sums that each thread adds up") << R"(
    for bx in T.thread_binding(8, thread="blockIdx.x"):
        with T.decl_buffer((16,), scope="shared") as S:
            for tx in T.thread_binding(8, thread="threadIdx.x"):
                for i, k in T.grid(16, 4):
                    if k == 0:
                        S[i] = T.float32(0)
                    S[i] = S[i] + A[bx * 8 + i + k]
                B[bx * 8 + tx] = S[tx] + S[tx + 1]
)"
                                                       << "lower.thread-order";
        QTest::newRow("what only the first block writes") << R"(
    for bx in T.thread_binding(8, thread="blockIdx.x"):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            if bx == 0:
                B[tx] = T.float32(1)
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            A[bx * 8 + tx] = B[tx]
)"
                                                          << "lower.block-order";
        QTest::newRow("what only the first block writes, at the place where it is read")
            << R"(
    for bx in T.thread_binding(8, thread="blockIdx.x"):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            if bx == 0:
                B[tx] = T.float32(1)
            A[bx * 8 + tx] = B[tx]
)"
            << "lower.block-order";
        QTest::newRow("one axis within itself") << R"(
    for tx in T.thread_binding(8, thread="threadIdx.x"):
        for ty in T.thread_binding(8, thread="threadIdx.x"):
            B[tx * 8 + ty] = A[tx]
)"
                                                << "lower.same-thread";
        QTest::newRow("one axis within a condition on itself") << R"(
    for tx in T.thread_binding(8, thread="threadIdx.x"):
        if tx < 1:
            for ty in T.thread_binding(2, thread="threadIdx.x"):
                B[ty] = A[ty]
)"
                                                               << "lower.same-thread";
        QTest::newRow("a thread without an axis") << R"(
    tx = T.int32()
    with T.attr(tx, "thread_extent", 64):
        B[tx] = A[tx]
)"
                                                  << "lower.thread-axis";
        QTest::newRow("memory of neither block nor thread") << R"(
    for tx in T.thread_binding(8, thread="threadIdx.x"):
        with T.decl_buffer((64,)) as S:
            for ty in T.thread_binding(8, thread="threadIdx.y"):
                S[ty] = A[tx]
)"
                                                            << "lower.memory-scope";
    }
    void whatNoLaunchCanDoIsRefused()
    {
        QFETCH(QString, body);
        QFETCH(QString, code);
        const ir::Module given = parsed("@T.prim_func\ndef main(A: T.Buffer((1024,), \"float32\"), "
                                        "B: T.Buffer((1024,), \"float32\")):"
                                        + body.toStdString());
        const auto record = lower::runPass(*lower::findPass("unify-thread-binding"), given, {});
        QVERIFY(!record);
        QCOMPARE(QString::fromStdString(record.error().code), code);
        QVERIFY(!record.error().hint.empty());
    }
};

QTEST_GUILESS_MAIN(UnifyThreadBindingRefusalsTest)
#include "unify_thread_binding_refusals_test.moc"
