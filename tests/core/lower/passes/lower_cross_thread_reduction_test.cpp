// SPDX-License-Identifier: Apache-2.0
// Reductions that threads share: the two passes for them, and what they leave.
#include "core/lower/pipeline.h"
#include "core/script/print/printer.h"
#include "tests/support/check.h"
#include "tests/support/passes.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

constexpr auto head =
    "@T.prim_func\ndef main(A: T.Buffer((8, 64), \"float32\"), I: T.Buffer((8, 64), \"int32\"), "
    "B: T.Buffer((8,), \"float32\"), C: T.Buffer((8,), \"int32\")):\n";

std::string refusal(const QString &body)
{
    target::Target target;
    target.kind = target::TargetKind::OpenCl;
    const auto lowered = lower::lower(parsed(head + body.toStdString()), target);
    return lowered ? "" : lowered.error().code;
}

} // namespace

class LowerCrossThreadReductionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void threadsReduceTogether_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<int>("shared"); ///< elements of a value's tree; 0: there is none
        QTest::newRow("one term a thread") << R"(
    for i in T.thread_binding(8, thread="blockIdx.x"):
        for k in T.thread_binding(64, thread="threadIdx.x"):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]
)" << 64;
        QTest::newRow("several terms a thread, some rows in a block") << R"(
    for i0 in T.thread_binding(2, thread="blockIdx.x"):
        for i1 in T.thread_binding(4, thread="threadIdx.y"):
            for k0 in range(4):
                for k1 in T.thread_binding(16, thread="threadIdx.x"):
                    with T.block("B"):
                        vi = T.axis.spatial(8, i0 * 4 + i1)
                        vk = T.axis.reduce(64, k0 * 16 + k1)
                        with T.init():
                            B[vi] = T.min_value("float32")
                        B[vi] = T.max(B[vi], A[vi, vk])
)" << 64;
        QTest::newRow("threads that are no power of two, and a last part") << R"(
    for i in T.thread_binding(8, thread="blockIdx.x"):
        for k0 in range(6):
            for k1 in T.thread_binding(12, thread="threadIdx.x"):
                with T.block("B"):
                    vi = T.axis.spatial(8, i)
                    vk = T.axis.reduce(64, k0 * 12 + k1)
                    T.where(k0 * 12 + k1 < 64)
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + A[vi, vk]
)" << 12;
        QTest::newRow("along two axes") << R"(
    for i in T.thread_binding(8, thread="blockIdx.x"):
        for k0 in T.thread_binding(4, thread="threadIdx.y"):
            for k1 in T.thread_binding(16, thread="threadIdx.x"):
                with T.block("B"):
                    vi = T.axis.spatial(8, i)
                    vk = T.axis.reduce(64, k0 * 16 + k1)
                    with T.init():
                        B[vi] = T.float32(1)
                    B[vi] = B[vi] * A[vi, vk]
)" << 64;
        QTest::newRow("rows within the terms") << R"(
    for k in T.thread_binding(64, thread="threadIdx.x"):
        for i in range(8):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]
)" << 64;
        QTest::newRow("where the largest is") << R"(
    for i in T.thread_binding(8, thread="blockIdx.x"):
        for k in T.thread_binding(64, thread="threadIdx.x"):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk], I[vi, vk])
                T.writes(C[vi], B[vi])
                with T.init():
                    C[vi] = -1
                    B[vi] = T.min_value("float32")
                v_C: T.int32 = T.Select(B[vi] >= A[vi, vk], C[vi], vk)
                v_B: T.float32 = T.Select(B[vi] >= A[vi, vk], B[vi], A[vi, vk])
                C[vi] = v_C
                B[vi] = v_B
)" << 64;
        QTest::newRow("by virtual threads too") << R"(
    for i in T.thread_binding(4, thread="blockIdx.x"):
        for v in T.thread_binding(2, thread="vthread.x"):
            for k in T.thread_binding(64, thread="threadIdx.x"):
                with T.block("B"):
                    vi = T.axis.spatial(8, i * 2 + v)
                    vk = T.axis.reduce(64, k)
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + A[vi, vk]
)" << 128;
        QTest::newRow("no thread reduces") << R"(
    for i in T.thread_binding(8, thread="threadIdx.x"):
        for k in range(64):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]
)" << 0;
        QTest::newRow("nothing is reduced, though iterations depend on each other") << R"(
    for i in T.thread_binding(8, thread="blockIdx.x"):
        for k in T.thread_binding(64, thread="threadIdx.x"):
            with T.block("A"):
                vi, vk = T.axis.remap("SR", [i, k])
                A[vi, vk] = T.float32(2)
)" << 0;
        QTest::newRow("other work beside") << R"(
    for k in T.thread_binding(64, thread="threadIdx.x"):
        with T.block("B"):
            vk = T.axis.reduce(64, k)
            with T.init():
                B[0] = T.float32(0)
            B[0] = B[0] + A[0, vk]
        with T.block("C"):
            vk = T.axis.spatial(8, k // 8)
            C[vk] = 1
)" << 64;
        const auto inParts = [](const char *outer) {
            return QString(R"(
    S = T.alloc_buffer((8, 64), scope="shared")
    for i in T.thread_binding(8, thread="blockIdx.x"):
        for k0 in %1:
            for k1 in T.thread_binding(16, thread="threadIdx.x"):
                with T.block("S"):
                    vi = T.axis.spatial(8, i)
                    vk = T.axis.spatial(64, k0 * 16 + k1)
                    S[vi, vk] = A[vi, vk]
            for k1 in T.thread_binding(16, thread="threadIdx.x"):
                with T.block("B"):
                    vi = T.axis.spatial(8, i)
                    vk = T.axis.reduce(64, k0 * 16 + k1)
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + S[vi, vk]
)")
                .arg(outer);
        };
        QTest::newRow("a part of the sum in each turn of a loop beside work") << inParts("range(4)") << 16;
        QTest::newRow("a part of the sum in each of the threads around other work")
            << inParts("T.thread_binding(4, thread=\"threadIdx.y\")") << 64;
        QTest::newRow("parts of the sum that were made beside") << R"(
    P = T.alloc_buffer((8, 64), scope="local")
    for i in T.thread_binding(8, thread="blockIdx.x"):
        for k0 in T.thread_binding(16, thread="threadIdx.x"):
            for k1 in range(4):
                with T.block("P"):
                    vi = T.axis.spatial(8, i)
                    vk = T.axis.spatial(64, k0 * 4 + k1)
                    P[vi, vk] = A[vi, vk] * T.float32(2)
            for k1 in range(4):
                with T.block("B"):
                    vi = T.axis.spatial(8, i)
                    vk = T.axis.reduce(64, k0 * 4 + k1)
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + P[vi, vk]
)" << 16;
        QTest::newRow("two sums in the rounds of one loop") << R"(
    for i in T.thread_binding(8, thread="blockIdx.x"):
        for k0 in range(4):
            for k1 in T.thread_binding(16, thread="threadIdx.x"):
                with T.block("B"):
                    vi = T.axis.spatial(8, i)
                    vk = T.axis.reduce(64, k0 * 16 + k1)
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + A[vi, vk]
            for k1 in T.thread_binding(16, thread="threadIdx.x"):
                with T.block("C"):
                    vi = T.axis.spatial(8, i)
                    vk = T.axis.reduce(64, k0 * 16 + k1)
                    with T.init():
                        C[vi] = 0
                    C[vi] = T.max(C[vi], T.Cast("int32", A[vi, vk] * T.float32(100)))
)" << 16;
    }
    void threadsReduceTogether()
    {
        QFETCH(QString, body);
        QFETCH(int, shared);
        const ir::Module given = parsed(head + body.toStdString());
        const ir::Module threads = asThreadsRun(given);
        QVERIFY(checkEquivalent(given, threads, {.findRaces = true}));
        const std::string text = script::print(threads).text;
        QVERIFY2(text.contains("scope=\"shared\"") == (shared > 0), text.c_str());
        if (shared > 0)
            QVERIFY2(text.contains(std::to_string(shared) + ",), "), text.c_str());
    }

    void whatThreadsCannotShareIsRefused_data()
    {
        QTest::addColumn<QString>("body");
        QTest::newRow("no init") << R"(
    for k in T.thread_binding(64, thread="threadIdx.x"):
        with T.block("B"):
            vk = T.axis.reduce(64, k)
            B[0] = B[0] + A[0, vk]
)";
        QTest::newRow("threads that overwrite each other") << R"(
    for k in T.thread_binding(64, thread="threadIdx.x"):
        with T.block("B"):
            vk = T.axis.reduce(64, k)
            B[0] = A[0, vk]
)";
        QTest::newRow("no reduction that is known") << R"(
    for k in T.thread_binding(64, thread="threadIdx.x"):
        with T.block("B"):
            vk = T.axis.reduce(64, k)
            with T.init():
                B[0] = T.float32(0)
            B[0] = B[0] * T.float32(2) + A[0, vk]
)";
        QTest::newRow("loops over both") << R"(
    for f in T.thread_binding(512, thread="threadIdx.x"):
        with T.block("B"):
            vi = T.axis.spatial(8, f // 64)
            vk = T.axis.reduce(64, f % 64)
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)";
        QTest::newRow("other work with its result beside") << R"(
    for k in T.thread_binding(64, thread="threadIdx.x"):
        with T.block("B"):
            vk = T.axis.reduce(64, k)
            with T.init():
                B[0] = T.float32(0)
            B[0] = B[0] + A[0, vk]
        with T.block("C"):
            vk = T.axis.spatial(8, k // 8)
            A[vk, 0] = B[0]
)";
    }
    void whatThreadsCannotShareIsRefused()
    {
        QFETCH(QString, body);
        QCOMPARE(refusal(body), std::string("lower.cross-thread-reduction"));
    }
};

QTEST_GUILESS_MAIN(LowerCrossThreadReductionTest)
#include "lower_cross_thread_reduction_test.moc"
