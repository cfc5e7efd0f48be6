// SPDX-License-Identifier: Apache-2.0
/// Graphs whose convolutions are computed by minimal filtering, with default schedules.
#include "core/graph/program/program.h"
#include "core/graph/strategy/strategy.h"
#include "core/ir/build/builder.h"
#include "core/schedule/state_index.h"
#include "tests/core/graph/passes.h"

#include <algorithm>

using namespace nestwright;
using namespace nestwright::graph;
using namespace nestwright::tests;

namespace {

/// A convolution of 3×3 with a bias, a residual and a relu.
Function block(const Ints &image, std::int64_t filters, const Ints &padding = {1, 1, 1, 1},
               std::int64_t dilation = 1, std::int64_t groups = 1)
{
    Builder b;
    const Value x = b.input("x", floats(image));
    const Value before = b.call("nn.relu", {x});
    const Value y =
        b.call("nn.conv", {before, weights(b, {filters, image[1] / groups, 3, 3}, 2)},
               {{"padding", padding}, {"dilation", Ints{dilation, dilation}}, {"groups", groups}});
    const Value biased = b.call("add", {y, weights(b, {filters, 1, 1}, 3)});
    const Value sum =
        filters == image[1] && padding == Ints{1, 1, 1, 1} ? b.call("add", {biased, before}) : biased;
    return b.finish({b.call("nn.relu", {sum})}, {"y"});
}

/// The default schedule of the kernel with minimal filtering.
support::Result<DefaultSchedule> scheduled(const Function &function)
{
    const auto program = makeProgram(optimizedWith(function, 3));
    if (!program)
        return support::fail(program.error());
    const auto kernel = std::ranges::find_if(
        program->kernels, [](const Kernel &each) { return each.name.contains("winograd"); });
    if (kernel == program->kernels.end())
        qFatal("no kernel with minimal filtering");
    return defaultSchedule(kernel->module, target::tunedMachine());
}

} // namespace

class WinogradRuleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void graphsKeepTheirResults_data()
    {
        QTest::addColumn<Function>("function");
        QTest::newRow("few parts") << block({1, 32, 14, 14}, 32);
        QTest::newRow("odd sizes") << block({1, 32, 13, 17}, 48);
        QTest::newRow("many parts") << block({1, 32, 70, 30}, 32);
        QTest::newRow("several images of one block of channels") << block({9, 16, 8, 8}, 16);
        QTest::newRow("several images") << block({9, 32, 8, 8}, 32);
        QTest::newRow("no padding") << block({1, 32, 18, 34}, 32, {0, 0, 0, 0});
        QTest::newRow("dilated") << block({1, 32, 28, 30}, 32, {3, 3, 3, 3}, 3);
        QTest::newRow("groups") << block({1, 64, 14, 14}, 64, {1, 1, 1, 1}, 1, 2);
        QTest::newRow("groups of one block") << block({1, 64, 14, 14}, 64, {1, 1, 1, 1}, 1, 4);
        QTest::newRow("groups of two blocks of filters") << block({2, 64, 9, 14}, 128, {1, 1, 1, 1}, 1, 4);
        QTest::newRow("groups of many parts") << block({1, 64, 70, 30}, 64, {1, 1, 1, 1}, 1, 4);
        QTest::newRow("more tiles than the cache holds") << block({1, 1200, 28, 28}, 8, {12, 12, 12, 12}, 12);
        QTest::newRow("as many for two blocks of filters")
            << block({1, 1200, 28, 28}, 32, {12, 12, 12, 12}, 12);
        QTest::newRow("padding on one side") << block({1, 32, 14, 15}, 32, {0, 2, 1, 0});
    }

    /// The rule takes a part of an image with one block of channels as it takes one with several.
    void everyStageIsInVectors()
    {
        for (const std::int64_t channels : {16, 32}) {
            const auto schedule = scheduled(block({9, channels, 8, 8}, channels));
            QVERIFY(schedule);
            const analysis::FunctionIndex &index = *schedule->state.index->function("main");
            const auto isVectorized = [&](support::StmtId id) {
                return index.loop(id)->forKind == ir::ForKind::Vectorized;
            };
            int products = 0;
            bool isByTheRule = false; // which inlines neither transform
            for (const support::StmtId id : index.all()) {
                if (!index.block(id) || id == index.root())
                    continue;
                const std::string &name = index.block(id)->name;
                isByTheRule = isByTheRule || name == "winograd_rows";
                QVERIFY2(std::ranges::any_of(index.loopsOf(id), isVectorized), name.c_str());
                if (name
                    == "winograd_products_update") { // vectors of two blocks of filters beside each other
                    const std::vector<support::StmtId> loops = index.loopsOf(id);
                    const ir::For &beside = *index.loop(loops.at(loops.size() - 2));
                    QCOMPARE(ir::isConstInt(beside.extent, 2), channels == 32);
                    QCOMPARE(beside.forKind, ir::ForKind::Unrolled);
                    ++products;
                }
            }
            QVERIFY(isByTheRule);
            QCOMPARE(products, 1);
        }
    }

    /// Tiles of a group are made where its products are: one nest for all.
    void groupsStandAlone()
    {
        const auto isOneNest = [](const Function &function) {
            const auto schedule = scheduled(function);
            return schedule && !schedule->state.module.mainEntry()->function->root()->body.as<ir::Seq>();
        };
        QVERIFY(isOneNest(block({1, 64, 14, 14}, 64, {1, 1, 1, 1}, 1, 4)));
        QVERIFY(isOneNest(block({1, 64, 14, 14}, 64, {1, 1, 1, 1}, 1, 2)));
        QVERIFY(isOneNest(block({1, 64, 14, 14}, 128, {1, 1, 1, 1}, 1, 4)));
        QVERIFY(!isOneNest(block({1, 64, 14, 14}, 64)));
    }

    void graphsKeepTheirResults()
    {
        QFETCH(Function, function);
        QCOMPARE(count(optimizedWith(function, 3, {}, "fuse-ops"), "nn.winograd_conv"), 1);
        QCOMPARE(changedBy(function, 3), std::string());
    }

    void othersStayConvolutions()
    {
        for (const Function &function : {block({1, 4, 14, 14}, 16), block({1, 64, 2, 2}, 64)})
            QCOMPARE(count(optimizedWith(function, 3, {}, "fuse-ops"), "nn.winograd_conv"), 0);
    }

    /// A block of channels may hold several groups, whatever its width.
    void groupsOfEachWidth()
    {
        for (const std::int64_t bytes : {16, 32, 64}) {
            for (const std::int64_t groups : {2, 4, 8, 16, 32}) {
                PassContext context;
                context.target.machine.vectors.bytes = bytes;
                const Function function = block({1, 64, 28, 28}, 64, {1, 1, 1, 1}, 1, groups);
                const auto optimized = optimize(function, context);
                QVERIFY2(optimized, optimized ? "" : optimized.error().render().c_str());
                const auto program = makeProgram(optimized->function, context.target.machine);
                QVERIFY2(program, program ? "" : program.error().render().c_str());
            }
        }
    }
};

QTEST_APPLESS_MAIN(WinogradRuleTest)
#include "winograd_rule_test.moc"
