// SPDX-License-Identifier: Apache-2.0
#include "core/script/tvmscript_parser.h"

#include "core/ir/builder.h"
#include "core/ir/equality.h"
#include "core/script/printer.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;

namespace {

constexpr const char *head =
    "from tvm.script import tir as T\n"
    "@T.prim_func\n"
    "def main(A: T.Buffer((16, 16), \"float32\"), I: T.Buffer((64,), \"int32\"), n: T.int32, "
    "x: T.float32, p: T.handle):\n";

std::string indented(const std::string &body)
{
    std::string text = "    ";
    for (const char c : body) {
        text += c;
        if (c == '\n')
            text += "    ";
    }
    return text + "\n";
}

ir::Module matmul() { return tests::program("matmul"); }

} // namespace

class TvmScriptParserTest : public QObject {
    Q_OBJECT

private:
    /// `text` stands for the same module as `expected`.
    void checkSame(const std::string &text, const ir::Module &expected)
    {
        const auto module = script::parseTvmScript(text, "test.py");
        QVERIFY2(module.has_value(), module ? "" : module.error().render().c_str());
        const auto difference = ir::firstDifference(expected, *module);
        QVERIFY2(!difference, difference.value_or("").c_str());
    }

private Q_SLOTS:
    void matmulTree()
    {
        const ir::Module module = matmul();
        const ir::PrimFunc &function = *module.find("main");
        QCOMPARE(function.params.size(), 3U);
        QCOMPARE(function.params[2].buffer.name(), std::string("C"));
        QCOMPARE(*function.attrs.at("global_symbol").asString(), std::string("main"));
        QVERIFY(ir::isTrue(*function.attrs.at("tir.noalias").asExpr()));
        const ir::Block *root = function.root();
        QVERIFY(root && root->iterVars.empty() && root->reads.empty() && ir::isTrue(root->predicate));
        const auto *i = root->body.as<ir::For>();
        const auto *j = i->body.as<ir::For>();
        const auto *k = j->body.as<ir::For>();
        QVERIFY(i->forKind == ir::ForKind::Serial && ir::isConstInt(i->extent, 128)
                && ir::isConstInt(i->min, 0));
        const auto *block = k->body.as<ir::Block>();
        QCOMPARE(block->name, std::string("C"));
        QCOMPARE(block->iterVars.size(), 3U);
        QVERIFY(block->iterVars[1].kind == ir::IterKind::Spatial
                && block->iterVars[2].kind == ir::IterKind::Reduce);
        QVERIFY(block->iterValues[2].same(k->var));
        QVERIFY(block->init.as<ir::BufferStore>() && block->body.as<ir::BufferStore>());
        QCOMPARE(block->reads.size(), 2U);
        QVERIFY(block->reads[0].buffer == function.params[0].buffer);
        QVERIFY(ir::isConstInt(block->reads[0].region[1].extent, 1));
        QVERIFY(block->annotations.empty());
        QCOMPARE(root->id.value, 1U);
        QCOMPARE(block->id.value, 5U);
    }

    void missingRegionsAreMarked()
    {
        const auto mask = [](const std::string &given) {
            const auto module = script::parseTvmScript(
                head
                    + indented("for i in range(16):\n    with T.block(\"a\"):\n        v = T.axis.S(16, i)\n"
                               + given + "        I[v] = v"),
                "t.py");
            const auto *block = module->find("main")->root()->body.as<ir::For>()->body.as<ir::Block>();
            const auto found = block->annotations.find(std::string(script::detectAccessKey));
            return found == block->annotations.end() ? 0 : static_cast<int>(*found->second.asInt());
        };
        QCOMPARE(mask(""), 3);
        QCOMPARE(mask("        T.reads()\n"), 2);
        QCOMPARE(mask("        T.writes(I[v])\n"), 1);
        QCOMPARE(mask("        T.reads()\n        T.writes(I[v])\n"), 0);
    }

    void laterDialect()
    {
        checkSame(R"(
from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((128, 128), "float32"), B: T.Buffer((128, 128), "float32"), D: T.Buffer((128, 128), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        C = T.sblock_alloc_buffer((128, 128))
        for i, j, k in T.grid(128, 128, 128):
            with T.sblock("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.reads(A[vi, vk], B[vk, vj])
                T.writes(C[vi, vj])
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
        for i, j in T.grid(128, 128):
            with T.sblock("D"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(C[vi, vj])
                T.writes(D[vi, vj])
                D[vi, vj] = T.max(C[vi, vj], T.float32(0.0))
)",
                  tests::program("mm_relu"));
    }

    void laterSymbolicSizes()
    {
        checkSame(R"(
from tvm.script import tirx as T
@T.prim_func(s_tir=True)
def main(A: T.Buffer(("n", "m"), "float32"), B: T.Buffer((n, m), "float32")):
    n, m = T.int32(), T.int32()
    for i, j in T.grid(n, m):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi, vj])
            B[vi, vj] = A[vi, vj] + T.float32(1.0)
)",
                  tests::program("symbolic"));
        const auto wide = script::parseTvmScript(R"(
m = TypeVar("m")
@T.prim_func(s_tir=True)
def main(A: T.Buffer((m, "n"), "float32"), B: T.Buffer((m, n), "float32")):
    n = T.int64()
    T.evaluate(m + n)
)",
                                                 "t.py");
        QVERIFY2(wide.has_value(), wide ? "" : wide.error().render().c_str());
        const ir::PrimFunc &function = *wide->find("main");
        QCOMPARE(function.params[0].buffer.shape()[0].dtype(), ir::DataType::int64());
        QVERIFY(function.params[0].buffer.shape()[1].same(function.params[1].buffer.shape()[1]));
        QVERIFY(function.body.as<ir::Evaluate>()->value.as<ir::Binary>()->b.same(
            function.params[0].buffer.shape()[1]));
    }

    void laterAllocations()
    {
        const auto body = [](const std::string &function, const std::string &line) {
            return function + "\ndef main(A: T.Buffer((16,), \"int32\")):\n    " + line + "\n    b[1] = 3\n";
        };
        const auto flat = tests::parsed(body("@T.prim_func", "b = T.decl_buffer((4,), \"int32\")"));
        checkSame(body("@T.prim_func(s_tir=True)", "b = T.alloc_buffer((4,), \"int32\")"), flat);
        checkSame(
            body("from tvm.script import tirx as T\n@T.prim_func", "b = T.alloc_buffer((4,), \"int32\")"),
            flat);
        const auto local =
            tests::parsed(body("@T.prim_func", "b = T.decl_buffer((4,), \"int32\", scope=\"local\")"));
        checkSame(body("@T.prim_func", "b = T.alloc_local((4,), \"int32\")"), local);
        // In the block form, and in all earlier texts, a buffer belongs to its block.
        const auto block = tests::parsed(body("@T.prim_func", "b = T.alloc_buffer((4,), \"int32\")"));
        QVERIFY(block.find("main")->root() && !flat.find("main")->root());
        checkSame(body("@T.prim_func(s_tir=True)", "b = T.sblock_alloc_buffer((4,), \"int32\")"), block);
    }

    void olderSpellings()
    {
        checkSame(R"(
import tvm
from tvm.script import tir as T

@tvm.script.ir_module
class MyModule:
    @T.prim_func
    def main(a: T.handle, B: T.Buffer[(128, 128), "float32"], c: T.handle):
        T.func_attr({"global_symbol": "main", "tir.noalias": True})
        A = T.match_buffer(a, [128, 128], dtype="float32")
        C = T.match_buffer(c, (128, 128), "float32")
        for i, j, k in T.grid(128, 128, 128):
            with T.block("C"):
                vi = T.axis.S(128, i)
                vj = T.axis.spatial(128, j)
                vk = T.axis.R(128, k)
                T.reads([A[vi, vk], B[vk, vj]])
                T.writes([C[vi, vj]])
                with T.init():
                    C[vi, vj] = 0.0
                C[vi, vj] += A[vi, vk] * B[vk, vj]
)",
                  matmul());
    }

    void otherImports()
    {
        const std::string text(tests::programText("matmul"));
        const std::string withoutImports = text.substr(text.find("@T"));
        for (const std::string imports :
             {"import tvm.script.tir as T\n", "", "from tvm.script.parser import tir as T\n",
              "import tvm.tir as T\n"})
            checkSame(imports + withoutImports, matmul());
        std::string other(tests::programText("matmul"));
        for (std::size_t at = 0; (at = other.find("T.", at)) != std::string::npos; at += 4)
            other.replace(at, 2, "tir.");
        const std::size_t importEnd = other.find("as T\n");
        other.replace(importEnd, 4, "");
        checkSame(other, matmul());
    }

    void functionsByName()
    {
        const auto single =
            script::parseTvmScript("@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(n)\n", "t.py");
        QCOMPARE(single->functions()[0].name, std::string("main"));
        QCOMPARE(*single->functions()[0].function->attrs.at("global_symbol").asString(), std::string("f"));
        const auto two =
            script::parseTvmScript("@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(n)\n"
                                   "@T.prim_func(private=True)\ndef g(n: T.int32):\n    T.evaluate(n)\n",
                                   "t.py");
        QCOMPARE(two->functions().size(), 2U);
        QCOMPARE(two->functions()[1].name, std::string("g"));
        QVERIFY(!two->functions()[1].function->attrs.contains("global_symbol"));
        const auto module =
            script::parseTvmScript("@I.ir_module\nclass M:\n    I.module_attrs({\"k\": 1})\n"
                                   "    @T.prim_func\n    def f(n: T.int32):\n        T.evaluate(n)\n",
                                   "t.py");
        QCOMPARE(module->functions()[0].name, std::string("f"));
        QCOMPARE(*module->attrs().at("k").asInt(), 1);
    }

    void constantsAround()
    {
        checkSame(
            "N = 128\nM = N // 1\nshape = (N, M)\nother = unknown(3)\nprint(other)\n" +
                [] {
                    std::string text(tests::programText("matmul"));
                    for (std::size_t at = 0; (at = text.find("T.grid(128, 128")) != std::string::npos;)
                        text.replace(at, 15, "T.grid(N, M");
                    for (std::size_t at = 0; (at = text.find("(128, 128)")) != std::string::npos;)
                        text.replace(at, 10, "shape");
                    return text;
                }(),
            matmul());
    }

    void branchesOfConstants()
    {
        const auto read = [](const std::string &text) {
            const auto module = script::parseTvmScript(
                "flag = True\nkind = \"a\"\nN = 4\n" + std::string(head) + indented(text), "t.py");
            return module ? ir::structuralHash(*module) : 0;
        };
        const std::size_t one = read("I[0] = 1"), two = read("I[0] = 2");
        QVERIFY(one != two);
        QCOMPARE(read("if flag:\n    I[0] = 1\nelse:\n    I[0] = unknown"), one);
        QCOMPARE(read("if not flag:\n    I[0] = 1\nelse:\n    I[0] = 2"), two);
        QCOMPARE(read("if N == 4 and flag:\n    I[0] = 1"), one);
        QVERIFY(read("if T.bool(True):\n    I[0] = 1") != one); // says so on purpose
        QVERIFY(read("if n == 4:\n    I[0] = 1") != one);
    }

    void differencesOfSlices()
    {
        const auto extent = [](const std::string &slice) {
            const auto module = script::parseTvmScript(
                head
                    + indented("for i in range(4):\n    with T.block(\"a\"):\n        v = T.axis.S(4, i)\n"
                               "        T.reads(I["
                               + slice + "])\n        T.writes()\n        I[v] = v"),
                "t.py");
            return script::printExpr(module->find("main")
                                         ->root()
                                         ->body.as<ir::For>()
                                         ->body.as<ir::Block>()
                                         ->reads[0]
                                         .region[0]
                                         .extent);
        };
        QCOMPARE(extent("0:4"), std::string("4"));
        QCOMPARE(extent(":"), std::string("64"));
        QCOMPARE(extent("3:"), std::string("61"));
        QCOMPARE(extent("v:v + 4"), std::string("4"));
        QCOMPARE(extent("v * 4:4 * v + 4"), std::string("4"));
        QCOMPARE(extent("v * 4:(v + 1) * 4"), std::string("4"));
        QCOMPARE(extent("v * 4:v * 4 + n"), std::string("n"));
        QCOMPARE(extent("v + 3:v + 3 + 5"), std::string("5"));
        QCOMPARE(extent("v + n - 1:n + v + 1"), std::string("2"));
        QCOMPARE(extent("v:n"), std::string("n - v"));
    }

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

QTEST_GUILESS_MAIN(TvmScriptParserTest)
#include "tvmscript_parser_test.moc"
