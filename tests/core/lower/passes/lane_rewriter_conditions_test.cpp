// SPDX-License-Identifier: Apache-2.0
// Conditions in vectorized loops, one by one: those of all lanes, and masks of some.
#include "tests/core/lower/passes/lane_forms.h"

using namespace nestwright::tests;

class LaneRewriterConditionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void formsOfConditions_data()
    {
        addBodyColumns();
        row("a guard that all lanes share", R"(
    for i in T.vectorized(8):
        if n < 4:
            B[i] = A[i]
)",
            R"(
    if n < 4:
        B[0:8] = A[0:8]
)");
        row("a guard that all lanes share with its other way", R"(
    for i in T.vectorized(8):
        if n < 4:
            B[i] = A[i]
        else:
            B[i] = S[0]
)",
            R"(
    if n < 4:
        B[0:8] = A[0:8]
    else:
        B[0:8] = T.Broadcast(S[0], 8)
)");
        row("an upper bound", R"(
    for i in T.vectorized(8):
        if i < n:
            B[i] = A[i] + S[0]
)",
            R"(
    if 0 < n:
        B.vstore([T.Ramp(0, 1, 8)],
                 A.vload([T.Ramp(0, 1, 8)], predicate=T.Ramp(0, 1, 8) < T.Broadcast(n, 8))
                 + T.Broadcast(S[0], 8), predicate=T.Ramp(0, 1, 8) < T.Broadcast(n, 8))
)");
        row("an upper bound that is reached", R"(
    for i in T.vectorized(8):
        if i <= n:
            B[i] = A[i] + S[0]
)",
            R"(
    if 0 <= n:
        B.vstore([T.Ramp(0, 1, 8)],
                 A.vload([T.Ramp(0, 1, 8)], predicate=T.Ramp(0, 1, 8) <= T.Broadcast(n, 8))
                 + T.Broadcast(S[0], 8), predicate=T.Ramp(0, 1, 8) <= T.Broadcast(n, 8))
)");
        row("an upper bound of a multiple", R"(
    for i in T.vectorized(8):
        if i * 2 < n:
            B[i] = A[i] + S[0]
)",
            R"(
    if 0 < n:
        B.vstore([T.Ramp(0, 1, 8)],
                 A.vload([T.Ramp(0, 1, 8)], predicate=T.Ramp(0, 2, 8) < T.Broadcast(n, 8))
                 + T.Broadcast(S[0], 8), predicate=T.Ramp(0, 2, 8) < T.Broadcast(n, 8))
)");
        row("an upper bound that falls", R"(
    for i in T.vectorized(8):
        if n - i < 4:
            B[i] = A[i] + S[0]
)",
            R"(
    B.vstore([T.Ramp(0, 1, 8)],
             A.vload([T.Ramp(0, 1, 8)], predicate=T.Ramp(n, -1, 8) < T.Broadcast(4, 8))
             + S.vload([T.Broadcast(0, 8)], predicate=T.Ramp(n, -1, 8) < T.Broadcast(4, 8)),
             predicate=T.Ramp(n, -1, 8) < T.Broadcast(4, 8))
)");
        row("a lower bound", R"(
    for i in T.vectorized(8):
        if n < i:
            B[i] = A[i] + S[0]
)",
            R"(
    B.vstore([T.Ramp(0, 1, 8)],
             A.vload([T.Ramp(0, 1, 8)], predicate=T.Broadcast(n, 8) < T.Ramp(0, 1, 8))
             + S.vload([T.Broadcast(0, 8)], predicate=T.Broadcast(n, 8) < T.Ramp(0, 1, 8)),
             predicate=T.Broadcast(n, 8) < T.Ramp(0, 1, 8))
)");
        row("an exact value", R"(
    for i in T.vectorized(8):
        if i == n:
            B[i] = A[i] + S[0]
)",
            R"(
    B.vstore([T.Ramp(0, 1, 8)],
             A.vload([T.Ramp(0, 1, 8)], predicate=T.Ramp(0, 1, 8) == T.Broadcast(n, 8))
             + S.vload([T.Broadcast(0, 8)], predicate=T.Ramp(0, 1, 8) == T.Broadcast(n, 8)),
             predicate=T.Ramp(0, 1, 8) == T.Broadcast(n, 8))
)");
        row("several conditions", R"(
    for i in T.vectorized(8):
        if i < n and S[0] < S[1] and A[i] < S[2]:
            B[i] = A[i]
)",
            R"(
    if 0 < n:
        mask: T.boolx8 = T.And(T.And(T.Ramp(0, 1, 8) < T.Broadcast(n, 8),
                                     S.vload([T.Broadcast(0, 8)],
                                             predicate=T.Ramp(0, 1, 8) < T.Broadcast(n, 8))
                                     < S.vload([T.Broadcast(1, 8)],
                                               predicate=T.Ramp(0, 1, 8) < T.Broadcast(n, 8))),
                               A.vload([T.Ramp(0, 1, 8)],
                                       predicate=T.And(T.Ramp(0, 1, 8) < T.Broadcast(n, 8),
                                                       S.vload([T.Broadcast(0, 8)],
                                                               predicate=T.Ramp(0, 1, 8) < T.Broadcast(n, 8))
                                                       < S.vload([T.Broadcast(1, 8)],
                                                                 predicate=T.Ramp(0, 1, 8)
                                                                 < T.Broadcast(n, 8))))
                               < S.vload([T.Broadcast(2, 8)],
                                         predicate=T.And(T.Ramp(0, 1, 8) < T.Broadcast(n, 8),
                                                         S.vload([T.Broadcast(0, 8)],
                                                                 predicate=T.Ramp(0, 1, 8)
                                                                 < T.Broadcast(n, 8))
                                                         < S.vload([T.Broadcast(1, 8)],
                                                                   predicate=T.Ramp(0, 1, 8)
                                                                   < T.Broadcast(n, 8)))))
        B.vstore([T.Ramp(0, 1, 8)], A.vload([T.Ramp(0, 1, 8)], predicate=mask), predicate=mask)
)");
        row("an upper bound within another condition", R"(
    for i in T.vectorized(8):
        if A[i] < S[0]:
            if i < n:
                B[i] = S[1]
)",
            R"(
    mask: T.boolx8 = A[0:8] < T.Broadcast(S[0], 8)
    B.vstore([T.Ramp(0, 1, 8)],
             S.vload([T.Broadcast(1, 8)], predicate=T.And(mask, T.Ramp(0, 1, 8) < T.Broadcast(n, 8))),
             predicate=T.And(mask, T.Ramp(0, 1, 8) < T.Broadcast(n, 8)))
)");
        row("a condition that the statement overwrites", R"(
    for i in T.vectorized(8):
        if B[i] < S[0]:
            B[i] = A[i]
            C[i] = A[i]
)",
            R"(
    mask: T.boolx8 = B[0:8] < T.Broadcast(S[0], 8)
    B.vstore([T.Ramp(0, 1, 8)], A.vload([T.Ramp(0, 1, 8)], predicate=mask), predicate=mask)
    C.vstore([T.Ramp(0, 1, 8)], A.vload([T.Ramp(0, 1, 8)], predicate=mask), predicate=mask)
)");
        row("both ways of each lane", R"(
    for i in T.vectorized(8):
        if i < n:
            B[i] = A[i]
        else:
            C[i] = S[0]
)",
            R"(
    B.vstore([T.Ramp(0, 1, 8)], A.vload([T.Ramp(0, 1, 8)], predicate=T.Ramp(0, 1, 8) < T.Broadcast(n, 8)),
             predicate=T.Ramp(0, 1, 8) < T.Broadcast(n, 8))
    C.vstore([T.Ramp(0, 1, 8)],
             S.vload([T.Broadcast(0, 8)], predicate=not T.Ramp(0, 1, 8) < T.Broadcast(n, 8)),
             predicate=not T.Ramp(0, 1, 8) < T.Broadcast(n, 8))
)");
        row("a division in some lanes", R"(
    for i in T.vectorized(8):
        if i < n:
            K[i] = K[i] // J[0]
)",
            R"(
    for i in range(8):
        if i < n:
            K[i] = K[i] // J[0]
)");
        row("a division towards zero in some lanes", R"(
    for i in T.vectorized(8):
        if i < n:
            K[i] = T.truncdiv(K[i], J[0])
)",
            R"(
    for i in range(8):
        if i < n:
            K[i] = T.Div(K[i], J[0])
)");
        row("a division of a lane by another", R"(
    for i in T.vectorized(8):
        if i < n:
            K[i] = J[i] // J[i + 1]
)",
            R"(
    for i in range(8):
        if i < n:
            K[i] = J[i] // J[i + 1]
)");
        row("a division by a constant in some lanes", R"(
    for i in T.vectorized(8):
        if i < n:
            K[i] = K[i] // 4
)",
            R"(
    if 0 < n:
        K.vstore([T.Ramp(0, 1, 8)],
                 K.vload([T.Ramp(0, 1, 8)], predicate=T.Ramp(0, 1, 8) < T.Broadcast(n, 8))
                 // T.Broadcast(4, 8), predicate=T.Ramp(0, 1, 8) < T.Broadcast(n, 8))
)");
        row("a floating-point division in some lanes", R"(
    for i in T.vectorized(8):
        if i < n:
            B[i] = A[i] / S[0]
)",
            R"(
    if 0 < n:
        B.vstore([T.Ramp(0, 1, 8)],
                 A.vload([T.Ramp(0, 1, 8)], predicate=T.Ramp(0, 1, 8) < T.Broadcast(n, 8))
                 / T.Broadcast(S[0], 8), predicate=T.Ramp(0, 1, 8) < T.Broadcast(n, 8))
)");
        row("a quotient of the shared in some lanes", R"(
    for i in T.vectorized(8):
        if i < n:
            K[i] = J[0] // J[1] + K[i]
)",
            R"(
    for i in range(8):
        if i < n:
            K[i] = J[0] // J[1] + K[i]
)");
        row("and of what may fault", R"(
    for i in T.vectorized(8):
        if i < n and J[i] == 0:
            B[i] = A[i]
)",
            R"(
    if 0 < n:
        mask: T.boolx8 = T.And(T.Ramp(0, 1, 8) < T.Broadcast(n, 8),
                               J.vload([T.Ramp(0, 1, 8)], predicate=T.Ramp(0, 1, 8) < T.Broadcast(n, 8))
                               == T.Broadcast(0, 8))
        B.vstore([T.Ramp(0, 1, 8)], A.vload([T.Ramp(0, 1, 8)], predicate=mask), predicate=mask)
)");
        row("or of what may fault", R"(
    for i in T.vectorized(8):
        if i < n or J[i] == 0:
            B[i] = A[i]
)",
            R"(
    mask: T.boolx8 = T.Or(T.Ramp(0, 1, 8) < T.Broadcast(n, 8),
                          J.vload([T.Ramp(0, 1, 8)], predicate=T.Broadcast(n, 8) <= T.Ramp(0, 1, 8))
                          == T.Broadcast(0, 8))
    B.vstore([T.Ramp(0, 1, 8)], A.vload([T.Ramp(0, 1, 8)], predicate=mask), predicate=mask)
)");
        row("and of shared conditions", R"(
    for i in T.vectorized(8):
        if J[0] == 0 and J[1] == 0:
            B[i] = A[i]
)",
            R"(
    if J[0] == 0 and J[1] == 0:
        B[0:8] = A[0:8]
)");
        row("a logical value", R"(
    for i in T.vectorized(8):
        M[i] = A[i] < S[0] and S[1] < S[2]
)",
            R"(
    M[0:8] = T.And(A[0:8] < T.Broadcast(S[0], 8),
                   S.vload([T.Broadcast(1, 8)], predicate=A[0:8] < T.Broadcast(S[0], 8))
                   < S.vload([T.Broadcast(2, 8)], predicate=A[0:8] < T.Broadcast(S[0], 8)))
)");
        row("a logical value that is shared at first", R"(
    for i in T.vectorized(8):
        M[i] = n < 3 and A[i] < S[0]
)",
            R"(
    M[0:8] = T.And(T.Broadcast(n < 3, 8),
                   A.vload([T.Ramp(0, 1, 8)], predicate=T.Broadcast(n < 3, 8))
                   < S.vload([T.Broadcast(0, 8)], predicate=T.Broadcast(n < 3, 8)))
)");
    }
    void formsOfConditions() { checkLaneForm(); }
};

QTEST_GUILESS_MAIN(LaneRewriterConditionsTest)
#include "lane_rewriter_conditions_test.moc"
