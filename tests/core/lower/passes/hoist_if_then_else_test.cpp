// SPDX-License-Identifier: Apache-2.0
// How conditions go out of loops.
#include "tests/core/lower/passes/bodies.h"

using namespace nestwright::tests;
using namespace nestwright;

class HoistIfThenElseTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void hoisted_data()
    {
        addBodyColumns();
        row("as far out as it may", R"(
    for i in range(4):
        for j in range(4):
            for k in range(4):
                if i < 3:
                    B[i * 4 + j] = B[i * 4 + j] + A[k]
)",
            R"(
    for i in range(4):
        if i < 3:
            for j in range(4):
                for k in range(4):
                    B[i * 4 + j] = B[i * 4 + j] + A[k]
)");
        row("out of the block that it is in", R"(
    for i in range(4):
        for k in range(4):
            T.attr("B", "nw.block", 3)
            if i < 3:
                B[i] = B[i] + A[k]
)",
            R"(
    for i in range(4):
        if i < 3:
            for k in range(4):
                T.attr("B", "nw.block", 3)
                B[i] = B[i] + A[k]
)");
        row("one within the other", R"(
    for i in range(4):
        for j in T.unroll(4):
            if i < 3:
                if j < 2:
                    B[i * 4 + j] = A[j]
)",
            R"(
    for i in range(4):
        if i < 3:
            for j in T.unroll(4):
                if j < 2:
                    B[i * 4 + j] = A[j]
)");
        row("a value of memory, which may change", R"(
    for j in range(4):
        if C[0] < 0.5:
            B[j] = C[0]
)");
        row("one of the loop itself", R"(
    for j in range(4):
        if j < 3:
            B[j] = A[j]
)");
        row("two cases", R"(
    for i in range(4):
        for j in range(4):
            if i < 3:
                B[j] = A[j]
            else:
                B[j] = C[j]
)");
        row("beside other work", R"(
    for i in range(4):
        for j in range(4):
            if i < 3:
                B[j] = A[j]
            B[j + 4] = A[j]
)");
        row("threads", R"(
    for i in T.thread_binding(4, thread="blockIdx.x"):
        for j in T.thread_binding(4, thread="threadIdx.x"):
            if i < 3:
                B[i * 4 + j] = A[j]
)");
        row("a loop that may not be entered", R"(
    for i in range(4):
        for j in range(i):
            if 4 // i < 3:
                B[i * 4 + j] = A[j]
)");
    }
    void hoisted()
    {
        checkRow("hoist-if-then-else", "A: T.Buffer((16,), \"float32\"), B: T.Buffer((16,), \"float32\"), "
                                       "C: T.Buffer((16,), \"float32\")");
    }
};

QTEST_GUILESS_MAIN(HoistIfThenElseTest)
#include "hoist_if_then_else_test.moc"
