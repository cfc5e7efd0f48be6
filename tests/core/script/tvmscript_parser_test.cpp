// SPDX-License-Identifier: Apache-2.0
#include "core/script/tvmscript/parser.h"

#include "core/ir/build/builder.h"
#include "core/ir/node/equality.h"
#include "core/script/print/printer.h"
#include "tests/core/script/one_function.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using tests::head;
using tests::indented;

namespace {

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
    def main(A: T.Buffer((128, 128), "float32"), B: T.Buffer((128, 128), "float32"),
             D: T.Buffer((128, 128), "float32")):
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
};

QTEST_GUILESS_MAIN(TvmScriptParserTest)
#include "tvmscript_parser_test.moc"
