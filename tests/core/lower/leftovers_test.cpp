// SPDX-License-Identifier: Apache-2.0
// What does nothing goes, what is unrolled becomes copies; nothing else does.
#include "tests/core/lower/bodies.h"

using namespace nestwright::tests;

class LeftoversTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void removed_data()
    {
        addBodyColumns();
        row("a loop that runs once", R"(
    for i in range(3, 4):
        A[i] = T.float32(1)
)",
            R"(
    A[3] = T.float32(1)
)");
        row("a parallel loop that runs once", R"(
    for i in T.parallel(1):
        A[i] = T.float32(1)
)",
            R"(
    A[0] = T.float32(1)
)");
        row("a thread that is alone", R"(
    for i in T.thread_binding(1, thread="threadIdx.x"):
        A[i] = T.float32(1)
)");
        row("a loop that never runs", R"(
    for i in range(0):
        A[i] = T.float32(1)
    A[0] = T.float32(2)
)",
            R"(
    A[0] = T.float32(2)
)");
        row("nothing in a loop of unknown length", R"(
    for i in range(n):
        T.evaluate(0)
    A[0] = T.float32(2)
)",
            R"(
    A[0] = T.float32(2)
)");
        row("values that nobody takes", R"(
    T.evaluate(n + 1)
    T.evaluate(A[0])
    T.evaluate(T.exp(A[0]))
    A[0] = T.float32(2)
)",
            R"(
    A[0] = T.float32(2)
)");
        row("calls that can be seen", R"(
    T.evaluate(T.call_extern("int32", "f", n))
    A[0] = T.float32(2)
)",
            R"(
    T.call_extern("int32", "f", n)
    A[0] = T.float32(2)
)");
        row("conditions that hold or not", R"(
    if T.bool(True):
        A[0] = T.float32(1)
    if T.bool(False):
        A[1] = T.float32(1)
    if T.bool(False):
        A[2] = T.float32(1)
    else:
        A[3] = T.float32(1)
    A[4] = T.float32(2)
)",
            R"(
    A[0] = T.float32(1)
    A[3] = T.float32(1)
    A[4] = T.float32(2)
)");
        row("nothing but otherwise", R"(
    if n < 3:
        T.evaluate(0)
    else:
        A[1] = T.float32(1)
)");
        row("nothing either way", R"(
    if n < 3:
        T.evaluate(0)
    else:
        T.evaluate(0)
    A[4] = T.float32(2)
)",
            R"(
    A[4] = T.float32(2)
)");
        row("nothing otherwise", R"(
    if n < 3:
        A[0] = T.float32(2)
    else:
        T.evaluate(0)
)");
        row("a condition that can be seen", R"(
    if T.call_extern("bool", "f", n):
        T.evaluate(0)
    A[4] = T.float32(2)
)");
        row("memory that nobody uses", R"(
    with T.decl_buffer((4,)) as B:
        T.evaluate(0)
    A[4] = T.float32(2)
)",
            R"(
    A[4] = T.float32(2)
)");
        row("memory that is used", R"(
    with T.decl_buffer((4,)) as B:
        B[0] = A[0]
        A[4] = B[0]
)",
            R"(
    B = T.decl_buffer((4,))
    B[0] = A[0]
    A[4] = B[0]
)");
        row("variables that nobody uses", R"(
    with T.LetStmt(n + 1) as x:
        T.evaluate(x)
    A[4] = T.float32(2)
)",
            R"(
    A[4] = T.float32(2)
)");
        row("variables whose value can be seen", R"(
    with T.LetStmt(T.call_extern("int32", "f", n)) as x:
        T.evaluate(0)
    A[4] = T.float32(2)
)");
        row("hints on nothing", R"(
    with T.attr("here", "hint", 1):
        T.evaluate(0)
    with T.attr("here", "hint", 2):
        A[4] = T.float32(2)
)",
            R"(
    T.attr("here", "hint", 2)
    A[4] = T.float32(2)
)");
    }
    void removed() { checkRow("remove-no-ops", R"(A: T.Buffer((64,), "float32"), n: T.int32)"); }

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
                nestwright::lower::runPass(*nestwright::lower::findPass("unroll-loops"), parsed(text), {});
            return record && !record->unchanged;
        };
        QVERIFY(isUnrolled(256, 1));
        QVERIFY(!isUnrolled(257, 1));
        QVERIFY(isUnrolled(256, 16));
        QVERIFY(!isUnrolled(241, 17));
    }
    void unrolled() { checkRow("unroll-loops", R"(A: T.Buffer((64,), "float32"), n: T.int32)"); }
};

QTEST_GUILESS_MAIN(LeftoversTest)
#include "leftovers_test.moc"
