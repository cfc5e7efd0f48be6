// SPDX-License-Identifier: Apache-2.0
/// Floating-point constants: a program keeps the digits that it gives, as TVM does, which holds them as
/// doubles whatever the type; what is computed takes the number rounded once to the type.
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/fold.h"
#include "core/ir/node/equality.h"
#include "core/script/print/printer.h"
#include "tests/support/programs.h"
#include "tests/support/random.h"

#include <QtTest>

#include <cmath>
#include <format>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

/// `B[vi] = EXPR` of the type.
std::string storing(const std::string &type, const std::string &expression)
{
    return std::format(R"(
@T.prim_func
def main(A: T.Buffer((4,), "{0}"), B: T.Buffer((4,), "{0}")):
    for i in range(4):
        with T.block("B"):
            vi = T.axis.spatial(4, i)
            B[vi] = {1}
)",
                       type, expression);
}

/// Values stored, as they are printed.
std::string printed(const ir::Module &module)
{
    const std::string text = script::print(module).text;
    const std::size_t begin = text.find("B[vi] = ") + 8;
    return text.substr(begin, text.find('\n', begin) - begin);
}

std::string roundTrip(const std::string &type, const std::string &expression)
{
    return printed(parsed(storing(type, expression)));
}

/// The only constant of the module's loads and stores.
const ir::FloatImm &constantOf(const ir::Module &module)
{
    const ir::FloatImm *found = nullptr;
    ir::forEachExpr(module.mainEntry()->function->body, [&](const ir::Expr &e) {
        found = e.as<ir::FloatImm>() ? e.as<ir::FloatImm>() : found;
        return true;
    });
    if (!found)
        qFatal("no constant");
    return *found;
}

} // namespace

class FloatConstantsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void digitsStay_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<double>("greatest");
        QTest::newRow("float16") << "float16" << 65504.0;
        QTest::newRow("bfloat16") << "bfloat16" << 3e38;
        QTest::newRow("float32") << "float32" << 3e38;
        QTest::newRow("float64") << "float64" << 1e300;
    }

    /// Numbers of all magnitudes, as TVM writes them: 17 digits, whole numbers in full.
    void digitsStay()
    {
        QFETCH(QString, type);
        QFETCH(double, greatest);
        const std::string name = type.toStdString();
        const auto dtype = ir::DataType::parse(name).value();
        Random random(7);
        const auto share = [&random] {
            return static_cast<double>(random.below(std::int64_t{1} << 53)) * 0x1p-53;
        };
        for (int i = 0; i < 2000; ++i) {
            const double digits = share() * 2 - 1;
            const double number = i % 3 == 0 ? digits : digits * std::pow(10, share() * std::log10(greatest));
            const std::string text =
                number == std::trunc(number) ? std::format("{:.1f}", number) : std::format("{:.17g}", number);
            const std::string written = "T." + name + "(" + text + ")";
            const ir::Module module = parsed(storing(name, written));
            QCOMPARE(printed(module), written);
            QCOMPARE(constantOf(module).value, ir::roundToType(number, dtype));
        }
    }

    void texts_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("expression");
        QTest::addColumn<QString>("printed");
        const auto row = [](const char *type, const char *expression, const char *printed) {
            QTest::addRow("%s %s", type, expression) << type << expression << printed;
        };
        row("float32", "T.float32(0.1)", "T.float32(0.10000000000000001)");
        row("float32", "T.float32(0.10000000149011612)", "T.float32(0.10000000149011612)");
        row("float32", "T.float32(0.70710678118654752)", "T.float32(0.70710678118654757)");
        row("float32", "A[vi] * T.float32(-1.1)", "A[vi] * T.float32(-1.1000000000000001)");
        row("float32", "T.float32(\"inf\")", "T.float32(\"inf\")");
        row("float32", "T.float32(\"nan\")", "T.float32(\"nan\")");
        row("float32", "T.float32(1)", "T.float32(1.0)");
        row("float32", "A[vi] * 0.3", "A[vi] * T.float32(0.29999999999999999)");
        row("float16", "A[vi] * T.float16(0.3333333333333333)", "A[vi] * T.float16(0.33333333333333331)");
        row("bfloat16", "T.bfloat16(1e-05)", "T.bfloat16(1.0000000000000001e-05)");
        row("float64", "A[vi] * 0.1", "A[vi] * T.float64(0.10000000000000001)");
        row("float64", "A[vi] * T.float32(0.1)", "A[vi] * T.float64(0.10000000000000001)");
        row("float64", "T.Cast(\"float64\", T.float32(0.1))",
            "T.Cast(\"float64\", T.float32(0.10000000000000001))");
        // A result has no digits of its own: the shortest decimal of its value.
        row("float32", "T.float32(0.1) + T.float32(0.2)", "T.float32(0.29999999999999999)");
    }
    void texts()
    {
        QFETCH(QString, type);
        QFETCH(QString, expression);
        QFETCH(QString, printed);
        QCOMPARE(QString::fromStdString(roundTrip(type.toStdString(), expression.toStdString())), printed);
    }

    /// Two spellings of one value are one constant.
    void equalWhereTheValueIs()
    {
        const ir::Expr shorter = ir::writtenFloat(0.1), longer = ir::writtenFloat(0.10000000149011612),
                       other = ir::writtenFloat(0.1000001), plain = ir::floatImm(0.1);
        QVERIFY(ir::structurallyEqual(shorter, longer) && ir::structurallyEqual(shorter, plain));
        QCOMPARE(ir::structuralHash(shorter), ir::structuralHash(longer));
        QCOMPARE(ir::structuralHash(shorter), ir::structuralHash(plain));
        QVERIFY(!ir::structurallyEqual(shorter, other));
        QVERIFY(!ir::structurallyEqual(shorter, ir::writtenFloat(0.1, ir::DataType::float_(64))));
    }

    /// Casts compute with the value; a number takes the type of what it meets.
    void typesThatMeet()
    {
        const ir::DataType wide = ir::DataType::float_(64), half = ir::DataType::float_(16);
        const ir::Expr number = ir::writtenFloat(0.1);
        QCOMPARE(ir::cast(wide, number).as<ir::FloatImm>()->value, double(0.1F));
        QCOMPARE(ir::converted(wide, number).as<ir::FloatImm>()->value, 0.1);
        QCOMPARE(ir::converted(wide, ir::floatImm(0.1)).as<ir::FloatImm>()->value, double(0.1F));
        const ir::Expr narrow = ir::cast(half, number);
        QCOMPARE(narrow.as<ir::FloatImm>()->value, ir::roundToType(0.1, half));
        QCOMPARE(script::printExpr(narrow), std::string("T.float16(0.10000000000000001)"));
        QCOMPARE(script::printExpr(-number), std::string("T.float32(-0.10000000000000001)"));
    }
};

QTEST_GUILESS_MAIN(FloatConstantsTest)
#include "float_constants_test.moc"
