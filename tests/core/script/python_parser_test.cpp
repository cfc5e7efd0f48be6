// SPDX-License-Identifier: Apache-2.0
#include "core/script/python_parser.h"

#include <QtTest>

using namespace nestwright::script;

namespace {

py::Module parsed(std::string_view text)
{
    auto result = py::parse(text, "test.py");
    if (!result)
        qFatal("%s", result.error().render().c_str());
    return *result;
}

py::Expr parsedExpr(std::string_view text)
{
    auto result = py::parseExpression(text, "test.py");
    if (!result)
        qFatal("%s", result.error().render().c_str());
    return *result;
}

/// The expression with all its brackets, to see how it was grouped.
std::string grouped(const py::Expr &e)
{
    if (const auto *name = e->as<py::Name>())
        return name->id;
    if (const auto *number = e->as<py::IntLiteral>())
        return std::to_string(number->value);
    if (const auto *node = e->as<py::Unary>()) {
        static const char *const marks[] = {"-", "+", "not ", "~"};
        return std::string("(") + marks[static_cast<int>(node->op)] + grouped(node->operand) + ")";
    }
    if (const auto *node = e->as<py::Binary>()) {
        static const char *const marks[] = {"+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^"};
        return "(" + grouped(node->left) + marks[static_cast<int>(node->op)] + grouped(node->right) + ")";
    }
    if (const auto *node = e->as<py::Compare>()) {
        static const char *const marks[] = {"==", "!=", "<", "<=", ">", ">=", " is ", " is not ", " in ", " not in "};
        std::string text = "(" + grouped(node->first);
        for (const auto &[op, operand] : node->rest)
            text += marks[static_cast<int>(op)] + grouped(operand);
        return text + ")";
    }
    if (const auto *node = e->as<py::BoolOp>()) {
        std::string text;
        for (const py::Expr &operand : node->operands)
            text += (text.empty() ? "(" : node->isAnd ? " and " : " or ") + grouped(operand);
        return text + ")";
    }
    if (const auto *node = e->as<py::Conditional>())
        return "(" + grouped(node->trueValue) + " if " + grouped(node->condition) + " else " + grouped(node->falseValue)
               + ")";
    if (const auto *node = e->as<py::Attribute>())
        return grouped(node->value) + "." + node->name;
    if (const auto *node = e->as<py::Call>()) {
        std::string text;
        for (const py::Expr &arg : node->args)
            text += (text.empty() ? "" : ",") + grouped(arg);
        for (const py::Keyword &keyword : node->keywords)
            text += (text.empty() ? "" : ",") + keyword.name + "=" + grouped(keyword.value);
        return grouped(node->callee) + "(" + text + ")";
    }
    if (const auto *node = e->as<py::Lambda>()) {
        std::string text = "lambda";
        for (const py::Param &param : node->params)
            text += " " + param.name;
        return "(" + text + ": " + grouped(node->body) + ")";
    }
    return "?";
}

} // namespace

class PythonParserTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void precedence_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char *text, const char *expected) { QTest::newRow(text) << text << expected; };
        row("a + b * c", "(a+(b*c))");
        row("a - b - c", "((a-b)-c)");
        row("a // b % c", "((a//b)%c)");
        row("-a ** 2", "(-(a**2))");
        row("a ** -b ** c", "(a**(-(b**c)))");
        row("-a * b", "((-a)*b)");
        row("a | b ^ c & d << 1 + 2", "(a|(b^(c&(d<<(1+2)))))");
        row("not a == b", "(not (a==b))");
        row("a or b and not c", "(a or (b and (not c)))");
        row("a < b <= c", "(a<b<=c)");
        row("a is not b", "(a is not b)");
        row("a not in b", "(a not in b)");
        row("a if b else c if d else e", "(a if b else (c if d else e))");
        row("(a + b) * c", "((a+b)*c)");
        row("f(a, k=b)(c).d", "f(a,k=b)(c).d");
        row("lambda i, j: i + j", "(lambda i j: (i+j))");
        row("lambda *i: i", "(lambda i: i)");
        row("0x1F + 0b101 + 0o17 + 1_000", "(((31+5)+15)+1000)");
    }
    void precedence()
    {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        QCOMPARE(QString::fromStdString(grouped(parsedExpr(text.toStdString()))), expected);
    }
};

QTEST_GUILESS_MAIN(PythonParserTest)
#include "python_parser_test.moc"
