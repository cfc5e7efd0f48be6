// SPDX-License-Identifier: Apache-2.0
/// Graphs whose convolutions are computed by minimal filtering, with default schedules.
#include "core/graph/strategy/strategy.h"
#include "tests/core/graph/passes.h"

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
        QTest::newRow("several images") << block({9, 32, 8, 8}, 32);
        QTest::newRow("no padding") << block({1, 32, 18, 34}, 32, {0, 0, 0, 0});
        QTest::newRow("dilated") << block({1, 32, 28, 30}, 32, {3, 3, 3, 3}, 3);
        QTest::newRow("groups") << block({1, 64, 14, 14}, 64, {1, 1, 1, 1}, 1, 2);
        QTest::newRow("more tiles than the cache holds") << block({1, 1200, 28, 28}, 8, {12, 12, 12, 12}, 12);
        QTest::newRow("padding on one side") << block({1, 32, 14, 15}, 32, {0, 2, 1, 0});
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
};

QTEST_APPLESS_MAIN(WinogradRuleTest)
#include "winograd_rule_test.moc"
