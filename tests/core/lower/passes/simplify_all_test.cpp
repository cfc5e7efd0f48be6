// SPDX-License-Identifier: Apache-2.0
// Expressions that become simpler, and those that are left alone.
#include "tests/core/lower/passes/bodies.h"
#include "tests/support/passes.h"

using namespace nestwright::tests;

class SimplifyAllTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void guardsThatAlwaysHoldGo()
    {
        checkPass("simplify", R"(
@T.prim_func
def main(A: T.Buffer((12,), "float32")):
    for i, j in T.grid(3, 4):
        if i * 4 + j < 12:
            A[(i * 4 + j) // 4 * 4 + j] = T.float32(1)
        if j > 7:
            A[0] = T.float32(2)
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((12,), "float32")):
    for i, j in T.grid(3, 4):
        A[i * 4 + j] = T.float32(1)
)");
    }

    /// Where a loop begins is not known of it any more once the memory is overwritten that says it.
    void boundsFromMemoryAreNotAssumed()
    {
        const char *program = R"(
@T.prim_func
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    for i in range(A[0], A[0] + 4):
        A[0] = 7
        if A[0] <= i:
            B[0] = 1
)";
        checkPass("simplify", program, program);
    }

    void armsOfAChoiceAreSimplifiedUnderItsCondition()
    {
        checkPass("simplify", R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(16):
        B[i] = T.if_then_else(i < 4, A[T.min(i, 7)], A[T.max(i, 2)])
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(16):
        B[i] = T.if_then_else(i < 4, A[i], A[T.max(i, 2)])
)");
    }

    void whatDataAllowIsComputedWithoutABranch()
    {
        // The loads lie within the buffers, so that both halves can be computed; a division cannot.
        checkPass("simplify", R"(
@T.prim_func
def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), C: T.Buffer((16,), "bool")):
    for i in range(16):
        C[i] = A[i] != 0 and B[i] != 0
    for i in range(16):
        C[i] = A[i] != 0 and B[i] // A[i] != 0
    for i in range(16):
        C[i] = A[i] != 0 or B[i + 1] != 0
    for i in range(15):
        C[i] = A[i] != 0 or B[i + 1] != 0
    for i in range(16):
        C[i] = i < 8 and B[i] != 0
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), C: T.Buffer((16,), "bool")):
    for i in range(16):
        C[i] = T.bitwise_and(A[i] != 0, B[i] != 0)
    for i in range(16):
        C[i] = A[i] != 0 and B[i] // A[i] != 0
    for i in range(16):
        C[i] = A[i] != 0 or B[i + 1] != 0
    for i in range(15):
        C[i] = T.bitwise_or(A[i] != 0, B[i + 1] != 0)
    for i in range(16):
        C[i] = i < 8 and B[i] != 0
)");
    }

    void simplified_data()
    {
        addBodyColumns();
        row("loops of no length", R"(
    for i in range(0):
        A[i] = T.float32(1)
    for i in range(-3):
        A[i] = T.float32(1)
    for i in range(1):
        A[i] = T.float32(1)
)",
            R"(
    for i in range(1):
        A[0] = T.float32(1)
)");
        row("the length of a loop", R"(
    for i in range(4 * 2 - 1):
        A[i + 1 - 1] = T.float32(1)
)",
            R"(
    for i in range(7):
        A[i] = T.float32(1)
)");
        row("the start of a loop", R"(
    for i in range(n - n + 2, 4):
        A[i] = T.float32(1)
)",
            R"(
    for i in range(2, 4):
        A[i] = T.float32(1)
)");
        row("a length that is read", R"(
    for i in range(J[0]):
        if i < J[0]:
            A[i] = T.float32(1)
)");
        row("a condition within a condition", R"(
    for i in range(16):
        if i < n:
            if i < n + 1:
                A[i] = T.float32(1)
        else:
            if i < n:
                A[i] = T.float32(2)
            else:
                A[i] = T.float32(3)
)",
            R"(
    for i in range(16):
        if i < n:
            A[i] = T.float32(1)
        else:
            A[i] = T.float32(3)
)");
        row("a condition that is read within a condition", R"(
    if J[0] < 3:
        J[0] = 7
        if J[0] < 3:
            A[0] = T.float32(1)
)");
        row("conditions known from loops", R"(
    for i in range(8):
        if i >= 8:
            A[0] = T.float32(1)
        if i >= 8:
            A[1] = T.float32(1)
        else:
            A[2] = T.float32(1)
        if i < 8:
            A[3] = T.float32(1)
        else:
            A[4] = T.float32(1)
        if i < 7:
            A[5] = T.float32(1)
        if i >= 1:
            A[6] = T.float32(1)
)",
            R"(
    for i in range(8):
        A[2] = T.float32(1)
        A[3] = T.float32(1)
        if i < 7:
            A[5] = T.float32(1)
        if 1 <= i:
            A[6] = T.float32(1)
)");
        row("choices known from loops", R"(
    for i in range(8):
        A[i] = T.if_then_else(i < 8, A[i], T.float32(0))
        A[i] = T.if_then_else(i >= 8, A[i], T.float32(0))
        A[i] = T.if_then_else(i < 7, A[i], T.float32(0))
        J[i] = T.if_then_else(i < 5, T.min(i, 4), T.max(i, 5))
        J[i] = J[T.if_then_else(i < 5, T.min(i, 4), T.max(i, 5))]
)",
            R"(
    for i in range(8):
        A[i] = A[i]
        A[i] = T.float32(0)
        A[i] = T.if_then_else(i < 7, A[i], T.float32(0))
        J[i] = T.if_then_else(i < 5, i, T.max(i, 5))
        J[i] = J[T.if_then_else(i < 5, i, T.max(i, 5))]
)");
        row("choices by data", R"(
    A[0] = T.if_then_else(J[0] < 3, T.if_then_else(J[0] < 3, A[1], A[2]), A[3])
)");
        row("floating-point values are left alone", R"(
    A[0] = A[0] * T.float32(1) + T.float32(0) + (A[1] - A[1])
)");
        row("data are left alone", R"(
    J[0] = J[0] * 1 + 0 + (n - n)
)",
            R"(
    J[0] = J[0]
)");
        row("what may be computed anyway", R"(
    for i in range(16):
        M[i] = J[i] < 3 and J[i + 16] < 3
        M[i] = J[i] < 3 or J[15 - i] < 3
        M[i] = J[i] < 3 and J[i] < J[i + 1]
        M[i] = J[i] < 3 and i < n
        M[i] = i < n and J[i] < 3
)",
            R"(
    for i in range(16):
        M[i] = T.bitwise_and(J[i] < 3, J[i + 16] < 3)
        M[i] = T.bitwise_or(J[i] < 3, J[15 - i] < 3)
        M[i] = T.bitwise_and(J[i] < 3, J[i] < J[i + 1])
        M[i] = J[i] < 3 and i < n
        M[i] = i < n and J[i] < 3
)");
        row("choices within sums", R"(
    for i in range(8):
        J[i] = 1 + T.if_then_else(i < 5, T.min(i, 4), T.max(i, 5))
)",
            R"(
    for i in range(8):
        J[i] = T.if_then_else(i < 5, i, T.max(i, 5)) + 1
)");
        row("elements of several dimensions", R"(
    with T.decl_buffer((16, 2), "int32") as K:
        for i in range(16):
            K[i, 0] = i
            K[i, 1] = 2
        for i in range(16):
            M[i] = J[i] < 3 and K[i, 1] < 3
)");
        row("what may not", R"(
    for i in range(16):
        M[i] = J[i] < 3 and J[i] // J[i + 1] < 3
        M[i] = J[i] < 3 and J[i + 17] < 3
        M[i] = J[i] < 3 and J[i - 1] < 3
        M[i] = J[i] < 3 and J[J[i]] < 3
        M[i] = J[i] < 3 and J[i // n] < 3
)");
        row("a variable within bounds", R"(
    for i in range(8):
        with T.LetStmt(i * 2) as x:
            if x < 16:
                A[x % 16] = A[0]
)",
            R"(
    for i in range(8):
        with T.LetStmt(i * 2) as x:
            A[x] = A[0]
)");
        row("a variable that memory gives", R"(
    for i in range(8):
        with T.LetStmt(J[i]) as x:
            if 0 <= x and x < 16:
                A[T.min(x, 16)] = A[0]
)",
            R"(
    for i in range(8):
        with T.LetStmt(J[i]) as x:
            if 0 <= x and x < 16:
                A[x] = A[0]
)");
    }
    void simplified()
    {
        checkRow("simplify",
                 R"(A: T.Buffer((64,), "float32"), J: T.Buffer((32,), "int32"), M: T.Buffer((64,), "bool"),
         n: T.int32)");
    }

    void blocksKnowTheDomainsOfTheirVariables()
    {
        checkPass("simplify", R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            T.reads(A[0:8])
            T.writes(B[vi])
            if vi < 8:
                B[vi] = A[vi % 8]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            T.reads(A[0:8])
            T.writes(B[vi])
            B[vi] = A[vi]
)");
    }
};

QTEST_GUILESS_MAIN(SimplifyAllTest)
#include "simplify_all_test.moc"
