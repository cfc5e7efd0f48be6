// SPDX-License-Identifier: Apache-2.0
// The loop of an array that is written or read under conditions, at places or as far as data say.
#include "tests/core/analysis/planned_loops.h"

using namespace nestwright::tests;

class AllocationPlanConditionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void arraysUnderConditions_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("loop");
        const auto row = [](const char *name, const char *loop, const char *body) {
            QTest::newRow(name) << body << loop;
        };
        row("written under a wrapper that does not always run", "", R"(
    for i in range(8):
        with T.block("wrapper"):
            T.where(i < 1)
            T.reads()
            T.writes()
            for j in range(16):
                with T.block("B"):
                    vj = T.axis.spatial(16, j)
                    T.reads(A[0, vj])
                    T.writes(B[0, vj])
                    B[0, vj] = A[0, vj]
        for j in range(16):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[0, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[0, vj]
)");
        row("half of it", "", R"(
    for i in range(8):
        for j in range(8):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj]
        for j in range(16):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, vj]
)");
        row("half of it twice", "i", R"(
    for i in range(8):
        for j in range(8):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj]
        for j in range(16):
            with T.block("C"):
                T.where(j < 8)
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, vj]
)");
        row("under a condition", "", R"(
    for i in range(8):
        if i < 4:
            for j in range(16):
                with T.block("B"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(A[vi, vj])
                    T.writes(B[vi, vj])
                    B[vi, vj] = A[vi, vj]
        for j in range(16):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, vj]
)");
        row("read under a condition", "i", R"(
    for i in range(8):
        for j in range(16):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj]
        if i < 4:
            for j in range(16):
                with T.block("C"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(B[vi, vj])
                    T.writes(C[vi, vj])
                    C[vi, vj] = B[vi, vj]
        else:
            for j in range(16):
                with T.block("D"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(B[vi, 15 - vj])
                    T.writes(C[vi, vj])
                    C[vi, vj] = B[vi, 15 - vj]
)");
        row("where data say", "", R"(
    for i in range(8):
        for j in range(16):
            with T.block("B"):
                T.where(J[j] < 3)
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj], J[vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj]
        for j in range(16):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, vj]
)");
        row("as far as data say", "", R"(
    for i in range(8):
        for j in range(J[i]):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj]
        for j in range(J[i]):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, vj]
)");
        row("at places that data say", "", R"(
    for i in range(8):
        for j in range(16):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj], J[vj])
                T.writes(B[vi, J[vj]])
                B[vi, J[vj]] = A[vi, vj]
        for j in range(16):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[vi, J[vj]])
                T.writes(C[vi, vj])
                C[vi, vj] = B[vi, J[vj]]
)");
        row("written in the first round alone, read in all", "i", R"(
    for i in range(8):
        for t in range(2):
            with T.block("B"):
                vi = T.axis.spatial(8, i)
                T.where(t < 1)
                T.reads(A[vi, 0])
                T.writes(B[vi, 0])
                B[vi, 0] = A[vi, 0]
            with T.block("C"):
                vi, vt = T.axis.remap("SS", [i, t])
                T.reads(B[vi, 0])
                T.writes(C[vi, vt])
                C[vi, vt] = B[vi, 0]
)");
        row("written and read in the first round alone", "t", R"(
    for i in range(8):
        for t in range(2):
            with T.block("B"):
                vi = T.axis.spatial(8, i)
                T.where(t < 1)
                T.reads(A[vi, 0])
                T.writes(B[vi, 0])
                B[vi, 0] = A[vi, 0]
            with T.block("C"):
                vi, vt = T.axis.remap("SS", [i, t])
                T.where(t < 1)
                T.reads(B[vi, 0])
                T.writes(C[vi, vt])
                C[vi, vt] = B[vi, 0]
)");
        row("written under a condition that always holds", "t", R"(
    for i in range(8):
        for t in range(2):
            with T.block("B"):
                vi = T.axis.spatial(8, i)
                T.where(t < 3)
                T.reads(A[vi, 0])
                T.writes(B[vi, 0])
                B[vi, 0] = A[vi, 0]
            with T.block("C"):
                vi, vt = T.axis.remap("SS", [i, t])
                T.reads(B[vi, 0])
                T.writes(C[vi, vt])
                C[vi, vt] = B[vi, 0]
)");
    }
    void arraysUnderConditions() { checkPlannedLoop(); }
};

QTEST_GUILESS_MAIN(AllocationPlanConditionsTest)
#include "allocation_plan_conditions_test.moc"
