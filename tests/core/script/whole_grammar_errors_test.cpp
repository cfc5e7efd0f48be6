// SPDX-License-Identifier: Apache-2.0
// Mistakes in the less common constructs of programs: each is named at its place.
#include "core/script/tvmscript/parser.h"
#include "tests/core/script/one_function.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

class WholeGrammarErrorsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void errors_data()
    {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        QTest::addColumn<std::string>("message");
        const auto row = [](const char *name, const std::string &text, int line, int column,
                            const char *message) {
            QTest::newRow(name) << text << line << column << std::string(message);
        };
        row("buffer defined twice", function("B = T.alloc_buffer((4,))\nB = T.alloc_buffer((4,))"), 4, 9,
            "the name 'B' is defined in this scope already");
        row("variable defined twice", function("x: T.int32 = I[0]\nx: T.int32 = I[1]\nI[2] = x"), 4, 18,
            "the name 'x' is defined in this scope already");
        row("axis defined twice",
            function("for i in range(4):\n    with T.block(\"b\"):\n        v = T.axis.spatial(4, i)\n"
                     "        v = T.axis.spatial(4, i)\n        I[v] = 1"),
            6, 17, "the name 'v' is defined in this scope already");
        row("private with a symbol",
            "@T.prim_func(private=True)\ndef f():\n    T.func_attr({\"global_symbol\": \"g\"})\n    "
            "T.evaluate(0)\n",
            3, 17, "a private function cannot have the attribute \"global_symbol\"");
        row("two values of an annotation",
            function("with T.block(\"b\"):\n    T.block_attr({\"k\": 1})\n    T.block_attr({\"k\": 2})\n    "
                     "I[0] = 1"),
            5, 22, "the annotation \"k\" is given two different values");
        row("shape of a match",
            function("with T.block(\"b\"):\n    V = T.match_buffer(A[0:4], (5,))\n    V[0] = 1.0"), 4, 28,
            "dimension 0 of the region has 4 elements, but 'V' has 5");
        row("endless macro", "@T.macro\ndef m():\n    m()\n" + function("m()"), 3, 5,
            "'m' is called too often or too deep");
        row("endless function", "def f(i):\n    return f(i)\n" + function("I[f(n)] = 1"), 2, 12,
            "'f' is called too often or too deep");
        row("function that does more",
            "def f(i):\n    while i < 3:\n        i = 2\n    return i\n" + function("I[f(n)] = 1"), 2, 5,
            "only assignments and a 'return' are understood in the function 'f'");
        row("missing argument of a macro", "@T.macro\ndef m(a, b):\n    T.evaluate(a)\n" + function("m(1)"),
            6, 5, "'m' needs the argument 'b'");
        row("reducer of too few",
            function("T.attr(T.comm_reducer(lambda a: a, [0]), \"reduce_scope\", 0)\nI[0] = 1"), 3, 12,
            "a reducer of 1 values needs 2 parameters, but has 1");
        row("constants that do not fit",
            function("k = T.allocate_const([1, 2, 3], \"int32\", [2])\nT.evaluate(k)"), 3, 26,
            "the extents do not go with 3 numbers");
        row("option without a name", function("T.func_attr({\"t\": T.target({\"\": 1})})"), 3, 32,
            "an option of the target has no name");
        row("variable in an attribute", function("T.func_attr({\"t\": [T.int64()]})\nI[0] = 1"), 3, 17,
            "'v' is no parameter, so this attribute cannot hold it");
        row("thread axis without a name", function("T.launch_thread(\"\", 4)\nI[0] = 1"), 3, 21,
            "the thread axis has no name");
        row("prefetch of another rank", function("T.prefetch(A, [T.Range(0, 1), T.Range(0, 1)])"), 3, 19,
            "the buffer 'A' has 1 dimensions, but 2 ranges are given");
        row("prefetch of an element", function("T.prefetch(A[0], [])"), 3, 16,
            "expected a buffer but found an expression of type float32");
        row("inverse of another rank",
            function("T.func_attr({\"m\": T.index_map(lambda i: (i, i), inverse_index_map=lambda a: (a,))})"),
            3, 23, "the inverse of a map of 1 indices to 2 cannot take 1 and give 1");
        row("index map to a number", function("T.func_attr({\"m\": T.index_map(lambda i: i + 0.5)})"), 3, 45,
            "an index must be an integer, but this one is of type float32");
        row("size that is no expression",
            "@T.prim_func\ndef main(A: T.Buffer((4, \"n +\"))):\n    A[0, 0] = 1.0", 2, 26,
            "the size \"n +\" is no expression");
        row("size of unknown parts", "@T.prim_func\ndef main(A: T.Buffer((4, \"f(n)\"))):\n    A[0, 0] = 1.0",
            2, 26, "the size \"f(n)\": the name 'f' is not defined here");
        row("several elements of two dimensions",
            function("W = T.Buffer((8, 8))\nW[0, 0] = W[n : n + 2, 0] + W[0, 0]"), 4, 15,
            "only the last index of 'W' may stand for several elements");
        row("realization of no region", function("T.realize(A, \"local\")"), 3, 15,
            "expected a region of a buffer but found the buffer 'A'");
        row("decorator with an argument", "@T.macro(True)\ndef m():\n    T.evaluate(0)\n", 1, 10,
            "the arguments of '@T.macro' are given by their names");
        row("thread outside of its launch",
            function(
                "t = T.env_thread(\"threadIdx.x\")\nwith T.launch_thread(t, 4):\n    I[t] = 1\nI[t] = 2"),
            6, 7, "the thread axis 't' is used where no T.launch_thread launches it");
        row("continue outside", function("continue"), 3, 5, "'continue' stands outside of any loop");
        row("two hosts",
            function("T.func_attr({\"t\": T.target({\"kind\": \"c\", \"host\": \"c\"}, host=\"c\")})"), 3, 65,
            "the target is given two hosts");
    }
    void errors()
    {
        QFETCH(std::string, text);
        QFETCH(int, line);
        QFETCH(int, column);
        QFETCH(std::string, message);
        const auto result = script::parseTvmScript(text, "bad.py");
        QVERIFY(!result);
        QCOMPARE(result.error().message, message);
        QCOMPARE(result.error().locations.size(), 1U);
        QCOMPARE(result.error().locations.front().line, line);
        QCOMPARE(result.error().locations.front().column, column);
    }
};

QTEST_APPLESS_MAIN(WholeGrammarErrorsTest)
#include "whole_grammar_errors_test.moc"
