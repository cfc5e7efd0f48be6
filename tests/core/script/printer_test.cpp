// SPDX-License-Identifier: Apache-2.0
#include "core/script/print/printer.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/node/equality.h"
#include "core/script/tvmscript/parser.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <limits>

using namespace nestwright;
using ir::BinaryOp;
using ir::Buffer;
using ir::DataType;
using ir::Expr;
using ir::Stmt;
using ir::Var;
using script::Dialect;
using script::LineSpan;
using script::VarUse;

namespace {

std::vector<std::string> linesOf(const std::string &text)
{
    std::vector<std::string> lines;
    std::size_t start = 0;
    for (std::size_t end = 0; (end = text.find('\n', start)) != std::string::npos; start = end + 1)
        lines.push_back(text.substr(start, end - start));
    return lines;
}

ir::Module moduleOf(Stmt body, std::vector<ir::Param> params = {})
{
    ir::PrimFunc function;
    function.params = std::move(params);
    function.attrs["global_symbol"] = std::string("main");
    function.body = std::move(body);
    return ir::Module({{"main", std::make_shared<const ir::PrimFunc>(std::move(function))}});
}

/// The lines of the function's body.
std::string bodyText(const ir::Module &module)
{
    std::string text;
    const std::vector<std::string> lines = linesOf(script::print(module).text);
    for (std::size_t i = 7; i < lines.size(); ++i)
        text += (lines[i].size() > 8 ? lines[i].substr(8) : lines[i]) + "\n";
    return text;
}

ir::Param bufferParam(const Buffer &buffer) { return {Var("handle", DataType::handle()), buffer}; }

Stmt loop(const Var &var, const Expr &extent, Stmt body)
{
    return ir::serialFor(var, extent, std::move(body));
}

} // namespace

class PrinterTest : public QObject {
    Q_OBJECT

private:
    void checkAgain(const ir::Module &module)
    {
        for (const Dialect dialect : script::allDialects) {
            const std::string text = script::print(module, dialect).text;
            const auto again = script::parseTvmScript(text, "printed.py");
            QVERIFY2(again.has_value(), again ? "" : (again.error().render() + "\n" + text).c_str());
            const auto difference = ir::firstDifference(module, *again);
            QVERIFY2(!difference, (difference.value_or("") + "\n" + text).c_str());
        }
    }

private Q_SLOTS:
    void wholeModule()
    {
        // As TVM 0.23 prints it.
        const std::string expected = R"(# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((128, 128), "float32"), B: T.Buffer((128, 128), "float32"),)"
                                     R"( D: T.Buffer((128, 128), "float32")):
        T.func_attr({"tir.noalias": True})
        # with T.block("root"):
        C = T.alloc_buffer((128, 128))
        for i, j, k in T.grid(128, 128, 128):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.reads(A[vi, vk], B[vk, vj])
                T.writes(C[vi, vj])
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
        for i, j in T.grid(128, 128):
            with T.block("D"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(C[vi, vj])
                T.writes(D[vi, vj])
                D[vi, vj] = T.max(C[vi, vj], T.float32(0.0))
)";
        QCOMPARE(script::print(tests::program("mm_relu")).text, expected);
    }

    void latestDialect()
    {
        // Read and printed again without a change by TVM 0.27.
        const std::string expected = R"(# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((10, 8), "float32"), B: T.Buffer((8, 12), "float32"),)"
                                     R"( C: T.Buffer((10, 12), "float32")):
        # with T.sblock("root"):
        for i0, i1, j, k in T.grid(3, 4, 12, 8):
            with T.sblock("C"):
                vi = T.axis.spatial(10, i0 * 4 + i1)
                vj, vk = T.axis.remap("SR", [j, k])
                T.where(i0 * 4 + i1 < 10)
                T.reads(A[vi, vk], B[vk, vj])
                T.writes(C[vi, vj])
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)";
        QCOMPARE(script::print(tests::program("predicate"), Dialect::Latest).text, expected);
    }

    void spans()
    {
        const script::Printed printed = script::print(tests::program("mm_relu"));
        const std::vector<LineSpan> expected{
            {{1}, 8, 23},  {{2}, 10, 17}, {{3}, 10, 17}, {{4}, 10, 17},
            {{5}, 11, 17}, {{6}, 18, 23}, {{7}, 18, 23}, {{8}, 19, 23},
        };
        QCOMPARE(printed.spans.size(), expected.size());
        for (const LineSpan &span : expected)
            QVERIFY2(std::ranges::find(printed.spans, span) != printed.spans.end(),
                     std::to_string(span.stmt.value).c_str());
        QVERIFY(std::ranges::is_sorted(printed.spans, {}, &LineSpan::firstLine));
    }

    void spansOfSecondFunction()
    {
        const ir::Function f = tests::program("row_sum").find("main");
        ir::IdCounter ids;
        const ir::Module module =
            ir::assignIds(ir::Module({{"f", f}, {"g", tests::program("scalar").find("main")}}), ids);
        const script::Printed printed = script::print(module);
        const std::vector<std::string> lines = linesOf(printed.text);
        for (const LineSpan &span : printed.spans) {
            const std::string &first = lines.at(static_cast<std::size_t>(span.firstLine));
            QVERIFY2(first.contains("for ") || first.contains("with T.block("), first.c_str());
            QVERIFY(static_cast<std::size_t>(span.lastLine) < lines.size());
        }
    }

    void uses()
    {
        const script::Printed printed = script::print(tests::program("predicate"));
        const std::vector<std::string> lines = linesOf(printed.text);
        // i0, i1, j, k at the head; i0 and i1 in the axis and the predicate, j and k in the remap.
        QCOMPARE(printed.varUses.size(), 10U);
        const std::vector<std::string> names{"i0", "i1", "j", "k", "i0", "i1", "j", "k", "i0", "i1"};
        const std::vector<std::uint32_t> loops{2, 3, 4, 5, 2, 3, 4, 5, 2, 3};
        for (std::size_t n = 0; n < names.size(); ++n) {
            const VarUse &use = printed.varUses[n];
            QCOMPARE(lines[static_cast<std::size_t>(use.line)].substr(static_cast<std::size_t>(use.column),
                                                                      static_cast<std::size_t>(use.length)),
                     names[n]);
            QCOMPARE(use.loop.value, loops[n]);
        }
    }

    void usesBehindOtherAlphabets()
    {
        const Var i("i");
        ir::For node = *loop(i, 4,
                             ir::evaluate(ir::callIntrinsic("call_extern", {ir::stringImm("\u00e9\u00e9"), i},
                                                            DataType::int32())))
                            .as<ir::For>();
        node.id = {7};
        const script::Printed printed = script::print(moduleOf(ir::make(std::move(node))));
        QCOMPARE(printed.varUses.size(), 2U);
        QCOMPARE(printed.varUses[1].column,
                 12 + static_cast<int>(std::string_view("T.call_extern(\"int32\", \"..\", ").size()));
    }

    void expressions_data()
    {
        QTest::addColumn<std::string>("expected");
        QTest::addColumn<Expr>("expression");
        const auto row = [](const char *expected, const Expr &e) {
            QTest::newRow(expected) << std::string(expected) << e;
        };
        const Var i("i"), j("j"), f("f", DataType::float32()), q("q", DataType::int64());
        const Buffer a("A", {16, 16});
        row("i + j * 2", i + j * 2);
        row("(i + j) * 2", (i + j) * 2);
        row("i - (j - 1)", i - (j - 1));
        row("i - j - 1", i - j - 1);
        row("i // 4 % 8", ir::floorMod(ir::floorDiv(i, 4), 8));
        row("i // (4 * j)", ir::floorDiv(i, Expr(4) * j));
        row("T.Div(i, 4)", ir::truncDiv(i, 4));
        row("T.truncmod(i, 4)", ir::truncMod(i, 4));
        row("f / T.float32(2.0)", ir::truncDiv(f, 2.0F));
        row("T.min(i, T.max(j, 3))", ir::min(i, ir::max(j, 3)));
        row("i < 3 and j >= 4 or i == j",
            ir::logicalOr(ir::logicalAnd(ir::lt(i, 3), ir::ge(j, 4)), ir::eq(i, j)));
        row("(i < 3 or j < 4) and i != j",
            ir::logicalAnd(ir::logicalOr(ir::lt(i, 3), ir::lt(j, 4)), ir::ne(i, j)));
        row("not i < 3", ir::logicalNot(ir::lt(i, 3)));
        row("not (i < 3 and j < 3)", ir::logicalNot(ir::logicalAnd(ir::lt(i, 3), ir::lt(j, 3))));
        row("(not i < 3) == (j < 4)", ir::eq(ir::logicalNot(ir::lt(i, 3)), ir::lt(j, 4)));
        row("T.Add(1, 2)", ir::binaryNode(BinaryOp::Add, 1, 2));
        row("T.Mul(i, 1)", ir::binaryNode(BinaryOp::Mul, i, 1));
        row("T.LT(1, 2)", ir::binaryNode(BinaryOp::LT, 1, 2));
        row("-3", Expr(-3));
        row("T.int64(3)", ir::intImm(3, DataType::int64()));
        row("T.uint64(18446744073709551615)", ir::intImm(-1, DataType::uint(64)));
        row("T.bool(True)", ir::boolImm(true));
        row("T.float32(0.5)", Expr(0.5F));
        row("T.float32(0.10000000000000001)", Expr(0.1F));
        row("T.float32(0.12345679104328156)", Expr(0.123456789F));
        row("T.float32(-340282346638528859811704183484516925440.0)",
            Expr(std::numeric_limits<float>::lowest()));
        row("T.float64(0.10000000000000001)", ir::floatImm(0.1, DataType::float_(64)));
        row("T.float32(1000000000000000019884624838656.0)", Expr(1e30F));
        row("T.float16(65504.0)", ir::floatImm(65504, DataType::float_(16)));
        row("T.float32(\"-inf\")", Expr(-std::numeric_limits<float>::infinity()));
        row("T.float32(\"nan\")", Expr(std::numeric_limits<float>::quiet_NaN()));
        row("T.Cast(\"int64\", i)", ir::cast(DataType::int64(), i));
        row("q + T.Cast(\"int64\", i)", q + i);
        row("A[i, 3]", ir::load(a, {i, 3}));
        row("A[i, 0:4]", ir::load(a, {i, ir::ramp(0, 1, 4)}));
        row("A[i, j * 4:j * 4 + 8:2]", ir::load(a, {i, ir::ramp(j * 4, 2, 4)}));
        row("A[i, T.Ramp(0, j, 4)]", ir::load(a, {i, ir::ramp(0, j, 4)}));
        row("T.Broadcast(i, 4)", ir::broadcast(i, 4));
        row("T.exp(f)", ir::callIntrinsic("exp", {f}));
        row("T.call_extern(\"int32\", \"f\", i)",
            ir::callIntrinsic("call_extern", {ir::stringImm("f"), i}, DataType::int32()));
        row("T.if_then_else(i < 3, f, T.float32(0.0))",
            ir::callIntrinsic("if_then_else", {ir::lt(i, 3), f, 0.0F}));
        row("T.Select(i < 3, i, j)", ir::select(ir::lt(i, 3), i, j));
        row("T.Let(i + j, where={i: 3})", ir::let(i, 3, i + j));
        row("\"a\\\"\\\\\\n\\x01\"", ir::stringImm("a\"\\\n\x01"));
    }
    void expressions()
    {
        QFETCH(std::string, expected);
        QFETCH(Expr, expression);
        QCOMPARE(script::printExpr(expression), expected);
    }

    void region()
    {
        const Buffer a("A", {16, 16}), s("S", {});
        const Var i("i");
        QCOMPARE(script::printRegion({a, {{i, 1}, {i * 4, 4}}}), std::string("A[i, i * 4:i * 4 + 4]"));
        QCOMPARE(script::printRegion({s, {}}), std::string("S[()]"));
    }

    void namesAreUnique()
    {
        const Buffer a("A", {16}), other("A", {16}), bad("if", {16}), dotted("B.local", {16}),
            unnamed("", {16});
        const Var first("i"), second("i"), t("T"), number("3x");
        const Stmt body = ir::seq({
            loop(first, 4, loop(second, 4, ir::store(a, ir::load(other, {second}), {first}))),
            loop(t, 4, ir::store(bad, ir::load(dotted, {t}), {t})),
            loop(number, 4, ir::store(unnamed, 1.0F, {number})),
        });
        const ir::Module module = moduleOf(body, {bufferParam(a), bufferParam(other), bufferParam(bad),
                                                  bufferParam(dotted), bufferParam(unnamed)});
        QVERIFY(script::print(module).text.contains(
            "def main(A: T.Buffer((16,), \"float32\"), A_1: T.Buffer((16,), \"float32\"), if_1: "
            "T.Buffer((16,), "
            "\"float32\"), B_local: T.Buffer((16,), \"float32\"), buffer: T.Buffer((16,), \"float32\")):"));
        QCOMPARE(bodyText(module), std::string("for i, i_1 in T.grid(4, 4):\n"
                                               "    A[i] = A_1[i_1]\n"
                                               "for T_1 in range(4):\n"
                                               "    if_1[T_1] = B_local[T_1]\n"
                                               "for _3x in range(4):\n"
                                               "    buffer[_3x] = T.float32(1.0)\n"));
        checkAgain(module);
    }

    void gridStops()
    {
        const Var i("i"), j("j"), k("k");
        const Buffer a("A", {16}, DataType::int32());
        ir::For unrolled = *loop(k, 4, ir::store(a, 0, {k})).as<ir::For>();
        unrolled.forKind = ir::ForKind::Unrolled;
        const ir::Module module =
            moduleOf(loop(i, 4, loop(j, i, ir::make(std::move(unrolled)))), {bufferParam(a)});
        QCOMPARE(bodyText(module), std::string("for i in range(4):\n    for j in range(i):\n"
                                               "        for k in T.unroll(4):\n            A[k] = 0\n"));
        checkAgain(module);
    }

    void undeclaredBuffers()
    {
        // Views left by flattening: one of an A that nothing declares, and one of an allocation.
        const Buffer a("A", {4, 4});
        ir::BufferNode flat = *a.get();
        flat.shape = {16};
        const Buffer view(flat);
        ir::BufferNode inner;
        inner.name = "buf";
        inner.data = Var("buf", DataType::handle());
        inner.shape = {4};
        inner.dtype = DataType::float32();
        inner.scope = "local";
        const Buffer temporary(inner);
        ir::Allocate allocate;
        allocate.data = inner.data;
        allocate.dtype = inner.dtype;
        allocate.extents = {4};
        allocate.scope = "local";
        allocate.body = ir::seq({ir::store(temporary, ir::load(view, {3}), {0}), ir::store(view, 1.0F, {2})});
        const ir::Module module = moduleOf(ir::make(std::move(allocate)), {bufferParam(a)});
        QCOMPARE(bodyText(module), std::string("A_1 = T.Buffer((16,), data=A.data)\n"
                                               "buf = T.allocate([4], \"float32\", \"local\")\n"
                                               "buf_1 = T.Buffer((4,), data=buf, scope=\"local\")\n"
                                               "buf_1[0] = A_1[3]\n"
                                               "A_1[2] = T.float32(1.0)\n"));
        checkAgain(module);
    }

    void scopesThatAreNotLast()
    {
        const Var x("x");
        const Buffer a("A", {4}, DataType::int32());
        ir::LetStmt let;
        let.var = x;
        let.value = 3;
        let.body = ir::store(a, x, {0});
        ir::AttrStmt attr;
        attr.node = a->data;
        attr.key = "key";
        attr.value = ir::stringImm("v");
        attr.body = ir::store(a, 1, {0});
        ir::AssertStmt assertion;
        assertion.condition = ir::lt(ir::load(a, {0}), 3);
        assertion.message = "no";
        assertion.body = ir::store(a, 2, {0});
        const ir::Module module = moduleOf(
            ir::seq({ir::make(let), ir::make(attr), ir::make(assertion), ir::make(let)}), {bufferParam(a)});
        QCOMPARE(bodyText(module), std::string("with T.LetStmt(3) as x:\n    A[0] = x\n"
                                               "with T.attr(A.data, \"key\", \"v\"):\n    A[0] = 1\n"
                                               "with T.Assert(A[0] < 3, \"no\"):\n    A[0] = 2\n"
                                               "x: T.int32 = 3\nA[0] = x\n"));
        // The two lets share a variable, which a text cannot say of two scopes: only the form is checked.
        QVERIFY(script::parseTvmScript(script::print(module).text, "printed.py").has_value());
    }

    void functionHeads()
    {
        const Var n("n");
        Buffer dynamic("D", {n, 4}, DataType::int_(8));
        Buffer shared("S", {16}, DataType::float32(), "shared");
        ir::PrimFunc function;
        function.params = {{Var("d", DataType::handle()), dynamic},
                           {Var("s", DataType::handle()), shared},
                           {Var("count", DataType::int64()), {}},
                           {Var("raw", DataType::handle()), {}}};
        function.attrs["tir.noalias"] = ir::boolImm(true);
        function.body = ir::evaluate(n);
        const ir::Module module({{"kernel", std::make_shared<const ir::PrimFunc>(function)}});
        const std::vector<std::string> lines = linesOf(script::print(module).text);
        QCOMPARE(lines.at(5), std::string("    @T.prim_func(private=True)"));
        QCOMPARE(lines.at(6),
                 std::string("    def kernel(d: T.handle, s: T.handle, count: T.int64, raw: T.handle):"));
        QCOMPARE(lines.at(7), std::string("        T.func_attr({\"tir.noalias\": True})"));
        QCOMPARE(lines.at(8), std::string("        n = T.int32()"));
        QCOMPARE(lines.at(9), std::string("        D = T.match_buffer(d, (n, 4), \"int8\")"));
        QCOMPARE(lines.at(10), std::string("        S = T.match_buffer(s, (16,), scope=\"shared\")"));
        checkAgain(module);
        QVERIFY(
            script::print(module, Dialect::Latest).text.contains("@T.prim_func(private=True, s_tir=True)"));
        QVERIFY(script::print(module, Dialect::Latest).text.contains("{\"tirx.noalias\": True}"));
    }

    void severalFunctions()
    {
        ir::IdCounter ids;
        const ir::Module module(
            {{"f", tests::program("scalar").find("main")}, {"g", tests::program("opaque").find("main")}},
            {{"key", ir::AttrValue(std::vector<ir::AttrValue>{1, std::string("x")})}});
        const std::string text = script::print(module).text;
        QVERIFY(text.contains(
            "class Module:\n    I.module_attrs({\"key\": [1, \"x\"]})\n    @T.prim_func\n    def f("));
        QVERIFY(text.contains("\n\n    @T.prim_func\n    def g("));
        checkAgain(module);
        checkAgain(ir::Module());
    }
};

QTEST_GUILESS_MAIN(PrinterTest)
#include "printer_test.moc"
