// SPDX-License-Identifier: Apache-2.0
// Programs in float64 that carry bounds on rounding errors: values, bounds that hold and tell, and programs
// that have none.
#include "core/measure/verify/error_bounds.h"

#include "core/analysis/verify/verify.h"
#include "core/interp/interpreter.h"
#include "core/script/print/printer.h"
#include "tests/core/measure/bounded_results.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>

using namespace nestwright;
using namespace nestwright::measure;
using namespace nestwright::tests;

namespace {

/// As the type holds 0.1.
const double tenth = static_cast<double>(static_cast<_Float16>(0.1));

} // namespace

class ErrorBoundsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void expressions_data()
    {
        QTest::addColumn<QString>("value");
        QTest::addColumn<double>("first"); // of A = -3.5
        QTest::addColumn<double>("last");  // of A = 3.5
        QTest::newRow("a constant") << "A[vi] + T.float16(0.1)" << tenth - 3.5 << tenth + 3.5;
        QTest::newRow("a scalar") << "A[vi] * s" << -3.5 * 1.25 << 3.5 * 1.25;
        QTest::newRow("a square") << "s * s / T.float16(3)" << 1.5625 / 3 << 1.5625 / 3;
        QTest::newRow("a choice") << "T.Select(A[vi] > T.float16(0), A[vi], T.float16(0.1))" << tenth << 3.5;
        QTest::newRow("an integer") << "T.Cast(\"float16\", vi) / T.float16(3)" << 0.0 << 7.0 / 3;
        QTest::newRow("one's own type") << "T.Cast(\"float16\", A[vi]) / T.float16(3)" << -3.5 / 3 << 3.5 / 3;
        QTest::newRow("a wider type")
            << "T.Cast(\"float16\", T.Cast(\"float32\", A[vi]) / T.float32(3))" << -3.5 / 3 << 3.5 / 3;
        QTest::newRow("a function") << "T.exp(A[vi])" << std::exp(-3.5) << std::exp(3.5);
        QTest::newRow("an even function")
            << "T.cosh(A[vi] / T.float16(3))" << std::cosh(3.5 / 3) << std::cosh(3.5 / 3);
        QTest::newRow("a function with poles")
            << "T.tan(A[vi] / T.float16(3))" << std::tan(-3.5 / 3) << std::tan(3.5 / 3);
        QTest::newRow("a distance") << "T.hypot(A[vi] / T.float16(3), s)" << std::hypot(3.5 / 3, 1.25)
                                    << std::hypot(3.5 / 3, 1.25);
        QTest::newRow("a product and a sum")
            << "T.fma(A[vi] / T.float16(3), s, A[vi])" << -3.5 / 3 * 1.25 - 3.5 << 3.5 / 3 * 1.25 + 3.5;
        QTest::newRow("infinity") << "T.min(A[vi] / T.float16(3), T.infinity(\"float16\"))" << -3.5 / 3
                                  << 3.5 / 3;
        QTest::newRow("a variable") << "T.Let(x * x, where={x: A[vi] / T.float16(3)})" << 12.25 / 9
                                    << 12.25 / 9;
        QTest::newRow("a function of a choice")
            << "T.log(T.Select(A[vi] / T.float16(3) > T.float16(0), s * T.float16(8), T.float16(0.1)))"
            << std::log(tenth) << std::log(10.0);
        QTest::newRow("choices within a choice") << "T.if_then_else(vi < 4, T.log(T.if_then_else(vi < 2, s / "
                                                    "T.float16(9), s * T.float16(8))), T.exp(s))"
                                                 << std::log(1.25 / 9) << std::exp(1.25);
        QTest::newRow("when it is needed")
            << "T.if_then_else(vi < 4, A[vi] / T.float16(3), s)" << -3.5 / 3 << 1.25;
    }
    void expressions()
    {
        QFETCH(QString, value);
        QFETCH(double, first);
        QFETCH(double, last);
        const ir::Module module = computing(value.toStdString());
        const auto results = preciseResults(module);
        QCOMPARE(results.size(), 8UL);
        QVERIFY2(std::abs(results[0] - first) < 1e-14 * std::abs(first) + 1e-300,
                 qPrintable(QString::number(results[0], 'g', 17)));
        QVERIFY2(std::abs(results[7] - last) < 1e-14 * std::abs(last) + 1e-300,
                 qPrintable(QString::number(results[7], 'g', 17)));
        const ir::Module wide = withErrorBounds(module, "main")->module;
        const std::string text = script::print(wide).text;
        QVERIFY2(!text.contains("float16") && !text.contains("float32"), text.c_str());
        const auto sound = analysis::verify(wide, analysis::Level::Block);
        QVERIFY2(sound, sound ? "" : (sound.error().message + '\n' + text).c_str());
    }

    /// The bound is above what rounding in the declared type does, and by far below another result.
    void boundsHoldAndTell_data() { expressions_data(); }
    void boundsHoldAndTell()
    {
        QFETCH(QString, value);
        for (const auto &[type, dtype, unit] : {std::tuple{"float16", ir::DataType::float_(16), 0x1p-11},
                                                {"float32", ir::DataType::float32(), 0x1p-24}}) {
            const ir::Module module =
                computing(value.replace("float16", type).replace("float32x", "float32").toStdString(), type);
            const Results bounded = boundedResults(module);
            const std::vector<double> plain = plainResults(module, dtype);
            QCOMPARE(bounded.values.size(), 8UL);
            for (std::size_t i = 0; i < 8; ++i) {
                const double size = std::abs(bounded.values[i]);
                QVERIFY(std::abs(plain[i] - bounded.values[i]) <= bounded.bounds[i]);
                QVERIFY2(bounded.bounds[i] <= 40 * unit * size + 1e-6,
                         qPrintable(QString::number(bounded.bounds[i])));
            }
        }
    }

    /// Where rounding decides what happens, anything may.
    void boundsAreInfiniteWhereNothingIsKnown_data()
    {
        QTest::addColumn<QString>("value");
        QTest::addColumn<int>("unknown"); // how many of the eight
        QTest::newRow("overflow") << "A[vi] * T.float16(30000) * T.float16(0.5)" << 4;
        QTest::newRow("overflow but for rounding") << "A[vi] / T.float16(3) * T.float16(56120)" << 2;
        QTest::newRow("the sine of what may have overflowed")
            << "T.sin(A[vi] * T.float16(30000) * T.float16(0.5))" << 4;
        QTest::newRow("NaN in a maximum") << "T.max(T.sqrt(A[vi]), T.float16(1))" << 4;
        QTest::newRow("a function with bounds of such a maximum")
            << "T.tanh(T.max(T.sqrt(A[vi]), T.float16(1)))" << 4;
        QTest::newRow("a logarithm that may be of less than 0")
            << "T.log((A[vi] / T.float16(3)) - A[vi] / T.float16(3))" << 8;
        QTest::newRow("one that is not a number") << "T.sqrt(A[vi])" << 0;
    }
    void boundsAreInfiniteWhereNothingIsKnown()
    {
        QFETCH(QString, value);
        QFETCH(int, unknown);
        const Results bounded = boundedResults(computing(value.toStdString()));
        QCOMPARE(std::ranges::count_if(bounded.bounds, [](double each) { return !std::isfinite(each); }),
                 unknown);
    }

    /// A comparison that errors may turn chooses either.
    void choicesCountWhereTheyAreClose()
    {
        const Results bounded = boundedResults(
            computing("T.Select(A[vi] / T.float16(3) > A[vi] * T.float16(0.33325), T.float16(1), "
                      "T.float16(0))"));
        for (std::size_t i = 0; i < 8; ++i)
            QVERIFY(bounded.bounds[i] >= 1);
        const Results clear = boundedResults(
            computing("T.Select(A[vi] / T.float16(3) > T.float16(0.01), T.float16(1), T.float16(0))"));
        for (std::size_t i = 0; i < 8; ++i)
            QCOMPARE(clear.bounds[i], 0.0);
    }

    /// Integers that come from floating-point numbers may be off by one; others have no bounds.
    void integersHaveBoundsWhereTheyComeFromFloats()
    {
        const auto module = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = T.Cast("int32", T.round(A[vi] * T.float32(3)))
            C[vi] = vi * 2
)");
        const auto bounded = withErrorBounds(module, "main");
        QVERIFY(bounded);
        QCOMPARE(bounded->bounded, (std::vector<std::size_t>{1}));
        ir::NdArray a = vectorOf(float64, {0.5, 1.0 / 3, 0.1, 1.5, 7, 8, 9, 10}),
                    b(ir::DataType::int32(), {8}), c = b, bounds(float64, {8});
        QVERIFY(interp::run(*bounded->module.find("main"), std::array{&a, &b, &c, &bounds}));
        QCOMPARE(bounds.at(0), 1.0); // 1.5
        QCOMPARE(bounds.at(1), 0.0);
        QCOMPARE(bounds.at(3), 1.0); // 4.5
        QCOMPARE(bounds.at(4), 0.0);
    }

    /// Buffers of the function, variables of statements, and vectors.
    void statements()
    {
        const ir::Module module = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float16"), s: T.float16, B: T.Buffer((8,), "float16")):
    C = T.alloc_buffer((8,), "float16")
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = A[vi] / T.float16(3)
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            x: T.float16 = C[vi] * s
            n: T.int32 = vi * 2
            B[vi] = x * x + T.Cast("float16", n)
)");
        const auto results = preciseResults(module);
        QCOMPARE(results.size(), 8UL);
        const double x = -3.5 / 3 * 1.25;
        QVERIFY(std::abs(results[0] - x * x) < 1e-14);
        QVERIFY(std::abs(results[7] - (x * x + 14)) < 1e-14);
        const std::string text = script::print(withErrorBounds(module, "main")->module).text;
        QVERIFY2(!text.contains("float16") && text.contains("x: T.float64") && text.contains("n: T.int32"),
                 text.c_str());
    }

    void thatOneFunctionAlone()
    {
        const ir::Function main = computing("A[vi] * s").find("main");
        const ir::Module both({{"main", main}, {"other", main}});
        const auto wide = withErrorBounds(both, "other");
        QVERIFY(wide && wide->module.functions().size() == 1 && wide->module.find("other"));
        QVERIFY(!withErrorBounds(both, "none"));
    }

    void otherProgramsAreNone_data()
    {
        QTest::addColumn<QString>("value");
        QTest::newRow("bits") << R"(T.Cast("float16", T.reinterpret("uint16", A[vi])))";
        QTest::newRow("a function from outside") << R"(T.call_extern("float16", "own", A[vi]))";
        QTest::newRow("beside others") << R"(T.exp(T.call_extern("float16", "own", A[vi])))";
        QTest::newRow("before others") << R"(T.call_extern("float16", "own", T.exp(A[vi])))";
    }
    void otherProgramsAreNone()
    {
        QFETCH(QString, value);
        QVERIFY(!withErrorBounds(computing(value.toStdString()), "main"));
    }

    void integersHaveNone() { QVERIFY(!withErrorBounds(computing("A[vi] * s", "int32"), "main")); }

    /// Vectors, and loops that end where a value is reached.
    void programsWithoutARuleHaveNone() { QVERIFY(!withErrorBounds(tests::program("lowered"), "main")); }
};

QTEST_GUILESS_MAIN(ErrorBoundsTest)
#include "error_bounds_test.moc"
