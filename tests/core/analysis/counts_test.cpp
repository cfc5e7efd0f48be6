// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/counts.h"
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
def main(A: T.Buffer((128, 128), "float32"), B: T.Buffer((128, 128), "float32"), C: T.Buffer((128, 128), "float32")):
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
            B[i * 32 + j * 8:i * 32 + j * 8 + 8] = T.exp(A[i * 32 + j * 8:i * 32 + j * 8 + 8]) + T.Broadcast(T.float32(1), 8)
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
};

QTEST_GUILESS_MAIN(CountsTest)
#include "counts_test.moc"
