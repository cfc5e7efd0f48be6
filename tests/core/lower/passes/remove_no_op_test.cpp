// SPDX-License-Identifier: Apache-2.0
// Removal of statements without effect.
#include "tests/core/lower/passes/bodies.h"
#include "tests/support/passes.h"

using namespace nestwright::tests;

class RemoveNoOpTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Memory whose size depends on a loop of one round has that of the round.
    void memoryOfAnySize()
    {
        checkPass("remove-no-op", R"(
@T.prim_func
def main(A: T.Buffer((2,), "float32")):
    for i in range(1, 2):
        memory = T.allocate([i + 1], "float32", "global")
        B = T.decl_buffer((i + 1,), data=memory)
        B[0] = T.float32(1)
        A[i] = B[0]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((2,), "float32")):
    memory = T.allocate([T.Add(1, 1)], "float32", "global")
    B = T.decl_buffer((T.Add(1, 1),), data=memory)
    B[0] = T.float32(1)
    A[1] = B[0]
)");
    }

    void nothingIsLeftOfWhatDoesNothing()
    {
        checkPass("remove-no-op", R"(
@T.prim_func
def main(A: T.Buffer((6,), "float32")):
    for i in range(6):
        T.evaluate(0)
    for i in range(1):
        A[i] = T.float32(1)
    if T.bool(False):
        A[1] = T.float32(1)
    else:
        A[2] = T.float32(2)
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((6,), "float32")):
    A[0] = T.float32(1)
    A[2] = T.float32(2)
)");
    }

    void anEmptyBranchGoesWithItsCondition()
    {
        checkPass("remove-no-op", R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        if A[i] < T.float32(0):
            T.evaluate(0)
        B[i] = A[i]
)",
                  R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        B[i] = A[i]
)");
    }

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
        row("memory that is written for nobody, and what fills it only", R"(
    with T.decl_buffer((4,)) as B:
        C = T.decl_buffer((4,))
        for i in range(4):
            B[i] = A[i]
        for i in range(4):
            C[i] = B[i]
        A[4] = T.float32(2)
)",
            R"(
    A[4] = T.float32(2)
)");
        row("memory that is written by what can be seen", R"(
    with T.decl_buffer((4,)) as B:
        B[0] = T.call_extern("float32", "f", n)
        A[4] = T.float32(2)
)",
            R"(
    B = T.decl_buffer((4,))
    B[0] = T.call_extern("float32", "f", n)
    A[4] = T.float32(2)
)");
        row("the value that is there", R"(
    for i in range(8):
        with T.LetStmt(i + 1) as x:
            A[x] = A[1 + i]
        if i < 4:
            A[i] = A[i % 4]
        A[i + 8] = A[i + 9]
)",
            R"(
    for i in range(8):
        A[i + 8] = A[i + 9]
)");
        row("perhaps another value", R"(
    for i in range(8):
        A[i] = A[i % 4]
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
    void removed() { checkRow("remove-no-op", R"(A: T.Buffer((64,), "float32"), n: T.int32)"); }
};

QTEST_GUILESS_MAIN(RemoveNoOpTest)
#include "remove_no_op_test.moc"
