// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/kernel/counts.h"

#include "core/ir/build/walk.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using analysis::Counts;

namespace {

Counts countsOf(const ir::Module &module, const std::map<std::string, std::int64_t> &sizes = {})
{
    return analysis::countsOf(*module.mainEntry()->function, sizes);
}

Counts countsOf(const char *name) { return countsOf(tests::program(name)); }

/// Of a block that runs `body` over `domain`.
std::optional<Counts> operationsOfBlock(const std::string &domain, const std::string &body)
{
    const ir::Module module = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16,), "float32"), n: T.int32):
    for i in range(16):
        with T.block("B"):
            vi = T.axis.spatial()" + domain + R"(, i)
            T.reads(A[0:16, 0:16])
            T.writes(B[vi])
)" + body);
    std::optional<Counts> counts;
    ir::forEachStmt(module.mainEntry()->function->root()->body, [&](const ir::Stmt &s) {
        if (const auto *block = s.as<ir::Block>())
            counts = analysis::operationsOf(*block);
        return true;
    });
    return counts;
}

constexpr double kilo = 128.0 * 128.0; // elements of a 128 × 128 array

} // namespace

class CountsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void matmulIsTwoTimesTheProductOfItsSizes()
    {
        QCOMPARE(countsOf("matmul"),
                 (Counts{.flops = 2 * kilo * 128, .bytesRead = 2 * kilo * 4, .bytesWritten = kilo * 4}));
    }

    void loopsThatDataBoundCountOnce()
    {
        const std::string body = "            for j in range(T.Cast(\"int32\", A[vi, 0])):\n"
                                 "                B[vi] = B[vi] + A[vi, j]\n";
        QVERIFY(!operationsOfBlock("(16)", body)); // how many there are is not known
        const ir::Module module = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.block("B"):
            vi = T.axis.spatial(16, i)
            T.reads(A[0:16, 0:16])
            T.writes(B[vi])
            for j in range(T.Cast("int32", A[vi, 0])):
                B[vi] = B[vi] + A[vi, j]
)");
        QCOMPARE(countsOf(module).flops, 16.0);
    }

    void epiloguesAddToIt()
    {
        QCOMPARE(countsOf("mm_relu").flops, 2 * kilo * 128 + kilo);
        QCOMPARE(countsOf("mm_relu").bytesWritten,
                 kilo * 4); // the buffer between the blocks is no traffic of the kernel
    }

    void integersAndTranscendentalsAreApart()
    {
        const Counts matmul = countsOf("matmul_small");
        QCOMPARE(matmul.flops, 0.0);
        QCOMPARE(matmul.integerOps, 2.0 * 4 * 6 * 8);
        const Counts softmax = countsOf("softmax");
        QCOMPARE(softmax.transcendental, 16.0 * 32);
        QCOMPARE(softmax.flops, 4.0 * 16 * 32); // maximum, difference, sum, quotient
        QCOMPARE(softmax.integerOps, 0.0);
    }

    void paddingDoesNotChangeTheNumber()
    {
        const Counts conv = countsOf("conv2d_pad");
        QCOMPARE(conv.flops, 2.0 * 16 * 14 * 14 * 8 * 9);
        QCOMPARE(conv.integerOps, 0.0);
        QCOMPARE(conv.bytesRead, 4.0 * (8 * 14 * 14 + 16 * 8 * 9));
    }

    void everyScheduleHasTheSameNumber()
    {
        const char *split = R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((128, 128), "float32"), B: T.Buffer((128, 128), "float32"),
         C: T.Buffer((128, 128), "float32")):
    for i, j in T.grid(128, 128):
        with T.block("C_init"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads()
            T.writes(C[vi, vj])
            C[vi, vj] = T.float32(0)
        for k_0, k_1 in T.grid(13, 10):
            with T.block("C_update"):
                T.where(k_0 * 10 + k_1 < 128)
                vi, vj = T.axis.remap("SS", [i, j])
                vk = T.axis.reduce(128, k_0 * 10 + k_1)
                T.reads(C[vi, vj], A[vi, vk], B[vk, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)";
        QCOMPARE(countsOf(tests::parsed(split)).flops, 2 * kilo * 128);
    }

    void loweredFunctionsCountByTheirLoops()
    {
        const char *lowered = R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):
    for i in T.parallel(32):
        for j in range(4):
            B[i * 32 + j * 8:i * 32 + j * 8 + 8] = (T.exp(A[i * 32 + j * 8:i * 32 + j * 8 + 8])
                                                    + T.Broadcast(T.float32(1), 8))
)";
        const Counts counts = countsOf(tests::parsed(lowered));
        QCOMPARE(counts.flops, 1024.0);
        QCOMPARE(counts.transcendental, 1024.0);
        QCOMPARE(counts.bytesRead, 4096.0);
        QCOMPARE(counts.bytesWritten, 4096.0);
    }

    void symbolicSizesComeByName()
    {
        const ir::Module module = tests::parsed(R"(
from tvm.script import tir as T

@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n, 4), "float32")
    B = T.match_buffer(b, (n, 4), "float32")
    for i, j in T.grid(n, 4):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi, vj])
            B[vi, vj] = A[vi, vj] * A[vi, vj] + T.float32(1)
)");
        QCOMPARE(countsOf(module, {{"n", 10}}).flops, 80.0);
        QCOMPARE(countsOf(module, {{"n", 10}}).bytesRead, 160.0);
        QCOMPARE(countsOf(module).flops, 8.0);
    }

    void kindsOfOperations_data()
    {
        QTest::addColumn<QString>("value");
        QTest::addColumn<double>("flops");
        QTest::addColumn<double>("integerOps");
        QTest::addColumn<double>("transcendental");
        const auto row = [](const char *value, double flops, double integerOps, double transcendental) {
            QTest::newRow(value) << value << flops << integerOps << transcendental;
        };
        row("A[vi]", 0, 0, 0);
        row("A[vi] + A[vi + 1] * A[vi]", 2, 0, 0);
        row("T.fma(A[vi], A[vi], A[vi])", 2, 0, 0);
        row("T.fabs(A[vi])", 1, 0, 0);
        row("T.exp(A[vi] * A[vi])", 1, 0, 1);
        row("T.call_extern(\"float32\", \"f\", A[vi] * A[vi])", 1, 0, 0);
        row("T.cast(I[vi] + I[vi], \"float32\")", 0, 1, 0);
        row("T.Select(T.likely(A[vi] < A[vi + 1]), A[vi], A[vi + 1])", 1, 0, 0);
        row("T.if_then_else(vi + 2 < 8, A[vi] * A[vi], A[vi])", 1, 0, 0);
        row("T.if_then_else(A[vi] * A[vi] < A[0] or vi < 3, A[vi], A[vi] + A[0] - A[1])", 4, 1, 0);
        row("T.if_then_else(A[0] < A[1] and A[1] < A[2], A[0], A[1])", 2, 0, 0);
    }
    void kindsOfOperations()
    {
        QFETCH(QString, value);
        const Counts counts = countsOf(tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), I: T.Buffer((16,), "int32"), B: T.Buffer((16,), "float32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = )" + value.toStdString() + "\n"));
        QTEST(counts.flops / 8, "flops");
        QTEST(counts.integerOps / 8, "integerOps");
        QTEST(counts.transcendental / 8, "transcendental");
    }

    void launchedThreadsMultiply()
    {
        const ir::Module module = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32")):
    t = T.launch_thread("threadIdx.x", 16)
    with T.attr(A.data, "some_hint", 100):
        for i in range(4):
            A[t * 4 + i] = A[t * 4 + i] + T.float32(1)
)");
        QCOMPARE(countsOf(module).flops, 64.0);
    }

    void nestedBlocksMultiply()
    {
        const ir::Module module = tests::parsed(R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16, 16), "float32")):
    for i_0, j_0 in T.grid(4, 4):
        with T.block("outer"):
            vi_o, vj_o = T.axis.remap("SS", [i_0, j_0])
            T.reads(A[vi_o * 4:vi_o * 4 + 4, vj_o * 4:vj_o * 4 + 4])
            T.writes(B[vi_o * 4:vi_o * 4 + 4, vj_o * 4:vj_o * 4 + 4])
            for i_1, j_1 in T.grid(4, 4):
                with T.block("inner"):
                    vi, vj = T.axis.remap("SS", [i_1, j_1])
                    T.reads(A[vi_o * 4 + vi, vj_o * 4 + vj])
                    T.writes(B[vi_o * 4 + vi, vj_o * 4 + vj])
                    B[vi_o * 4 + vi, vj_o * 4 + vj] = A[vi_o * 4 + vi, vj_o * 4 + vj] + T.float32(1)
)");
        QCOMPARE(countsOf(module).flops, 256.0);
    }

    void operationsOfOneBlock()
    {
        const auto product =
            operationsOfBlock("16", "            B[vi] = T.fma(A[vi, 0], A[vi, 1], T.exp(A[vi, 2]))\n");
        QVERIFY(product.has_value());
        QCOMPARE(*product, (Counts{.flops = 32, .transcendental = 16}));
        const std::string sum = "                B[vi] = B[vi] + A[vi, j]\n";
        const auto looped = operationsOfBlock("16", "            for j in range(4):\n" + sum);
        QVERIFY(looped.has_value());
        QCOMPARE(looped->flops, 64.0);
        QVERIFY(!operationsOfBlock("16", "            for j in range(n):\n" + sum));
        QVERIFY(!operationsOfBlock("16", "            for j in range(vi + 1):\n" + sum));
        QVERIFY(!operationsOfBlock("n", "            B[vi] = A[vi, 0]\n"));
    }

    void units()
    {
        QCOMPARE(analysis::flopsText(0), "0 FLOP");
        QCOMPARE(analysis::flopsText(999), "999 FLOP");
        QCOMPARE(analysis::flopsText(999'600), "1.00 MFLOP");
        QCOMPARE(analysis::flopsText(12'345'678), "12.3 MFLOP");
        QCOMPARE(analysis::flopsText(2147483648.0), "2.15 GFLOP");
    }
};

QTEST_GUILESS_MAIN(CountsTest)
#include "counts_test.moc"
