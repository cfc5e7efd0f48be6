// SPDX-License-Identifier: Apache-2.0
// Expressions that are computed once, and those computed as often as they are written.
#include "tests/core/lower/passes/bodies.h"

using namespace nestwright::tests;
using namespace nestwright;

class CommonSubexprElimTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void shared_data()
    {
        addBodyColumns();
        row("in one statement", R"(
    for i in range(60):
        B[i // 5 + i % 7] = A[i // 5] + A[i % 7]
)",
            R"(
    for i in range(60):
        with T.LetStmt(i // 5) as x:
            with T.LetStmt(i % 7) as y:
                B[x + y] = A[x] + A[y]
)");
        row("in several of a sequence", R"(
    for i in range(60):
        B[i] = A[0]
        B[i // 5] = A[1]
        C[i // 5] = A[2]
)",
            R"(
    for i in range(60):
        B[i] = A[0]
        with T.LetStmt(i // 5) as x:
            B[x] = A[1]
            C[x] = A[2]
)");
        row("the larger one, then its parts", R"(
    for i in range(60):
        B[i // 5 * 2 + 1] = A[i // 5]
        C[i // 5 * 2 + 1] = A[i]
)",
            R"(
    for i in range(60):
        with T.LetStmt(i // 5) as y:
            with T.LetStmt(y * 2 + 1) as x:
                B[x] = A[y]
                C[x] = A[i]
)");
        row("within loops of a sequence, in the loop around them", R"(
    for i in range(60):
        for j in range(2):
            B[i // 5 + j] = A[j]
        for j in range(2):
            C[i // 5 + j] = A[j]
)",
            R"(
    for i in range(60):
        with T.LetStmt(i // 5) as x:
            for j in range(2):
                B[x + j] = A[j]
            for j in range(2):
                C[x + j] = A[j]
)");
        row("what depends on the loop, within it", R"(
    for i in range(8):
        for j in range(8):
            B[(i + j) // 3] = A[(i + j) // 3]
)",
            R"(
    for i in range(8):
        for j in range(8):
            with T.LetStmt((i + j) // 3) as x:
                B[x] = A[x]
)");
        row("a function", R"(
    for i in range(64):
        B[i] = T.exp(A[i]) * T.exp(A[i])
)",
            R"(
    for i in range(64):
        with T.LetStmt(T.exp(A[i])) as x:
            B[i] = x * x
)");
        row("a function of what is stored to in between", R"(
    for i in range(64):
        B[i] = T.exp(A[i])
        A[i] = T.float32(1)
        C[i] = T.exp(A[i])
)");
        row("a function of what the last statement stores to", R"(
    for i in range(64):
        B[i] = T.exp(A[i])
        A[i] = T.exp(A[i])
)",
            R"(
    for i in range(64):
        with T.LetStmt(T.exp(A[i])) as x:
            B[i] = x
            A[i] = x
)");
        row("one of a condition", R"(
    for i in range(64):
        if i // 5 < 7:
            B[i // 5] = A[i]
)",
            R"(
    for i in range(64):
        with T.LetStmt(i // 5) as x:
            if x < 7:
                B[x] = A[i]
)");
        row("either of two", R"(
    for i in range(60):
        if i < 7:
            B[i // 5] = A[i]
        else:
            C[i // 5] = A[i]
)");
        row("perhaps neither", R"(
    for i in range(60):
        if A[0] < T.float32(0):
            B[i // 5] = A[i]
        if A[1] < T.float32(0):
            C[i // 5] = A[i]
)");
        row("by a divisor that may be 0 unless it is asked for", R"(
    for i in range(60):
        B[i] = T.if_then_else(n > 0, A[i // n % 3], A[0]) + T.if_then_else(n > 0, A[i // n % 3], A[1])
)");
        row("by a divisor that is there anyway", R"(
    for i in range(60):
        B[i] = A[i // n % 3] + T.if_then_else(n > 4, A[i // n % 3], A[1])
)",
            R"(
    for i in range(60):
        with T.LetStmt(A[i // n % 3]) as x:
            B[i] = x + T.if_then_else(n > 4, x, A[1])
)");
        row("sums, which cost no more than a variable", R"(
    for i in range(60):
        B[i + 3] = A[i + 3] + A[i + 3]
)");
        row("one that occurs once", R"(
    for i in range(60):
        B[i // 5] = A[i // 6]
)");
        row("of a loop that may not run", R"(
    for i in range(n):
        B[i] = A[i // 5]
    for i in range(n):
        C[i] = A[0]
)");
    }
    void shared()
    {
        checkRow("common-subexpr-elim", "A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\"), "
                                        "C: T.Buffer((64,), \"float32\"), n: T.int32");
    }
};

QTEST_GUILESS_MAIN(CommonSubexprElimTest)
#include "common_subexpr_elim_test.moc"
