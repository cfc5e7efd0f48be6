// SPDX-License-Identifier: Apache-2.0
/// The Python of TE scripts computes as Python does: each value here is Python's own.
#include "core/te/te_script.h"

#include <QtTest>

using namespace nestwright;

class PythonValuesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void values_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char *text, const char *expected) {
            QTest::newRow(text) << text << expected;
        };
        row("n = 7 // 2", "3");
        row("n = -7 // 2", "-4");
        row("n = 7 // -2", "-4");
        row("n = -7 % 3", "2");
        row("n = 7 % -3", "-2");
        row("n = 7 % -1", "0");
        row("n = 7 // -1", "-7");
        row("n = -7 // -1", "7");
        row("n = 2 ** 10", "1024");
        row("n = (-1) ** 71", "-1");
        row("n = (-1) ** 70", "1");
        row("n = 1 ** 100", "1");
        row("n = 0 ** 0", "1");
        row("n = 0 ** 70", "0");
        row("n = (-2) ** 63", "-9223372036854775808");
        row("n = 1 << 62", "4611686018427387904");
        row("n = 3 << 0", "3");
        row("n = -5 >> 1", "-3");
        row("n = 5 >> 0", "5");
        row("n = 5 >> 63", "0");
        row("n = int(f'{4}{5}' == '45')", "1");
        row("n = int('abc'.startswith('ab') and 'abc'.endswith('bc'))", "1");
        row("n = int('abc'.startswith('b') or 'abc'.endswith('b'))", "0");
        row("n = 5 if None else 6", "6");
        row("n = 5 if 'a' else 6", "5");
        row("n = 5 if '' else 6", "6");
        row("n = 5 if [0] else 6", "5");
        row("n = 5 if () else 6", "6");
        row("n = 5 if {} else 6", "6");
        row("n = 5 if 0.0 else 6", "6");
        row("n = 5 if range else 6", "5");
        row("n = sum([k for k in {1: 2, 3: 4}])", "4");
        row("n = 5 >> 100", "0");
        row("n = -5 >> 100", "-1");
        row("n = 6 & 3", "2");
        row("n = 6 | 3", "7");
        row("n = 6 ^ 3", "5");
        row("n = ~6", "-7");
        row("n = -(3)", "-3");
        row("n = +4", "4");
        row("n = True + True", "2");
        row("n = int(7 / 2 == 3.5)", "1");
        row("n = int(7.5 // 2 == 3.0)", "1");
        row("n = int(-7.5 % 2 == 0.5)", "1");
        row("n = int(2 ** -1 == 0.5)", "1");
        row("n = int(2.0 ** 3 == 8.0)", "1");
        row("n = int(1.5 + 1 == 2.5)", "1");
        row("n = int(1.5 - 1 == 0.5)", "1");
        row("n = int(1.5 * 2 == 3.0)", "1");
        row("n = int(-7.1 % 0.3 == 0.10000000000000009)", "1");
        row("n = int(-0.6 // 0.2)", "-3");
        row("n = int(1 << 60 == (1 << 60) + 1)", "0");
        row("n = int([False & True, True | False, True ^ True] == [False, 1, 0])", "1");
        row("n = int(str(True & True) + str(+True) + str(True & 1) == 'True11')", "1");
        row("n = int((1 is True) or (1 is 1.0))", "0");
        row("n = {1: 5}[True]", "5");
        row("a = [1, 2, 3]\na[-1] = 7\na[0] = a\nn = a[2] + a[0][1]", "9");
        row("d = {}\nd[1] = d\nn = len(d[1][1])", "1");
        row("n = [1, 2, 3, 4, 5][-2:None:-2][1]", "2");
        row("n = [1, 2, 3, 4, 5][::9223372036854775807][0]", "1");
        row("n = len('abcdef'[-2::-2] + 2 * 'xy')", "7");
        row("n = int('b' in 'abc'[1] and 'ab' < 'b')", "1");
        row("n = int(3 < 4)", "1");
        row("n = int(4 < 4)", "0");
        row("n = int(4 <= 4)", "1");
        row("n = int(5 <= 4)", "0");
        row("n = int(4 > 4)", "0");
        row("n = int(5 > 4)", "1");
        row("n = int(4 >= 4)", "1");
        row("n = int(3 >= 4)", "0");
        row("n = int(4 == 4.0)", "1");
        row("n = int(4 != 4)", "0");
        row("n = int(4 != 5)", "1");
        row("n = int(1 < 2 < 3)", "1");
        row("n = int(1 < 3 < 3)", "0");
        row("n = int(3 < 2 < 4)", "0");
        row("n = int(\"a\" == \"a\")", "1");
        row("n = int(\"a\" == \"b\")", "0");
        row("n = int(\"a\" != \"b\")", "1");
        row("n = int([1, 2] == [1, 2])", "1");
        row("n = int([1, 2] == [1, 3])", "0");
        row("n = int([1, 2] == [1, 2, 3])", "0");
        row("n = int((1, 2) == [1, 2])", "0");
        row("n = int((1, 2) == (1, 2))", "1");
        row("n = int(None is None)", "1");
        row("n = int(1 is None)", "0");
        row("n = int(None is not None)", "0");
        row("n = int(1 is not None)", "1");
        row("n = int(\"1\" == 1)", "0");
        row("n = int(2 in [1, 2])", "1");
        row("n = int(3 in [1, 2])", "0");
        row("n = int(3 not in [1, 2])", "1");
        row("n = int(2 not in (1, 2))", "0");
        row("n = int(\"b\" in \"abc\")", "1");
        row("n = int(\"d\" in \"abc\")", "0");
        row("n = int(\"d\" not in \"abc\")", "1");
        row("n = int(\"a\" in {\"a\": 1})", "1");
        row("n = int(\"b\" in {\"a\": 1})", "0");
        row("n = int(\"b\" not in {\"a\": 1})", "1");
        row("n = {\"a\": 1, \"b\": 2}[\"b\"]", "2");
        row("n = {1: 5, 2: 6}[2]", "6");
        row("n = {\"a\": 1, \"a\": 2}[\"a\"]", "2");
        row("n = [1, 2, 3][0]", "1");
        row("n = [1, 2, 3][2]", "3");
        row("n = [1, 2, 3][-1]", "3");
        row("n = [1, 2, 3][-3]", "1");
        row("n = (4, 5)[1]", "5");
        row("n = len([1, 2, 3][1:])", "2");
        row("n = len([1, 2, 3][:1])", "1");
        row("n = len([1, 2, 3][1:2])", "1");
        row("n = len([1, 2, 3][2:1])", "0");
        row("n = len([1, 2, 3][-2:])", "2");
        row("n = len([1, 2, 3][:-1])", "2");
        row("n = len([1, 2, 3][5:])", "0");
        row("n = len([1, 2, 3][-9:9])", "3");
        row("n = [1, 2, 3][1:][0]", "2");
        row("n = (1, 2, 3)[:2][1]", "2");
        row("n = len([1, 2] + [3])", "3");
        row("n = ([1, 2] + [3])[2]", "3");
        row("n = len([1, 2] * 3)", "6");
        row("n = len([1, 2] * 0)", "0");
        row("n = len([1, 2] * -1)", "0");
        row("n = len([] * 5)", "0");
        row("n = ((1, 2) * 2)[3]", "2");
        row("n = \"a\" + \"b\"", "ab");
        row("n = \"ab\" \"cd\"", "abcd");
        row("n = len(\"abc\")", "3");
        row("n = f\"{1 + 1}x{'y'}\"", "2xy");
        row("n = f\"a\"", "a");
        row("n = str(12)", "12");
        row("n = str(\"x\")", "x");
        row("n = int(3.9)", "3");
        row("n = int(-3.9)", "-3");
        row("n = int(True)", "1");
        row("n = int(float(3) == 3.0)", "1");
        row("n = int(float(\"inf\") > 1e300)", "1");
        row("n = int(float(\"-inf\") < -1e300)", "1");
        row("n = int(bool(0))", "0");
        row("n = int(bool(2))", "1");
        row("n = int(bool([]))", "0");
        row("n = int(bool([0]))", "1");
        row("n = int(bool(\"\"))", "0");
        row("n = int(bool(\"a\"))", "1");
        row("n = int(bool(None))", "0");
        row("n = int(bool(0.0))", "0");
        row("n = int(not 1)", "0");
        row("n = int(not [])", "1");
        row("n = (0 or 5)", "5");
        row("n = (3 or 5)", "3");
        row("n = (0 and 5)", "0");
        row("n = (3 and 5)", "5");
        row("n = (1 and 2 and 0 and 4)", "0");
        row("n = (0 or 0 or 7)", "7");
        row("n = (1 if 2 > 1 else 3)", "1");
        row("n = (1 if 2 < 1 else 3)", "3");
        row("n = len(range(5))", "5");
        row("n = len(range(2, 5))", "3");
        row("n = len(range(0, 10, 3))", "4");
        row("n = len(range(10, 0, -3))", "4");
        row("n = len(range(5, 2))", "0");
        row("n = list(range(2, 8, 2))[2]", "6");
        row("n = list(range(5, 0, -2))[2]", "1");
        row("n = sum([1, 2, 3])", "6");
        row("n = sum([1, 2], 10)", "13");
        row("n = sum([])", "0");
        row("n = max(3, 7, 5)", "7");
        row("n = min(3, 7, 5)", "3");
        row("n = max([3, 7, 5])", "7");
        row("n = min([3, 7, 5])", "3");
        row("n = max(-1, -2)", "-1");
        row("n = min((4,))", "4");
        row("n = abs(-4)", "4");
        row("n = abs(4)", "4");
        row("n = int(all([True, True]))", "1");
        row("n = int(all([True, False]))", "0");
        row("n = int(all([]))", "1");
        row("n = int(any([False, True]))", "1");
        row("n = int(any([False, False]))", "0");
        row("n = int(any([]))", "0");
        row("n = [x * 2 for x in [1, 2, 3]][2]", "6");
        row("n = [x for x in range(10) if x % 3 == 0][2]", "6");
        row("n = len([x for x in range(10) if x > 3 if x < 6])", "2");
        row("n = [a * 10 + b for a in range(2) for b in range(3)][4]", "11");
        row("n = [a for a, b in [(1, 2), (3, 4)]][1]", "3");
        row("n = [b for a, b in enumerate([5, 6])][1]", "6");
        row("n = [a for a, b in enumerate([5, 6], 3)][1]", "4");
        row("n = [a * b for a, b in zip([1, 2, 3], [4, 5])][1]", "10");
        row("n = len(list(zip([1, 2, 3], [4, 5])))", "2");
        row("n = list(reversed([1, 2, 3]))[0]", "3");
        row("n = [*[1, 2], 3][1]", "2");
        row("n = (lambda a, b=3: a + b)(4)", "7");
        row("n = (lambda a, b=3: a + b)(4, 5)", "9");
        row("n = (lambda a, b=3: a + b)(b=1, a=2)", "3");
        row("n = (lambda *a: len(a))(1, 2, 3)", "3");
        row("n = tuple([1, 2])[1]", "2");
        row("n = {\"a\": 4}.get(\"a\")", "4");
        row("n = {\"a\": 4}.get(\"b\", 5)", "5");
        row("n = len({\"a\": 4, \"b\": 1}.keys())", "2");
        row("n = list({\"a\": 4, \"b\": 1}.values())[0]", "4");
        row("n = [v for k, v in {\"a\": 4, \"b\": 1}.items()][1]", "1");
        row("n = \"abc\".upper()", "ABC");
        row("n = len([0] * 3) * 10 + len((0,) * 2)", "32");
        row("n = [3, 1, 2][[0, 2, 1][1]]", "2");
        row("n = {\"a\": [1, {\"b\": 7}]}[\"a\"][1][\"b\"]", "7");
        row("n = 1_000", "1000");
        row("n = 0x1f + 0b101 + 0o17", "51");
        row("n = sum([1, 2], start=10)", "13");
        row("n = sum([[1], [2]], [5])[0]", "5");
        row("n = [a for a, b in enumerate([5, 6], start=3)][0]", "3");
        row("n = 1\nn += 4\nn *= 3\nn -= 2\nn //= 2\nn %= 5", "1");
        row("a, b = 1, 2\na, b = b, a\nn = a * 10 + b", "21");
        row("a = b = 3\nn = a + b", "6");
        row("(a, b), c = (1, 2), 3\nn = a * 100 + b * 10 + c", "123");
        row("a = [1, 2]\na[0] = 5\nn = a[0] + a[1]", "7");
        row("a = {\"x\": 1}\na[\"y\"] = 2\na[\"x\"] = 3\nn = a[\"x\"] * 10 + a[\"y\"]", "32");
        row("a = [1]\na.append(2)\na.extend([3, 4])\nn = len(a)", "4");
        row("a = [1, 2, 3]\nb = a\nb[0] = 9\nn = a[0]", "9");
        row("n = 0\nfor i in range(5): n += i", "10");
        row("n = 0\nfor i in [3, 4]: n = n * 10 + i", "34");
        row("n = 0\nfor i in range(10):\n  if i == 3: continue\n  if i == 6: break\n  n += i", "12");
        row("n = 0\nwhile n < 5: n += 2", "6");
        row("n = 0\nwhile True:\n  n += 1\n  if n > 6: break", "7");
        row("n = 5\nif n > 3: n = 1\nelif n > 2: n = 2\nelse: n = 3", "1");
        row("n = 3\nif n > 3: n = 1\nelif n > 2: n = 2\nelse: n = 9", "2");
        row("n = 1\nif n > 3: n = 1\nelif n > 2: n = 2\nelse: n = 9", "9");
        row("def f(a, b=2):\n  return a * 10 + b\nn = f(1)", "12");
        row("def f(a, b=2):\n  return a * 10 + b\nn = f(1, 5)", "15");
        row("def f(a, b=2):\n  return a * 10 + b\nn = f(b=7, a=3)", "37");
        row("def f(*a):\n  return len(a)\nn = f(1, 2, 3)", "3");
        row("def f(a, *b):\n  return len(b)\nn = f(1, 2, 3)", "2");
        row("def f(a, *, b):\n  return a - b\nn = f(5, b=2)", "3");
        row("def f(a, b):\n  return a - b\nn = f(*[5, 2])", "3");
        row("def f(a, b):\n  return a - b\nn = f(**{\"b\": 5, \"a\": 2})", "-3");
        row("def f(n):\n  if n < 2:\n    return 1\n  return n * f(n - 1)\nn = f(5)", "120");
        row("def f():\n  pass\nn = int(f() is None)", "1");
        row("def f(a):\n  a = 5\n  return a\na = 1\nn = f(2) * 10 + a", "51");
        row("def f():\n  return a\na = 1\nb = f()\na = 2\nn = f() * 10 + b", "21");
        row("def f(a):\n  def g(b):\n    return a * b\n  return g\nn = f(3)(4)", "12");
        row("fs = [lambda: i for i in range(3)]\nn = fs[0]()", "2");
        row("fs = [lambda i=i: i for i in range(3)]\nn = fs[0]()", "0");
        row("i = 9\na = [i for i in range(3)]\nn = i", "9");
        row("n = 0\ntry:\n  n = 1\nexcept ValueError:\n  n = 2", "1");
        row("n = 0\nfor i, (a, b) in enumerate([(1, 2), (3, 4)]): n += i * a + b", "9");
        row("n = 3\ndel n\nn = 4", "4");
        row("assert 1 < 2\nn = 1", "1");
        row("a = None\nn = 1 if a is None else 2", "1");
        row("x = 3\nn = x if x > 2 and x < 5 else 0", "3");
    }
    /// The value of `n` becomes the name of a tensor.
    void values()
    {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        const std::string script = "from tvm import te\n" + text.toStdString()
                                   + "\nA = te.placeholder((1,), name=f\"{n}\")\n"
                                     "B = te.compute((1,), lambda i: A[i], name=\"B\")\n";
        const auto read = te::readTeScript(script, "k.py");
        QVERIFY2(read, read ? "" : read.error().render().c_str());
        QCOMPARE(QString::fromStdString(read->module.mainEntry()->function->params.front().buffer.name()),
                 expected);
    }

    void refusedByPythonToo_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("code");
        const auto row = [](const char *text, const char *code) { QTest::newRow(text) << text << code; };
        row("n = 1 // 0", "te.division-by-zero");
        row("n = 1 % 0", "te.division-by-zero");
        row("n = 1 / 0", "te.division-by-zero");
        row("n = 1.5 // 0", "te.division-by-zero");
        row("n = 1.5 % 0", "te.division-by-zero");
        row("n = 1.5 / 0", "te.division-by-zero");
        row("n = 1 >> -1", "te.type");
        row("n = 1.5 << 1", "te.type");
        row("n = [1, 2][2]", "te.index");
        row("n = [1, 2][-3]", "te.index");
        row("a = [1, 2]\na[2] = 3", "te.index");
        row("n = (1, 2)[\"a\"]", "te.type");
        row("n = {\"a\": 1}[\"b\"]", "te.unknown-key");
        row("n = 1 + \"a\"", "te.type");
        row("n = [1] + (2,)[0]", "te.type");
        row("n = None < 1", "te.type");
        row("n = 1 in 2", "te.type");
        row("n = -\"a\"", "te.type");
        row("n = ~1.5", "te.type");
        row("n = len(3)", "te.type");
        row("a, b = 1, 2, 3", "te.unpack");
        row("a, b = 1", "te.type");
        row("n = enumerate([1], 2, 3)", "te.argument");
        row("n = sum([1], begin=3)", "te.argument");
        row("n = range(1, 2, 0)", "te.argument");
        row("n = 'abc'[3]", "te.index");
        row("n = 'abc'[-4]", "te.index");
        row("n = [0][1]", "te.index");
        row("n = {i: i for i in range(3)}", "te.unsupported");
        row("n = int(\"a\" + 1)", "te.type");
        // Beyond 64 bits, where Python goes on.
        row("n = 2 ** 63", "te.overflow");
        row("n = 9223372036854775807 + 1", "te.overflow");
        row("n = -9223372036854775807 - 2", "te.overflow");
        row("n = 4611686018427387904 * 2", "te.overflow");
        row("n = 1 << 63", "te.overflow");
        row("n = 1 << -1", "te.overflow");
    }
    void refusedByPythonToo()
    {
        QFETCH(QString, text);
        QFETCH(QString, code);
        const auto read = te::readTeScript("from tvm import te\n" + text.toStdString() + "\n", "k.py");
        QVERIFY(!read);
        QVERIFY2(read.error().code == code.toStdString(), read.error().render().c_str());
    }
};

QTEST_APPLESS_MAIN(PythonValuesTest)
#include "python_values_test.moc"
