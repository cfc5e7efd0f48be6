// SPDX-License-Identifier: Apache-2.0
// Bounds on the rounding errors of sums: in any order, with terms that cancel, from a large number on.
#include "core/measure/verify/error_bounds.h"

#include "core/analysis/verify/verify.h"
#include "core/lower/pipeline.h"
#include "core/script/print/printer.h"
#include "tests/core/measure/bounded_results.h"

#include <QTest>

#include <cmath>
#include <format>

using namespace nestwright;
using namespace nestwright::measure;
using namespace nestwright::tests;

class ErrorBoundsOfSumsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Terms in any order: the bound covers them added from behind, and not one that is left out.
    void sumsMayBeTakenInAnyOrder()
    {
        const auto summing = [](const char *index) {
            return tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), s: T.float32, B: T.Buffer((8,), "float32")):
    for i, k in T.grid(8, 4096):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + T.sin(A[vi] * T.Cast("float32", {}))
)",
                                             index));
        };
        const Results bounded = boundedResults(summing("vk"));
        QCOMPARE(bounded.values.size(), 8UL);
        for (const char *order : {"vk", "4095 - vk"}) {
            const auto plain = plainResults(summing(order), ir::DataType::float32());
            for (std::size_t i = 0; i < 8; ++i)
                QVERIFY(std::abs(plain[i] - bounded.values[i]) <= bounded.bounds[i]);
        }
        for (std::size_t i = 0; i < 8; ++i) {
            // The angles have errors of their own, up to 3.5 · 4096 · 2⁻²⁴ each.
            QVERIFY2(bounded.bounds[i] < 5, qPrintable(QString::number(bounded.bounds[i])));
            QVERIFY(bounded.bounds[i] > 1e-4);
        }
    }

    /// Sums on the way are small where terms cancel, and so are their roundings.
    void sumsWhoseTermsCancel()
    {
        const auto summing = [](const char *index) {
            return tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), s: T.float32, B: T.Buffer((8,), "float32")):
    for i, k in T.grid(8, 4096):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi] * T.Cast("float32", ({}) * 37 % 101 - 50)
)",
                                             index));
        };
        const Results bounded = boundedResults(summing("vk"));
        QCOMPARE(bounded.values.size(), 8UL);
        for (const char *order : {"vk", "4095 - vk", "vk * 5 % 4096", "vk % 64 * 64 + vk // 64"}) {
            const auto plain = plainResults(summing(order), ir::DataType::float32());
            for (std::size_t i = 0; i < 8; ++i)
                QVERIFY(std::abs(plain[i] - bounded.values[i]) <= bounded.bounds[i]);
        }
        for (std::size_t i = 0; i < 8; ++i) {
            const double ofTerms = 4096 * 25 * std::abs(someNumbers[i]) * 0x1p-24;
            QVERIFY2(bounded.bounds[i] < 12 * ofTerms,
                     qPrintable(QString::number(bounded.bounds[i] / ofTerms)));
        }
    }

    /// The start of a sum is rounded with each term that is added to it.
    void sumsMayBeginWithALargeNumber_data()
    {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("begin");
        QTest::addColumn<QString>("after");
        QTest::newRow("in the block") << "" << "T.float32(1000000)" << "";
        QTest::newRow("from elsewhere") << "" << "A[vi] * T.float32(300000)" << "";
        QTest::newRow("in a block of its own") << R"(
    for i in range(8):
        with T.block("begin"):
            vi = T.axis.spatial(8, i)
            B[vi] = T.float32(1000000))" << "" << "";
        QTest::newRow("then added to") << "" << "T.float32(0)" << R"(
    for i in range(8):
        with T.block("again"):
            vi = T.axis.spatial(8, i)
            B[vi] = B[vi] + T.float32(123456.7))";
    }
    void sumsMayBeginWithALargeNumber()
    {
        QFETCH(QString, before);
        QFETCH(QString, begin);
        QFETCH(QString, after);
        const std::string init =
            begin.isEmpty() ? ""
                            : "            with T.init():\n                B[vi] = " + begin.toStdString();
        const auto module = tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), s: T.float32, B: T.Buffer((8,), "float32")):
{}
    for i, k in T.grid(8, 1024):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
{}
            B[vi] = B[vi] + T.Cast("float32", vk % 7) * T.float32(0.001)
{}
)",
                                                      before.toStdString(), init, after.toStdString()));
        const Results bounded = boundedResults(module);
        QCOMPARE(bounded.values.size(), 8UL);
        const auto plain = plainResults(module, ir::DataType::float32());
        for (std::size_t i = 0; i < 8; ++i) {
            const double error = std::abs(plain[i] - bounded.values[i]);
            QVERIFY2(error <= bounded.bounds[i], qPrintable(QString::number(error / bounded.bounds[i])));
            QVERIFY(bounded.bounds[i] < 1200 * 0x1p-24 * (std::abs(bounded.values[i]) + 10));
        }
    }

    /// An element that is changed once keeps the rounding of its own size.
    void whatIsAddedToIsRounded()
    {
        const auto adding = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), s: T.float32, B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("A"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] * T.float32(1048576)
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = B[vi] + T.float32(0.1)
)");
        // The product is exact, whatever its bound says: what the sum adds counts.
        const Results product = boundedResults(computing("A[vi] * T.float32(1048576)", "float32"));
        const Results sum = boundedResults(adding);
        for (std::size_t i = 0; i < 8; ++i)
            QVERIFY(sum.bounds[i] - product.bounds[i] > 0.9 * 0x1p-24 * std::abs(sum.values[i]));
    }

    /// Each variable is defined once, wherever the function's own are.
    void variablesOfTerms()
    {
        const auto module = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), s: T.float32, B: T.Buffer((8,), "float32")):
    for i, k in T.grid(8, 64):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + T.Let(q * q - q, where={q: A[vi] / T.float32(3)})
)");
        const ir::Module wide = withErrorBounds(module, "main")->module;
        const auto sound = analysis::verify(wide, analysis::Level::Block);
        QVERIFY2(sound, sound ? "" : (sound.error().message + '\n' + script::print(wide).text).c_str());
        const auto lowered = lower::lower(wide, {});
        QVERIFY(lowered);
    }

    /// Another order of the terms may overflow on the way.
    void sumsMayOverflowInAnotherOrder()
    {
        const auto module = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float16"), s: T.float16, B: T.Buffer((8,), "float16")):
    for i, k in T.grid(8, 8):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float16(0)
            B[vi] = B[vi] + A[vi] * T.Select(vk % 2 == 0, T.float16(5000), T.float16(-5000))
)");
        const Results bounded = boundedResults(module);
        QCOMPARE(bounded.values.size(), 8UL);
        QCOMPARE(bounded.values[0], 0.0); // 8 terms of 17500
        QVERIFY(std::isinf(bounded.bounds[0]));
        QVERIFY(std::isfinite(bounded.bounds[3])); // 8 terms of 2500
    }
};

QTEST_GUILESS_MAIN(ErrorBoundsOfSumsTest)
#include "error_bounds_of_sums_test.moc"
