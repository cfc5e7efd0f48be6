// SPDX-License-Identifier: Apache-2.0
// Errors that compiled kernels report while they run, and those that are found before.
#include "tests/core/backend/ready_kernel.h"

#include <QtTest>

#include <format>
#include <limits>

using namespace nestwright;
using namespace nestwright::tests;

class KernelErrorsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void divisionByZeroIsReported_data() { eachTarget(); }
    void divisionByZeroIsReported()
    {
        QFETCH(QString, target);
        for (const char *op :
             {"A[i] // B[i]", "A[i] % B[i]", "T.truncdiv(A[i], B[i])", "T.truncmod(A[i], B[i])"}) {
            for (const char *kind : {"range", "T.parallel"}) {
                const Ready kernel = ready(std::format(R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32"), C: T.Buffer((4,), "int32")):
    for i in {}(4):
        C[i] = {}
)",
                                                       kind, op),
                                           target);
                std::vector<ir::NdArray> arrays(3, ir::NdArray(ir::DataType::int32(), {4}));
                for (int i = 0; i < 4; ++i) {
                    arrays[0].set(i, -7);
                    arrays[1].set(i, i - 2);
                }
                QVERIFY(QString::fromStdString(call(kernel, arrays)).contains("by zero"));
                arrays[1].set(2, 3);
                arrays[0].set(1, std::numeric_limits<int>::min()); // divided by −1
                QCOMPARE(call(kernel, arrays), "");
                const std::string text = op;
                const double expected = text == "A[i] // B[i]"  ? -3
                                        : text == "A[i] % B[i]" ? 2
                                        : text.contains("div")  ? -2
                                                                : -1;
                QCOMPARE(arrays[2].at(2), expected);
            }
        }
    }

    void missingMemoryIsReported_data() { eachTarget(); }
    void missingMemoryIsReported()
    {
        QFETCH(QString, target);
        const Ready kernel = ready(R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), n: T.int64):
    with T.decl_buffer((n * T.int64(1099511627776),)) as B:
        for i in range(n):
            B[i * T.int64(1099511627776)] = A[i % T.int64(4)]
        for i in range(n):
            A[i % T.int64(4)] = B[(n - T.int64(1) - i) * T.int64(1099511627776)] + T.float32(1)
)",
                                   target);
        std::vector<ir::NdArray> arrays(1, ir::NdArray(ir::DataType::float32(), {4}));
        QVERIFY(QString::fromStdString(call(kernel, arrays, {1000})).contains("memory"));
        QCOMPARE(arrays[0].at(0), 0.0);
    }

    void failedAssertionsAreReported_data() { eachTarget(); }
    void failedAssertionsAreReported()
    {
        QFETCH(QString, target);
        const Ready kernel = ready(R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), n: T.int32):
    assert n < 4, "n is too large"
    A[n] = T.float32(1)
)",
                                   target);
        std::vector<ir::NdArray> arrays(1, ir::NdArray(ir::DataType::float32(), {4}));
        QCOMPARE(call(kernel, arrays, {3}), "");
        QCOMPARE(arrays[0].at(3), 1.0);
        QVERIFY(QString::fromStdString(call(kernel, arrays, {4})).contains("assertion"));
    }

    void threadsAreForOtherTargets_data() { eachTarget(); }
    void threadsAreForOtherTargets()
    {
        QFETCH(QString, target);
        const auto artifact = backend::compile(tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    for i in T.thread_binding(4, thread="threadIdx.x"):
        A[i] = T.float32(1)
)"),
                                               *target::parseTarget(target.toStdString()));
        QVERIFY(!artifact);
        QCOMPARE(QString::fromStdString(artifact.error().code), "backend.unsupported");
        QVERIFY(QString::fromStdString(artifact.error().message).contains("threadIdx.x"));
        QVERIFY(!artifact.error().locations.empty());
    }

    void wrongArgumentsAreRefused()
    {
        const Ready kernel = ready(tests::programText("row_sum"), "llvm");
        std::vector<ir::NdArray> one(1, ir::NdArray(ir::DataType::float32(), {128, 64}));
        QVERIFY(QString::fromStdString(call(kernel, one)).contains("no array"));
        std::vector<ir::NdArray> two(2, ir::NdArray(ir::DataType::float32(), {128, 64}));
        QVERIFY(QString::fromStdString(call(kernel, two)).contains("(128)"));
        two[1] = ir::NdArray(ir::DataType::float_(64), {128});
        QVERIFY(QString::fromStdString(call(kernel, two)).contains("float64"));
    }
};

QTEST_GUILESS_MAIN(KernelErrorsTest)
#include "kernel_errors_test.moc"
