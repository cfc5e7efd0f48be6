// SPDX-License-Identifier: Apache-2.0
/// Index expressions as code: their values, and what is no arithmetic on integers, wherever it stands.
#include "core/analysis/access/integer_code.h"

#include "core/ir/build/builder.h"
#include "core/script/expression_parser.h"

#include <QtTest>

using namespace nestwright;
using analysis::IntegerCode;

namespace {

std::optional<IntegerCode> codeOf(const QString &text, std::span<const ir::Var> vars)
{
    std::vector<ir::Var> known(vars.begin(), vars.end());
    known.emplace_back("other");
    known.emplace_back("f", ir::DataType::float32());
    const auto e = script::parseTvmExpression(text.toStdString(), known, "test");
    if (!e)
        qFatal("%s", e.error().render().c_str());
    return IntegerCode::of(*e, vars);
}

} // namespace

class IntegerCodeTest : public QObject {
    Q_OBJECT

    const std::vector<ir::Var> m_vars{ir::Var("x"), ir::Var("y")};

private Q_SLOTS:
    void values_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("expected"); // for x = -7, y = 3
        const auto row = [](const char *text, int expected) { QTest::newRow(text) << text << expected; };
        row("5", 5);
        row("x * y - 1", -22);
        row("x // y", -3);
        row("x % y", 2);
        row("T.truncdiv(x, y)", -2);
        row("T.min(x, y) + T.max(x, y)", -4);
        row("T.Cast(\"int32\", x < y)", 1);
        row("T.Cast(\"int32\", not (x < y))", 0);
        row("T.Cast(\"uint8\", x)", 249);
        row("T.Cast(\"int8\", y * 100)", 44);
        row("T.Select(x < 0, y, x)", 3);
        row("T.Select(x > 0, y, x)", -7);
        row("T.if_then_else(x < 0 and y == 3, 1, 2)", 1);
        row("T.Cast(\"int32\", T.likely(x < 0 or y == 4))", 1);
    }
    void values()
    {
        QFETCH(QString, text);
        QFETCH(int, expected);
        auto code = codeOf(text, m_vars);
        QVERIFY(code.has_value());
        constexpr std::int64_t at[] = {-7, 3};
        QCOMPARE(code->eval(at).value_or(1000), expected);
        QCOMPARE(code->eval(at).value_or(1000), expected); // its stack is used again
    }

    void nothingWhereItDividesByZero()
    {
        constexpr std::int64_t at[] = {1, 0};
        for (const char *text : {"x // y", "x % y", "1 + T.truncmod(x, y)"}) {
            auto code = codeOf(text, m_vars);
            QVERIFY(code.has_value());
            QVERIFY2(!code->eval(at), text);
        }
    }

    void whatIsNoArithmeticOnIntegersIsNoCode()
    {
        for (const char *none : {"other", "T.Cast(\"int32\", f)", "T.popcount(x)"}) {
            for (const char *form :
                 {"%1", "%1 + x", "x + %1", "T.Cast(\"int64\", %1)", "not (%1 < 3)", "T.Select(%1 < 3, x, y)",
                  "T.Select(x < y, %1, y)", "T.Select(x < y, x, %1)", "T.if_then_else(%1 < 3, x, y)",
                  "T.if_then_else(x < y, %1, y)", "T.if_then_else(x < y, x, %1)", "T.likely(%1 < 3)"}) {
                const QString text = QString(form).arg(none);
                QVERIFY2(!codeOf(text, m_vars), qPrintable(text));
            }
        }
        QVERIFY(!codeOf("f * f", m_vars));
        QVERIFY(!codeOf("T.Broadcast(x, 4)", m_vars));
    }
};

QTEST_GUILESS_MAIN(IntegerCodeTest)
#include "integer_code_test.moc"
