// SPDX-License-Identifier: Apache-2.0
#include "core/ir/node/equality.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <limits>

using namespace nestwright;
using ir::Buffer;
using ir::DataType;
using ir::Expr;
using ir::Stmt;
using ir::Var;

namespace {

ir::Module moduleOf(Stmt body, std::vector<ir::Param> params = {})
{
    ir::PrimFunc function;
    function.params = std::move(params);
    function.body = std::move(body);
    return ir::Module({{"main", std::make_shared<const ir::PrimFunc>(std::move(function))}});
}

ir::Param bufferParam(const Buffer &buffer) { return {Var("handle", DataType::handle()), buffer}; }

std::string replaced(std::string text, const std::string &from, const std::string &to)
{
    const std::size_t at = text.find(from);
    if (at == std::string::npos)
        qFatal("'%s' is not in the text", from.c_str());
    return text.replace(at, from.size(), to);
}

} // namespace

class EqualityTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesDoNotCount()
    {
        std::string text(tests::programText("matmul"));
        for (const auto &[from, to] :
             std::vector<std::pair<std::string, std::string>>{{"vi", "first"},
                                                              {"vj", "second"},
                                                              {"A", "Left"},
                                                              {"block(\"C\")", "block(\"other\")"},
                                                              {"def main", "def f"}}) {
            std::string renamed = text;
            for (std::size_t at = 0; (at = renamed.find(from, at)) != std::string::npos; at += to.size())
                renamed.replace(at, from.size(), to);
            const ir::Module a = tests::parsed(text), b = tests::parsed(renamed);
            QVERIFY2(ir::structurallyEqual(a, b), from.c_str());
            QCOMPARE(ir::structuralHash(a), ir::structuralHash(b));
        }
    }

    void everythingElseCounts_data()
    {
        QTest::addColumn<std::string>("from");
        QTest::addColumn<std::string>("to");
        QTest::addColumn<std::string>("where");
        const auto row = [](const char *from, const char *to, const char *where) {
            QTest::newRow(to) << std::string(from) << std::string(to) << std::string(where);
        };
        row("T.grid(128, 128, 128)", "T.grid(128, 64, 128)", "loop 'j'");
        row("T.grid(128, 128, 128)", "T.grid(T.int64(128), 128, 128)", "loop 'i'");
        row("\"SSR\"", "\"SRR\"", "iter");
        row("[i, j, k]", "[j, i, k]", "block 'C'");
        row("T.reads(A[vi, vk], B[vk, vj])", "T.reads(A[vi, vk])", "block 'C'");
        row("T.reads(A[vi, vk], B[vk, vj])", "T.reads(B[vk, vj], A[vi, vk])", "block 'C'");
        row("T.writes(C[vi, vj])", "T.writes(C[vi, 0:128])", "region");
        row("T.writes(C[vi, vj])", "T.writes(C[vi, vj])\n            T.where(i < 100)", "block 'C'");
        row("T.writes(C[vi, vj])", "T.writes(C[vi, vj])\n            T.block_attr({\"a\": 1})", "block 'C'");
        row("C[vi, vj] = T.float32(0)", "C[vi, vj] = T.float32(1)", "store");
        row("C[vi, vj] = T.float32(0)", "C[vi, vj] = T.float32(-0.0)", "store");
        row("C[vi, vj] + A[vi, vk]", "C[vi, vj] - A[vi, vk]", "store");
        row("C[vi, vj] + A[vi, vk] * B[vk, vj]", "C[vi, vj] + B[vk, vj] * A[vi, vk]", "store");
        row("B[vk, vj]\n", "B[vj, vk]\n", "load");
        row("\"tir.noalias\": True", "\"tir.noalias\": False", "annotation");
        row("\"tir.noalias\": True", "\"tir.other\": True", "annotation");
        row("A: T.Buffer((128, 128), \"float32\")", "A: T.Buffer((128, 128), \"float16\")", "buffer 'A'");
        row("A: T.Buffer((128, 128), \"float32\")", "A: T.Buffer((128, 256), \"float32\")", "buffer 'A'");
        row("for i, j, k in T.grid(128, 128, 128):",
            "for i in T.parallel(128):\n      for j, k in T.grid(128, 128):", "loop 'i'");
    }
    void everythingElseCounts()
    {
        QFETCH(std::string, from);
        QFETCH(std::string, to);
        QFETCH(std::string, where);
        const std::string text(tests::programText("matmul"));
        const ir::Module a = tests::parsed(text), b = tests::parsed(replaced(text, from, to));
        QVERIFY(!ir::structurallyEqual(a, b));
        QVERIFY(!ir::structurallyEqual(b, a));
        const auto difference = ir::firstDifference(a, b);
        QVERIFY2(difference->contains(where), difference->c_str());
        QVERIFY(ir::structuralHash(a) != ir::structuralHash(b));
    }

    void buffersCount_data()
    {
        QTest::addColumn<std::string>("arguments");
        for (const char *arguments : {"(16, 16), \"float16\"", "(16, 8)", "(16, 16), scope=\"shared\"",
                                      "(16, 16), align=128", "(16, 16), offset_factor=8, elem_offset=0",
                                      "(16, 16), elem_offset=8", "(16, 16), elem_offset=T.int64(0)",
                                      "(16, 16), strides=[16, 1]", "(16, 16), axis_separators=[1]"})
            QTest::newRow(arguments) << std::string(arguments);
    }
    void buffersCount()
    {
        QFETCH(std::string, arguments);
        const auto program = [](const std::string &declaration) {
            return tests::parsed("@T.prim_func\ndef main(n: T.int32):\n    A = T.alloc_buffer(" + declaration
                                 + ")\n    T.evaluate(A.data)\n");
        };
        QVERIFY(ir::structurallyEqual(program(arguments), program(arguments)));
        QVERIFY(!ir::structurallyEqual(program("(16, 16)"), program(arguments)));
    }
    void noOffsetIsZeroInTheTypeOfTheFirstDimension()
    {
        const auto program = [](const std::string &declaration) {
            return tests::parsed("@T.prim_func\ndef main(n: T.int32):\n    A = T.alloc_buffer(" + declaration
                                 + ")\n    T.evaluate(A.data)\n");
        };
        const auto same = [&](const char *a, const char *b) {
            return ir::structurallyEqual(program(a), program(b));
        };
        QVERIFY(same("(4, 4)", "(4, 4), elem_offset=0"));
        QVERIFY(same("(T.int64(4),)", "(T.int64(4),), elem_offset=T.int64(0)"));
        QVERIFY(!same("(T.int64(4),)", "(T.int64(4),), elem_offset=0"));
        QVERIFY(same("()", "(), elem_offset=T.int64(0)"));
    }

    void freeVariablesMatchOneToOne()
    {
        const Var x("x"), y("y"), z("z");
        const auto sum = [](const Expr &a, const Expr &b) {
            return moduleOf(ir::evaluate(ir::binaryNode(ir::BinaryOp::Add, a, b)));
        };
        QVERIFY(ir::structurallyEqual(sum(x, y), sum(y, z)));
        QVERIFY(ir::structurallyEqual(sum(x, y), sum(y, x)));
        QVERIFY(!ir::structurallyEqual(sum(x, y), sum(x, x)));
        QVERIFY(!ir::structurallyEqual(sum(x, x), sum(x, y)));
        QVERIFY(!ir::structurallyEqual(sum(x, y), sum(z, z)));
        QVERIFY(!ir::structurallyEqual(sum(x, x), sum(z, y)));
        QCOMPARE(ir::structuralHash(sum(x, y)), ir::structuralHash(sum(y, z)));
        // In an expression alone a variable is only itself.
        QVERIFY(ir::structurallyEqual(x + y, x + y));
        QVERIFY(!ir::structurallyEqual(x + y, y + x));
        QVERIFY(!ir::structurallyEqual(x + y, x + z));
    }

    void freeBuffersMatchOneToOne()
    {
        const Buffer a("A", {4}), b("B", {4}), c("C", {4});
        const auto sum = [](const Buffer &x, const Buffer &y) {
            return moduleOf(ir::evaluate(ir::load(x, {0}) + ir::load(y, {1})));
        };
        QVERIFY(ir::structurallyEqual(sum(a, b), sum(b, c)));
        QVERIFY(!ir::structurallyEqual(sum(a, b), sum(a, a)));
        QVERIFY(!ir::structurallyEqual(sum(a, a), sum(a, b)));
    }

    void aliasingCounts()
    {
        const Buffer a("A", {4}), b("B", {4});
        ir::BufferNode aliased = *b.get();
        aliased.data = a->data;
        const Buffer alias(aliased);
        const Stmt body = ir::evaluate(0);
        const ir::Module apart = moduleOf(body, {bufferParam(a), bufferParam(b)});
        const ir::Module shared = moduleOf(body, {bufferParam(a), bufferParam(alias)});
        QVERIFY(!ir::structurallyEqual(apart, shared));
        QVERIFY(!ir::structurallyEqual(shared, apart));
        QVERIFY(ir::structurallyEqual(shared, shared));
    }

    void variablesBoundTwice()
    {
        // One variable bound by two loops in turn equals two variables bound by one loop each.
        const Var i("i"), j("j");
        const auto loops = [](const Var &first, const Var &second) {
            return moduleOf(ir::seq({ir::serialFor(first, 4, ir::evaluate(first + 1)),
                                     ir::serialFor(second, 4, ir::evaluate(second + 2))}));
        };
        QVERIFY(ir::structurallyEqual(loops(i, i), loops(i, j)));
        QVERIFY(ir::structurallyEqual(loops(i, j), loops(j, i)));
        QCOMPARE(ir::structuralHash(loops(i, i)), ir::structuralHash(loops(i, j)));
    }

    void orderOfFunctionsDoesNotCount()
    {
        const ir::Function f = tests::program("row_sum").find("main"),
                           g = tests::program("scalar").find("main");
        const ir::Module a({{"f", f}, {"g", g}}), b({{"g", g}, {"f", f}}), c({{"f", g}, {"g", f}});
        QVERIFY(ir::structurallyEqual(a, b));
        QCOMPARE(ir::structuralHash(a), ir::structuralHash(b));
        QVERIFY(!ir::structurallyEqual(a, c));
        QVERIFY(!ir::structurallyEqual(a, ir::Module({{"f", f}})));
        QVERIFY(ir::firstDifference(a, ir::Module({{"f", f}, {"h", g}}))->contains("'g'"));
        QVERIFY(ir::structurallyEqual(ir::Module({{"f", f}}), ir::Module({{"g", f}})));
        QVERIFY(
            !ir::structurallyEqual(ir::Module({{"f", f}}, {{"a", 1}}), ir::Module({{"f", f}}, {{"a", 2}})));
    }

    void expressions()
    {
        const Var i("i"), v("v"), w("w");
        QVERIFY(ir::structurallyEqual(ir::let(v, i, v + 1), ir::let(w, i, w + 1)));
        QVERIFY(!ir::structurallyEqual(ir::let(v, i, v + 1), ir::let(w, i, i + 1)));
        QVERIFY(!ir::structurallyEqual(ir::let(v, i, i + 1), ir::let(w, i, w + 1)));
        QVERIFY(!ir::structurallyEqual(Expr(1), ir::intImm(1, DataType::int64())));
        QVERIFY(!ir::structurallyEqual(Expr(1), Expr(1.0F)));
        QVERIFY(!ir::structurallyEqual(Expr(1), ir::boolImm(true)));
        QVERIFY(ir::structurallyEqual(Expr(std::numeric_limits<float>::quiet_NaN()),
                                      Expr(std::numeric_limits<float>::quiet_NaN())));
        QVERIFY(!ir::structurallyEqual(ir::stringImm("a"), ir::stringImm("b")));
        QVERIFY(!ir::structurallyEqual(ir::ramp(i, 1, 4), ir::ramp(i, 1, 8)));
        QVERIFY(!ir::structurallyEqual(ir::ramp(i, 1, 4), ir::ramp(i, 2, 4)));
        QVERIFY(!ir::structurallyEqual(ir::cast(DataType::int64(), i), i));
        QVERIFY(
            !ir::structurallyEqual(ir::callIntrinsic("exp", {Expr(v)}), ir::callIntrinsic("log", {Expr(v)})));
        QVERIFY(ir::structurallyEqual(Expr(), Expr()));
        QVERIFY(!ir::structurallyEqual(Expr(), Expr(1)));
        QVERIFY(!ir::structurallyEqual(Expr(1), Expr()));
    }

    void partsOnOneSideOnly()
    {
        const Stmt one = ir::evaluate(1);
        const auto choice = [&](const Stmt &otherwise) {
            ir::IfThenElse node;
            node.condition = ir::boolImm(true);
            node.thenCase = one;
            node.elseCase = otherwise;
            return moduleOf(ir::make(std::move(node)));
        };
        QVERIFY(ir::structurallyEqual(choice({}), choice({})));
        QVERIFY(!ir::structurallyEqual(choice({}), choice(one)));
        QVERIFY(!ir::structurallyEqual(choice(one), choice({})));
        const Buffer a("A", {4});
        const ir::Param plain{ir::Var("A", DataType::handle()), {}};
        QVERIFY(ir::structurallyEqual(moduleOf(one, {plain}), moduleOf(one, {plain})));
        QVERIFY(!ir::structurallyEqual(moduleOf(one, {plain}), moduleOf(one, {bufferParam(a)})));
        QVERIFY(!ir::structurallyEqual(moduleOf(one, {bufferParam(a)}), moduleOf(one, {plain})));
    }

    /// In an expression alone a buffer is only itself.
    void buffersOfExpressions()
    {
        const Buffer a("A", {4}), b("B", {4});
        QVERIFY(ir::structurallyEqual(ir::load(a, {0}), ir::load(a, {0})));
        QVERIFY(!ir::structurallyEqual(ir::load(a, {0}), ir::load(b, {0})));
    }

    void thePathToADifference()
    {
        const auto program = [](const char *value) {
            return tests::parsed(std::string("@T.prim_func\ndef main(A: T.Buffer((4,), \"float32\")):\n"
                                             "    for i in range(4):\n        A[i] = T.float32(1)\n"
                                             "        A[i] = T.float32(")
                                 + value + ")\n");
        };
        QCOMPARE(ir::firstDifference(program("2"), program("3")).value_or(""),
                 std::string("main: loop 'i'.seq[1].store: constants differ"));
    }

    void wholePrograms()
    {
        for (const tests::Program &a : tests::programs()) {
            for (const tests::Program &b : tests::programs())
                QCOMPARE(ir::structurallyEqual(tests::program(a.name), tests::program(b.name)),
                         a.name == b.name);
        }
    }
};

QTEST_GUILESS_MAIN(EqualityTest)
#include "equality_test.moc"
