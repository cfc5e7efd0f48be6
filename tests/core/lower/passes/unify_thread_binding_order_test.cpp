// SPDX-License-Identifier: Apache-2.0
// Loops over threads in one nest do what they did one after another: who may read and write the same, and
// which memory is each one's own.
#include "tests/core/lower/passes/bodies.h"

using namespace nestwright::tests;
using namespace nestwright;

class UnifyThreadBindingOrderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
};

QTEST_GUILESS_MAIN(UnifyThreadBindingOrderTest)
#include "unify_thread_binding_order_test.moc"
