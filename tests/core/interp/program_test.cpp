// SPDX-License-Identifier: Apache-2.0
// Whole programs as text, block form and lowered.
#include "core/interp/interpreter.h"
#include "tests/support/check.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;

namespace {

ir::Function mainOf(const ir::Module &module) { return module.mainEntry()->function; }

} // namespace

class ProgramTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyProgramRuns_data()
    {
        QTest::addColumn<QString>("name");
        for (const tests::Program &program : tests::programs())
            QTest::newRow(std::string(program.name).c_str()) << QString::fromUtf8(program.name);
    }
    void everyProgramRuns()
    {
        QFETCH(QString, name);
        const ir::Module module = tests::program(name.toStdString());
        const auto why = tests::whyNotEquivalent(module, module, {.exactFloats = true});
        QVERIFY2(!why, why.value_or("").c_str());
    }

    void scheduledMatmulIsTheSame()
    {
        QVERIFY(tests::checkEquivalent(tests::program("matmul_small"), tests::parsed(R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 8), "int32"), B: T.Buffer((8, 6), "int32"), C: T.Buffer((4, 6), "int32")):
    for i_0 in T.parallel(2):
        for j_0, i_1 in T.grid(2, 2):
            for j_init in T.vectorized(4):
                with T.block("C_init"):
                    T.where(j_0 * 4 + j_init < 6)
                    vi = T.axis.spatial(4, i_0 * 2 + i_1)
                    vj = T.axis.spatial(6, j_0 * 4 + j_init)
                    T.reads()
                    T.writes(C[vi, vj])
                    C[vi, vj] = 0
            for k in T.unroll(8):
                for j_1 in range(4):
                    with T.block("C_update"):
                        T.where(j_0 * 4 + j_1 < 6)
                        vi = T.axis.spatial(4, i_0 * 2 + i_1)
                        vj = T.axis.spatial(6, j_0 * 4 + j_1)
                        vk = T.axis.reduce(8, k)
                        T.reads(C[vi, vj], A[vi, vk], B[vk, vj])
                        T.writes(C[vi, vj])
                        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)")));
    }

    void loweredMatmulIsTheSame()
    {
        QVERIFY(tests::checkEquivalent(tests::program("matmul_small"), tests::parsed(R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "int32"), B: T.Buffer((48,), "int32"), C: T.Buffer((24,), "int32")):
    for i in T.parallel(4):
        acc = T.allocate([6], "int32", "global")
        acc_1 = T.Buffer((6,), "int32", data=acc)
        for j in range(6):
            acc_1[j] = 0
        for k in range(8):
            acc_1[0:2] = acc_1[0:2] + T.Broadcast(A[i * 8 + k], 2) * B[k * 6:k * 6 + 2]
            acc_1[2:6] = acc_1[2:6] + T.Broadcast(A[i * 8 + k], 4) * B[k * 6 + 2:k * 6 + 6]
        for j in range(6):
            C[i * 6 + j] = acc_1[j]
)"),
                                       {.seed = 4}));
    }

    void threadsRunAsLoops()
    {
        const char *expected = R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in range(64):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B[vi] = A[vi] * T.float32(2)
)";
        const char *bound = R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i_0 in T.thread_binding(4, thread="blockIdx.x"):
        for i_1 in T.thread_binding(16, thread="threadIdx.x"):
            with T.block("B"):
                vi = T.axis.spatial(64, i_0 * 16 + i_1)
                B[vi] = A[vi] * T.float32(2)
)";
        QVERIFY(tests::checkEquivalent(tests::parsed(expected), tests::parsed(bound)));
    }

    void numbersComeOutRight()
    {
        const ir::Function softmax = mainOf(tests::program("softmax"));
        auto arrays = interp::makeArguments(*softmax, 1);
        QVERIFY(arrays);
        const std::array<ir::NdArray *, 2> buffers{&(*arrays)[0], &(*arrays)[1]};
        QVERIFY(interp::run(*softmax, buffers));
        for (int row = 0; row < 16; ++row) {
            double sum = 0;
            for (int k = 0; k < 32; ++k)
                sum += std::exp((*arrays)[0].at(row * 32 + k));
            for (int k = 0; k < 32; ++k) {
                const double expected = std::exp((*arrays)[0].at(row * 32 + k)) / sum;
                QVERIFY(std::abs((*arrays)[1].at(row * 32 + k) - expected) < 1e-6);
            }
        }
    }
};

QTEST_GUILESS_MAIN(ProgramTest)
#include "program_test.moc"
