// SPDX-License-Identifier: Apache-2.0
// Reductions of threads by exchanges within warps, where a target has them; elsewhere by trees.
#include "core/backend/backend.h"
#include "core/lower/pipeline.h"
#include "core/script/print/printer.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/passes.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

target::Target cuda()
{
    target::Target target;
    target.kind = target::TargetKind::Cuda;
    return target;
}

/// Sums of rows of 1024, by `x` threads each, `y` rows in a block.
ir::Module sums(int y, int x, const char *type = "float32")
{
    return parsed(QString(R"(
@T.prim_func
def main(A: T.Buffer((8, 1024), "%3"), B: T.Buffer((8,), "%3")):
    for i0 in T.thread_binding(8 // %1, thread="blockIdx.x"):
        for i1 in T.thread_binding(%1, thread="threadIdx.y"):
            for k0 in range((1024 + %2 - 1) // %2):
                for k1 in T.thread_binding(%2, thread="threadIdx.x"):
                    with T.block("B"):
                        vi = T.axis.spatial(8, i0 * %1 + i1)
                        vk = T.axis.reduce(1024, k0 * %2 + k1)
                        T.where(k0 * %2 + k1 < 1024)
                        with T.init():
                            B[vi] = T.%3(0)
                        B[vi] = B[vi] + A[vi, vk]
)")
                      .arg(y)
                      .arg(x)
                      .arg(type)
                      .toStdString());
}

ir::Module asCudaThreadsRun(const ir::Module &module)
{
    auto threads = lower::lowerToThreads(module, cuda());
    if (!threads)
        qFatal("%s", threads.error().render().c_str());
    return std::move(*threads);
}

} // namespace

class LowerThreadAllreduceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sumsOfRows_data()
    {
        QTest::addColumn<int>("y");
        QTest::addColumn<int>("x");
        QTest::addColumn<bool>("exchanged");
        QTest::addColumn<int>("shared"); ///< elements of the block; 0: none
        QTest::newRow("a warp") << 1 << 32 << true << 0;
        QTest::newRow("eight warps, a row each") << 8 << 32 << true << 0;
        QTest::newRow("a quarter of a warp") << 4 << 8 << true << 0;
        QTest::newRow("two lanes") << 2 << 2 << true << 0;
        QTest::newRow("two warps") << 1 << 64 << true << 2;
        QTest::newRow("two rows of four warps") << 2 << 128 << true << 8;
        QTest::newRow("a whole block") << 1 << 1024 << true << 32;
        QTest::newRow("no power of two") << 1 << 48 << false << 48;
    }
    void sumsOfRows()
    {
        QFETCH(int, y);
        QFETCH(int, x);
        QFETCH(bool, exchanged);
        QFETCH(int, shared);
        const ir::Module given = sums(y, x), threads = asCudaThreadsRun(given);
        QVERIFY(checkEquivalent(given, threads, {.findRaces = true}));
        const std::string text = script::print(threads).text;
        QVERIFY2(text.contains("T.tvm_warp_shuffle_down(") == exchanged, text.c_str());
        QVERIFY2(text.contains("scope=\"shared\"") == (shared > 0), text.c_str());
        if (shared > 0)
            QVERIFY2(text.contains("T.decl_buffer((" + std::to_string(shared) + ",), scope=\"shared\")"),
                     text.c_str());
        QVERIFY2(!script::print(asThreadsRun(given)).text.contains("shuffle"), "OpenCL 1.2 has none");
    }

    void narrowAndWideValues()
    {
        for (const char *type : {"float16", "int8", "float64"}) {
            const ir::Module given = sums(1, 64, type), threads = asCudaThreadsRun(given);
            QVERIFY2(script::print(threads).text.contains("shuffle"), type);
            QVERIFY(checkEquivalent(given, threads, {.findRaces = true}));
            const auto why = whyNotCompiledRight(*given.mainEntry()->function, given, "cuda", {});
            QVERIFY2(!why, why.value_or("").c_str());
        }
    }

    /// As TVM's own passes leave it: a view of the argument is declared between the reducer and the call.
    void viewsWithinTheScope()
    {
        const auto program = [](const char *call) {
            return std::string(R"(
@T.prim_func
def main(A: T.Buffer((4, 32), "float32"), B: T.Buffer((4,), "float32")):
    for i in T.thread_binding(4, thread="threadIdx.y"):
        for k in T.thread_binding(32, thread="threadIdx.x"):
            with T.decl_buffer((1,), scope="local") as L:
                with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", 0):
                    A_1 = T.decl_buffer((128,), data=A.data)
                    )")
                   + call + R"(
                if k == 0:
                    B[i] = L[0]
)";
        };
        const ir::Module given =
            parsed(program("T.tvm_thread_allreduce(T.uint32(1), A_1[i * 32 + k], T.bool(True), L[0], k)"));
        const ir::Module threads = asCudaThreadsRun(given);
        QVERIFY(script::print(threads).text.contains("T.tvm_warp_shuffle_down("));
        const ir::Module sum = parsed(R"(
@T.prim_func
def main(A: T.Buffer((4, 32), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        B[i] = T.float32(0)
        for k in range(32):
            B[i] = B[i] + A[i, k]
)");
        QVERIFY(checkEquivalent(sum, threads, {.findRaces = true}));

        target::Target target;
        target.kind = target::TargetKind::Cuda;
        const auto refused = lower::lower(parsed(program("T.evaluate(A_1[k])")), target);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("lower.cross-thread-reduction"));
    }

    /// Two values that are combined together: the largest, and where it is.
    void whereTheLargestIs()
    {
        const ir::Module given = parsed(R"(
@T.prim_func
def main(A: T.Buffer((8, 256), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "int32")):
    for i in T.thread_binding(8, thread="blockIdx.x"):
        for k in T.thread_binding(256, thread="threadIdx.x"):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(C[vi], B[vi])
                with T.init():
                    C[vi] = -1
                    B[vi] = T.min_value("float32")
                v_C: T.int32 = T.Select(B[vi] >= A[vi, vk], C[vi], vk)
                v_B: T.float32 = T.Select(B[vi] >= A[vi, vk], B[vi], A[vi, vk])
                C[vi] = v_C
                B[vi] = v_B
)");
        const ir::Module threads = asCudaThreadsRun(given);
        QVERIFY(script::print(threads).text.contains("T.tvm_warp_shuffle_down("));
        QVERIFY(checkEquivalent(given, threads, {.findRaces = true}));
        const auto why = whyNotCompiledRight(*given.mainEntry()->function, given, "cuda", {});
        QVERIFY2(!why, why.value_or("").c_str());
    }

    void asCuda()
    {
        const ir::Module given = sums(2, 128);
        const auto source = backend::source(given, cuda(), backend::SourceKind::Cuda);
        QVERIFY2(source, source ? "" : source.error().render().c_str());
        QVERIFY2(source->text.contains("__shfl_down_sync(") && source->text.contains("__activemask()"),
                 source->text.c_str());
        const auto why = whyNotCompiledRight(*given.mainEntry()->function, given, "cuda", {});
        QVERIFY2(!why, why.value_or("").c_str());
    }
};

QTEST_GUILESS_MAIN(LowerThreadAllreduceTest)
#include "lower_thread_allreduce_test.moc"
