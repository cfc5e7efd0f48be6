// SPDX-License-Identifier: Apache-2.0
// Allocations that shrink, and those that stay as they are.
#include "tests/core/lower/passes/bodies.h"
#include "tests/support/passes.h"

using namespace nestwright;
using namespace nestwright::tests;

class CompactBufferAllocationTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void allocationsShrinkToWhatIsTouched()
    {
        checkPass("compact-buffer-allocation", R"(
@T.prim_func
def main(A: T.Buffer((8, 16), "float32"), C: T.Buffer((8, 16), "float32")):
    for i, j_0 in T.grid(8, 4):
        with T.decl_buffer((8, 16)) as B:
            for j_1 in range(4):
                B[i, j_0 * 4 + j_1] = A[i, j_0 * 4 + j_1] * T.float32(2)
            for j_1 in range(4):
                C[i, j_0 * 4 + j_1] = B[i, j_0 * 4 + j_1]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((8, 16), "float32"), C: T.Buffer((8, 16), "float32")):
    for i, j_0 in T.grid(8, 4):
        with T.decl_buffer((1, 4)) as B:
            for j_1 in range(4):
                B[i - i, j_0 * 4 + j_1 - j_0 * 4] = A[i, j_0 * 4 + j_1] * T.float32(2)
            for j_1 in range(4):
                C[i, j_0 * 4 + j_1] = B[i - i, j_0 * 4 + j_1 - j_0 * 4]
)");
    }

    /// Threads that are made loops share a block's memory as those of the hardware do.
    void memoryOfABlockIsThatOfAllItsVirtualThreads()
    {
        const auto text = [](const char *memory, const char *filled, const char *read) {
            return QStringLiteral(R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    for b in T.thread_binding(4, thread="blockIdx.x"):
        for v in T.thread_binding(2, thread="vthread.x"):
            with T.decl_buffer(%1, scope="shared") as S:
                for k in range(16):
                    S[%2] = A[b * 16 + k]
                for k in range(8):
                    C[b * 16 + v * 8 + k] = S[%3]
)")
                .arg(memory, filled, read)
                .toStdString();
        };
        checkPass("compact-buffer-allocation", text("(64,)", "b * 16 + k", "b * 16 + v * 8 + k"),
                  text("(16,)", "b * 16 + k - b * 16", "b * 16 + v * 8 + k - b * 16"));
    }

    /// Compaction follows storage_align: [buffer, axis, factor, offset].
    void rowsAreSpaced_data()
    {
        QTest::addColumn<QString>("spacing");
        QTest::addColumn<QString>("declared");
        QTest::newRow("rows of 16 to 17") << "[0, 0, 16, 1]" << "(8, 16), data=B, strides=(17, 1)";
        QTest::newRow("rows of 16 to 32 and 4") << "[0, 0, 32, 4]" << "(8, 16), data=B, strides=(36, 1)";
        QTest::newRow("rows that are there already") << "[0, 0, 8, 0]" << "(8, 16), data=B, strides=(16, 1)";
        QTest::newRow("a negative offset") << "[0, 0, 32, -4]" << "(8, 16), data=B, strides=(28, 1)";
        QTest::newRow("elements too") << "[0, 1, 4, 2], [0, 0, 8, 1]" << "(8, 16), data=B, strides=(33, 2)";
        QTest::newRow("not of this buffer") << "[1, 0, 16, 1]" << "(8, 16))";
        QTest::newRow("no factor") << "[0, 0, 0, 1]" << "(8, 16))";
    }
    void rowsAreSpaced()
    {
        QFETCH(QString, spacing);
        QFETCH(QString, declared);
        const ir::Module given = parsed(QStringLiteral(R"(
@T.prim_func
def main(A: T.Buffer((8, 16), "float32"), C: T.Buffer((8, 16), "float32")):
    B = T.alloc_buffer((8, 16))
    for i, j in T.grid(8, 16):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi, vj])
            T.block_attr({"buffer_dim_align": [%1]})
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(8, 16):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[7 - vi, vj]
)")
                                            .arg(spacing)
                                            .toStdString());
        const auto pass = [](const ir::Module &module, const char *name) {
            return lower::runPass(*lower::findPass(name), module, {}).value().after;
        };
        const ir::Module spaced = pass(pass(given, "lower-blocks"), "compact-buffer-allocation");
        const std::string text = script::print(spaced).text;
        QVERIFY2(text.contains(declared.toStdString()), text.c_str());
        QVERIFY(checkEquivalent(given, spaced));
        QVERIFY(checkEquivalent(given, lowered(given)));
    }

    void pointersKeepTheirRows()
    {
        const ir::Module given = parsed(R"(
@T.prim_func
def main(A: T.Buffer((8, 16), "float32"), C: T.Buffer((8, 16), "float32")):
    B = T.alloc_buffer((8, 16))
    for i, j in T.grid(8, 16):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi, vj])
            T.block_attr({"buffer_dim_align": [[0, 0, 16, 1]]})
            B[vi, vj] = A[vi, vj]
    with T.block("C"):
        T.reads(B[0:8, 0:16])
        T.writes(C[0:8, 0:16])
        T.evaluate(T.call_extern("int32", "copy", B.data, C.data))
)");
        const auto pass = [](const ir::Module &module, const char *name) {
            return lower::runPass(*lower::findPass(name), module, {}).value().after;
        };
        const std::string text =
            script::print(pass(pass(given, "lower-blocks"), "compact-buffer-allocation")).text;
        QVERIFY2(!text.contains("strides"), text.c_str());
    }

    void compacted_data()
    {
        addBodyColumns();
        row("a row at a time", R"(
    for i in range(8):
        with T.decl_buffer((8, 16)) as B:
            for j in range(16):
                B[i, j] = A[i * 16 + j]
            for j in range(16):
                C[i * 16 + j] = B[i, 15 - j]
)",
            R"(
    for i in range(8):
        B = T.decl_buffer((1, 16))
        for j in range(16):
            B[i - i, j] = A[i * 16 + j]
        for j in range(16):
            C[i * 16 + j] = B[i - i, 15 - j]
)");
        row("all of it", R"(
    with T.decl_buffer((8,)) as B:
        for i in range(8):
            B[i] = A[i]
        for i in range(8):
            C[i] = B[7 - i]
)",
            R"(
    B = T.decl_buffer((8,))
    for i in range(8):
        B[i] = A[i]
    for i in range(8):
        C[i] = B[7 - i]
)");
        row("but one", R"(
    with T.decl_buffer((8,)) as B:
        for i in range(7):
            B[i + 1] = A[i]
        for i in range(7):
            C[i] = B[7 - i]
)",
            R"(
    B = T.decl_buffer((7,))
    for i in range(7):
        B[i + 1 - 1] = A[i]
    for i in range(7):
        C[i] = B[7 - i - 1]
)");
        row("of unknown size", R"(
    with T.decl_buffer((n,)) as B:
        for i in range(4):
            B[i] = A[i]
        for i in range(4):
            C[i] = B[i]
)",
            R"(
    B = T.decl_buffer((4,))
    for i in range(4):
        B[i] = A[i]
    for i in range(4):
        C[i] = B[i]
)");
        row("of unknown part", R"(
    with T.decl_buffer((64,)) as B:
        for i in range(n):
            B[i] = A[i]
        for i in range(n):
            C[i] = B[i]
)",
            R"(
    B = T.decl_buffer((64,))
    for i in range(n):
        B[i] = A[i]
    for i in range(n):
        C[i] = B[i]
)");
        row("a part that a condition bounds", R"(
    with T.decl_buffer((64,)) as B:
        for i in range(32):
            if i < 5:
                B[i] = A[i]
        for i in range(5):
            C[i] = B[i]
)",
            R"(
    B = T.decl_buffer((5,))
    for i in range(32):
        if i < 5:
            B[i] = A[i]
    for i in range(5):
        C[i] = B[i]
)");
        row("a quotient that a condition decides", R"(
    for i in range(4):
        B = T.decl_buffer((4, 16))
        for j, k in T.grid(4, 4):
            if j * 4 + k < 15:
                B[(i * 15 + j * 4 + k) // 15, j] = A[i * 4 + j]
                C[i * 4 + j] = B[(i * 15 + j * 4 + k) // 15, j]
)",
            R"(
    for i in range(4):
        B = T.decl_buffer((1, 4))
        for j, k in T.grid(4, 4):
            if j * 4 + k < 15:
                B[(i * 15 + j * 4 + k) // 15 - i, j] = A[i * 4 + j]
                C[i * 4 + j] = B[(i * 15 + j * 4 + k) // 15 - i, j]
)");
        row("a part that only the type of a size bounds", R"(
    with T.decl_buffer((n,)) as B:
        for i, j, k in T.grid(3, 6, (n + 17) // 18):
            if i * ((n + 17) // 18) * 6 + j * ((n + 17) // 18) + k < n:
                B[(i * ((n + 17) // 18) * 6 + j * ((n + 17) // 18) + k) // 2] = A[0]
        C[0] = B[0]
)");
        row("a part that a condition of unknown value bounds", R"(
    with T.decl_buffer((64,)) as B:
        for i in range(32):
            if i < n:
                B[i] = A[i]
        for i in range(32):
            if i < n:
                C[i] = B[i]
)",
            R"(
    B = T.decl_buffer((32,))
    for i in range(32):
        if i < n:
            B[i] = A[i]
    for i in range(32):
        if i < n:
            C[i] = B[i]
)");
        row("otherwise", R"(
    with T.decl_buffer((64,)) as B:
        for i in range(32):
            if i < 5:
                B[i] = A[i]
            else:
                B[i + 8] = A[i]
        for i in range(5):
            C[i] = B[i]
)",
            R"(
    B = T.decl_buffer((40,))
    for i in range(32):
        if i < 5:
            B[i] = A[i]
        else:
            B[i + 8] = A[i]
    for i in range(5):
        C[i] = B[i]
)");
        row("a condition that is read", R"(
    with T.decl_buffer((64,)) as B:
        for i in range(32):
            if i < J[0]:
                B[i] = A[i]
        for i in range(32):
            if i < J[0]:
                C[i] = B[i]
)",
            R"(
    B = T.decl_buffer((32,))
    for i in range(32):
        if i < J[0]:
            B[i] = A[i]
    for i in range(32):
        if i < J[0]:
            C[i] = B[i]
)");
        row("a choice", R"(
    with T.decl_buffer((64,)) as B:
        for i in range(5):
            B[i + 3] = A[i]
        for i in range(32):
            C[i] = T.if_then_else(i < 5, B[i + 3], T.float32(0))
)",
            R"(
    B = T.decl_buffer((5,))
    for i in range(5):
        B[i + 3 - 3] = A[i]
    for i in range(32):
        C[i] = T.if_then_else(i < 5, B[i + 3 - 3], T.float32(0))
)");
        row("places that are read", R"(
    with T.decl_buffer((64,)) as B:
        for i in range(5):
            B[i] = A[i]
        for i in range(5):
            C[i] = B[J[i]]
)",
            R"(
    B = T.decl_buffer((64,))
    for i in range(5):
        B[i] = A[i]
    for i in range(5):
        C[i] = B[J[i]]
)");
        row("a length that is read", R"(
    with T.decl_buffer((64,)) as B:
        for i in range(J[0]):
            B[i] = A[i]
        for i in range(J[0]):
            C[i] = B[i]
)",
            R"(
    B = T.decl_buffer((64,))
    for i in range(J[0]):
        B[i] = A[i]
    for i in range(J[0]):
        C[i] = B[i]
)");
        row("vectors", R"(
    with T.decl_buffer((64,)) as B:
        B[0:4] = A[0:4]
        C[0:4] = B[0:4]
)",
            R"(
    B = T.decl_buffer((64,))
    B[0:4] = A[0:4]
    C[0:4] = B[0:4]
)");
        row("through its pointer", R"(
    with T.decl_buffer((64,)) as B:
        for i in range(5):
            B[i] = A[i]
        T.evaluate(T.call_extern("int32", "f", B.data))
)",
            R"(
    B = T.decl_buffer((64,))
    for i in range(5):
        B[i] = A[i]
    T.call_extern("int32", "f", B.data)
)");
        row("a place that a variable gives", R"(
    with T.decl_buffer((64,)) as B:
        with T.LetStmt(n % 4) as x:
            B[x] = A[x]
            C[x] = B[x]
)",
            R"(
    B = T.decl_buffer((64,))
    x: T.int32 = n % 4
    B[x] = A[x]
    C[x] = B[x]
)");
        row("a place that a variable in a value gives", R"(
    with T.decl_buffer((64,)) as B:
        B[3] = A[0]
        C[0] = T.Let(B[x], where={x: 3})
)",
            R"(
    B = T.decl_buffer((64,))
    B[3] = A[0]
    C[0] = T.Let(B[x], where={x: 3})
)");
        row("nothing", R"(
    with T.decl_buffer((64,)) as B:
        C[0] = A[0]
)",
            R"(
    B = T.decl_buffer((64,))
    C[0] = A[0]
)");
        row("a view of it", R"(
    with T.decl_buffer((64,)) as B:
        V = T.decl_buffer((8, 8), data=B.data)
        for i in range(5):
            B[i] = A[i]
        for i in range(5):
            C[i] = V[0, i]
)",
            R"(
    B = T.decl_buffer((64,))
    V = T.decl_buffer((8, 8), data=B.data)
    for i in range(5):
        B[i] = A[i]
    for i in range(5):
        C[i] = V[0, i]
)");
        row("one element", R"(
    for i in range(8):
        with T.decl_buffer((8,)) as B:
            B[i] = A[i]
            C[i] = B[i]
)",
            R"(
    for i in range(8):
        B = T.decl_buffer((1,))
        B[i - i] = A[i]
        C[i] = B[i - i]
)");
        row("the start of a loop that is elsewhere", R"(
    for i in range(8):
        with T.decl_buffer((64,)) as B:
            for j in range(i, i + 4):
                B[j] = A[j]
            for j in range(i, i + 4):
                C[j] = B[j]
)",
            R"(
    for i in range(8):
        B = T.decl_buffer((4,))
        for j in range(i, i + 4):
            B[j - i] = A[j]
        for j in range(i, i + 4):
            C[j] = B[j - i]
)");
    }
    void compacted()
    {
        checkRow("compact-buffer-allocation",
                 R"(A: T.Buffer((128,), "float32"), C: T.Buffer((128,), "float32"),
         J: T.Buffer((8,), "int32"), n: T.int32)");
    }
};

QTEST_GUILESS_MAIN(CompactBufferAllocationTest)
#include "compact_buffer_allocation_test.moc"
