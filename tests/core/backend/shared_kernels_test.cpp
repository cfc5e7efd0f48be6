// SPDX-License-Identifier: Apache-2.0
// Kernels whose threads share out work in everyday ways: they are accepted, compute what the loops do, and
// take no more memory than what a block or thread touches.
#include "core/analysis/access/complete_regions.h"
#include "core/backend/cuda/emulated_device.h"
#include "core/lower/pipeline.h"
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"
#include "tests/support/backends.h"

#include <QtTest>

using namespace nestwright;

namespace {

ir::Module parsed(const QString &text)
{
    return analysis::completeRegions(script::parseTvmScript(text.toStdString(), "test").value());
}

target::Target cuda()
{
    target::Target target;
    target.kind = target::TargetKind::Cuda;
    return target;
}

} // namespace

class SharedKernelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const auto artifact = backend::compileEmulated(
            parsed(
                "@T.prim_func\ndef main(A: T.Buffer((8,), \"float32\")):\n"
                "    for t in T.thread_binding(8, thread=\"threadIdx.x\"):\n        A[t] = T.float32(1)\n"),
            cuda());
        if (!artifact && artifact.error().code == "backend.no-compiler")
            QSKIP("there is no C++ compiler here");
    }

    void kernels_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("memory"); ///< a line of the program of its threads
        QTest::newRow("a sum in registers, in rounds beyond counting") << R"(
@T.prim_func
def main(A: T.Buffer((4096,), "float32"), C: T.Buffer((4096,), "float32")):
    C_local = T.alloc_buffer((4096,), scope="local")
    for b in T.thread_binding(16, thread="blockIdx.x"):
        for t in T.thread_binding(256, thread="threadIdx.x"):
            for k in range(8192):
                with T.block("C"):
                    v = T.axis.spatial(4096, b * 256 + t)
                    vk = T.axis.reduce(8192, k)
                    with T.init():
                        C_local[v] = T.float32(0)
                    C_local[v] = C_local[v] + A[v]
            with T.block("D"):
                v = T.axis.spatial(4096, b * 256 + t)
                C[v] = C_local[v]
)"
                                                                       << "";
        QTest::newRow("a tile fetched along one index of two axes") << R"(
@T.prim_func
def main(A: T.Buffer((4, 8), "float16"), C: T.Buffer((4, 8), "float16")):
    S = T.alloc_buffer((4, 8), "float16", scope="shared")
    for y in T.thread_binding(2, thread="threadIdx.y"):
        for k0 in range(2):
            for f0 in range(1):
                for f1 in T.thread_binding(2, thread="threadIdx.y"):
                    for f2 in T.thread_binding(4, thread="threadIdx.x"):
                        for f3 in T.vectorized(2):
                            with T.block("S"):
                                v0 = T.axis.spatial(4, (f0 * 16 + f1 * 8 + f2 * 2 + f3) // 4)
                                v1 = T.axis.spatial(8, k0 * 4 + (f0 * 16 + f1 * 8 + f2 * 2 + f3) % 4)
                                S[v0, v1] = A[v0, v1]
            for i in range(2):
                for x in T.thread_binding(4, thread="threadIdx.x"):
                    for j in range(1):
                        with T.block("C"):
                            v0 = T.axis.spatial(4, y * 2 + i)
                            v1 = T.axis.spatial(8, k0 * 4 + x * 1 + j)
                            C[v0, v1] = S[v0, v1] * T.float16(2)
)"
                                                                    << "";
        QTest::newRow("threads that write the same value") << R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((57,), "float32")):
    S = T.alloc_buffer((64,), scope="shared")
    for b in T.thread_binding(1, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            for i in range(8):
                for x in T.thread_binding(32, thread="threadIdx.x"):
                    with T.block("S"):
                        T.where(i * 32 + x < 228)
                        v = T.axis.spatial(64, (i * 32 + x) // 4)
                        S[v] = A[v]
            for y in range(2):
                with T.block("C"):
                    T.where(y * 32 + t < 57)
                    vy = T.axis.spatial(57, y * 32 + t)
                    C[vy] = S[vy]
)"
                                                           << "";
        QTest::newRow("a condition that all threads of a block share") << R"(
@T.prim_func
def main(A: T.Buffer((3, 64), "float32"), L: T.Buffer((3,), "int32"), C: T.Buffer((3, 64), "float32")):
    for b in T.thread_binding(3, thread="blockIdx.x"):
        with T.block("blk"):
            vb = T.axis.spatial(3, b)
            T.reads(A[vb, 0:64], L[vb])
            T.writes(C[vb, 0:64])
            Sh = T.alloc_buffer((64,), "float32", scope="shared")
            if L[vb] > 0:
                for t in T.thread_binding(64, thread="threadIdx.x"):
                    with T.block("w"):
                        vt = T.axis.spatial(64, t)
                        Sh[vt] = A[vb, vt] * T.float32(2)
                for t in T.thread_binding(64, thread="threadIdx.x"):
                    with T.block("r"):
                        vt = T.axis.spatial(64, t)
                        C[vb, vt] = Sh[63 - vt]
)"
                                                                       << "";
        QTest::newRow("a fused loop of two reductions") << R"(
@T.prim_func
def main(A: T.Buffer((13, 8, 3), "float32"), C: T.Buffer((4,), "float32")):
    S = T.alloc_buffer((13, 8, 3), scope="shared")
    for b in T.thread_binding(1, thread="blockIdx.x"):
        for t in T.thread_binding(4, thread="threadIdx.x"):
            for k in range(12):
                for i in range(4):
                    for x in T.thread_binding(4, thread="threadIdx.x"):
                        with T.block("S"):
                            T.where(i * 4 + x < 13)
                            v0 = T.axis.spatial(13, i * 4 + x)
                            v1 = T.axis.spatial(8, k // 3 * 2)
                            v2 = T.axis.spatial(3, k % 3)
                            S[v0, v1, v2] = A[v0, v1, v2]
                for r in range(4):
                    with T.block("C"):
                        vc = T.axis.spatial(4, t)
                        vr = T.axis.reduce(4, r)
                        vw = T.axis.reduce(4, k // 3)
                        vk = T.axis.reduce(3, k % 3)
                        with T.init():
                            C[vc] = T.float32(0)
                        C[vc] = C[vc] + S[vc * 2 + vr * 2, vw * 2, vk]
)"
                                                        << "S = T.decl_buffer((13,)";
        QTest::newRow("quotients under a condition") << R"(
@T.prim_func
def main(A: T.Buffer((64, 4), "float32"), C: T.Buffer((57, 4), "float32")):
    S = T.alloc_buffer((64, 4), scope="shared")
    for b in T.thread_binding(1, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            for i in range(8):
                for x in T.thread_binding(32, thread="threadIdx.x"):
                    with T.block("S"):
                        T.where(i * 32 + x < 228)
                        v0 = T.axis.spatial(64, (i * 32 + x) // 4)
                        v1 = T.axis.spatial(4, (i * 32 + x) % 4)
                        S[v0, v1] = A[v0, v1]
            for y, j in T.grid(2, 4):
                with T.block("C"):
                    T.where(y * 32 + t < 57)
                    vy = T.axis.spatial(57, y * 32 + t)
                    vj = T.axis.spatial(4, j)
                    C[vy, vj] = S[vy, vj]
)"
                                                     << "S = T.decl_buffer((228,)";
        QTest::newRow("quotients of a remainder") << R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((128,), "float32")):
    S = T.alloc_buffer((64,), scope="shared")
    for b in T.thread_binding(16, thread="blockIdx.x"):
        for t in T.thread_binding(4, thread="threadIdx.x"):
            for rc in range(4):
                for x in T.thread_binding(4, thread="threadIdx.x"):
                    with T.block("S"):
                        v = T.axis.spatial(64, b % 8 // 2 * 16 + rc * 4 + x)
                        S[v] = A[v]
                for j, r in T.grid(4, 4):
                    with T.block("C"):
                        vc = T.axis.spatial(128, b % 8 * 16 + t * 4 + j)
                        vr = T.axis.reduce(16, rc * 4 + r)
                        with T.init():
                            C[vc] = T.float32(0)
                        C[vc] = C[vc] + S[vc // 32 * 16 + vr]
)"
                                                  << "S = T.decl_buffer((4,)";
        QTest::newRow("registers of virtual threads") << R"(
@T.prim_func
def main(A: T.Buffer((512, 512), "float32"), C: T.Buffer((512, 512), "float32")):
    C_local = T.alloc_buffer((512, 512), scope="local")
    for b in T.thread_binding(64, thread="blockIdx.x"):
        for v in T.thread_binding(8, thread="vthread.x"):
            for t in T.thread_binding(32, thread="threadIdx.x"):
                for i_3 in range(1):
                    with T.block("C"):
                        vi = T.axis.spatial(512, v // 2 * 128 + t // 4 * 16)
                        vj = T.axis.spatial(512, b * 8 + v % 2 * 4 + t % 4)
                        C_local[vi, vj] = A[vi, vj] * T.float32(2)
                for ax0 in range(1):
                    with T.block("D"):
                        vi = T.axis.spatial(512, v // 2 * 128 + t // 4 * 16)
                        vj = T.axis.spatial(512, b * 8 + v % 2 * 4 + t % 4)
                        C[vi, vj] = C_local[vi, vj]
)"
                                                      << "C_local = T.decl_buffer((8,)";
        for (const auto &[op, neutral] : {std::pair{"and", "True"}, std::pair{"or", "False"}}) {
            QTest::addRow("a reduction by '%s' across threads", op)
                << QString(R"(
@T.prim_func
def main(A: T.Buffer((4, 70), "bool"), B: T.Buffer((4,), "bool")):
    for i in T.thread_binding(4, thread="blockIdx.x"):
        for k0 in range(3):
            for k1 in T.thread_binding(32, thread="threadIdx.x"):
                with T.block("B"):
                    T.where(k0 * 32 + k1 < 70)
                    vi = T.axis.spatial(4, i)
                    vk = T.axis.reduce(70, k0 * 32 + k1)
                    with T.init():
                        B[vi] = T.bool(%1)
                    B[vi] = B[vi] %2 A[vi, vk]
)")
                       .arg(QLatin1String(neutral), QLatin1String(op))
                << "";
        }
    }
    void kernels()
    {
        QFETCH(QString, program);
        QFETCH(QString, memory);
        const ir::Module module = parsed(program);
        const auto threads = lower::lowerToThreads(module, cuda());
        QVERIFY2(threads, threads ? "" : threads.error().render().c_str());
        const std::string text = script::print(*threads).text;
        QVERIFY2(text.contains(memory.toStdString()), text.c_str());
        const auto artifact = backend::compileEmulated(module, cuda());
        QVERIFY2(artifact, artifact ? "" : artifact.error().render().c_str());
        const auto wrong = tests::whyNotRight(*module.mainEntry()->function, *artifact);
        QVERIFY2(!wrong, wrong.value_or("").c_str());
    }
};

QTEST_GUILESS_MAIN(SharedKernelsTest)
#include "shared_kernels_test.moc"
