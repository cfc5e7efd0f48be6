// SPDX-License-Identifier: Apache-2.0
// How virtual threads become loops.
#include "tests/core/lower/passes/bodies.h"

using namespace nestwright::tests;
using namespace nestwright;

class InjectVirtualThreadTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void injected_data()
    {
        addBodyColumns();
        row("what differs, and what does not", R"(
    for v in T.thread_binding(2, thread="vthread.x"):
        for k in range(4):
            C[k] = A[k]
            B[v * 4 + k] = A[v * 4 + k]
)",
            R"(
    for k in range(4):
        C[k] = A[k]
        for v in T.unroll(2):
            B[v * 4 + k] = A[v * 4 + k]
)");
        row("memory that differs", R"(
    for v in T.thread_binding(2, thread="vthread"):
        with T.decl_buffer((4,), scope="local") as L:
            with T.decl_buffer((4,), scope="local") as S:
                for k in range(4):
                    S[k] = A[k]
                    L[k] = A[v * 4 + k]
                for k in range(4):
                    B[v * 4 + k] = L[k] + S[k]
)",
            R"(
    with T.decl_buffer((8,), scope="local") as L:
        with T.decl_buffer((4,), scope="local") as S:
            for k in range(4):
                S[k] = A[k]
                for v in T.unroll(2):
                    L[k + v * 4] = A[v * 4 + k]
            for k in range(4):
                for v in T.unroll(2):
                    B[v * 4 + k] = L[k + v * 4] + S[k]
)");
        row("conditions and lengths that differ", R"(
    for v in T.thread_binding(2, thread="vthread.x"):
        if v == 0:
            B[v] = A[v]
        for k in range(v + 1):
            B[8 + v * 4 + k] = A[k]
)",
            R"(
    for v in T.unroll(2):
        if v == 0:
            B[v] = A[v]
    for v in T.unroll(2):
        for k in range(v + 1):
            B[8 + v * 4 + k] = A[k]
)");
        row("one within the other", R"(
    for v in T.thread_binding(2, thread="vthread.x"):
        for w in T.thread_binding(2, thread="vthread.y"):
            with T.decl_buffer((1,), scope="local") as L:
                L[0] = A[v * 2 + w]
                B[v * 2 + w] = L[0]
)",
            R"(
    with T.decl_buffer((4,), scope="local") as L:
        for w in T.unroll(2):
            for v in T.unroll(2):
                L[w + v * 2] = A[v * 2 + w]
        for w in T.unroll(2):
            for v in T.unroll(2):
                B[v * 2 + w] = L[w + v * 2]
)");
        row("no virtual threads", R"(
    for tx in T.thread_binding(2, thread="threadIdx.x"):
        B[tx] = A[tx]
)");
    }
    void injected()
    {
        checkRow(
            "inject-virtual-thread",
            R"(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32"))");
    }

    void aNumberThatIsNotConstantIsRefused()
    {
        const auto record = lower::runPass(*lower::findPass("inject-virtual-thread"), parsed(R"(
@T.prim_func
def main(B: T.Buffer((64,), "float32"), n: T.int32):
    for v in T.thread_binding(n, thread="vthread.x"):
        B[v] = T.float32(1)
)"),
                                           {});
        QVERIFY(!record);
        QCOMPARE(record.error().code, std::string("lower.thread-extent"));
    }
};

QTEST_GUILESS_MAIN(InjectVirtualThreadTest)
#include "inject_virtual_thread_test.moc"
