// SPDX-License-Identifier: Apache-2.0
// Parallel loops that become one.
#include "tests/core/lower/passes/bodies.h"

using namespace nestwright::tests;
using namespace nestwright;

class FuseParallelLoopsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fused_data()
    {
        addBodyColumns();
        row("an iteration reads what it wrote", R"(
    for i in T.parallel(8):
        for j in range(8):
            B[i * 8 + j] = A[i * 8 + j]
    for k in T.parallel(8):
        for j in range(8):
            C[k * 8 + j] = B[k * 8 + 7 - j]
)",
            R"(
    for i in T.parallel(8):
        for j in range(8):
            B[i * 8 + j] = A[i * 8 + j]
        for j in range(8):
            C[i * 8 + j] = B[i * 8 + 7 - j]
)");
        row("three of them, with memory of their own", R"(
    for i in T.parallel(8):
        B[i] = A[i]
    for i in T.parallel(8):
        S = T.decl_buffer((1,))
        S[0] = B[i]
        C[i] = S[0] + A[63 - i]
    for i in T.parallel(8):
        C[i + 8] = C[i]
)",
            R"(
    for i in T.parallel(8):
        B[i] = A[i]
        with T.decl_buffer((1,)) as S:
            S[0] = B[i]
            C[i] = S[0] + A[63 - i]
        C[i + 8] = C[i]
)");
        row("strips with an edge", R"(
    for i in T.parallel(9):
        for j in range(7):
            if i * 7 + j < 60:
                B[i * 7 + j] = A[i * 7 + j]
    for i in T.parallel(9):
        for j in range(7):
            if i * 7 + j < 60:
                C[i * 7 + j] = B[i * 7 + j]
)",
            R"(
    for i in T.parallel(9):
        for j in range(7):
            if i * 7 + j < 60:
                B[i * 7 + j] = A[i * 7 + j]
        for j in range(7):
            if i * 7 + j < 60:
                C[i * 7 + j] = B[i * 7 + j]
)");
        row("strips that overlap", R"(
    for i in T.parallel(7):
        for j in range(8):
            B[i * 8 + j] = A[i * 8 + j]
    for i in T.parallel(7):
        for j in range(9):
            C[i] = B[i * 8 + j]
)");
        row("strips whose ends move", R"(
    for i in T.parallel(8):
        for j in range(i + 1):
            B[i * 8 + j] = A[j]
    for i in T.parallel(8):
        for j in range(8):
            C[i * 8 + j] = B[i * 8 + j]
)");
        row("it reads what another one wrote", R"(
    for i in T.parallel(8):
        for j in range(8):
            B[i * 8 + j] = A[i * 8 + j]
    for i in T.parallel(8):
        for j in range(8):
            C[i * 8 + j] = B[j * 8 + i]
)");
        row("it overwrites what another one reads", R"(
    for i in T.parallel(8):
        B[i] = A[i + 1]
    for i in T.parallel(8):
        A[i] = C[i]
)");
        row("both write the same elements in another order", R"(
    for i in T.parallel(8):
        B[i] = A[i]
    for i in T.parallel(8):
        B[7 - i] = C[i]
)");
        row("an element that all read", R"(
    for i in T.parallel(8):
        B[i] = A[i]
    for i in T.parallel(8):
        C[i] = B[0]
)");
        row("other rounds", R"(
    for i in T.parallel(8):
        B[i] = A[i]
    for i in T.parallel(4):
        C[i] = B[i]
)");
        row("a serial one", R"(
    for i in T.parallel(8):
        B[i] = A[i]
    for i in range(8):
        C[i] = B[i]
)");
        row("something between them", R"(
    for i in T.parallel(8):
        B[i] = A[i]
    A[0] = T.float32(1)
    for i in T.parallel(8):
        C[i] = B[i]
)");
        row("an element that data choose", R"(
    for i in T.parallel(8):
        B[i] = A[i]
    for i in T.parallel(8):
        C[i] = B[T.cast(A[i], "int32") % 8]
)");
        row("functions that may do anything", R"(
    for i in T.parallel(8):
        B[i] = T.call_extern("float32", "f", i)
    for i in T.parallel(8):
        C[i] = A[i]
)");
        row("an element that a variable chooses", R"(
    for i in T.parallel(8):
        B[i] = A[i]
    for i in T.parallel(8):
        with T.LetStmt(7 - i) as x:
            C[x] = B[x]
)");
    }
    void fused()
    {
        checkRow("fuse-parallel-loops", "A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\"), "
                                        "C: T.Buffer((64,), \"float32\")");
    }

    /// The caller may give one memory for both.
    void parametersThatMayBeOneMemory()
    {
        const ir::Module module = parsed(R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.func_attr({"tir.noalias": False})
    for i in T.parallel(8):
        B[i] = T.float32(1)
    for i in T.parallel(8):
        B[i + 8] = A[i + 1]
)");
        const auto record = lower::runPass(*lower::findPass("fuse-parallel-loops"), module, {});
        QVERIFY(record);
        QVERIFY(record->unchanged);
    }
};

QTEST_GUILESS_MAIN(FuseParallelLoopsTest)
#include "fuse_parallel_loops_test.moc"
