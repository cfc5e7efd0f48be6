// SPDX-License-Identifier: Apache-2.0
// How the loops over threads of a kernel become one nest.
#include "tests/core/lower/passes/bodies.h"

using namespace nestwright::tests;
using namespace nestwright;

class UnifyThreadBindingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void unified_data()
    {
        addBodyColumns();
        row("loops side by side", R"(
    for bx in T.thread_binding(16, thread="blockIdx.x"):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            B[bx * 64 + tx] = A[bx * 64 + tx]
        for ty in T.thread_binding(64, thread="threadIdx.x"):
            C[bx * 64 + ty] = A[bx * 64 + ty]
)",
            R"(
    for bx in T.thread_binding(16, thread="blockIdx.x"):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            B[bx * 64 + tx] = A[bx * 64 + tx]
            T.attr("ty", "nw.block", 3)
            C[bx * 64 + tx] = A[bx * 64 + tx]
)");
        row("a loop over threads within another loop", R"(
    for k in T.thread_binding(4, thread="blockIdx.x"):
        for i in range(16):
            for tx in T.thread_binding(16, thread="threadIdx.x"):
                B[k * 256 + i * 16 + tx] = A[tx]
)",
            R"(
    for k in T.thread_binding(4, thread="blockIdx.x"):
        for tx in T.thread_binding(16, thread="threadIdx.x"):
            for i in range(16):
                B[k * 256 + i * 16 + tx] = A[tx]
)");
        row("fewer threads", R"(
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        B[tx] = A[tx]
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            B[bx * 64 + tx] = A[tx]
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            C[bx * 32 + tx] = A[tx]
)",
            R"(
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        B[tx] = A[tx]
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            B[bx * 64 + tx] = A[tx]
            T.attr("tx", "nw.block", 4)
            if tx < 32:
                C[bx * 32 + tx] = A[tx]
)");
        row("what one thread does", R"(
    for bx in T.thread_binding(16, thread="blockIdx.x"):
        B[bx] = A[bx]
        for k in range(4):
            C[bx * 4 + k] = A[k]
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            for ty in T.thread_binding(4, thread="threadIdx.y"):
                B[64 + bx * 32 + tx * 4 + ty] = A[tx]
            C[512 + bx * 8 + tx] = A[tx]
)",
            R"(
    for bx in T.thread_binding(16, thread="blockIdx.x"):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            for ty in T.thread_binding(4, thread="threadIdx.y"):
                if tx == 0 and ty == 0:
                    B[bx] = A[bx]
                if tx == 0 and ty == 0:
                    for k in range(4):
                        C[bx * 4 + k] = A[k]
                B[64 + bx * 32 + tx * 4 + ty] = A[tx]
                if ty == 0:
                    C[512 + bx * 8 + tx] = A[tx]
)");
        row("memory of the block and of threads", R"(
    with T.decl_buffer((64,), scope="shared") as S:
        with T.decl_buffer((1,), scope="local") as L:
            for bx in T.thread_binding(16, thread="blockIdx.x"):
                S[0] = A[bx]
                for tx in T.thread_binding(64, thread="threadIdx.x"):
                    L[0] = A[tx]
                    B[bx * 64 + tx] = L[0]
)",
            R"(
    for bx in T.thread_binding(16, thread="blockIdx.x"):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            with T.decl_buffer((64,), scope="shared") as S:
                with T.decl_buffer((1,), scope="local") as L:
                    if tx == 0:
                        S[0] = A[bx]
                    L[0] = A[tx]
                    B[bx * 64 + tx] = L[0]
)");
        row("global memory that a kernel makes", R"(
    for bx in T.thread_binding(16, thread="blockIdx.x"):
        with T.decl_buffer((64,)) as S:
            for tx in T.thread_binding(64, thread="threadIdx.x"):
                with T.decl_buffer((1,)) as L:
                    L[0] = A[tx]
                    S[tx] = L[0]
                    B[bx * 64 + tx] = S[tx]
)",
            R"(
    for bx in T.thread_binding(16, thread="blockIdx.x"):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            with T.decl_buffer((64,), scope="shared") as S:
                with T.decl_buffer((1,), scope="local") as L:
                    L[0] = A[tx]
                    S[tx] = L[0]
                    B[bx * 64 + tx] = S[tx]
)");
        row("starts that are not 0", R"(
    for bx in T.thread_binding(4, 8, thread="blockIdx.x"):
        for tx in T.thread_binding(2, 34, thread="threadIdx.x"):
            B[bx * 64 + tx] = A[tx]
)",
            R"(
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            B[(bx + 4) * 64 + (tx + 2)] = A[tx + 2]
)");
        row("virtual threads stay", R"(
    for v in T.thread_binding(2, thread="vthread.x"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            B[v * 32 + tx] = A[tx]
)");
        row("programs without threads stay", R"(
    with T.decl_buffer((1,), scope="local") as L:
        for i in range(1024):
            L[0] = A[i]
            B[i] = L[0]
)");
    }
    void unified()
    {
        checkRow("unify-thread-binding",
                 "A: T.Buffer((1024,), \"float32\"), B: T.Buffer((1024,), \"float32\"), "
                 "C: T.Buffer((1024,), \"float32\")");
    }

    /// Rows that overlap are written by two blocks, which each read their own.
    void blocksMayWriteTheSame()
    {
        const ir::Module given = parsed(R"(
@T.prim_func
def main(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32"), C: T.Buffer((1024,), "float32")):
    for bx in T.thread_binding(8, thread="blockIdx.x"):
        for tx in T.thread_binding(10, thread="threadIdx.x"):
            B[bx * 8 + tx] = A[bx * 8 + tx]
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            C[bx * 8 + tx] = B[bx * 8 + tx] + B[bx * 8 + tx + 2]
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            for k in range(4):
                C[bx * 8 + tx] = C[bx * 8 + tx] + A[k]
)");
        QVERIFY(lower::runPass(*lower::findPass("unify-thread-binding"), given, {}));
    }

    /// An element tells the value that is written there, whichever thread writes it.
    void threadsMayWriteTheSame()
    {
        const ir::Module given = parsed(R"(
@T.prim_func
def main(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):
    for ty in T.thread_binding(8, thread="threadIdx.y"):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            with T.decl_buffer((32,), scope="shared") as S:
                S[(ty * 8 + tx) // 2] = A[(ty * 8 + tx) // 2] + T.float32(1)
                B[ty * 8 + tx] = S[(tx + ty * 8) // 2]
)");
        const auto record = lower::runPass(*lower::findPass("unify-thread-binding"), given, {});
        QVERIFY2(record, record ? "" : record.error().render().c_str());
    }

    void orderOfThreadsAndBlocks_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("code"); // empty: nothing is wrong
        const auto row = [](const char *name, const char *code, const char *body) {
            QTest::newRow(name) << QString(body) << QString(code);
        };
        row("all threads write what they read elsewhere", "", R"(
    with T.decl_buffer((4,), scope="shared") as S:
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S[0] = A[0] + T.float32(1)
            B[tx] = S[0]
)");
        row("threads write what is theirs", "lower.thread-order", R"(
    with T.decl_buffer((4,), scope="shared") as S:
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S[0] = A[tx]
            B[tx] = S[0]
)");
        row("threads write what changes", "lower.thread-order", R"(
    with T.decl_buffer((4,), scope="shared") as S:
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            for k in range(4):
                B[tx] = A[k]
                S[0] = B[0] + T.float32(1)
                B[tx] = S[0]
)");
        row("all threads update", "lower.thread-order", R"(
    with T.decl_buffer((4,), scope="shared") as S:
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S[0] = S[0] + A[0]
)");
        row("threads write different values", "lower.thread-order", R"(
    with T.decl_buffer((4,), scope="shared") as S:
        for ty in T.thread_binding(2, thread="threadIdx.y"):
            for tx in T.thread_binding(8, thread="threadIdx.x"):
                S[tx // 4] = A[ty * 4]
                B[ty * 8 + tx] = S[tx // 8]
)");
        row("blocks write different values", "lower.block-order", R"(
    for bx in T.thread_binding(8, thread="blockIdx.x"):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            B[tx] = A[bx * 8 + tx]
)");
        row("blocks write one value", "", R"(
    for bx in T.thread_binding(8, thread="blockIdx.x"):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            B[tx + bx * 4] = A[bx * 4 + tx]
)");
        row("they take one value from different places", "", R"(
    with T.decl_buffer((16, 4), scope="shared") as S:
        for tx in T.thread_binding(16, thread="threadIdx.x"):
            for k in range(4):
                S[tx, k] = A[tx * 2 + k]
            for k in range(4):
                B[tx * 2 + k] = S[tx, k]
)");
        row("one of them writes", "", R"(
    with T.decl_buffer((4,), scope="shared") as S:
        for ty in T.thread_binding(2, thread="threadIdx.y"):
            for tx in T.thread_binding(8, thread="threadIdx.x"):
                if ty == 1:
                    S[tx // 4] = A[ty * 4]
                B[ty * 8 + tx] = S[tx // 8]
)");
        row("they write the same", "", R"(
    with T.decl_buffer((40,), scope="shared") as S:
        for tx in T.thread_binding(16, thread="threadIdx.x"):
            for k in range(4):
                S[tx * 2 + k] = A[tx * 2 + k - 1 + 1] + T.Cast("float32", (k + tx * 2) // 3)
            B[tx] = S[tx + 1]
)");
        row("data chooses the thread that updates", "", R"(
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        if tx == I[0]:
            B[0] = B[0] + A[tx]
)");
        row("data chooses two of the threads that update", "lower.thread-order", R"(
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        if tx // 2 == I[0]:
            B[0] = B[0] + A[tx]
)");
        row("data that threads find differently", "lower.thread-order", R"(
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        if tx == I[tx]:
            B[0] = B[0] + A[tx]
)");
        row("threads that data lets update", "lower.thread-order", R"(
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        if A[tx] > T.float32(0):
            B[0] = B[0] + A[tx]
)");
        row("one of a pair writes where data lets it", "lower.own-memory", R"(
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        with T.decl_buffer((64,), scope="local") as L:
            if A[tx] > T.float32(0):
                L[tx // 2] = A[tx]
            B[tx] = L[tx // 2]
)");
        row("another thread's, by another buffer of the memory", "lower.own-memory", R"(
    with T.decl_buffer((64,), scope="local") as L:
        V = T.Buffer((8, 8), data=L.data, scope="local")
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            L[tx] = A[tx]
            B[tx] = V[tx % 8, tx // 8]
)");
        row("its own, by another buffer of the memory", "", R"(
    with T.decl_buffer((64,), scope="local") as L:
        V = T.Buffer((8, 8), data=L.data, scope="local")
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            L[tx] = A[tx]
            B[tx] = V[tx // 8, tx % 8]
)");
        row("bytes of its own", "", R"(
    with T.decl_buffer((64,), scope="local") as L:
        V = T.Buffer((256,), "int8", data=L.data, scope="local")
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            L[tx] = A[tx]
            I[tx] = T.Cast("int32", V[tx * 4 + 3])
)");
        row("bytes of another's", "lower.own-memory", R"(
    with T.decl_buffer((64,), scope="local") as L:
        V = T.Buffer((256,), "int8", data=L.data, scope="local")
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            L[tx] = A[tx]
            if tx > 0:
                I[tx] = T.Cast("int32", V[tx * 4 - 1])
)");
        row("own memory under one condition on data", "", R"(
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        with T.decl_buffer((64,), scope="local") as L:
            if A[tx] > T.float32(0):
                L[tx // 2] = A[tx]
                B[tx] = L[tx // 2]
)");
        row("a histogram of each thread", "", R"(
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        with T.decl_buffer((16,), scope="local") as L:
            for k in range(16):
                L[k] = T.float32(0)
            for k in range(16):
                L[I[k]] = L[I[k]] + T.float32(1)
            for k in range(16):
                B[tx * 16 + k] = L[k]
)");
        row("a histogram without its beginning", "lower.own-memory", R"(
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        with T.decl_buffer((16,), scope="local") as L:
            for k in range(15):
                L[k] = T.float32(0)
            for k in range(16):
                L[I[k]] = L[I[k]] + T.float32(1)
)");
        row("memory of blocks, read where data says", "lower.own-memory", R"(
    for bx in T.thread_binding(8, thread="blockIdx.x"):
        with T.decl_buffer((8,), scope="shared") as S:
            S[bx] = A[bx]
            B[bx] = S[I[bx]]
)");
        row("all of it, read where data says", "", R"(
    for bx in T.thread_binding(8, thread="blockIdx.x"):
        with T.decl_buffer((8,), scope="shared") as S:
            for i in range(8):
                S[i] = A[i]
            B[bx] = S[I[bx]]
)");
        row("rows of blocks whose length is known late", "lower.own-memory", R"(
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        with T.decl_buffer((5, n), scope="shared") as S:
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                for i in range(4):
                    if bx * 4 + i < 5 and tx < n:
                        S[bx * 4 + i, tx] = A[i]
                if bx == 0:
                    for i in range(5):
                        if tx < n:
                            B[tx * 5 + i] = S[i, tx]
)");
        row("own rows, whose length is known late", "", R"(
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        with T.decl_buffer((8, n), scope="shared") as S:
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                for i in range(4):
                    if tx < n:
                        S[bx * 4 + i, tx] = A[i]
                for i in range(4):
                    if tx < n:
                        B[tx * 8 + bx * 4 + i] = S[bx * 4 + i, tx]
)");
    }
    void orderOfThreadsAndBlocks()
    {
        QFETCH(QString, body);
        const ir::Module given = parsed("@T.prim_func\ndef main(A: T.Buffer((1024,), \"float32\"), "
                                        "B: T.Buffer((1024,), \"float32\"), "
                                        "I: T.Buffer((64,), \"int32\"), n: T.int32):"
                                        + body.toStdString());
        const auto record = lower::runPass(*lower::findPass("unify-thread-binding"), given, {});
        if (!record)
            qInfo("%s", record.error().render().c_str());
        QTEST(record ? QString() : QString::fromStdString(record.error().code), "code");
    }

    /// Reads under if_then_else only.
    void guardedReadsAreOwn()
    {
        const ir::Module given = parsed(R"(
@T.prim_func
def main(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):
    for bx in T.thread_binding(8, thread="blockIdx.x"):
        for tx in T.thread_binding(12, thread="threadIdx.x"):
            with T.decl_buffer((8, 8), scope="local") as L:
                if tx < 8:
                    L[bx, tx] = A[bx * 8 + tx]
                B[bx * 12 + tx] = T.if_then_else(tx < 8, L[bx, tx], T.float32(0))
)");
        QVERIFY(lower::runPass(*lower::findPass("unify-thread-binding"), given, {}));
    }

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

    void aLetNamesAnElement()
    {
        const ir::Module given = parsed(R"(
@T.prim_func
def main(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):
    for bx in T.thread_binding(8, thread="blockIdx.x"):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            with T.LetStmt(bx * 8 + tx) as x:
                for k in range(4):
                    B[x] = B[x] + A[x * 4 + k]
)");
        QVERIFY(lower::runPass(*lower::findPass("unify-thread-binding"), given, {}));
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

QTEST_GUILESS_MAIN(UnifyThreadBindingTest)
#include "unify_thread_binding_test.moc"
