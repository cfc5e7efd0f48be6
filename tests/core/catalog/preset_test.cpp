// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/preset.h"

#include "core/analysis/kernel/counts.h"
#include "core/analysis/kernel/stage_graph.h"
#include "core/analysis/verify/verify.h"
#include "core/interp/interpreter.h"
#include "core/ir/node/equality.h"
#include "tests/support/check.h"

#include <QtTest>

#include <set>

using namespace nestwright;

namespace {

/// Runs the preset through the interpreter and through its reference on the same random arguments.
std::optional<std::string> whyNotRight(const catalog::Invocation &invocation, const interp::Sizes &sizes = {})
{
    const auto module = catalog::makeModule(invocation);
    if (!module)
        return module.error().render();
    if (const auto formed = analysis::verify(*module, analysis::Level::Block); !formed)
        return formed.error().render();
    const ir::PrimFunc &function = *module->find("main");
    auto actual = interp::makeArguments(function, 42, sizes);
    if (!actual)
        return actual.error().render();
    std::vector<ir::NdArray> expected = *actual;
    std::vector<ir::NdArray *> actualPointers, expectedPointers;
    for (std::size_t i = 0; i < actual->size(); ++i) {
        actualPointers.push_back(&(*actual)[i]);
        expectedPointers.push_back(&expected[i]);
    }
    if (const auto ran = interp::run(function, actualPointers); !ran)
        return ran.error().render();
    invocation.preset->reference(invocation.values, expectedPointers);
    return tests::whyNotClose(expected.back(), actual->back());
}

class PresetTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithItsReference_data()
    {
        QTest::addColumn<QString>("text");
        for (const char *text : {
                 "op:matmul(M=5,N=7,K=9)",
                 "op:matmul(M=1,N=1,K=1)",
                 "op:matmul(M=4,N=6,K=8,dtype=int32)",
                 "op:matmul(M=4,N=6,K=8,dtype=float64)",
                 "op:matmul_relu(M=6,N=5,K=4)",
                 "op:add_relu(M=3,N=11)",
                 "op:sigmoid(M=4,N=5)",
                 "op:row_sum(M=7,N=13)",
                 "op:softmax(M=3,N=17)",
                 "op:softmax(M=1,N=1,dtype=float64)",
                 "op:elementwise_chain(n=9)",
                 "op:elementwise_chain(n=9,dtype=int8)",
                 "op:elementwise_chain",
                 "op:conv2d(N=2,C=3,H=7,W=6,F=4)",
                 "op:conv2d(N=1,C=2,H=8,W=9,F=3,KH=3,KW=2,stride=2,padding=0)",
                 "op:conv2d(N=1,C=1,H=5,W=5,F=1,KH=5,KW=5,stride=3,padding=2)",
                 "op:conv2d(N=1,C=2,H=4,W=4,F=2,KH=1,KW=1,padding=0,dtype=float64)",
             })
            QTest::newRow(text) << text;
    }
    void agreesWithItsReference()
    {
        QFETCH(QString, text);
        const auto invocation = catalog::parseInvocation(text.toStdString());
        QVERIFY2(invocation, invocation ? "" : invocation.error().render().c_str());
        const auto why = whyNotRight(*invocation);
        QVERIFY2(!why, why ? why->c_str() : "");
    }

    void anySizeOfTheSymbolicChain()
    {
        const auto chain = catalog::parseInvocation("op:elementwise_chain()");
        QVERIFY(chain);
        for (const std::int64_t n : {1, 8, 33}) {
            const auto why = whyNotRight(*chain, {{"n", n}});
            QVERIFY2(!why, why ? why->c_str() : "");
        }
    }

    /// The canvas and the measurements speak of the same number of operations.
    void graphAndCountsAgree()
    {
        for (const catalog::Preset *preset : catalog::presets()) {
            const auto module = catalog::makeModule(
                preset->name, preset->name == "elementwise_chain" ? catalog::Settings{{"n", std::int64_t{64}}}
                                                                  : catalog::Settings());
            QVERIFY2(module, module ? "" : module.error().render().c_str());
            double flops = 0;
            for (const analysis::StageGraph::Node &node : analysis::stageGraph(*module).nodes)
                flops += node.flops;
            const analysis::Counts counts = analysis::countsOf(*module->find("main"));
            QCOMPARE(flops, counts.flops + counts.transcendental);
        }
    }

    void theTableIsComplete()
    {
        std::set<std::string_view> names;
        for (const catalog::Preset *preset : catalog::presets()) {
            QVERIFY(names.insert(preset->name).second);
            QCOMPARE(catalog::findPreset(preset->name).value(), preset);
            QVERIFY(!preset->title.empty() && !preset->summary.empty());
            for (const catalog::Parameter &parameter : preset->parameters)
                QVERIFY(!parameter.name.empty() && !parameter.help.empty());
            QVERIFY2(catalog::completeValues(*preset, {}), "the defaults are not allowed");
        }
        for (const char *name : {"matmul", "matmul_relu", "add_relu", "sigmoid", "row_sum", "conv2d",
                                 "softmax", "elementwise_chain"})
            QVERIFY(names.contains(name));
    }

    void waysOfWritingOne()
    {
        const auto expected =
            catalog::makeModule("matmul", {{"M", std::int64_t{16}}, {"dtype", ir::DataType::float_(64)}});
        QVERIFY(expected);
        for (const char *text : {"op:matmul(M=16,dtype=float64)", "op:matmul( M = 16 , dtype = \"float64\" )",
                                 "op:matmul(dtype='float64',M=16,N=1024)"}) {
            const auto invocation = catalog::parseInvocation(text);
            QVERIFY2(invocation, text);
            const auto module = catalog::makeModule(*invocation);
            QVERIFY(module && ir::structurallyEqual(*module, *expected));
        }
        QVERIFY(catalog::isInvocation("op:x") && !catalog::isInvocation("matmul.py"));
    }

    void refusals_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("part");
        const auto row = [](const char *text, const char *code, const char *part) {
            QTest::newRow(text) << text << code << part;
        };
        row("op:", "ops.syntax", "name of an operator");
        row("matmul", "ops.syntax", "op:NAME");
        row("op:matmull(M=4)", "ops.unknown-operator", "'matmul'");
        row("op:matmul(X=4)", "ops.unknown-parameter", "'M'");
        row("op:matmul(M=0)", "ops.bad-value", "at least 1");
        row("op:matmul(M=-4)", "ops.bad-value", "at least 1");
        row("op:matmul(M=many)", "ops.bad-value", "\"many\"");
        row("op:matmul(M=1.5)", "ops.bad-value", "1.5");
        row("op:matmul(M=99999999999999999999)", "ops.bad-value", "neither");
        row("op:matmul(M=float32)", "ops.bad-value", "whole number");
        row("op:matmul(dtype=4)", "ops.bad-value", "a type");
        row("op:matmul(dtype=bool)", "ops.bad-value", "bool");
        row("op:matmul(dtype=handle)", "ops.bad-value", "handle");
        row("op:matmul(dtype=float32x4)", "ops.bad-value", "float32x4");
        row("op:sigmoid(dtype=int32)", "ops.bad-value", "floating-point");
        row("op:matmul(M=4,M=5)", "ops.bad-value", "twice");
        row("op:matmul(M)", "ops.syntax", "\"=\" at column 12");
        row("op:matmul(M=4", "ops.syntax", "the end");
        row("op:matmul(M=4) x", "ops.syntax", "expected the end");
        row("op:matmul(=4)", "ops.syntax", "name of a parameter");
        row("op:conv2d(H=2,W=2,KH=9,padding=1)", "ops.bad-value", "larger than the padded image of 4×4");
    }
    void refusals()
    {
        QFETCH(QString, text);
        QFETCH(QString, code);
        QFETCH(QString, part);
        const auto invocation = catalog::parseInvocation(text.toStdString());
        QVERIFY2(!invocation, "accepted");
        QVERIFY2(invocation.error().code == code.toStdString(), invocation.error().render().c_str());
        QVERIFY2((invocation.error().message + invocation.error().hint).contains(part.toStdString()),
                 invocation.error().render().c_str());
    }
};

} // namespace

QTEST_GUILESS_MAIN(PresetTest)
#include "preset_test.moc"
