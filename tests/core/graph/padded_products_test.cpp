// SPDX-License-Identifier: Apache-2.0
// Products of matrices whose sizes no tile divides, as those of a vision transformer with 197 rows.
#include "core/graph/program/program.h"
#include "core/graph/strategy/strategy.h"
#include "core/ops/table/shapes.h"
#include "core/schedule/primitive.h"
#include "tests/core/graph/run_graph.h"

using namespace nestwright;
using namespace nestwright::graph;

namespace {

using Ints = std::vector<std::int64_t>;

/// (A B) / 8, or with a row added.
Function productOf(const Ints &a, const Ints &b, bool withRow = false)
{
    Builder builder;
    const ir::DataType type = ir::DataType::float32();
    const Value x = builder.input("x", {ops::shapeOf(a), type}),
                y = builder.input("y", {ops::shapeOf(b), type});
    const Value product = builder.call("nn.matmul", {x, y});
    const Value other =
        withRow ? builder.input("row", {ops::shapeOf(Ints{b.back()}), type}) : builder.scalar(8, type);
    return builder.finish({builder.call(withRow ? "add" : "divide", {product, other})}, {"z"});
}

/// The padding that the default schedule chooses; empty where it chooses none.
Ints paddingOf(const Function &function)
{
    PassContext context;
    context.level = 1;
    auto optimized = optimize(function, context);
    const auto program = makeProgram(std::move(optimized->function));
    const auto scheduled = defaultSchedule(program->kernels.front().module, target::tunedMachine());
    for (const schedule::Step &step : scheduled->steps) {
        if (step.primitive->name != "pad_einsum")
            continue;
        Ints padding;
        for (const schedule::ArgValue &each : *step.args.at(1).as<schedule::ArgValue::List>())
            padding.push_back(*each.as<std::int64_t>());
        return padding;
    }
    return {};
}

} // namespace

class PaddedProductsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sizesAreRoundedUpWhereTheyDivideBadly()
    {
        QCOMPARE(paddingOf(productOf({197, 64}, {64, 197})), (Ints{22, 16, 1})); // rows, columns
        QCOMPARE(paddingOf(productOf({197, 64}, {64, 64})), (Ints{22, 1, 1}));
        QCOMPARE(paddingOf(productOf({48, 64}, {64, 197})), (Ints{1, 16, 1}));
        QCOMPARE(paddingOf(productOf({48, 64}, {64, 64})), Ints());   // divides well
        QCOMPARE(paddingOf(productOf({50, 64}, {64, 64})), Ints());   // well enough
        QCOMPARE(paddingOf(productOf({1, 512}, {512, 197})), Ints()); // copies would take longer than sums
        QCOMPARE(paddingOf(productOf({13, 4}, {4, 37})), Ints());     // little work
    }

    void resultsStayTheSame()
    {
        const std::pair<Ints, Ints> cases[] = {{{197, 64}, {64, 197}},   {{3, 37, 40}, {3, 40, 37}},
                                               {{53, 30}, {30, 64}},     {{61, 33}, {33, 113}},
                                               {{2, 67, 16}, {16, 131}}, {{19, 300}, {300, 23}}};
        for (const auto &[a, b] : cases) {
            for (const bool withRow : {false, true}) {
                PassContext context;
                context.level = 1;
                auto optimized = optimize(productOf(a, b, withRow), context);
                QVERIFY(optimized);
                const Function &function = optimized->function;
                std::vector<ir::NdArray> inputs;
                for (const int place : function.inputs()) {
                    inputs.emplace_back(ir::DataType::float32(),
                                        *function.at(place).types[0].constantShape());
                    inputs.back().fillRandom(inputs.size());
                }
                const auto expected = tests::interpreted(function, inputs),
                           actual = tests::compiled(function, inputs);
                QVERIFY2(expected && actual, actual ? "" : actual.error().message.c_str());
                QVERIFY(ir::compare(expected->front(), actual->front(), 1e-4, 1e-5).withinTolerance);
            }
        }
    }
};

QTEST_GUILESS_MAIN(PaddedProductsTest)
#include "padded_products_test.moc"
