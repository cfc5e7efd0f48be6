// SPDX-License-Identifier: Apache-2.0
// The same program in float64: what its constants, variables and buffers become, and which programs have
// none.
#include "core/measure/double_precision.h"

#include "core/interp/interpreter.h"
#include "core/script/printer.h"
#include "tests/support/programs.h"

#include <QTest>

#include <bit>
#include <cmath>
#include <format>

using namespace nestwright;
using namespace nestwright::measure;

namespace {

const ir::DataType float64 = ir::DataType::float_(64);

/// B[vi] = `value` of A[vi], a vector of 8, and of the scalar s.
ir::Module computing(const std::string &value, const std::string &type = "float16")
{
    return tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((8,), "{1}"), s: T.{1}, B: T.Buffer((8,), "{1}")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = {0}
)",
                                     value, type));
}

/// B of the program in float64 for A = -3.5, -2.5, … and s = 1.25.
std::vector<double> preciseResults(const ir::Module &module)
{
    const auto wide = inDoublePrecision(module, "main");
    if (!wide)
        return {};
    ir::NdArray a(float64, {8}), b(float64, {8});
    for (int i = 0; i < 8; ++i)
        a.set(i, i - 3.5);
    const std::int64_t scalar = std::bit_cast<std::int64_t>(1.25);
    const auto ran = interp::run(*wide->find("main"), std::array{&a, &b}, std::array{scalar});
    if (!ran)
        qFatal("%s", ran.error().render().c_str());
    std::vector<double> results;
    for (int i = 0; i < 8; ++i)
        results.push_back(b.at(i));
    return results;
}

/// As the type holds 0.1.
const double tenth = static_cast<double>(static_cast<_Float16>(0.1));

} // namespace

class DoublePrecisionTest : public QObject {
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
        QTest::newRow("infinity") << "T.min(A[vi] / T.float16(3), T.infinity(\"float16\"))" << -3.5 / 3
                                  << 3.5 / 3;
        QTest::newRow("a variable") << "T.Let(x * x, where={x: A[vi] / T.float16(3)})" << 12.25 / 9
                                    << 12.25 / 9;
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
        const std::string text = script::print(*inDoublePrecision(module, "main")).text;
        QVERIFY2(!text.contains("float16") && !text.contains("float32"), text.c_str());
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
        const std::string text = script::print(*inDoublePrecision(module, "main")).text;
        QVERIFY2(!text.contains("float16") && text.contains("x: T.float64") && text.contains("n: T.int32"),
                 text.c_str());
        const auto flat = inDoublePrecision(tests::program("lowered"), "main");
        QVERIFY(flat);
        const std::string vectors = script::print(*flat).text;
        QVERIFY2(!vectors.contains("float32"), vectors.c_str());
    }

    void thatOneFunctionAlone()
    {
        const ir::Function main = computing("A[vi] * s").find("main");
        const ir::Module both({{"main", main}, {"other", main}});
        const auto wide = inDoublePrecision(both, "other");
        QVERIFY(wide && wide->functions().size() == 1 && wide->find("other"));
        QVERIFY(!inDoublePrecision(both, "none"));
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
        QVERIFY(!inDoublePrecision(computing(value.toStdString()), "main"));
    }

    /// Nothing could be more precise.
    void integersAndDoublesHaveNone()
    {
        QVERIFY(!inDoublePrecision(computing("A[vi] * s", "float64"), "main"));
        QVERIFY(!inDoublePrecision(computing("A[vi] * s", "int32"), "main"));
    }
};

QTEST_GUILESS_MAIN(DoublePrecisionTest)
#include "double_precision_test.moc"
