// SPDX-License-Identifier: Apache-2.0
// The same program in other lines: long ones continued within brackets, grids taken apart. Every form reads
// back.
#include "core/script/print/line_wrap.h"
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"
#include "tests/support/programs.h"

#include <QProcess>
#include <QtTest>

#include <limits>
#include <set>

using namespace nestwright;
using script::Dialect;
using script::Printed;

namespace {

std::vector<std::string> linesOf(const std::string &text)
{
    std::vector<std::string> lines;
    std::size_t start = 0;
    for (std::size_t end = 0; (end = text.find('\n', start)) != std::string::npos; start = end + 1)
        lines.push_back(text.substr(start, end - start));
    return lines;
}

std::string wrappedText(const std::string &text, int columns)
{
    Printed printed;
    printed.text = text;
    return script::wrapped(printed, columns).text;
}

/// The names that the uses of variables stand for, in order.
std::vector<std::string> namesIn(const Printed &printed)
{
    const std::vector<std::string> lines = linesOf(printed.text);
    std::vector<std::string> names;
    for (const script::VarUse &use : printed.varUses)
        names.push_back(
            lines.at(std::size_t(use.line)).substr(std::size_t(use.column), std::size_t(use.length)));
    return names;
}

} // namespace

class PrintStyleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void breaks_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("expected");
        QTest::newRow("short") << "f(a, b)\n" << "f(a, b)\n";
        QTest::newRow("between arguments")
            << "    f(alpha, beta, gamma, delta, epsilon, zeta)\n"
            << "    f(alpha, beta, gamma, delta,\n            epsilon, zeta)\n";
        QTest::newRow("several times")
            << "f(alpha, beta, gamma, delta, epsilon, zeta, eta, theta, iota, kappa)\n"
            << "f(alpha, beta, gamma, delta,\n        epsilon, zeta, eta,\n"
               "        theta, iota, kappa)\n";
        QTest::newRow("the outer ones first") << "    f(alpha[i, j], beta[i, j], gamma[i, j])\n"
                                              << "    f(alpha[i, j], beta[i, j],\n            gamma[i, j])\n";
        QTest::newRow("behind a bracket")
            << "    C[i, j] = D[i, j] + A[alphas + beta, gamma]\n"
            << "    C[i, j] = D[i, j] + A[\n            alphas + beta, gamma]\n";
        QTest::newRow("between operands")
            << "    if f(alpha and beta and gamma and delta):\n"
            << "    if f(\n            alpha and beta\n            and gamma and delta):\n";
        QTest::newRow("a string stays whole") << "    f(\"a, b, c (d, e, f) g, h, i\", b, c)\n"
                                              << "    f(\"a, b, c (d, e, f) g, h, i\",\n            b, c)\n";
        QTest::newRow("escapes") << "    f(\"a\\\", b, c, d, e, f, g\\\\\", k, l)\n"
                                 << "    f(\"a\\\", b, c, d, e, f, g\\\\\",\n            k, l)\n";
        QTest::newRow("characters, not bytes") << "    f(\"äöüäöüäöüäöüäöü\", b, c)\n"
                                               << "    f(\"äöüäöüäöüäöüäöü\", b, c)\n";
        QTest::newRow("comments") << "    # with a(very, very, very, long, comment)\n"
                                  << "    # with a(very, very, very, long, comment)\n";
        QTest::newRow("no bracket") << "    alpha = beta + gamma + delta + epsilon\n"
                                    << "    alpha = beta + gamma + delta + epsilon\n";
    }
    void breaks()
    {
        QFETCH(QString, line);
        QFETCH(QString, expected);
        QCOMPARE(QString::fromStdString(wrappedText(line.toStdString(), 30)), expected);
    }

    /// Every program in every form and width is the program that it was, its loops where their lines are.
    void everyFormReadsBack()
    {
        for (const tests::Program &program : tests::programs()) {
            const ir::Module module = tests::program(program.name);
            for (const Dialect dialect : script::allDialects) {
                const Printed plain = script::print(module, dialect);
                for (const int columns : {1, 20, 60, std::numeric_limits<int>::max()}) {
                    const Printed printed = script::print(module, {.dialect = dialect, .columns = columns});
                    const auto parsed = script::parseTvmScript(printed.text, "wrapped.py");
                    QVERIFY2(parsed, printed.text.c_str());
                    QVERIFY2(script::print(*parsed, dialect).text == plain.text, printed.text.c_str());
                    QVERIFY(namesIn(printed) == namesIn(plain));
                    QCOMPARE(printed.spans.size(), plain.spans.size());
                    const std::vector<std::string> lines = linesOf(printed.text),
                                                   before = linesOf(plain.text);
                    for (std::size_t i = 0; i < plain.spans.size(); ++i) {
                        const std::string &line = lines.at(std::size_t(printed.spans[i].firstLine));
                        QVERIFY(before.at(std::size_t(plain.spans[i].firstLine)).starts_with(line));
                        QVERIFY(printed.spans[i].lastLine < int(lines.size()));
                    }
                }
            }
        }
    }

    /// A loop around it changes nothing but its indentation.
    void breaksWhereItDidFurtherToTheLeft()
    {
        const std::string line = "f(alpha, beta[i, j], gamma * (delta + epsilon), zeta, eta)\n";
        const std::string there = wrappedText("                " + line, 30);
        std::string moved;
        for (const std::string &piece : linesOf(wrappedText(line, 30)))
            moved += "                " + piece + '\n';
        QCOMPARE(there, moved);
    }

    void gridsAreTakenApart()
    {
        const ir::Module module = tests::program("matmul");
        const Printed apart = script::print(module, {.splitsGrids = true});
        QVERIFY(script::print(module).text.contains("T.grid"));
        QVERIFY2(!apart.text.contains("T.grid"), apart.text.c_str());
        const auto parsed = script::parseTvmScript(apart.text, "apart.py");
        QVERIFY(parsed);
        QCOMPARE(script::print(*parsed).text, script::print(module).text);
        std::set<int> lines; // each loop and block begins on a line of its own
        for (const script::LineSpan &span : apart.spans)
            QVERIFY(lines.insert(span.firstLine).second);
    }

    /// Python takes the continued lines for one, as TVM does, which reads by Python's own parser.
    void pythonReadsIt()
    {
        if (QStandardPaths::findExecutable("python3").isEmpty())
            QSKIP("there is no python3");
        for (const tests::Program &program : tests::programs()) {
            const ir::Module module = tests::program(program.name);
            QByteArray trees;
            for (const int columns : {0, 30, 100}) {
                QProcess python;
                python.start("python3",
                             {"-c", "import ast, sys; print(ast.dump(ast.parse(sys.stdin.read())))"});
                python.write(QByteArray::fromStdString(script::print(module, {.columns = columns}).text));
                python.closeWriteChannel();
                QVERIFY(python.waitForFinished());
                QVERIFY2(python.exitCode() == 0, python.readAllStandardError().constData());
                const QByteArray tree = python.readAllStandardOutput();
                QVERIFY(trees.isEmpty() || tree == trees);
                trees = tree;
            }
        }
    }
};

QTEST_GUILESS_MAIN(PrintStyleTest)
#include "print_style_test.moc"
