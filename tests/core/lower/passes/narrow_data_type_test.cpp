// SPDX-License-Identifier: Apache-2.0
// Indices that are computed in 32 bits.
#include "tests/core/lower/passes/bodies.h"

using namespace nestwright::tests;
using namespace nestwright;

class NarrowDataTypeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void narrowed_data()
    {
        addBodyColumns();
        row("loops and indices", R"(
    for i, j in T.grid(T.int64(8), T.int64(8)):
        B[i * T.int64(8) + j] = A[T.min(i, j) + i // T.int64(3) * T.int64(2)]
)",
            R"(
    for i, j in T.grid(8, 8):
        B[i * 8 + j] = A[T.min(i, j) + i // 3 * 2]
)");
        row("conditions", R"(
    for i, j in T.grid(T.int64(2), T.int64(65)):
        if i * T.int64(65) + j < T.int64(64):
            B[i * T.int64(65) + j] = T.if_then_else(i + j > T.int64(3), A[j], A[T.int64(0)])
)",
            R"(
    for i, j in T.grid(2, 65):
        if i * 65 + j < 64:
            B[i * 65 + j] = T.if_then_else(i + j > 3, A[j], A[0])
)");
        row("extents that depend on loops", R"(
    for i in range(T.int64(8)):
        for j in range(i + T.int64(1)):
            B[i * T.int64(8) + j] = A[j]
)",
            R"(
    for i in range(8):
        for j in range(i + 1):
            B[i * 8 + j] = A[j]
)");
        row("values keep their type", R"(
    for i in range(T.int64(64)):
        L[i] = i + T.int64(3)
        B[i] = T.cast(i * i, "float32")
)",
            R"(
    for i in range(64):
        L[i] = T.cast(i, "int64") + T.int64(3)
        B[i] = T.cast(i * i, "float32")
)");
        row("numbers of memory, which may be large", R"(
    for i in range(T.int64(64)):
        B[L[i] % T.int64(64) + i] = A[i]
)",
            R"(
    for i in range(64):
        B[L[i] % T.int64(64) + T.cast(i, "int64")] = A[i]
)");
        row("what is large on the way", R"(
    for i in range(T.int64(64)):
        B[i * T.int64(4294967296) // T.int64(4294967296)] = A[i]
)",
            R"(
    for i in range(64):
        B[T.cast(i, "int64") * T.int64(4294967296) // T.int64(4294967296)] = A[i]
)");
        row("a length that is known later", R"(
    for i in range(n):
        B[T.max(T.min(i, T.int64(63)), T.int64(0))] = A[0]
)");
        row("variables", R"(
    for i in range(T.int64(60)):
        with T.LetStmt(i // T.int64(2)) as x:
            B[x + i] = A[x]
)",
            R"(
    for i in range(60):
        with T.LetStmt(i // 2) as x:
            B[x + i] = A[x]
)");
        row("32 bits as they are", R"(
    for i in range(64):
        B[i] = A[63 - i]
)");
    }
    void narrowed()
    {
        checkRow("narrow-data-type", "A: T.Buffer((64,), \"float32\"), B: T.Buffer((128,), \"float32\"), "
                                     "L: T.Buffer((64,), \"int64\"), n: T.int64");
    }

    void kernelsOfDevicesCountIn32Bits()
    {
        const ir::Module module = parsed(R"(
@T.prim_func
def main(A: T.Buffer((T.int64(64), T.int64(64)), "float32"),
         B: T.Buffer((T.int64(64), T.int64(64)), "float32")):
    for i in T.thread_binding(T.int64(64), thread="blockIdx.x"):
        for j in T.thread_binding(T.int64(64), thread="threadIdx.x"):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vj, vi]
)");
        target::Target target;
        target.kind = target::TargetKind::OpenCl;
        const auto threads = lower::lowerToThreads(module, target);
        QVERIFY2(threads, threads ? "" : threads.error().render().c_str());
        const std::string text = script::print(*threads).text;
        QVERIFY2(text.contains("B_1[i * 64 + j] = A_1[j * 64 + i]"), text.c_str());
        checkEquivalent(module, *threads);
    }
};

QTEST_GUILESS_MAIN(NarrowDataTypeTest)
#include "narrow_data_type_test.moc"
