// SPDX-License-Identifier: Apache-2.0
// The trees of texts in the Python subset.
#include "core/script/python/parser.h"

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
        static const char *const marks[] = {"+", "-",  "*",  "/", "//", "%", "**",
                                            "@", "<<", ">>", "&", "|",  "^"};
        return "(" + grouped(node->left) + marks[static_cast<int>(node->op)] + grouped(node->right) + ")";
    }
    if (const auto *node = e->as<py::Compare>()) {
        static const char *const marks[] = {"==", "!=",   "<",        "<=",   ">",
                                            ">=", " is ", " is not ", " in ", " not in "};
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
        return "(" + grouped(node->trueValue) + " if " + grouped(node->condition) + " else "
               + grouped(node->falseValue) + ")";
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
        const auto row = [](const char *text, const char *expected) {
            QTest::newRow(text) << text << expected;
        };
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

    void strings_data()
    {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::string>("expected");
        const auto row = [](const char *text, const char *expected) {
            QTest::newRow(text) << std::string(text) << std::string(expected);
        };
        row("\"plain\"", "plain");
        row("'single \"double\"'", "single \"double\"");
        row("\"a\\n\\t\\\\\\\"\\x41\\u00e9\\101\"", "a\n\t\\\"A\u00e9"
                                                    "A");
        row("\"\\1234\\18\"", "S4\x01"
                              "8");
        row("\"un\\known\"", "un\\known");
        row("r\"raw\\n\"", "raw\\n");
        row("\"joined\" ' ' \"up\"", "joined up");
        row("\"\"\"two\nlines \" inside\"\"\"", "two\nlines \" inside");
        row("\"continued \\\nhere\"", "continued here");
        row("\"\xc3\xa9\"", "\xc3\xa9");
        row("\"\"", "");
    }
    void strings()
    {
        QFETCH(std::string, text);
        QFETCH(std::string, expected);
        const py::Expr e = parsedExpr(text);
        QVERIFY(e->as<py::StringLiteral>());
        QCOMPARE(e->as<py::StringLiteral>()->value, expected);
    }

    void numbers()
    {
        QCOMPARE(parsedExpr("9223372036854775807")->as<py::IntLiteral>()->value, INT64_MAX);
        const py::Expr wide = parsedExpr("18446744073709551615");
        QVERIFY(wide->as<py::IntLiteral>()->wide);
        QCOMPARE(wide->as<py::IntLiteral>()->value, -1);
        QCOMPARE(parsedExpr("1e-3")->as<py::FloatLiteral>()->value, 1e-3);
        QCOMPARE(parsedExpr(".5")->as<py::FloatLiteral>()->value, .5);
        QCOMPARE(parsedExpr("3.")->as<py::FloatLiteral>()->value, 3.0);
        QCOMPARE(parsedExpr("1_0.5E+2")->as<py::FloatLiteral>()->value, 1050.0);
        QCOMPARE(parsedExpr("1e999")->as<py::FloatLiteral>()->value, std::numeric_limits<double>::infinity());
        QVERIFY(parsedExpr("f\"{x}\"")->as<py::StringLiteral>()->formatted);
    }

    /// As Python reads them, whatever the locale: one with a decimal comma ends a number at its point.
    void numbersBeyondAllDoubles()
    {
        const double infinity = std::numeric_limits<double>::infinity();
        const auto value = [](std::string_view text) {
            return parsedExpr(text)->as<py::FloatLiteral>()->value;
        };
        const std::string zeros(400, '0');
        for (const std::string &text :
             {std::string("1.5e400"), std::string("0.00001e320"), std::string("1" + zeros + ".5"),
              std::string("0.5e99999999999999999999"), "1" + zeros + "e-10", std::string("2.0E+309")})
            QCOMPARE(value(text), infinity);
        for (const std::string &text :
             {std::string("1.5e-400"), std::string("10000.0e-340"), std::string("0." + zeros + "1"),
              std::string("9.9e-99999999999999999999"), "0." + zeros + "1e10", std::string("2.0E-330")})
            QCOMPARE(value(text), 0.0);
        QCOMPARE(value("0." + zeros + "15e401"), 1.5);
        QCOMPARE(value("15" + zeros + ".0e-400"), 15.0);
    }

    void subscripts()
    {
        const py::Expr one = parsedExpr("a[1]"), tuple = parsedExpr("a[1,]"), empty = parsedExpr("a[()]");
        QVERIFY(!one->as<py::Subscript>()->isTuple);
        QVERIFY(tuple->as<py::Subscript>()->isTuple);
        QCOMPARE(tuple->as<py::Subscript>()->items.size(), 1U);
        QVERIFY(empty->as<py::Subscript>()->items.front()->as<py::Tuple>()->items.empty());
        const py::Expr sliced = parsedExpr("a[1:2, :, ::3, i:]");
        const auto *slices = sliced->as<py::Subscript>();
        QCOMPARE(slices->items.size(), 4U);
        QVERIFY(slices->items[0]->as<py::Slice>()->upper);
        QVERIFY(!slices->items[1]->as<py::Slice>()->lower && !slices->items[1]->as<py::Slice>()->upper);
        QVERIFY(slices->items[2]->as<py::Slice>()->step);
        QVERIFY(slices->items[3]->as<py::Slice>()->lower && !slices->items[3]->as<py::Slice>()->upper);
    }

    void commasBehindTheLastItem()
    {
        const auto items = [](const py::Expr &e) { return e->as<py::Tuple>()->items.size(); };
        const py::Module module = parsed("x = a, b,; y = c,\nfor i in a, b,: pass\nz = a,");
        QCOMPARE(module.body.size(), 4U);
        QCOMPARE(items(module.body[0]->as<py::Assign>()->value), 2U);
        QCOMPARE(items(module.body[1]->as<py::Assign>()->value), 1U);
        QCOMPARE(items(module.body[2]->as<py::For>()->iterable), 2U);
        QCOMPARE(items(module.body[3]->as<py::Assign>()->value), 1U);
        QCOMPARE(items(parsedExpr("(a, b,)")), 2U);
    }

    void statements()
    {
        const py::Module module = parsed(R"(
import tvm, numpy as np
from tvm import te as tensor, tir
from . import (a,
               b,)

@decorator(1)
@other
def f(x: int, *args, y=2, **kwargs) -> T.int32:
    """doc"""
    a, (b, c) = d = 1, (2, 3)
    x: T.int32 = 4
    x += 5
    x //= 6
    with open(x) as y, z:
        pass
    for i, j in zip(a, b):
        if i: break
        elif j:
            continue
        else:
            return
    while True: x = 1; y = 2
    assert x, "message"
    del x
    global p, q
    raise ValueError("no")

class C(Base):
    k = lambda *i, n=3: i
print([i for i in range(3) if i], {"a": 1, **b}, (1,), *c, k=...)
)");
        QCOMPARE(module.body.size(), 6U);
        QCOMPARE(module.body[0]->as<py::Import>()->names[1].second, std::string("np"));
        QCOMPARE(module.body[1]->as<py::Import>()->from, std::string("tvm"));
        QCOMPARE(module.body[2]->as<py::Import>()->names.size(), 2U);
        const auto *def = module.body[3]->as<py::FunctionDef>();
        QVERIFY(def);
        QCOMPARE(def->decorators.size(), 2U);
        QCOMPARE(def->params.size(), 4U);
        QVERIFY(def->params[1].kind == py::Param::Kind::VarArgs);
        QVERIFY(def->params[2].defaultValue && def->params[0].annotation && def->returns);
        QCOMPARE(def->body.size(), 12U);
        QVERIFY(def->body[10]->as<py::Pass>());
        QCOMPARE(def->body[1]->as<py::Assign>()->targets.size(), 2U);
        QVERIFY(def->body[2]->as<py::AnnAssign>()->value);
        QVERIFY(def->body[4]->as<py::AugAssign>()->op == py::BinaryOp::FloorDiv);
        const auto *with = def->body[5]->as<py::With>();
        QCOMPARE(with->items.size(), 2U);
        QVERIFY(with->items[0].target && !with->items[1].target);
        const auto *loop = def->body[6]->as<py::For>();
        const auto *branch = loop->body.front()->as<py::If>();
        QVERIFY(branch->body.front()->as<py::Break>());
        const auto *elif = branch->orElse.front()->as<py::If>();
        QVERIFY(elif->body.front()->as<py::Continue>());
        QVERIFY(!elif->orElse.front()->as<py::Return>()->value);
        QCOMPARE(def->body[7]->as<py::While>()->body.size(), 2U);
        QVERIFY(def->body[8]->as<py::Assert>()->message);
        QCOMPARE(module.body[4]->as<py::ClassDef>()->bases.size(), 1U);
        const auto *call = module.body[5]->as<py::ExprStmt>()->value->as<py::Call>();
        QCOMPARE(call->args.size(), 4U);
        QVERIFY(call->args[0]->as<py::Comprehension>());
        QVERIFY(!call->args[1]->as<py::Dict>()->items[1].first);
        QVERIFY(call->args[3]->as<py::Starred>());
        QVERIFY(call->keywords[0].value->as<py::EllipsisLiteral>());
    }

    void positions()
    {
        const py::Module module = parsed("x = 1\n\n# c\nif a:\n\ty = \"\xc3\xa9\" + f(b,\n  c)\n");
        const auto *branch = module.body[1]->as<py::If>();
        QCOMPARE(branch->at, (py::Position{4, 1}));
        QCOMPARE(branch->condition->at, (py::Position{4, 4}));
        const auto *assign = branch->body[0]->as<py::Assign>();
        QCOMPARE(assign->at, (py::Position{5, 2}));
        const auto *sum = assign->value->as<py::Binary>();
        QCOMPARE(sum->left->at, (py::Position{5, 6}));
        QCOMPARE(sum->right->at, (py::Position{5, 12})); // the é counts as one column
        QCOMPARE(sum->right->as<py::Call>()->args[1]->at, (py::Position{6, 3}));
        QCOMPARE(sum->end, (py::Position{6, 5}));
    }

    void lineEndings()
    {
        QCOMPARE(parsed("\xEF\xBB\xBFx = 1\r\nif x:\r\n    y = 2\r\n").body.size(), 2U);
        QCOMPARE(parsed("x = 1\ry = 2").body.size(), 2U);
        QCOMPARE(parsed("").body.size(), 0U);
        QCOMPARE(parsed("\n\n   \n# only a comment").body.size(), 0U);
    }

    void deepButLegal()
    {
        std::string sum = "x", brackets;
        for (int i = 0; i < 550; ++i)
            sum += " + x";
        for (int i = 0; i < 150; ++i)
            brackets += '(';
        QCOMPARE(parsedExpr(sum)->height, 551);
        QVERIFY(parsedExpr(brackets + "x" + std::string(150, ')'))->as<py::Name>());
        std::string nested;
        for (int i = 0; i < 90; ++i)
            nested += std::string(static_cast<std::size_t>(i), ' ') + "if x:\n";
        QCOMPARE(parsed(nested + std::string(90, ' ') + "y\n").body.size(), 1U);
    }

    void longTextsTakeLinearTime()
    {
        std::string text = "x = [";
        for (int i = 0; i < 200000; ++i)
            text += "1, ";
        text += "]\n";
        QCOMPARE(parsed(text).body[0]->as<py::Assign>()->value->as<py::List>()->items.size(), 200000U);
    }
};

QTEST_GUILESS_MAIN(PythonParserTest)
#include "parser_test.moc"
