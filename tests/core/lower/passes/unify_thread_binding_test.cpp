// SPDX-License-Identifier: Apache-2.0
// How the loops over threads of a kernel become one nest.
#include "tests/core/lower/passes/bodies.h"

using namespace nestwright::tests;

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
};

QTEST_GUILESS_MAIN(UnifyThreadBindingTest)
#include "unify_thread_binding_test.moc"
