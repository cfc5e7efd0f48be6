// SPDX-License-Identifier: Apache-2.0
// Texts that are refused, and limits of what is read.
#include "core/script/tvmscript/parser.h"

#include "tests/core/script/one_function.h"

#include <QtTest>

using namespace nestwright;
using tests::head;
using tests::indented;

class TvmScriptErrorsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void errors_data()
    {
        QTest::addColumn<std::string>("body");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        QTest::addColumn<std::string>("code");
        QTest::addColumn<std::string>("message");
        const auto row = [](const char *body, int line, int column, const char *code, const char *message) {
            QTest::newRow(body) << std::string(body) << line << column << std::string(code)
                                << std::string(message);
        };
        // Line 1 is the first of the body; columns count from the body's indentation.
        row("I[0] = m", 1, 8, "script.unknown-name", "the name 'm' is not defined here");
        row("I[0] = T.mx(n, 3)", 1, 8, "script.unknown-function", "'T.mx' is no function that gives a value");
        row("I[0, 1] = 3", 1, 1, "script.rank", "the buffer 'I' has 1 dimensions, but 2 indices are given");
        row("A[0] = x", 1, 1, "script.rank", "the buffer 'A' has 2 dimensions, but 1 indices are given");
        row("A[()] = x", 1, 1, "script.rank", "the buffer 'A' has 2 dimensions, but 0 indices are given");
        row("I[x] = 3", 1, 3, "script.type", "an index must be an integer, but this one is of type float32");
        row("I[0] = p", 1, 8, "script.type",
            "expected a value of type int32 to store to 'I' but found handle");
        row("I[0] = T.Broadcast(n, 4)", 1, 8, "script.type",
            "expected a value of type int32 to store to 'I' but found int32x4");
        row("I[0] = p + 1", 1, 8, "script.type",
            "expected a number but found the variable 'p' of type handle");
        row("I[0] = n / 2", 1, 8, "script.type", "'/' divides floats, but both operands are integers");
        row("I[0] = A", 1, 8, "script.type", "expected an expression but found the buffer 'A'");
        row("I[0] = A.size", 1, 8, "script.unknown-name", "the buffer 'A' has no member 'size'");
        row("I[0] = n[0]", 1, 8, "script.type",
            "expected a buffer before '[' but found the variable 'n' of type int32");
        row("I[0] = n(3)", 1, 8, "script.type",
            "expected a function before '(' but found the variable 'n' of type int32");
        row("I[0] = T.max(n)", 1, 8, "script.argument", "'T.max' needs the argument 'b'");
        row("A[0, 0] = T.exp(x, x)", 1, 11, "ir.argument-count", "'exp' takes 1 arguments, but 2 were given");
        row("I[0] = T.Cast(\"int33\", n)", 1, 15, "script.unknown-type", "there is no type \"int33\"");
        row("I[0] = T.Cast(n, n)", 1, 15, "script.type",
            "expected a type but found the variable 'n' of type int32");
        row("I[0] = T.Select(n < 3, 1, 2, 3)", 1, 30, "script.argument",
            "'T.Select' is given too many arguments");
        row("I[0] = T.Select(n < 3, 1, 2, q=3)", 1, 32, "script.argument", "'T.Select' has no argument 'q'");
        row("I[0] = T.Ramp(n, 1, n)", 1, 21, "script.type",
            "expected 2 to 4096 lanes, or a number times T.vscale(), but found the variable 'n' of type "
            "int32");
        row("I[0] = T.Ramp(n, 1, 100000)", 1, 21, "script.type",
            "expected 2 to 4096 lanes, or a number times T.vscale(), but found 100000");
        row("I[0] = 1 if n else 2", 1, 8, "script.unsupported",
            "a Python conditional needs a constant condition");
        row("I[0] = n @ n", 1, 8, "script.unsupported", "'@' is not understood in TVMScript");
        row("I[0] = n is n", 1, 8, "script.unsupported", "'is' and 'in' are not understood in TVMScript");
        row("I[0] = (lambda: 1)()", 1, 9, "script.unsupported",
            "this kind of expression is not understood in TVMScript");
        row("I[0:4:0] = 1", 1, 3, "script.argument", "a slice with this step has no elements");
        row("I[0:n:2] = 1", 1, 3, "script.type",
            "expected the length of a slice with a step as a constant integer but found the variable 'n' of "
            "type int32");
        row("for i in 3:\n    pass", 1, 10, "script.unknown-function", "a loop must go over a range");
        row("for i in T.sreial(3):\n    pass", 1, 10, "script.unknown-function",
            "'T.sreial' is no range that a loop may go over");
        row("for i in range(0, 16, -2):\n    pass", 1, 23, "script.unsupported",
            "the step of a loop must be a positive constant");
        row("for i in range(x):\n    pass", 1, 16, "script.type",
            "the range of a loop must be integers, but this is float32");
        row("for i, j in T.grid(3):\n    pass", 1, 5, "script.argument",
            "T.grid has 1 extents, but 2 variables are given");
        row("for i, j in range(3):\n    pass", 1, 5, "script.unsupported",
            "expected one name as the variable of this loop");
        row("for i in T.thread_binding(4):\n    pass", 1, 10, "script.argument",
            "'T.thread_binding' needs the argument 'thread'");
        row("for i in T.serial(4, annotations=3):\n    pass", 1, 34, "script.type",
            "expected a dictionary of annotations but found an expression of type int32");
        row("for i in T.serial(4, annotations={\"a\": {3: 4}}):\n    pass", 1, 34, "script.type",
            "expected the key of an annotation as a string but found an expression of type int32");
        row("for i in range(4):\n    I[j] = 1", 2, 7, "script.unknown-name",
            "the name 'j' is not defined here");
        row("for i in range(4):\n    I[i] = 1\nI[i] = 2", 3, 3, "script.unknown-name",
            "the name 'i' is not defined here");
        row("T.reads(A)", 1, 1, "script.block", "'T.reads' stands outside of any block");
        row("T.where(n < 3)", 1, 1, "script.block", "'T.where' stands outside of any block");
        row("with T.init():\n    pass", 1, 1, "script.block", "'T.init' stands outside of any block");
        row("with T.block(\"a\"):\n    T.reads()\n    T.reads()", 3, 5, "script.block",
            "the block 'a' has two 'T.reads'");
        row("with T.block(\"a\"):\n    T.where(n < 3)\n    T.where(n < 3)", 3, 5, "script.block",
            "the block 'a' has two 'T.where'");
        row("with T.block(\"a\"):\n    with T.init():\n        pass\n    with T.init():\n        pass", 4, 5,
            "script.block", "the block 'a' has two 'T.init'");
        row("with T.block(3):\n    pass", 1, 14, "script.type",
            "expected the name of the block as a string but found an expression of type int32");
        row("with T.blok(\"a\"):\n    pass", 1, 6, "script.unknown-function",
            "'T.blok' may not stand behind 'with'");
        row("with n:\n    pass", 1, 6, "script.unsupported",
            "expected a call such as T.block(\"C\") behind 'with'");
        row("for i in range(4):\n    with T.block(\"a\"):\n        v = T.axis.spatal(4, i)", 3, 13,
            "script.unknown-function", "there is no 'T.axis.spatal'");
        row("for i in range(4):\n    with T.block(\"a\"):\n        T.axis.spatial(4, i)", 3, 9,
            "script.block", "expected a name for the iteration variable of 'T.axis.spatial'");
        row("for i in range(4):\n    with T.block(\"a\"):\n        v = T.axis.spatial(4)", 3, 13,
            "script.argument", "'T.axis.spatial' needs the argument 'binding'");
        row("for i in range(4):\n    with T.block(\"a\"):\n        v, w = T.axis.remap(\"SS\", [i])", 3, 16,
            "script.argument",
            "T.axis.remap needs one letter and one loop for each of its 2 variables, but has 2 letters and 1 "
            "loops");
        row("for i in range(4):\n    with T.block(\"a\"):\n        v = T.axis.remap(\"X\", [i])", 3, 26,
            "script.argument", "expected the letters S and R but found 'X'");
        row("for i in range(4):\n    with T.block(\"a\"):\n        v = T.axis.remap(\"S\", [n])", 3, 31,
            "script.type",
            "expected the variable of a loop as item 1 but found the variable 'n' of type int32");
        row("with T.block(\"a\"):\n    T.reads(n)", 2, 13, "script.type",
            "expected a region of a buffer but found the variable 'n' of type int32");
        row("C = T.alloc_buffer((n, x))", 1, 20, "script.type",
            "expected integers as the shape but found float32");
        row("C = T.alloc_buffer((-1,))", 1, 20, "script.argument",
            "a dimension of a shape cannot be negative, but one is -1");
        row("C = T.match_buffer(n, (4,))", 1, 20, "script.type",
            "expected a parameter of type T.handle but found the variable 'n' of type int32");
        row("m = T.handle()\nC = T.match_buffer(m, (4,))", 2, 20, "script.type",
            "expected a parameter of the function or a region of a buffer but found the variable 'm' of type "
            "handle");
        row("C = T.match_buffer(p, (4,))\nD = T.match_buffer(p, (4,))", 2, 20, "script.type",
            "the parameter 'p' is matched to a buffer already");
        row("T.func_attr({3: 4})", 1, 13, "script.type",
            "expected the key of an annotation as a string but found an expression of type int32");
        row("n", 1, 1, "script.unsupported", "this expression has no effect");
        row("break", 1, 1, "script.unsupported", "'break' stands outside of any loop");
        row("return", 1, 1, "script.unsupported", "expected a value behind 'return'");
        row("x, y = 3", 1, 8, "script.type", "expected 2 values but found an expression of type int32");
        row("a = b = 3", 1, 1, "script.unsupported", "only one target may be assigned to at a time");
        row("n.x = 3", 1, 1, "script.unsupported", "expected a name or an element of a buffer to assign to");
        row("n += 3", 1, 1, "script.unsupported",
            "expected an element of a buffer to update, or a variable that may be assigned");
        row("y: T.int32 = p", 1, 14, "script.type", "expected a value of type int32 but found handle");
        row("T.launch_thread(n, 4)", 1, 17, "script.type", "expected a thread axis such as \"threadIdx.x\"");
        row("T.allocate([4], \"float32\", \"global\", n < 3)", 1, 38, "script.unsupported",
            "an allocation under a condition is not understood");
        row("T.evaluate(T.max(n, 3) +)", 1, 25, "script.syntax", "expected an expression but found ')'");
    }
    void errors()
    {
        QFETCH(std::string, body);
        QFETCH(int, line);
        QFETCH(int, column);
        QFETCH(std::string, code);
        QFETCH(std::string, message);
        const auto result = script::parseTvmScript(head + indented(body), "bad.py");
        QVERIFY(!result);
        QCOMPARE(result.error().message, message);
        QCOMPARE(result.error().code, code);
        QCOMPARE(result.error().locations.size(), 1U);
        QCOMPARE(result.error().locations[0].file, std::string("bad.py"));
        QCOMPARE(result.error().locations[0].line, line + 3);
        QCOMPARE(result.error().locations[0].column, column + 4);
    }

    void topLevelErrors_data()
    {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        QTest::addColumn<std::string>("message");
        const auto row = [](const char *text, int line, int column, const char *message) {
            QTest::newRow(text) << std::string(text) << line << column << std::string(message);
        };
        row("x = 3\n", 1, 1, "there is no function of TVMScript in this text");
        row("def f():\n  pass\n", 1, 1, "there is no function of TVMScript in this text");
        row("@T.prim_func\ndef f(a):\n  pass\n", 2, 7, "the parameter 'a' has no type");
        row("@T.prim_func\ndef f(a: T.int32, a: T.int32):\n  pass\n", 2, 19,
            "two parameters have the name 'a'");
        row("@T.prim_func\ndef f(*a: T.int32):\n  pass\n", 2, 7,
            "a function of TVMScript has plain parameters only");
        row("@T.prim_func\ndef f(a: T.int32x4):\n  pass\n", 2, 7, "a parameter cannot be of type int32x4");
        row("@T.prim_func\ndef f(a: T.Buffer((3, m))):\n  pass\n", 2, 23, "the name 'm' is not defined here");
        row("@T.prim_func\ndef f():\n  pass\n@T.prim_func\ndef f():\n  pass\n", 5, 1,
            "two functions have the name 'f'");
        row("@I.ir_module\nclass M:\n  x = 3\n", 3, 3, "expected functions in the class of a module");
        row("@I.ir_module\nclass M:\n  def f():\n    pass\n", 3, 3,
            "the function 'f' of the module is no @T.prim_func");
        row("@I.ir_module\nclass M:\n  pass\n@I.ir_module\nclass N:\n  pass\n", 5, 1,
            "a file may hold one module only");
    }
    void topLevelErrors()
    {
        QFETCH(std::string, text);
        QFETCH(int, line);
        QFETCH(int, column);
        QFETCH(std::string, message);
        const auto result = script::parseTvmScript(text, "bad.py");
        QVERIFY(!result);
        QCOMPARE(result.error().message, message);
        QCOMPARE(result.error().locations[0].line, line);
        QCOMPARE(result.error().locations[0].column, column);
    }

    void suggestions()
    {
        const auto hint = [](const std::string &body) {
            return script::parseTvmScript(head + indented(body), "t.py").error().hint;
        };
        QCOMPARE(hint("I[0] = T.mx(n, 3)"), std::string("did you mean 'T.max'?"));
        QCOMPARE(hint("total: T.int32 = 3\nI[0] = totl"), std::string("did you mean 'total'?"));
        QCOMPARE(hint("I[0] = zzzzzzz"), std::string());
    }

    void nestedCallsTakeLinearTime()
    {
        std::string nested = "n";
        for (int i = 0; i < 60; ++i)
            nested = "(" + nested + " + 1).astype(\"int32\")";
        std::string twice = "n";
        for (int i = 0; i < 60; ++i)
            twice = "T.max(" + twice + ", 3)";
        QVERIFY(
            script::parseTvmScript(head + indented("I[0] = " + nested + " + " + twice), "t.py").has_value());
        std::string inner = "0";
        for (int i = 0; i < 60; ++i)
            inner = "I[" + inner + "]";
        QVERIFY(script::parseTvmScript(head + indented(inner + " += 1"), "t.py").has_value());
    }

    void growingValuesAreBounded()
    {
        const auto code = [](const std::string &first, const std::string &line, const std::string &last) {
            std::string body = first + "\n";
            for (int i = 0; i < 60; ++i)
                body += line + "\n";
            const auto result = script::parseTvmScript(head + indented(body + last), "t.py");
            return result ? std::string() : result.error().code;
        };
        const std::string expected = "script.too-large";
        QCOMPARE(code("a = [n]", "a = a + a", "I[0] = a[0]"), expected);
        QCOMPARE(code("a = [n]", "a = [a, a]", "I[0] = 1"), expected);
        QCOMPARE(code("a = (n, 1)", "a = (a[0] * a[0], 1)", "I[0] = a[0]"), expected);
        QCOMPARE(code("a = (n, 1)", "a, b = (a[0] * a[0], 1), 1", "I[0] = a[0]"), expected);
        QCOMPARE(code("a = n", "a = T.meta_var(a * a)", "I[0] = a"), expected);
        QCOMPARE(code("a = n", "a = a * a", "I[0] = a"), std::string()); // a let each time
        std::string constants = "a = [1]\n";
        for (int i = 0; i < 60; ++i)
            constants += "a = a + a\n";
        QVERIFY(script::parseTvmScript(constants + head + "    I[0] = 1\n", "t.py").has_value());
    }

    void nestedWrapsAreBounded()
    {
        std::string body;
        for (int i = 0; i < 2000; ++i)
            body += "y" + std::to_string(i) + ": T.int32 = n\n";
        const auto result = script::parseTvmScript(head + indented(body + "I[0] = 1"), "t.py");
        QVERIFY(!result);
        QCOMPARE(result.error().code, std::string("script.unsupported"));
    }
};

QTEST_GUILESS_MAIN(TvmScriptErrorsTest)
#include "tvmscript_errors_test.moc"
