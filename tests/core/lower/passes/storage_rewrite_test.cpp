// SPDX-License-Identifier: Apache-2.0
// Memories that become one, and those that stay apart.
#include "tests/core/lower/passes/bodies.h"

using namespace nestwright::tests;
using namespace nestwright;

class StorageRewriteTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void shared_data()
    {
        addBodyColumns();
        row("what is read no more, element by element", R"(
    S = T.decl_buffer((64,))
    U = T.decl_buffer((64,))
    for i in range(64):
        S[i] = A[i] + T.float32(1)
    for i in range(64):
        U[i] = S[i] * S[i]
    for i in range(64):
        B[i] = U[63 - i]
)",
            R"(
    S = T.decl_buffer((64,))
    U = T.decl_buffer((64,), data=S.data)
    for i in range(64):
        S[i] = A[i] + T.float32(1)
    for i in range(64):
        U[i] = S[i] * S[i]
    for i in range(64):
        B[i] = U[63 - i]
)");
        row("another element than the one that is written", R"(
    S = T.decl_buffer((64,))
    U = T.decl_buffer((64,))
    for i in range(64):
        S[i] = A[i] + T.float32(1)
    for i in range(64):
        U[i] = S[63 - i]
    for i in range(64):
        B[i] = U[i]
)");
        row("an element that is written twice", R"(
    S = T.decl_buffer((64,))
    U = T.decl_buffer((64,))
    for i in range(64):
        S[i] = A[i] + T.float32(1)
    for i, j in T.grid(2, 64):
        U[j] = S[j] + T.float32(2)
    for i in range(64):
        B[i] = U[i]
)");
        row("one that is summed up", R"(
    S = T.decl_buffer((64,))
    U = T.decl_buffer((64,))
    for i in range(64):
        S[i] = A[i] + T.float32(1)
        U[i] = A[i]
    for i in range(64):
        U[i] = U[i] + S[i]
    for i in range(64):
        B[i] = U[i]
)");
        row("two stores", R"(
    S = T.decl_buffer((64,))
    U = T.decl_buffer((64,))
    for i in range(64):
        S[i] = A[i] + T.float32(1)
    for i in range(64):
        U[i] = S[i]
        U[i] = S[i] + T.float32(1)
    for i in range(64):
        B[i] = U[i]
)");
        row("under a condition, and by parallel rounds", R"(
    S = T.decl_buffer((64,))
    U = T.decl_buffer((64,))
    for i in range(64):
        S[i] = A[i] + T.float32(1)
    for i in T.parallel(9):
        for j in range(8):
            if i * 8 + j < 64:
                U[i * 8 + j] = S[i * 8 + j] * T.float32(2)
    for i in range(64):
        B[i] = U[i]
)",
            R"(
    S = T.decl_buffer((64,))
    U = T.decl_buffer((64,), data=S.data)
    for i in range(64):
        S[i] = A[i] + T.float32(1)
    for i in T.parallel(9):
        for j in range(8):
            if i * 8 + j < 64:
                U[i * 8 + j] = S[i * 8 + j] * T.float32(2)
    for i in range(64):
        B[i] = U[i]
)");
        row("the first and the third of a chain", R"(
    S = T.decl_buffer((32,))
    U = T.decl_buffer((64,))
    V = T.decl_buffer((64,))
    for i in range(32):
        S[i] = A[i] + A[i + 32]
    for i in range(64):
        U[i] = S[i // 2]
    for i in range(64):
        V[i] = U[63 - i]
    for i in range(64):
        B[i] = V[i]
)",
            R"(
    S = T.allocate([64], "float32", "global")
    S_1 = T.decl_buffer((32,), data=S)
    U = T.decl_buffer((64,))
    V = T.decl_buffer((64,), data=S)
    for i in range(32):
        S_1[i] = A[i] + A[i + 32]
    for i in range(64):
        U[i] = S_1[i // 2]
    for i in range(64):
        V[i] = U[63 - i]
    for i in range(64):
        B[i] = V[i]
)");
        row("other elements", R"(
    S = T.decl_buffer((64,))
    U = T.decl_buffer((64,), "int32")
    for i in range(64):
        S[i] = A[i] + T.float32(1)
    for i in range(64):
        B[i] = S[i]
    for i in range(64):
        U[i] = i
    for i in range(64):
        A[i] = T.cast(U[63 - i], "float32")
)");
        row("one that a loop reads again in its next round", R"(
    S = T.decl_buffer((64,))
    U = T.decl_buffer((64,))
    for i in range(64):
        S[i] = A[i] + T.float32(1)
    for k in range(2):
        for i in range(64):
            B[i] = S[i]
        for i in range(64):
            U[i] = A[i]
        for i in range(64):
            A[i] = U[63 - i] + B[i]
)");
        row("of a loop's round, in what is done before the loop", R"(
    S = T.decl_buffer((1024,))
    for i in range(1024):
        S[i] = A[i % 64]
    for i in range(64):
        B[i] = S[1023 - i]
    for k in range(2):
        U = T.decl_buffer((1024,))
        for i in range(1024):
            U[i] = A[i % 64] + B[k]
        for i in range(64):
            A[i] = U[1023 - i]
)",
            R"(
    S = T.decl_buffer((1024,))
    for i in range(1024):
        S[i] = A[i % 64]
    for i in range(64):
        B[i] = S[1023 - i]
    for k in range(2):
        U = T.decl_buffer((1024,), data=S.data)
        for i in range(1024):
            U[i] = A[i % 64] + B[k]
        for i in range(64):
            A[i] = U[1023 - i]
)");
        row("of a parallel loop's round", R"(
    S = T.decl_buffer((1024,))
    for i in range(1024):
        S[i] = A[i % 64]
    for i in range(64):
        B[i] = S[1023 - i]
    for k in T.parallel(2):
        U = T.decl_buffer((1024,))
        for i in range(1024):
            U[i] = B[i % 64]
        for i in range(32):
            A[k * 32 + i] = U[1023 - i]
)");
        row("two of one round", R"(
    for k in T.parallel(2):
        S = T.decl_buffer((1024,))
        U = T.decl_buffer((1024,))
        for i in range(1024):
            S[i] = A[i % 64]
        for i in range(32):
            B[k * 32 + i] = S[1023 - i]
        for i in range(1024):
            U[i] = B[k * 32 + i % 32] + A[0]
        for i in range(32):
            B[k * 32 + i] = U[1023 - i]
)",
            R"(
    for k in T.parallel(2):
        S = T.decl_buffer((1024,))
        U = T.decl_buffer((1024,), data=S.data)
        for i in range(1024):
            S[i] = A[i % 64]
        for i in range(32):
            B[k * 32 + i] = S[1023 - i]
        for i in range(1024):
            U[i] = B[k * 32 + i % 32] + A[0]
        for i in range(32):
            B[k * 32 + i] = U[1023 - i]
)");
        row("arrays of a loop that may be registers", R"(
    for k in range(2):
        S = T.decl_buffer((16,))
        U = T.decl_buffer((16,))
        for i in range(16):
            S[i] = A[i]
        for i in range(16):
            B[k * 16 + i] = S[15 - i]
        for i in range(16):
            U[i] = A[i + 16]
        for i in range(16):
            B[k * 16 + i] = B[k * 16 + i] + U[15 - i]
)");
        row("one after the other anyway", R"(
    with T.decl_buffer((64,)) as S:
        for i in range(64):
            S[i] = A[i]
        for i in range(64):
            B[i] = S[63 - i]
    with T.decl_buffer((64,)) as U:
        for i in range(64):
            U[i] = A[i]
        for i in range(64):
            B[i] = B[i] + U[63 - i]
)");
        row("one whose address is known elsewhere", R"(
    S = T.decl_buffer((64,))
    U = T.decl_buffer((64,))
    for i in range(64):
        S[i] = A[i]
    T.evaluate(T.call_extern("int32", "keep", T.address_of(S[0])))
    for i in range(64):
        U[i] = A[i] + T.float32(1)
    for i in range(64):
        B[i] = U[63 - i]
)");
        row("the largest first", R"(
    S = T.decl_buffer((16,))
    U = T.decl_buffer((64,))
    V = T.decl_buffer((32,))
    W = T.decl_buffer((64,))
    for i in range(16):
        S[i] = A[i]
    for i in range(64):
        U[i] = S[i // 4]
    for i in range(32):
        V[i] = U[63 - i]
    for i in range(64):
        W[i] = V[i // 2]
    for i in range(64):
        B[i] = W[63 - i]
)",
            R"(
    S = T.allocate([32], "float32", "global")
    S_1 = T.decl_buffer((16,), data=S)
    U = T.decl_buffer((64,))
    V = T.decl_buffer((32,), data=S)
    W = T.decl_buffer((64,), data=U.data)
    for i in range(16):
        S_1[i] = A[i]
    for i in range(64):
        U[i] = S_1[i // 4]
    for i in range(32):
        V[i] = U[63 - i]
    for i in range(64):
        W[i] = V[i // 2]
    for i in range(64):
        B[i] = W[63 - i]
)");
    }
    void shared()
    {
        checkRow("storage-rewrite", "A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\")");
    }

    /// Threads of a block share arrays by the layout of the kernel; registers are no memory.
    void memoryOfThreadsStays_data()
    {
        addBodyColumns();
        row("local", R"(
    for t in T.thread_binding(64, thread="threadIdx.x"):
        S = T.decl_buffer((1024,), scope="local")
        U = T.decl_buffer((1024,), scope="local")
        for i in range(1024):
            S[i] = A[t]
        B[t] = S[1023]
        for i in range(1024):
            U[i] = A[t]
        B[t] = B[t] + U[1023]
)");
        row("shared", R"(
    S = T.decl_buffer((1024,), scope="shared")
    U = T.decl_buffer((1024,), scope="shared")
    for i in range(1024):
        S[i] = A[0]
    B[0] = S[1023]
    for i in range(1024):
        U[i] = A[1]
    B[1] = U[1023]
)");
    }
    void memoryOfThreadsStays()
    {
        checkRow("storage-rewrite", "A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\")");
    }

    void sizesThatAreKnownLater()
    {
        const auto text = [](const char *second) {
            return std::string(R"(
@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    B = T.match_buffer(b, (n,), "float32")
    S = T.decl_buffer((n,))
    U = )") + second
                   + R"(
    for i in range(n):
        S[i] = A[i] + T.float32(1)
    for i in range(n):
        B[i] = S[i]
    for i in range(n):
        U[i] = A[i] + T.float32(2)
    for i in range(n):
        A[i] = U[i]
)";
        };
        const auto record =
            lower::runPass(*lower::findPass("storage-rewrite"), parsed(text("T.decl_buffer((n,))")), {});
        QVERIFY(record);
        const auto difference =
            ir::firstDifference(record->after, parsed(text("T.decl_buffer((n,), data=S.data)")));
        QVERIFY2(!difference, difference.value_or("").c_str());
        checkEquivalent(record->before, record->after);
    }
};

QTEST_GUILESS_MAIN(StorageRewriteTest)
#include "storage_rewrite_test.moc"
