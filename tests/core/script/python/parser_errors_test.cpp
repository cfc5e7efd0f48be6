// SPDX-License-Identifier: Apache-2.0
// Texts that cannot be read: where each fails and why, how deep one may be, and arbitrary bytes.
#include "core/script/python/parser.h"

#include <QtTest>

using namespace nestwright::script;

class PythonParserErrorsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void errors_data()
    {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        QTest::addColumn<std::string>("message");
        const auto row = [](const char *text, int line, int column, const char *message) {
            QTest::newRow(text) << std::string(text) << line << column << std::string(message);
        };
        row("x = ", 1, 5, "expected an expression but found the end of the line");
        row("x = 1 +\ny", 1, 8, "expected an expression but found the end of the line");
        row("if x\n  y", 1, 5, "expected ':' behind the condition but found the end of the line");
        row("if x:\ny", 2, 1, "expected an indented block behind the condition but found 'y'");
        row("if x:\n    y\n  z", 3, 3,
            "this line is indented by 2 columns, which matches no block around it");
        row("x\n  y", 2, 3, "this line is indented more than the lines of its block");
        row("f(a\nb", 1, 2, "the '(' is never closed");
        row("f(a b)", 1, 5, "expected ')' or ',' in the arguments of the call but found 'b'");
        row("f(a]", 1, 4, "found ']', but the '(' of line 1 is still open");
        row("a)", 1, 2, "found ')' without an opening '('");
        row("x = 'abc", 1, 5, "the string is not closed before the end of the line");
        row("\"\"\"abc\n\n", 1, 1, "the string in triple quotes is not closed before the end of the text");
        row("x = 99999999999999999999", 1, 5, "the integer does not fit in 64 bits");
        row("x = 1a", 1, 5, "a number may not be followed directly by 'a'");
        row("x = 0x", 1, 5, "expected digits of a number in base 16");
        row("x = $", 1, 5, "found the character '$', which has no meaning here");
        row("x = \xc3\xa9", 1, 5, "found the character '\xc3\xa9', which has no meaning here");
        row("x = \x01", 1, 5, "found the byte 1, which has no meaning here");
        row("x = a \\ b", 1, 7, "a backslash may stand only at the end of a line");
        row("1 = x", 1, 1,
            "expected a name, an attribute or an element to assign to, but found another expression");
        row("(a, f()) = x", 1, 5,
            "expected a name, an attribute or an element to assign to, but found another expression");
        row("a + b += 1", 1, 1,
            "expected a name, an attribute or an element to assign to, but found another expression");
        row("f(a=1, 2)", 1, 8, "an argument without a name follows the named argument 'a'");
        row("for i range(3):\n  x", 1, 7, "expected 'in' of the loop but found 'range'");
        row("def 3():\n  x", 1, 5, "expected the name of the function but found '3'");
        row("def f(x y):\n  x", 1, 9, "expected ')' or ',' in the parameters of the function but found 'y'");
        row("class:\n  x", 1, 6, "expected the name of the class but found ':'");
        row("@a\nx = 1", 2, 1, "expected 'def' or 'class' behind the decorator but found 'x'");
        row("a if b", 1, 7, "expected 'else' of the conditional expression but found the end of the line");
        row("a[]", 1, 3, "expected an index but found ']'");
        row("{1 2}", 1, 4, "expected ':' behind the key but found '2'");
        row("try:\n  x", 2, 4,
            "expected 'except' or 'finally' behind the block of 'try' but found the end of the text");
        row("while x:\n  async y", 2, 3, "'async' is not part of the Python subset");
        row("import 3", 1, 8, "expected the name of a module but found '3'");
        row("from a import", 1, 14, "expected a name to import but found the end of the line");
        row("x y", 1, 3, "expected the end of the line but found 'y'");
        row("x.if", 1, 3, "expected a name behind '.' but found 'if'");
        row("lambda x y: x", 1, 10, "expected ':' behind the parameters of the lambda but found 'y'");
        row("'\\xZZ'", 1, 2, "the escape needs 2 hexadecimal digits");
        for (const char *compound : {"if b: c", "for b in c: d", "while b: c", "with b: c", "def b(): c",
                                     "class b: c", "try: b", "@b"}) {
            const std::string word(compound, std::string_view(compound).find_first_of(" :b"));
            row(("if a: " + std::string(compound)).c_str(), 1, 7,
                ("expected a simple statement on the same line but found '" + word + "'").c_str());
        }
    }
    void errors()
    {
        QFETCH(std::string, text);
        QFETCH(int, line);
        QFETCH(int, column);
        QFETCH(std::string, message);
        const auto result = py::parse(text, "bad.py");
        QVERIFY(!result);
        QCOMPARE(result.error().message, message);
        QCOMPARE(result.error().code, std::string("script.syntax"));
        QCOMPARE(result.error().locations.size(), 1U);
        QCOMPARE(result.error().locations[0].file, std::string("bad.py"));
        QCOMPARE(result.error().locations[0].line, line);
        QCOMPARE(result.error().locations[0].column, column);
    }

    void depthIsBounded_data()
    {
        QTest::addColumn<std::string>("text");
        const auto repeated = [](const std::string &part, int times) {
            std::string text;
            for (int i = 0; i < times; ++i)
                text += part;
            return text;
        };
        QTest::newRow("brackets") << repeated("(", 100000);
        QTest::newRow("closed brackets") << repeated("(", 5000) + "x" + repeated(")", 5000);
        QTest::newRow("lists") << repeated("[", 5000) + repeated("]", 5000);
        QTest::newRow("minus") << repeated("-", 100000) + "x";
        QTest::newRow("not") << repeated("not ", 100000) + "x";
        QTest::newRow("power") << repeated("x**", 100000) + "x";
        QTest::newRow("sum") << "x" + repeated(" + x", 100000);
        QTest::newRow("and") << "x" + repeated(" and x", 100000) + " or " + "(" + "x"
                                    + repeated(" + x", 100000) + ")";
        QTest::newRow("attributes") << "x" + repeated(".x", 100000);
        QTest::newRow("calls") << "x" + repeated("()", 100000);
        QTest::newRow("lambdas") << repeated("lambda: ", 100000) + "x";
        QTest::newRow("conditionals") << repeated("x if x else ", 100000) + "x";
        std::string nested, elifs = "if x:\n  y\n";
        for (int i = 0; i < 3000; ++i) {
            nested += std::string(static_cast<std::size_t>(i), ' ') + "if x:\n";
            elifs += "elif x:\n  y\n";
        }
        QTest::newRow("indentation") << nested;
        QTest::newRow("elif") << elifs;
    }
    void depthIsBounded()
    {
        QFETCH(std::string, text);
        const auto result = py::parse(text, "deep.py");
        QVERIFY(!result);
        QCOMPARE(result.error().code, std::string("script.syntax"));
    }

    void arbitraryBytes()
    {
        std::uint32_t state = 12345;
        const auto next = [&] { return state = state * 1664525U + 1013904223U; };
        static constexpr std::string_view alphabet =
            "ab01 \t\n\"'()[]{}:,.=+-*/%<>!@#\\&|^~;\x00\xff\xc3\xa9 if for def in ";
        for (int round = 0; round < 3000; ++round) {
            std::string text;
            const int length = static_cast<int>(next() >> 24);
            for (int i = 0; i < length; ++i)
                text += alphabet[(next() >> 16) % alphabet.size()];
            const auto result = py::parse(text, "random.py"); // a tree or a Diagnostic, never anything else
            if (!result)
                QVERIFY(!result.error().message.empty() && result.error().locations.size() == 1);
        }
    }
};

QTEST_GUILESS_MAIN(PythonParserErrorsTest)
#include "parser_errors_test.moc"
