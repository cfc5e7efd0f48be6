// SPDX-License-Identifier: Apache-2.0
// Loops that become copies of their bodies.
#include "core/script/print/printer.h"
#include "tests/core/lower/passes/bodies.h"
#include "tests/support/passes.h"

using namespace nestwright::tests;

class UnrollLoopTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void unrolledLoopsBecomeCopies()
    {
        checkPass("unroll-loop", R"(
@T.prim_func
def main(A: T.Buffer((6,), "float32")):
    for i in T.unroll(2):
        for j in range(3):
            A[i * 3 + j] = T.float32(1)
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((6,), "float32")):
    for j in range(3):
        A[T.Mul(0, 3) + j] = T.float32(1)
    for j in range(3):
        A[T.Mul(1, 3) + j] = T.float32(1)
)");
    }

    /// Memory whose size depends on the loop has that of each round.
    void memoryOfAnySize()
    {
        checkPass("unroll-loop", R"(
@T.prim_func
def main(A: T.Buffer((2,), "float32")):
    for i in T.unroll(2):
        memory = T.allocate([i + 1], "float32", "global")
        B = T.decl_buffer((i + 1,), data=memory)
        B[0] = T.float32(1)
        A[i] = B[0]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((2,), "float32")):
    with T.allocate([T.Add(0, 1)], "float32", "global") as memory:
        B = T.decl_buffer((T.Add(0, 1),), data=memory)
        B[0] = T.float32(1)
        A[0] = B[0]
    memory = T.allocate([T.Add(1, 1)], "float32", "global")
    B = T.decl_buffer((T.Add(1, 1),), data=memory)
    B[0] = T.float32(1)
    A[1] = B[0]
)");
    }

    void longLoopsAreNotUnrolled()
    {
        constexpr auto text = R"(
@T.prim_func
def main(A: T.Buffer((1000,), "float32")):
    for i in T.unroll(1000):
        A[i] = T.float32(1)
)";
        checkPass("unroll-loop", text, text);
    }

    void manyStoresAreNotUnrolled()
    {
        std::string stores;
        for (int k = 0; k < 32; ++k)
            stores +=
                "        A[i * 32 + " + std::to_string(k) + "] = T.float32(" + std::to_string(k) + ")\n";
        const std::string text = R"(
@T.prim_func
def main(A: T.Buffer((6400,), "float32")):
    for i in T.unroll(200):
)" + stores;
        checkPass("unroll-loop", text, text);
    }

    void unrolled_data()
    {
        addBodyColumns();
        row("as many rounds as there may be", R"(
    for i in T.unroll(3):
        A[i] = T.float32(1)
)",
            R"(
    A[0] = T.float32(1)
    A[1] = T.float32(1)
    A[2] = T.float32(1)
)");
        row("none", R"(
    for i in T.unroll(0):
        A[i] = T.float32(1)
    A[3] = T.float32(1)
)",
            R"(
    A[3] = T.float32(1)
)");
        row("of unknown length", R"(
    for i in T.unroll(n):
        A[i] = T.float32(1)
)");
        row("from another start", R"(
    for i in T.unroll(n, n + 2):
        A[i] = T.float32(1)
)",
            R"(
    A[n] = T.float32(1)
    A[n + 1] = T.float32(1)
)");
        row("one within another", R"(
    for i in T.unroll(2):
        for j in T.unroll(2):
            A[i * 2 + j] = T.float32(1)
)",
            R"(
    A[T.Add(T.Mul(0, 2), 0)] = T.float32(1)
    A[T.Mul(0, 2) + 1] = T.float32(1)
    A[T.Add(T.Mul(1, 2), 0)] = T.float32(1)
    A[T.Mul(1, 2) + 1] = T.float32(1)
)");
        row("other loops", R"(
    for i in T.vectorized(2):
        A[i] = T.float32(1)
    for i in range(2):
        A[i] = T.float32(1)
)");
    }
    void unrolled() { checkRow("unroll-loop", R"(A: T.Buffer((64,), "float32"), n: T.int32)"); }

    /// Serial loops within a pragma, as TVM's schedules for processors and GPUs have them.
    void pragmas_data()
    {
        addBodyColumns();
        row("as many stores as it allows", R"(
    for i in T.serial(2, annotations={"pragma_auto_unroll_max_step": 2, "pragma_unroll_explicit": 1}):
        A[i] = T.float32(1)
)",
            R"(
    A[0] = T.float32(1)
    A[1] = T.float32(1)
)");
        row("one more", R"(
    for i in T.serial(3, annotations={"pragma_auto_unroll_max_step": 2, "pragma_unroll_explicit": 1}):
        A[i] = T.float32(1)
)",
            R"(
    for i in range(3):
        A[i] = T.float32(1)
)");
        row("none, by the compiler behind neither", R"(
    for i in T.serial(2, annotations={"pragma_auto_unroll_max_step": 16}):
        for j in T.serial(2, annotations={"pragma_auto_unroll_max_step": 0}):
            A[i + j] = T.float32(1)
)",
            R"(
    for i in range(2):
        for j in T.serial(2, annotations={"pragma_auto_unroll_max_step": 0}):
            A[i + j] = T.float32(1)
)");
        row("none, though it is wished", R"(
    for j in T.unroll(2, annotations={"pragma_auto_unroll_max_step": 0}):
        A[j] = T.float32(1)
)",
            R"(
    A[0] = T.float32(1)
    A[1] = T.float32(1)
)");
        row("the loops within, not that around", R"(
    for i in T.serial(4, annotations={"pragma_auto_unroll_max_step": 2}):
        for j in range(2):
            A[i + j] = T.float32(1)
)",
            R"(
    for i in range(4):
        A[T.Add(i, 0)] = T.float32(1)
        A[i + 1] = T.float32(1)
)");
        row("no loop around one that stays", R"(
    for i in T.serial(2, annotations={"pragma_auto_unroll_max_step": 16}):
        for j in range(n):
            A[i + j] = T.float32(1)
        for j in range(1):
            A[i + j] = T.float32(1)
)",
            R"(
    for i in range(2):
        for j in range(n):
            A[i + j] = T.float32(1)
        A[T.Add(i, 0)] = T.float32(1)
)");
        row("left to the compiler", R"(
    for i in T.serial(n, annotations={"pragma_auto_unroll_max_step": 8, "pragma_unroll_explicit": 0}):
        for j in range(2):
            for k in range(4):
                A[i + j + k] = T.float32(1)
        for j in range(3):
            for k in range(4):
                A[i + j + k] = T.float32(1)
)",
            R"(
    for i in range(n):
        for j in T.unroll(2):
            for k in T.unroll(4):
                A[i + j + k] = T.float32(1)
        for j in range(3):
            for k in T.unroll(4):
                A[i + j + k] = T.float32(1)
)");
        row("beside it nothing", R"(
    for i in T.serial(2, annotations={"pragma_auto_unroll_max_step": 2}):
        A[i] = T.float32(1)
    for i in range(2):
        A[i] = T.float32(1)
)",
            R"(
    A[0] = T.float32(1)
    A[1] = T.float32(1)
    for i in range(2):
        A[i] = T.float32(1)
)");
        row("loops on several cores stay", R"(
    for i in T.parallel(2, annotations={"pragma_auto_unroll_max_step": 4}):
        A[i] = T.float32(1)
)",
            R"(
    for i in T.parallel(2):
        A[i] = T.float32(1)
)");
    }
    void pragmas() { checkRow("unroll-loop", R"(A: T.Buffer((64,), "float32"), n: T.int32)"); }

    /// A program of any size stays one of a bounded size.
    void aPragmaUnrollsNoMoreThanThereMayBe()
    {
        const auto isUnrolled = [](int rounds) {
            const std::string text =
                "@T.prim_func\ndef main(A: T.Buffer((8192,), \"float32\")):\n    for i in T.serial("
                + std::to_string(rounds)
                + ", annotations={\"pragma_auto_unroll_max_step\": 1000000000}):\n        A[i] = "
                  "T.float32(1)\n";
            const auto record =
                nestwright::lower::runPass(*nestwright::lower::findPass("unroll-loop"), parsed(text), {});
            return record && !nestwright::script::print(record->after).text.contains("for i in");
        };
        QVERIFY(isUnrolled(4096));
        QVERIFY(!isUnrolled(4097));
    }

    /// As many copies as there may be, and one more.
    void mostCopies()
    {
        const auto isUnrolled = [](int rounds, int stores) {
            std::string text =
                "@T.prim_func\ndef main(A: T.Buffer((8192,), \"float32\")):\n    for i in T.unroll("
                + std::to_string(rounds) + "):\n";
            for (int k = 0; k < stores; ++k)
                text += "        A[i * 16 + " + std::to_string(k) + "] = T.float32(1)\n";
            const auto record =
                nestwright::lower::runPass(*nestwright::lower::findPass("unroll-loop"), parsed(text), {});
            return record && !record->unchanged;
        };
        QVERIFY(isUnrolled(256, 1));
        QVERIFY(!isUnrolled(257, 1));
        QVERIFY(isUnrolled(256, 16));
        QVERIFY(!isUnrolled(241, 17));
    }

    void copiesShareTheMemoryOfABlock()
    {
        checkPass("unroll-loop", R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for t in T.thread_binding(4, thread="threadIdx.x"):
        for i in T.unroll(2):
            with T.decl_buffer((4,), scope="shared") as S:
                S[t] = A[t]
                T.evaluate(T.tvm_storage_sync("shared"))
                C[t] = S[3 - t]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for t in T.thread_binding(4, thread="threadIdx.x"):
        memory = T.allocate([4], "float32", "shared")
        with T.decl_buffer((4,), data=memory, scope="shared") as S:
            S[t] = A[t]
            T.evaluate(T.tvm_storage_sync("shared"))
            C[t] = S[3 - t]
        with T.decl_buffer((4,), data=memory, scope="shared") as S:
            S[t] = A[t]
            T.evaluate(T.tvm_storage_sync("shared"))
            C[t] = S[3 - t]
)");
    }

    void eachCopyHasMemoryOfItsOwn()
    {
        checkPass("unroll-loop", R"(
@T.prim_func
def main(A: T.Buffer((2,), "float32"), C: T.Buffer((2,), "float32")):
    for i in T.unroll(2):
        with T.decl_buffer((1,)) as B:
            B[0] = A[i]
            C[i] = B[0]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((2,), "float32"), C: T.Buffer((2,), "float32")):
    with T.decl_buffer((1,)) as B:
        B[0] = A[0]
        C[0] = B[0]
    with T.decl_buffer((1,)) as B_1:
        B_1[0] = A[1]
        C[1] = B_1[0]
)");
    }
};

QTEST_GUILESS_MAIN(UnrollLoopTest)
#include "unroll_loop_test.moc"
