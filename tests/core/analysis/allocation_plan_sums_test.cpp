// SPDX-License-Identifier: Apache-2.0
// The loop of an array of sums, which must begin anew in each of its rounds.
#include "tests/core/analysis/planned_loops.h"

using namespace nestwright::tests;

class AllocationPlanSumsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void arraysOfSums_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("loop");
        const auto row = [](const char *name, const char *loop, const char *body) {
            QTest::newRow(name) << body << loop;
        };
        row("a sum that begins anew", "i", R"(
    for i in range(8):
        for k in range(16):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(B[vi, 0])
                if vk == 0:
                    B[vi, 0] = T.float32(0)
                B[vi, 0] = B[vi, 0] + A[vi, vk]
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            T.reads(B[vi, 0])
            T.writes(C[vi, 0])
            C[vi, 0] = B[vi, 0]
)");
        row("a sum that begins at another place", "", R"(
    for i in range(8):
        for k in range(16):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(B[vi, 0])
                if vk == 1:
                    B[vi, 0] = T.float32(0)
                B[vi, 0] = B[vi, 0] + A[vi, vk]
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            T.reads(B[vi, 0])
            T.writes(C[vi, 0])
            C[vi, 0] = B[vi, 0]
)");
        row("a sum that begins anew or not", "", R"(
    for i in range(8):
        for k in range(16):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(B[vi, 0])
                if vk == 0:
                    B[vi, 0] = T.float32(0)
                else:
                    B[vi, 0] = B[vi, 0] + T.float32(1)
                B[vi, 0] = B[vi, 0] + A[vi, vk]
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            T.reads(B[vi, 0])
            T.writes(C[vi, 0])
            C[vi, 0] = B[vi, 0]
)");
        row("a sum that never begins anew", "", R"(
    for i in range(8):
        for k in range(16):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(B[vi, 0])
                B[vi, 0] = B[vi, 0] + A[vi, vk]
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            T.reads(B[vi, 0])
            T.writes(C[vi, 0])
            C[vi, 0] = B[vi, 0]
)");
        row("a sum that begins with another array", "", R"(
    for i in range(8):
        for k in range(16):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk], B[vi, 0])
                T.writes(B[vi, 0], C[vi, 1])
                if vk == 0:
                    C[vi, 1] = T.float32(0)
                B[vi, 0] = B[vi, 0] + A[vi, vk]
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            T.reads(B[vi, 0])
            T.writes(C[vi, 0])
            C[vi, 0] = B[vi, 0]
)");
        row("a sum over the rounds", "", R"(
    for k in range(16):
        for i in range(8):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(B[vi, 0])
                if vk == 0:
                    B[vi, 0] = T.float32(0)
                B[vi, 0] = B[vi, 0] + A[vi, vk]
        for i in range(8):
            with T.block("C"):
                vi, vk = T.axis.remap("SS", [i, k])
                T.reads(B[vi, 0])
                T.writes(C[vi, vk])
                C[vi, vk] = B[vi, 0]
)");
        row("a sum whose terms come from outside", "", R"(
    for k, i in T.grid(16, 8):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi, vk])
            T.writes(B[vi, 0])
            with T.init():
                B[vi, 0] = T.float32(0)
            B[vi, 0] = B[vi, 0] + A[vi, vk]
        with T.block("C"):
            vi, vk = T.axis.remap("SS", [i, k])
            T.reads(B[vi, 0])
            T.writes(C[vi, vk])
            C[vi, vk] = B[vi, 0]
)");
    }
    void arraysOfSums() { checkPlannedLoop(); }
};

QTEST_GUILESS_MAIN(AllocationPlanSumsTest)
#include "allocation_plan_sums_test.moc"
