// SPDX-License-Identifier: Apache-2.0
// Statements in vectorized loops, one by one: their vector forms, and those that have none.
#include "tests/core/lower/passes/lane_forms.h"

using namespace nestwright::tests;

class LaneRewriterTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void formsOfStatements_data()
    {
        addBodyColumns();
        row("a row that is the same in all lanes", R"(
    for i in T.vectorized(8):
        B[i] = A[i] * S[0]
)",
            R"(
    B[0:8] = A[0:8] * T.Broadcast(S[0], 8)
)");
        row("sums and multiples of the loop stay consecutive", R"(
    for i in T.vectorized(8):
        B[i + 8] = A[i + n] + A[n + i] + A[i - n + n] + A[i * 2] + A[2 * i] + A[31 - i] + A[i + i]
)",
            R"(
    B[8:16] = (A[n:n + 8] + A[n:n + 8] + A[0 - n + n:0 - n + n + 8] + A[0:16:2] + A[0:16:2]
               + A[T.Ramp(31, -1, 8)] + A[0:16:2])
)");
        row("a constant less the loop", R"(
    for i in T.vectorized(8):
        B[31 - i] = A[i]
)",
            R"(
    B[T.Ramp(31, -1, 8)] = A[0:8]
)");
        row("operators of data", R"(
    for i in T.vectorized(8):
        B[i] = T.max(A[i], S[0]) - S[1] * A[i] / A[i + 1]
)",
            R"(
    B[0:8] = T.max(A[0:8], T.Broadcast(S[0], 8)) - T.Broadcast(S[1], 8) * A[0:8] / A[1:9]
)");
        row("casts", R"(
    for i in T.vectorized(8):
        K[i] = T.Cast("int32", A[i]) + T.Cast("int32", S[0])
)",
            R"(
    K[0:8] = T.Cast("int32x8", A[0:8]) + T.Broadcast(T.Cast("int32", S[0]), 8)
)");
        row("not", R"(
    for i in T.vectorized(8):
        B[i] = T.Select(not (A[i] < S[0]), A[i], S[0])
)",
            R"(
    B[0:8] = T.Select(not A[0:8] < T.Broadcast(S[0], 8), A[0:8], T.Broadcast(S[0], 8))
)");
        row("select by what all lanes share", R"(
    for i in T.vectorized(8):
        B[i] = T.Select(S[0] < S[1], A[i], S[0])
)",
            R"(
    B[0:8] = T.Select(T.Broadcast(S[0] < S[1], 8), A[0:8], T.Broadcast(S[0], 8))
)");
        row("a choice that all lanes share", R"(
    for i in T.vectorized(8):
        B[i] = T.if_then_else(S[0] < S[1], A[i], S[0])
)",
            R"(
    B[0:8] = T.if_then_else(S[0] < S[1], A[0:8], T.Broadcast(S[0], 8))
)");
        row("a choice between shared values", R"(
    for i in T.vectorized(8):
        B[i] = A[i] + T.if_then_else(S[0] < S[1], S[2], S[3])
)",
            R"(
    B[0:8] = A[0:8] + T.Broadcast(T.if_then_else(S[0] < S[1], S[2], S[3]), 8)
)");
        row("a choice of each lane", R"(
    for i in T.vectorized(8):
        B[i] = T.if_then_else(i < n, A[i], S[0])
)",
            R"(
    B[0:8] = T.Select(T.Ramp(0, 1, 8) < T.Broadcast(n, 8),
                      A.vload([T.Ramp(0, 1, 8)], predicate=T.Ramp(0, 1, 8) < T.Broadcast(n, 8)),
                      S.vload([T.Broadcast(0, 8)], predicate=not T.Ramp(0, 1, 8) < T.Broadcast(n, 8)))
)");
        row("a choice of each lane between elements", R"(
    for i in T.vectorized(8):
        B[i] = T.if_then_else(i < n, A[i], A[i + 1])
)",
            R"(
    B[0:8] = T.Select(T.Ramp(0, 1, 8) < T.Broadcast(n, 8),
                      A.vload([T.Ramp(0, 1, 8)], predicate=T.Ramp(0, 1, 8) < T.Broadcast(n, 8)),
                      A.vload([T.Ramp(1, 1, 8)], predicate=not T.Ramp(0, 1, 8) < T.Broadcast(n, 8)))
)");
        row("intrinsics", R"(
    for i in T.vectorized(8):
        B[i] = T.exp(A[i]) + T.exp(S[0]) + T.pow(A[i], S[0])
)",
            R"(
    B[0:8] = T.exp(A[0:8]) + T.Broadcast(T.exp(S[0]), 8) + T.pow(A[0:8], T.Broadcast(S[0], 8))
)");
        row("external functions have none", R"(
    for i in T.vectorized(8):
        B[i] = T.call_extern("float32", "expf", A[i])
)",
            R"(
    for i in range(8):
        B[i] = T.call_extern("float32", "expf", A[i])
)");
        row("fixed-point products have none", R"(
    for i in T.vectorized(8):
        K[i] = T.q_multiply_shift(K[i], 2, 31, 1)
)",
            R"(
    for i in range(8):
        K[i] = T.q_multiply_shift(K[i], 2, 31, 1)
)");
        row("a variable of each lane", R"(
    for i in T.vectorized(8):
        x: T.float32 = A[i] + S[0]
        B[i] = x * x
)",
            R"(
    x: T.float32x8 = A[0:8] + T.Broadcast(S[0], 8)
    B[0:8] = x * x
)");
        row("a variable that all lanes share", R"(
    for i in T.vectorized(8):
        x: T.float32 = S[1] + S[0]
        B[i] = x * A[i]
)",
            R"(
    x: T.float32 = S[1] + S[0]
    B[0:8] = T.Broadcast(x, 8) * A[0:8]
)");
        row("a division in all lanes", R"(
    for i in T.vectorized(8):
        K[i] = K[i] // J[0]
)",
            R"(
    K[0:8] = K[0:8] // T.Broadcast(J[0], 8)
)");
        row("a loop within", R"(
    for i in T.vectorized(8):
        for k in range(n):
            B[i] = B[i] + A[i + k]
)",
            R"(
    for k in range(n):
        B[0:8] = B[0:8] + A[k:k + 8]
)");
        row("a loop whose length differs between lanes", R"(
    for i in T.vectorized(8):
        for k in range(i):
            B[i] = B[i] + A[k]
)",
            R"(
    for i in range(8):
        for k in range(i):
            B[i] = B[i] + A[k]
)");
        row("a sum of lanes", R"(
    for i in T.vectorized(8):
        S[0] = S[0] + A[i]
)",
            R"(
    for i in range(8):
        S[0] = S[0] + A[i]
)");
        row("gathered", R"(
    for i in T.vectorized(8):
        B[i] = A[T.bitwise_and(J[i], 63)]
)",
            R"(
    B[0:8] = A[T.bitwise_and(J[0:8], T.Broadcast(63, 8))]
)");
        row("scattered", R"(
    for i in T.vectorized(8):
        B[T.bitwise_and(J[i], 63)] = A[i]
)",
            R"(
    B[T.bitwise_and(J[0:8], T.Broadcast(63, 8))] = A[0:8]
)");
        row("floor of the index", R"(
    for i in T.vectorized(8):
        B[i] = A[i // 2]
)",
            R"(
    B[0:8] = A[T.Ramp(0, 1, 8) // T.Broadcast(2, 8)]
)");
    }
    void formsOfStatements() { checkLaneForm(); }
};

QTEST_GUILESS_MAIN(LaneRewriterTest)
#include "lane_rewriter_test.moc"
