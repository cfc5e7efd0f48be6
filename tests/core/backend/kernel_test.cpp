// SPDX-License-Identifier: Apache-2.0
// Compiled kernels: accuracy of functions, arithmetic of types, statements that overwrite what they read.
#include "tests/core/backend/ready_kernel.h"
#include "tests/support/backends.h"

#include <QtTest>

#include <cmath>
#include <format>
#include <limits>

using namespace nestwright;
using namespace nestwright::tests;

class KernelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Elementary functions over their whole range, scalar and vector, against the C library in double.
    void functionsAreAccurate_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("name");
        for (const char *target : {"llvm", "c"}) {
            if (!backend::isBuilt(target::parseTarget(target)->kind))
                continue;
            for (const char *name : {"exp", "tanh", "sigmoid", "erf"})
                QTest::addRow("%s %s", target, name) << target << name;
        }
    }
    void functionsAreAccurate()
    {
        QFETCH(QString, target);
        QFETCH(QString, name);
        const Ready kernel = ready(std::format(R"(
@T.prim_func
def main(A: T.Buffer((4096,), "float32"), B: T.Buffer((4096,), "float32")):
    for i_0 in range(256):
        for i_1 in T.vectorized(16):
            with T.block("B"):
                vi = T.axis.spatial(4096, i_0 * 16 + i_1)
                B[vi] = T.{}(A[vi])
)",
                                               name.toStdString()),
                                   target);
        std::vector<ir::NdArray> arrays(2, ir::NdArray(ir::DataType::float32(), {4096}));
        auto *x = arrays[0].data<float>();
        for (int i = 0; i < 2048; ++i) {
            x[i] = -100.0F + static_cast<float>(i) * 0.1F;
            x[2048 + i] = (static_cast<float>(i) - 1024.0F) * 0.003F;
        }
        const float infinity = std::numeric_limits<float>::infinity();
        x[0] = infinity;
        x[1] = -infinity;
        x[2] = std::numeric_limits<float>::quiet_NaN();
        x[3] = 0;
        x[4] = 1e-30F;
        x[5] = 88.7F;
        x[6] = 1e30F;
        x[7] = -1e30F;
        x[8] = std::numeric_limits<float>::max();
        x[9] = std::numeric_limits<float>::lowest();
        x[10] = 1e10F; // beyond the range, with a rest that is not
        x[11] = -1e10F;
        x[12] = -103.5F; // a number with leading zeros
        QCOMPARE(call(kernel, arrays), "");
        for (int i = 0; i < 4096; ++i) {
            const double v = x[i];
            const double expected = name == "exp"       ? std::exp(v)
                                    : name == "tanh"    ? std::tanh(v)
                                    : name == "sigmoid" ? 1 / (1 + std::exp(-v))
                                                        : std::erf(v);
            const double actual = arrays[1].data<float>()[i];
            const auto single = static_cast<float>(expected);
            const double relative = name == "exp" ? 2.5e-7 : 1e-6, absolute = name == "exp" ? 3e-45 : 1e-37;
            const bool isSame = (std::isnan(v) && std::isnan(actual)) || static_cast<float>(actual) == single
                                || std::abs(actual - expected) <= relative * std::abs(expected) + absolute;
            QVERIFY2(isSame, std::format("f({}) = {}, not {}", v, actual, expected).c_str());
            if (name == "erf" && std::abs(v) > 4) // x (1 + erf x) vanishes for large negative x
                QCOMPARE(actual, std::copysign(1.0, v));
        }
    }

    /// LLVM 19's vectorizer of straight-line code made other numbers of it, in vectors of 512 bits.
    void straightLinesOfManyStores()
    {
        tests::checkBackends(tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((3, 4), "float32"), B: T.Buffer((4, 12, 3), "float32")):
    flat_A = T.decl_buffer((12,), data=A.data)
    flat_B = T.decl_buffer((144,), data=B.data)
    quotients = T.decl_buffer((12,), "int32")
    rests = T.decl_buffer((12,), "int32")
    for i in range(12):
        quotients[i] = i // 4
    for i in range(12):
        rests[i] = i % 4
    for i, j in T.grid(2, 12):
        flat_B[j // 3 * 36 + i * 3 + j % 3] = (
            flat_A[i] * T.float32(2) * (flat_A[quotients[j] * 4 + rests[j]] * T.float32(2)))
    for i in range(2, 7):
        for j in range(12):
            flat_B[j // 3 * 36 + i * 3 + j % 3] = flat_A[i] * T.float32(2) * (flat_A[j] * T.float32(2))
    for i in range(7, 12):
        for j in range(12):
            flat_B[j // 3 * 36 + i * 3 + j % 3] = flat_A[i] * T.float32(2) * (flat_A[j] * T.float32(2))
)"));
    }

    /// By products, which no call of the C library for each lane is.
    void smallPowers_data()
    {
        QTest::addColumn<double>("exponent");
        for (const double exponent : {-1.0, 1.0, 2.0, 3.0, 4.0, 0.5, 5.0})
            QTest::addRow("%g", exponent) << exponent;
    }
    void smallPowers()
    {
        QFETCH(double, exponent);
        const std::string text = std::format(R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i_0 in range(4):
        for i_1 in T.vectorized(16):
            with T.block("B"):
                vi = T.axis.spatial(64, i_0 * 16 + i_1)
                B[vi] = T.pow(A[vi], T.float32({}))
)",
                                             exponent);
        const Ready kernel = ready(text, "llvm");
        std::vector<ir::NdArray> arrays(2, ir::NdArray(ir::DataType::float32(), {64}));
        auto *x = arrays[0].data<float>();
        for (int i = 0; i < 64; ++i)
            x[i] = (static_cast<float>(i) - 20) * 1.7F;
        const float infinity = std::numeric_limits<float>::infinity();
        constexpr auto huge = 1e25F, tiny = 1e-25F;
        for (int i = 0; const float special : {0.0F, -0.0F, infinity, -infinity, huge, -huge, tiny, -tiny})
            x[i++] = special;
        QCOMPARE(call(kernel, arrays), "");
        for (int i = 0; i < 64; ++i) {
            const auto expected = static_cast<float>(std::pow(static_cast<double>(x[i]), exponent));
            const float actual = arrays[1].data<float>()[i];
            const bool isSame = (std::isnan(expected) && std::isnan(actual))
                                || (expected == actual && std::signbit(expected) == std::signbit(actual))
                                || std::abs(actual - expected) <= 2.5e-7F * std::abs(expected);
            QVERIFY2(isSame,
                     std::format("{} to the {}: {}, not {}", x[i], exponent, actual, expected).c_str());
        }
        const auto source =
            backend::source(tests::parsed(text), *target::parseTarget("llvm"), backend::SourceKind::Asm);
        QVERIFY(source);
        QCOMPARE(source->text.contains("powf"), exponent == 5.0); // of 0.5 LLVM makes a square root
    }

    /// Whether the length is known only when the kernel runs or is the variable of a loop around.
    void loopsOfNoLengthDoNotRun_data() { eachTarget(); }
    void loopsOfNoLengthDoNotRun()
    {
        QFETCH(QString, target);
        const Ready kernel = ready(R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32"), n: T.int32):
    for i in range(n):
        A[0] = A[0] + 1
    for i in range(4):
        for j in range(i):
            B[i] = B[i] + 1
)",
                                   target);
        for (const int times : {0, 1, 3}) {
            std::vector<ir::NdArray> arrays(2, ir::NdArray(ir::DataType::int32(), {4}));
            QCOMPARE(call(kernel, arrays, {times}), "");
            QCOMPARE(arrays[0].at(0), times);
            for (int i = 0; i < 4; ++i)
                QCOMPARE(arrays[1].at(i), i);
        }
    }

    /// Arithmetic of every type, wrapping and rounding as the interpreter does.
    void typesBehave_data()
    {
        QTest::addColumn<QString>("type");
        for (const char *type : {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                                 "float16", "bfloat16", "float32", "float64"})
            QTest::newRow(type) << type;
    }
    void typesBehave()
    {
        QFETCH(QString, type);
        const std::string t = type.toStdString();
        tests::checkBackends(tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((64,), "{0}"), B: T.Buffer((64,), "{0}"), C: T.Buffer((64,), "{0}"),
         D: T.Buffer((64,), "bool")):
    for i_0 in range(8):
        for i_1 in T.vectorized(8):
            with T.block("C"):
                vi = T.axis.spatial(64, i_0 * 8 + i_1)
                C[vi] = T.max(A[vi] * B[vi] + A[vi], B[vi] - A[vi]) * T.Cast("{0}", vi)
    for i in range(64):
        with T.block("D"):
            vi = T.axis.spatial(64, i)
            D[vi] = A[vi] < B[vi] and not A[vi] == B[vi]
)",
                                                       t)),
                             {.seed = 3, .sizes = {}, .exactFloats = false, .runs = 2});
    }

    /// A vector variable keeps its value when its source is overwritten.
    void vectorVariablesKeepTheirValue()
    {
        tests::checkBackends(tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    for i in T.vectorized(8):
        x: T.float32 = A[i]
        A[i] = A[i + 8]
        A[i + 8] = x
)"));
    }

    /// Conditions on memory that the statements under them overwrite, with and without an else, in vectors
    /// and in loops.
    void conditionsOnWhatIsOverwritten()
    {
        for (const char *kind : {"range", "T.vectorized"}) {
            tests::checkBackends(tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((32,), "int32"), B: T.Buffer((32,), "int32"), C: T.Buffer((32,), "int32"),
         n: T.Buffer((1,), "int32")):
    for i in {0}(16):
        if A[i] > 0:
            A[i] = 0 - A[i]
            B[i] = 2
            if A[i] > 0:
                B[i] = 3
    for i in {0}(16):
        if A[i + 16] > 0:
            A[i + 16] = -1
            B[i + 16] = 2
        else:
            A[i + 16] = 1
            B[i + 16] = 3
    n[0] = 8
    for i in range(32):
        if i < n[0]:
            C[i] = 1
            n[0] = n[0] - 1
        else:
            C[i] = 2
)",
                                                           kind)));
        }
    }

    void halfPrecisionScalars()
    {
        tests::checkBackends(tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((16,), "float16"), x: T.float16):
    for i in range(16):
        A[i] = A[i] * x
)"));
    }

    void bitsBehave()
    {
        tests::checkBackends(tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    for i in range(64):
        with T.block("C"):
            vi = T.axis.spatial(64, i)
            C[vi] = (T.bitwise_xor(T.shift_left(A[vi], 3), T.bitwise_and(B[vi], T.bitwise_not(A[vi])))
                     + T.popcount(B[vi]) + T.shift_right(A[vi], 1))
)"));
        tests::checkBackends(tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((64,), "int64"), B: T.Buffer((64,), "uint8"), C: T.Buffer((64,), "int32")):
    for i in T.vectorized(64):
        with T.block("C"):
            vi = T.axis.spatial(64, i)
            C[vi] = T.clz(A[vi]) * 100 + T.clz(B[vi])
)"));
    }

    /// Loops in parallel within one another, values and errors of outer loops used within.
    void parallelLoopsNest()
    {
        tests::checkBackends(tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((16, 32), "float32"), B: T.Buffer((16, 32), "float32")):
    for i in T.parallel(16):
        for j in T.parallel(32):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, 31 - vj] * T.Cast("float32", vi)
)"));
    }
};

QTEST_GUILESS_MAIN(KernelTest)
#include "kernel_test.moc"
