// SPDX-License-Identifier: Apache-2.0
/// Schedule scripts that choose their steps by the sizes of a program.
#include "core/schedule/script/reader.h"
#include "tests/core/schedule/programs.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

using Given = std::vector<schedule::ScriptParameter>;

/// The steps but the queries, as text; the code of the error where there is one.
std::string stepsOf(std::string_view script, const Given &given = {})
{
    const auto run = schedule::runScheduleScript(scheduled(mmRelu), script, "script.py", given);
    if (!run)
        return run.error().code;
    std::string text;
    for (const schedule::ScriptStep &step : run->steps) {
        const std::string name(step.step.primitive->name);
        if (name.starts_with("get_"))
            continue;
        text += name;
        for (const schedule::ArgValue &arg : step.step.args) {
            if (arg.as<schedule::ArgList>())
                text += " " + schedule::str(arg);
        }
        text += "; ";
    }
    return text;
}

std::string valueOf(const std::string &expression)
{
    return stepsOf("i, j, k = sch.get_loops('Y')\nsch.split(i, [None, " + expression + "])");
}

} // namespace

class ScriptControlFlowTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void values_data()
    {
        QTest::addColumn<QString>("expression");
        QTest::addColumn<QString>("steps");
        const auto row = [](const char *expression, const char *steps) {
            QTest::newRow(expression) << expression << steps;
        };
        row("sch.get(i).extent // 4", "split [None, 2]; ");
        row("sch.get(i).min + 2", "split [None, 2]; ");
        row("8 if sch.get(sch.get_block('Y')).writes[0].buffer.dtype == 'float32' else 2",
            "split [None, 8]; ");
        row("len(sch.get(sch.get_block('Y')).reads) + 2", "split [None, 4]; ");
        row("8 if sch.get(sch.get_block('Y')).init else 2", "split [None, 8]; ");
        row("sch.get(i).writes", "script.unsupported");
        row("[n // 2 for n in [4, 8, 16] if n > 4][1]", "split [None, 8]; ");
        row("len([a for a in [1, 2] for b in [a, a]])", "split [None, 4]; ");
        row("[n for n in [2, 4]][0] * n", "script.unknown-name"); // it is the comprehension's own
        row("[n for n in 4]", "script.value");
        row("int(sch.get(k).extent)", "split [None, 8]; ");
        row("min(sch.get(j).extent, 8)", "split [None, 8]; ");
        row("max(3, 2, 4)", "split [None, 4]; ");
        row("8 if sch.get(i).extent > 7 else 2", "split [None, 8]; ");
        row("8 if sch.get(i).extent < 8 else 2", "split [None, 2]; ");
        row("4 if 1 < 2 <= 2 != 3 else 1", "split [None, 4]; ");
        row("4 if 1 < 3 < 2 else 1", "split [None, 1]; ");
        row("4 if 3 in [1, 3] and 2 not in [1] else 1", "split [None, 4]; ");
        row("4 if not [] and \"a\" else 1", "split [None, 4]; ");
        row("4 if \"a\" == \"a\" and \"a\" != 1 else 1", "split [None, 4]; ");
        row("4 if None is None and 1 is not None else 1", "split [None, 4]; ");
        row("0 or 4", "split [None, 4]; ");
        row("len(range(2, 6))", "split [None, 4]; ");
        row("len(range(3, 1)) + 4", "split [None, 4]; ");
        row("1 if \"a\" < 2 else 2", "script.value");
        row("1 if 2 in 3 else 2", "script.value");
        row("sch.get(i).kind", "script.unsupported");
        row("sch.get(3).extent", "script.unsupported");
        row("max(3)", "script.value");
        row("min(3, \"a\")", "script.value");
        row("int(1, 2)", "script.value");
        row("len(range(100000))", "script.too-long");
        row("len(range(-9223372036854775807, 9223372036854775807))", "script.too-long");
        row("len(range())", "script.value");
        row("len(range(1, 2, 3))", "script.value");
    }

    void values()
    {
        QFETCH(QString, expression);
        QFETCH(QString, steps);
        QCOMPARE(valueOf(expression.toStdString()), steps.toStdString());
    }

    void statements()
    {
        QCOMPARE(
            stepsOf("i, j, k = sch.get_loops('Y')\nfor loop in [i, j]:\n  a, b = sch.split(loop, [None, 8])\n"
                    "  sch.unroll(b)"),
            "split [None, 8]; unroll; split [None, 8]; unroll; ");
        QCOMPARE(stepsOf("for a, b in [[1, 2], [3, 4]]:\n  sch.annotate('Y', 'x', [a, b])"),
                 "annotate [1, 2]; annotate [3, 4]; ");
        QCOMPARE(stepsOf("i, j, k = sch.get_loops('Y')\nif sch.get(i).extent % 7 == 0:\n  sch.parallel(i)\n"
                         "elif sch.get(i).extent > 4:\n  sch.unroll(k)\nelse:\n  sch.vectorize(j)"),
                 "unroll; ");
        QCOMPARE(
            stepsOf("def f(sch):\n  i, j, k = sch.get_loops('Y')\n  for loop in [i, j]:\n    if loop == j:\n"
                    "      return\n    sch.parallel(loop)\n  sch.unroll(k)"),
            "parallel; ");
        QCOMPARE(stepsOf("for i in 3:\n  pass"), "script.value");
        QCOMPARE(stepsOf("for i in range(1000):\n  for j in range(1000):\n    pass"), "script.too-long");
        QCOMPARE(stepsOf("assert 1 < 2"), "");
        QCOMPARE(stepsOf("assert 1 > 2, 'one is less'"), "script.assert");
        const auto refused =
            schedule::runScheduleScript(scheduled(mmRelu), "x = 1\nassert x > 2, 'one is less'", "script.py");
        QCOMPARE(refused.error().message, "one is less");
        QCOMPARE(refused.error().locations.front().line, 2);
    }

    /// Beside the function stand numbers for it; a call there is one that was not indented.
    void besideTheFunction()
    {
        const std::string tiled =
            "def apply(sch):\n    i, j, k = sch.get_loops('Y')\n    sch.split(i, [None, TILE])\n";
        QCOMPARE(stepsOf("\"\"\"Tiles.\"\"\"\nfrom tvm import tir\nTILE = max(2, 4)\n" + tiled),
                 "split [None, 4]; ");
        QCOMPARE(stepsOf("TILE: int = 2\n" + tiled
                         + "sch = tvm.tir.Schedule(Module)\napply(sch)\n"
                           "print(sch.mod.script())\nsch.mod.show()\n"),
                 "split [None, 2]; ");
        QCOMPARE(stepsOf("TILE = 2\n" + tiled + "if __name__ == \"__main__\":\n    sch.parallel(i)\n"),
                 "split [None, 2]; ");
        QCOMPARE(stepsOf("TILE = 2\ndef apply(sch, tile=2 * TILE):\n"
                         "    i, j, k = sch.get_loops('Y')\n    sch.split(i, [None, tile])\n"),
                 "split [None, 4]; ");
        QCOMPARE(stepsOf("TILE = 2\n" + tiled + "sch.parallel(i)\n"), "script.outside");
        QCOMPARE(stepsOf("TILE = 2\n" + tiled + "b = sch.get_block('Y')\n"), "script.outside");
        QCOMPARE(stepsOf("sch.get_block('Y')\n" + tiled), "script.outside");
        const auto slip = schedule::runScheduleScript(
            scheduled(mmRelu), "TILE = 2\n" + tiled + "\nsch.parallel(i)\n", "script.py");
        QVERIFY(!slip.has_value());
        QCOMPARE(slip.error().render().substr(0, 12), "script.py:6:");
    }

    void parameters()
    {
        const std::string_view script = "def tiled(sch, block='Y', factor=4 * 2):\n"
                                        "  i, j, k = sch.get_loops(block)\n  sch.split(i, [None, factor])";
        QCOMPARE(stepsOf(script), "split [None, 8]; ");
        QCOMPARE(stepsOf(script, {{"factor", 16}}), "split [None, 16]; ");
        QCOMPARE(stepsOf(script, {{"block", "C"}}), "script.value"); // it has two loops
        QCOMPARE(stepsOf(script, {{"faktor", 16}}), "script.argument");
        QCOMPARE(stepsOf("def tiled(sch, factor):\n  pass"), "script.value");
        const auto parameters = schedule::parametersOf(script, "script.py");
        QVERIFY(parameters);
        QCOMPARE(parameters->size(), 2u);
        QCOMPARE(parameters->front().name, "block");
        QCOMPARE(schedule::str(parameters->back().value), "8");
        QVERIFY(schedule::parametersOf("sch.parallel(i)", "script.py")->empty());
        QCOMPARE(schedule::parametersOf("def f(", "script.py").error().code, "script.syntax");
        QCOMPARE(schedule::parametersOf("def f(sch, n):\n  pass", "script.py").error().code, "script.value");
    }
};

QTEST_APPLESS_MAIN(ScriptControlFlowTest)
#include "control_flow_test.moc"
