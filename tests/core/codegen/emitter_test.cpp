// SPDX-License-Identifier: Apache-2.0
// Text from the emitter of the C family: operators with as few parentheses as they need, names, spans.
#include "core/codegen/c_family.h"
#include "core/ir/build/builder.h"

#include <QtTest>

using namespace nestwright;
using codegen::CFamilyEmitter;
using codegen::CodeWriter;
using codegen::Parameter;
using ir::Expr;

namespace {

const ir::Buffer target("T", {Expr(64)}, ir::DataType::int32());
const ir::Buffer floats("F", {Expr(64)});
const ir::Var i("i"), j("j");

/// The right-hand side of a store of `value`.
std::string written(const Expr &value)
{
    const ir::Buffer &buffer = value.dtype().isFloating() ? floats : target;
    CFamilyEmitter emitter;
    const std::vector<Parameter> parameters{{target->data, ir::DataType::int32(), "T", true, true},
                                            {floats->data, ir::DataType::float32(), "F", true, true},
                                            {i, ir::DataType::int32(), "i", false, false},
                                            {j, ir::DataType::int32(), "j", false, false}};
    const std::string text = emitter.body(ir::store(buffer, value, {Expr(0)}), parameters).text();
    const std::size_t start = text.find(" = ") + 3;
    return text.substr(start, text.find(';', start) - start);
}

} // namespace

class EmitterTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void operators_data()
    {
        QTest::addColumn<QString>("actual");
        const auto row = [](const char *expected, const Expr &e) {
            QTest::newRow(expected) << QString::fromStdString(written(e));
        };
        const Expr a = i, b = j;
        row("i + j * 3", a + b * 3);
        row("(i + j) * 3", (a + b) * 3);
        row("i - (j - 3)", ir::binaryNode(ir::BinaryOp::Sub, a, b - 3));
        row("i - j - 3", ir::binaryNode(ir::BinaryOp::Sub, a - b, Expr(3)));
        row("i - -3", ir::binaryNode(ir::BinaryOp::Sub, a, Expr(-3)));
        row("i < j ? i : j + 1", ir::select(ir::lt(a, b), a, b + 1));
        row("i < j && (i == 3 || j == 4) ? 1 : 0",
            ir::select(ir::logicalAnd(ir::lt(a, b), ir::logicalOr(ir::eq(a, Expr(3)), ir::eq(b, Expr(4)))),
                       Expr(1), Expr(0)));
        row("(i < j && i == 3) || j == 4 ? 1 : 0",
            ir::select(ir::logicalOr(ir::logicalAnd(ir::lt(a, b), ir::eq(a, Expr(3))), ir::eq(b, Expr(4))),
                       Expr(1), Expr(0)));
        row("nw_floordiv_i64(i, 4, NULL)", ir::floorDiv(a, Expr(4)));
        row("i / 4", ir::truncDiv(a, Expr(4)));
        row("nw_floormod_i64(i, j, &nw_error)", ir::floorMod(a, b));
        row("(int32_t)nw_min_i64(i, j)", ir::min(a, b));
        row("(float)i * 0.5f", ir::cast(ir::DataType::float32(), a) * 0.5F);
        row("(float)(i + j)", ir::cast(ir::DataType::float32(), a + b));
        row("1e-20f", Expr(1e-20F));
        row("-2.0f", Expr(-2.0F));
        row("expf(F[i + 1])", ir::call(ir::DataType::float32(), "exp", {ir::load(floats, {a + 1})}));
        // Data may overflow, which only unsigned arithmetic allows.
        row("(int32_t)((uint32_t)T[i] + (uint32_t)T[j])", ir::load(target, {a}) + ir::load(target, {b}));
    }
    void operators()
    {
        QFETCH(QString, actual);
        QCOMPARE(actual, QString(QTest::currentDataTag()));
    }

    void floorsOfWhatIsNotNegativeAreDivisions()
    {
        CFamilyEmitter emitter;
        const ir::Var loop("loop");
        const ir::Stmt body =
            ir::serialFor(loop, 64, ir::store(target, ir::floorDiv(Expr(loop), Expr(4)), {Expr(loop)}));
        const std::string text =
            emitter.body(body, {{target->data, ir::DataType::int32(), "T", true, true}}).text();
        QVERIFY(text.contains("T[loop] = loop / 4;"));
        QVERIFY(emitter.helperDefinitions().empty());
    }

    /// Numbers of 16 bits are passed as their bits.
    void scalarsByTheirType()
    {
        for (const auto &[type, expected] : {std::pair{ir::DataType::float32(), "F[0] = x;"},
                                             std::pair{ir::DataType::float_(16), "F[0] = nw_from_"}}) {
            const ir::Var x("x", type);
            CFamilyEmitter emitter;
            const std::string text =
                emitter
                    .body(ir::store(floats, ir::cast(ir::DataType::float32(), x), {Expr(0)}),
                          {{floats->data, ir::DataType::float32(), "F", true, true},
                           {x, type, "x", false, false}})
                    .text();
            QVERIFY2(text.contains(expected), text.c_str());
        }
    }

    void namesAreValidAndDifferent()
    {
        codegen::CNames names;
        const ir::Var first("x"), second("x"), keyword("for"), odd("a.b-c"), digit("0");
        QCOMPARE(names.of(first), "x");
        QCOMPARE(names.of(second), "x_1");
        QCOMPARE(names.of(first), "x");
        QCOMPARE(names.of(keyword), "for_1");
        QCOMPARE(names.of(odd), "a_b_c");
        QCOMPARE(names.of(digit), "v0");
        for (const char *word : {"abs", "yn", "int", "nw", "lane", "while"})
            QCOMPARE(codegen::isReservedWord(word), std::string(word) != "nw");
    }

    void spansNest()
    {
        CodeWriter inner(1), outer;
        outer.begin({1});
        outer.line("for {");
        inner.begin({2});
        inner.line("a;");
        inner.line("b;");
        inner.end({2});
        outer.append(inner);
        outer.line("}");
        outer.end({1});
        outer.begin({3});
        outer.end({3}); // nothing was written
        QCOMPARE(outer.text(), "for {\n    a;\n    b;\n}\n");
        const std::vector<script::LineSpan> expected{{{1}, 0, 3}, {{2}, 1, 2}};
        QVERIFY(outer.spans() == expected);
    }
};

QTEST_GUILESS_MAIN(EmitterTest)
#include "emitter_test.moc"
