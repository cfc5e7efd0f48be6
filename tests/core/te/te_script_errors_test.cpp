// SPDX-License-Identifier: Apache-2.0
// TE scripts that are refused, with the place and the reason.
#include "core/frontend/te_script/te_script.h"

#include <QtTest>

using namespace nestwright;

namespace {

const std::string imports = "import tvm\nfrom tvm import te, tir\n";

} // namespace

class TeScriptErrorsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void errorsNameTheirPlace_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("code");
        QTest::addColumn<int>("line"); // of the body, from 1
        QTest::addColumn<int>("column");
        QTest::addColumn<QString>("part"); // of the message or hint
        const auto row = [](const char *name, const char *body, const char *code, int line, int column,
                            const char *part) {
            QTest::newRow(name) << body << code << line << column << part;
        };
        const char *two = "A = te.placeholder((8, 4), name=\"A\")\n";
        row("syntax", "A = te.placeholder((8,)", "script.syntax", 1, 19, "");
        row("unknown name", "A = te.placeholder((n,), name=\"A\")", "te.unknown-name", 1, 21, "\"n\"");
        row("near name", "size = 4\nA = te.placeholder((siez,))", "te.unknown-name", 2, 21, "'size'");
        row("unknown function", "A = te.placehold((8,))", "te.unknown-function", 1, 5, "'placeholder'");
        row("unknown argument", "A = te.placeholder((8,), nane=\"A\")", "te.argument", 1, 31, "'name'");
        row("bad type", "A = te.placeholder((8,), dtype=\"float31\")", "te.argument", 1, 32, "float31");
        row("negative size", "A = te.placeholder((8, -1), name=\"A\")", "te.bad-shape", 1, 5, "size -1");
        row("broken size", "A = te.placeholder((7 / 2,), name=\"A\")", "te.argument", 1, 20, "whole numbers");
        row("empty reduce axis", "k = te.reduce_axis((4, 4), \"k\")", "te.bad-shape", 1, 20, "0 elements");
        row("too few indices", (std::string(two) + "B = te.compute((8,), lambda i: A[i])").c_str(),
            "te.index-count", 2, 32, "2 dimensions");
        row("too many indices", (std::string(two) + "B = te.compute((8,),\n  lambda i: A[i, i, i])").c_str(),
            "te.index-count", 3, 13, "read with 3 indices");
        row("lambda of another rank",
            (std::string(two) + "B = te.compute((8, 4), lambda i: A[i, 0])").c_str(), "te.index-count", 2, 24,
            "2 dimensions, but the function takes 1 index");
        row("index out of bounds",
            (std::string(two) + "B = te.compute((8, 4), lambda i, j: A[i, j] +\n  A[j, i])").c_str(),
            "te.out-of-bounds", 3, 3, "runs from 0 to 7, but that dimension has 4 elements");
        row("constant index out of bounds",
            (std::string(two) + "B = te.compute((8,), lambda i: A[i, 4])").c_str(), "te.out-of-bounds", 2, 32,
            "is 4");
        row("reduce axis too long",
            (std::string(two)
             + "k = te.reduce_axis((0, 5), \"k\")\nB = te.compute((8,), lambda i: te.sum(A[i, k], axis=k))")
                .c_str(),
            "te.out-of-bounds", 3, 39, "dimension has 4");
        row("index of a float", (std::string(two) + "B = te.compute((8,), lambda i: A[i, 0.5])").c_str(),
            "te.index-type", 2, 32, "float32");
        row("axis that is none",
            (std::string(two) + "B = te.compute((8,), lambda i: te.sum(A[i, 0], axis=[i]))").c_str(),
            "te.not-reduce-axis", 2, 53, "te.reduce_axis");
        row("reduction inside a sum",
            (std::string(two)
             + "k = te.reduce_axis((0, 4), \"k\")\nB = te.compute((8,), lambda i: te.sum(A[i, k], axis=k) + "
               "1)")
                .c_str(),
            "te.nested-reduction", 3, 32, "whole body");
        row("exp of an integer",
            "I = te.placeholder((8,), \"int32\")\nB = te.compute((8,), lambda i: te.exp(I[i]))",
            "te.float-needed", 2, 32, "int32");
        row("floor division of floats",
            (std::string(two) + "B = te.compute((8,), lambda i: A[i, 0] // 2)").c_str(), "te.type-mismatch",
            2, 32, "float32");
        row("division of integers",
            "I = te.placeholder((8,), \"int32\")\nB = te.compute((8,), lambda i: I[i] / 2)",
            "te.ambiguous-division", 2, 32, "//");
        row("condition of elements",
            (std::string(two) + "B = te.compute((8,), lambda i: A[i, 0] if A[i, 0] > 0 else 0)").c_str(),
            "te.condition", 2, 43, "if_then_else");
        row("and of expressions",
            (std::string(two)
             + "B = te.compute((8,), lambda i: te.if_then_else(i > 1 and i < 3, A[i, 0], 0))")
                .c_str(),
            "te.condition", 2, 48, "te.all");
        row("chained comparison",
            (std::string(two) + "B = te.compute((8,), lambda i: te.if_then_else(1 < i < 3, A[i, 0], 0))")
                .c_str(),
            "te.condition", 2, 48, "te.all");
        row("condition that is no bool",
            (std::string(two) + "B = te.compute((8,), lambda i: te.if_then_else(i, A[i, 0], 0))").c_str(),
            "te.condition-type", 2, 32, "int32");
        row("nothing returned", (std::string(two) + "def f(i):\n  A[i, 0]\nB = te.compute((8,), f)").c_str(),
            "te.body-type", 4, 22, "return");
        row("value from a skipped line",
            "import numpy as np\nn = np.prod((2, 3))\nA = te.placeholder((n, 4))", "te.skipped-value", 3, 20,
            "numpy");
        row("not supported", (std::string(two) + "B = te.extern((8,), [A], lambda i, o: None)").c_str(),
            "te.unsupported", 2, 5, "te.extern");
        row("missing placeholder",
            (std::string(two)
             + "B = te.compute((8,), lambda i: A[i, 0], name=\"B\")\nf = te.create_prim_func([B])")
                .c_str(),
            "te.missing-argument", 3, 1, "\"A\"");
        row("tensor listed twice", (std::string(two) + "f = te.create_prim_func([A, A])").c_str(),
            "te.duplicate-argument", 2, 1, "\"A\"");
        row("number among the arguments", (std::string(two) + "f = te.create_prim_func([A, 4])").c_str(),
            "te.argument", 2, 25, "an int");
        row("no kernel", "x = 4", "te.no-kernel", -1, 1, "te.compute");
        row("function that returns no tensor", "def f():\n  return []", "te.no-kernel", -1, 1, "te.compute");
        row("function that returns nothing", "def f():\n  pass", "te.no-kernel", -1, 1, "te.compute");
        row("function that needs sizes", "def f(n):\n  return te.placeholder((n,))", "te.no-kernel", 1, 1,
            "f(n)");
        row("endless loop", "while True:\n  pass", "te.too-long", 2, 3, "");
        row("endless recursion", "def f(n):\n  return f(n)\nf(1)", "te.too-deep", 2, 10, "");
        row("endless nesting", "f = lambda n: (0 + (0 + (0 + (0 + (0 + (0 + f(n)))))))\nf(1)", "te.too-deep",
            1, 45, "");
        row("sum of thousands of elements",
            (std::string(two)
             + "def f(i):\n  x = A[i, 0]\n  for n in range(1500):\n    x = x + A[i, 1]\n  return "
               "x\nB = te.compute((8,), f)")
                .c_str(),
            "te.too-deep", 7, 5, "reduce axis");
        row("value squared fifty times",
            (std::string(two)
             + "def f(i):\n  x = A[i, 0]\n  for n in range(50):\n    x = x * x + x\n  return "
               "x\nB = te.compute((8,), f)")
                .c_str(),
            "te.too-large", 7, 5, "tensor of its own");
        row("division by zero", "n = 4 // 0", "te.division-by-zero", 1, 5, "");
        row("wrong number of names", "a, b = (1, 2, 3)", "te.unpack", 1, 1, "3 values");
        row("argument of a function missing", "def f(n, m):\n  return n\nf(1)", "te.argument", 3, 1, "\"m\"");
        row("argument too many", "def f(n):\n  return n\nf(1, 2)", "te.argument", 3, 6, "");
        row("a raised error", "raise ValueError(\"x\")", "te.raise", 1, 1, "");
        row("an assertion that fails", "n = 16\nassert n == 17, \"n must be 17\"", "te.assertion", 2, 1,
            "\"n must be 17\"");
        row("an assertion without words", "assert False", "te.assertion", 1, 1, "does not hold");
        row("thread axis with an extent only", "t = te.thread_axis(3)", "te.argument", 1, 5, "threadIdx.x");
        row("thread axis of nothing", "t = te.thread_axis()", "te.argument", 1, 5, "threadIdx.x");
        row("reduce axis outside of a reduction",
            (std::string(two) + "k = te.reduce_axis((0, 4), \"k\")\nB = te.compute((8,), lambda i: A[i, k])")
                .c_str(),
            "te.foreign-axis", 3, 5, "axis=k");
        row("reduce axis that another one is reduced over",
            (std::string(two)
             + "k = te.reduce_axis((0, 4))\nl = te.reduce_axis((0, 8))\nB = te.compute((8,), lambda i: "
               "te.sum(A[i, k], axis=l))")
                .c_str(),
            "te.foreign-axis", 4, 5, "\"rv\"");
        row("axis of another tensor",
            (std::string(two)
             + "B = te.compute((8,), lambda i: A[i, 0])\nC = te.compute((8,), lambda j: A[j, B.op.axis[0]])")
                .c_str(),
            "te.foreign-axis", 3, 5, "\"i\"");
        const std::string stages = "A = te.placeholder((13, 35), name=\"A\")\n"
                                   "B = te.compute((13, 35), lambda i, j: A[i, j] + 1.0, name=\"B\")\n"
                                   "C = te.compute((13, 35), lambda i, j: B[i, j] * 2.0, name=\"C\")\n"
                                   "D = te.compute((13, 35), lambda i, j: C[i, j] - A[i, j], name=\"D\")\n"
                                   "s = te.create_schedule(D.op)\n";
        const auto at = [&](const char *name, const std::string &steps, int line, const char *part) {
            row(name, (stages + steps).c_str(), "te.compute-at", line, 1, part);
        };
        at("stages computed at each other",
           "s[B].compute_at(s[C], C.op.axis[0])\ns[C].compute_at(s[B], B.op.axis[0])", 7,
           "\"C\" and \"B\" are computed at each other");
        at("consumer computed at its producer", "s[C].compute_at(s[B], B.op.axis[0])", 6,
           "\"C\" is computed at \"B\", which does not use it");
        at("output computed at a stage", "s[D].compute_at(s[C], C.op.axis[0])", 6, "does not use it");
        at("computed at a copy", "AL = s.cache_read(A, 'local', [B])\ns[C].compute_at(s[AL], AL.op.axis[0])",
           7, "does not use it");
        at("computed at a stage that is inlined afterwards",
           "s[B].compute_at(s[C], C.op.axis[0])\ns[C].compute_inline()", 6, "inlined and has no loops");
        at("computed at a stage that is inlined",
           "s[C].compute_inline()\ns[B].compute_at(s[C], C.op.axis[0])", 7, "inlined and has no loops");
        at("computed at an axis that is split afterwards",
           "s[B].compute_at(s[C], C.op.axis[0])\ns[C].split(C.op.axis[0], 4)", 6,
           "split or fused afterwards");
    }
    void errorsNameTheirPlace()
    {
        QFETCH(QString, body);
        QFETCH(QString, code);
        QFETCH(int, line);
        QFETCH(int, column);
        QFETCH(QString, part);
        const auto script = te::readTeScript(imports + body.toStdString() + "\n", "k.py");
        QVERIFY2(!script, "the script was read");
        const support::Diagnostic &error = script.error();
        QVERIFY2(error.code == code.toStdString(), error.render().c_str());
        QVERIFY2(error.locations.size() == 1, error.render().c_str());
        QVERIFY2(error.locations[0].file == "k.py", error.render().c_str());
        QVERIFY2(error.locations[0].line == line + 2, error.render().c_str());
        QVERIFY2(error.locations[0].column == column, error.render().c_str());
        QVERIFY2((error.message + error.hint).contains(part.toStdString()), error.render().c_str());
    }

    /// Calls and parentheses within each other: refused before the stack is exhausted.
    void deepNesting()
    {
        std::string deep = "f(n)";
        for (int i = 0; i < 60; ++i)
            deep = "(0 + " + deep + ")";
        const auto script = te::readTeScript("f = lambda n: " + deep + "\nf(1)\n", "k.py");
        QVERIFY(!script);
        QCOMPARE(script.error().code, "te.too-deep");
        QVERIFY2(script.error().message.contains("expressions"), script.error().message.c_str());
    }

    void callsWithinEachOther()
    {
        const auto codeOf = [](int calls) {
            const auto script = te::readTeScript(
                imports + "def f(n):\n  return 0 if n == 1 else f(n - 1)\nf(" + std::to_string(calls)
                    + ")\nA = te.placeholder((1,), name=\"A\")\nB = te.compute((1,), lambda i: A[i])\n",
                "k.py");
            return script ? std::string() : script.error().code + ": " + script.error().message;
        };
        QCOMPARE(codeOf(50), std::string());
        QCOMPARE(codeOf(51), std::string("te.too-deep: calls of \"f\" are nested more than 50 deep"));
    }

    /// Lists, strings and expressions that are meant to exhaust memory, stack or time.
    void growthIsBounded_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("part"); ///< of the message
        const auto row = [](const char *name, const char *body, const char *code, const char *part) {
            QTest::newRow(name) << body << code << part;
        };
        const char *loop = "for i in range(60):\n    x = x + x\n";
        row("long list", "x = [0] * 10**9", "te.too-long", "1000000000 items; 100000 is the most");
        row("longer than a number", "x = [0, 1] * 2**62", "te.too-long", "100000 is the most");
        row("list that doubles", (std::string("x = [0]\n") + loop).c_str(), "te.too-long", "131072 items");
        row("string that doubles", (std::string("x = 'a'\n") + loop).c_str(), "te.too-long",
            "1048576 characters");
        row("formatted string that doubles", "x = 'a'\nfor i in range(60):\n    x = f'{x}{x}'", "te.too-long",
            "characters; 1000000 is the most");
        row("list that extends itself", "x = [0]\nfor i in range(60):\n    x.extend(x)", "te.too-long",
            "items");
        row("many lists", "y = []\nfor i in range(100):\n    y.append([0] * 90000)", "te.too-long",
            "more than 4000000 items together");
        row("long range", "x = range(2**62)", "te.too-long", "longer than 100000");
        row("power", "x = 2**(2**60)", "te.overflow", "64 bits");
        row("dimensions", "x = te.placeholder((1,) * 65)", "te.bad-shape", "65 dimensions; 64 is the most");
        row("product of sizes", "x = te.placeholder((2**30, 2**30, 2**30))", "te.bad-shape", "2^60 bytes");
        row("computed product of sizes", "x = te.compute((2**31, 2**31), lambda i, j: te.const(1))",
            "te.bad-shape", "2^60 bytes");
        row("size beyond 64 bits", "x = te.placeholder((1e300,))", "te.argument", "whole numbers");
        row("size of exponential size",
            "n = te.var('n')\nfor i in range(60):\n    n = n * n + n\nx = te.placeholder((n,))",
            "te.too-large", "a size of \"placeholder\"");
        row("reduce axis of exponential size",
            "n = te.var('n')\nfor i in range(60):\n    n = n * n + n\nk = te.reduce_axis((0, n))\n"
            "x = te.compute((8,), lambda i: te.sum(te.const(1) * k, axis=k))",
            "te.too-large", "a size of \"compute\"");
        row("deep size", "n = te.var('n')\nfor i in range(200):\n    n = n + n % 3\nx = te.placeholder((n,))",
            "te.too-large", "nested");
        row("reduce axes",
            "k = [te.reduce_axis((0, 2)) for i in range(65)]\nx = te.compute((8,), lambda i: te.sum(i, "
            "axis=k))",
            "te.too-large", "65 axes; 64 is the most");
    }
    void growthIsBounded()
    {
        QFETCH(QString, body);
        QFETCH(QString, code);
        QFETCH(QString, part);
        const auto script = te::readTeScript(imports + body.toStdString() + "\n", "k.py");
        QVERIFY2(!script, "the script was read");
        const support::Diagnostic &error = script.error();
        QVERIFY2(error.code == code.toStdString(), error.render().c_str());
        QVERIFY2(error.message.contains(part.toStdString()), error.render().c_str());
        QVERIFY2(error.locations.size() == 1 && error.locations[0].line > 2, error.render().c_str());
    }
};

QTEST_GUILESS_MAIN(TeScriptErrorsTest)
#include "te_script_errors_test.moc"
