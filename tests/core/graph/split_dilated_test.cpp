// SPDX-License-Identifier: Apache-2.0
// Dilated convolutions whose kernels reach beyond the image: what meets only padding goes, what mostly does
// stands alone.
#include "tests/core/graph/run_graph.h"
#include "tests/support/random_graph.h"

#include "core/ops/table/shapes.h"

using namespace nestwright;
using namespace nestwright::graph;

namespace {

using Ints = std::vector<std::int64_t>;

struct Sizes {
    std::int64_t channels = 64, filters = 64;
    Ints image{12, 12}, kernel{3, 3}, dilation{1, 1}, padding{0, 0, 0, 0}, strides{1, 1};
};

Function convolution(const Sizes &sizes)
{
    const ir::DataType type = ir::DataType::float32();
    Builder builder;
    const Value x =
        builder.input("x", {ops::shapeOf(Ints{1, sizes.channels, sizes.image[0], sizes.image[1]}), type});
    ir::NdArray weights(type, {sizes.filters, sizes.channels, sizes.kernel[0], sizes.kernel[1]});
    weights.fillRandom(7);
    const Value y =
        builder.call("nn.conv", {x, builder.constant(std::move(weights), "w")},
                     {{"strides", sizes.strides}, {"padding", sizes.padding}, {"dilation", sizes.dilation}});
    return builder.finish({builder.call("nn.relu", {y})}, {"y"});
}

Function optimized(const Function &function, bool withLayouts = false)
{
    PassContext context;
    context.level = 3;
    if (!withLayouts)
        context.disabled = {"alter-op-layout", "winograd-conv2d", "fuse-ops", "flatten-pointwise"};
    return optimize(function, context).value().function;
}

/// Kernels of the convolutions, and how many operators of a name.
std::vector<Ints> kernelsOf(const Function &function)
{
    std::vector<Ints> kernels;
    for (const Node &node : function.nodes) {
        if (node.op && node.op->name == "nn.conv") {
            const Ints shape = *function.typeOf(node.inputs[1]).constantShape();
            kernels.push_back({shape[2], shape[3]});
        }
    }
    return kernels;
}

int countOf(const Function &function, std::string_view op)
{
    return static_cast<int>(std::ranges::count_if(
        function.nodes, [&](const Node &node) { return node.op && node.op->name == op; }));
}

/// Empty where all ways give the same.
std::string wrongWith(const Sizes &sizes)
{
    const Function function = convolution(sizes);
    const std::vector<ir::NdArray> inputs = tests::randomInputs(function, 3);
    const auto expected = tests::interpreted(function, inputs).value();
    if (std::string wrong = tests::difference(expected, *tests::interpreted(optimized(function), inputs));
        !wrong.empty())
        return wrong;
    return tests::difference(expected, *tests::compiled(optimized(function, true), inputs));
}

} // namespace

class SplitDilatedTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void elementsBeyondTheImageGo()
    {
        const Sizes far{.image = {10, 12}, .dilation = {14, 15}, .padding = {14, 15, 14, 15}};
        QCOMPARE(kernelsOf(optimized(convolution(far))), (std::vector<Ints>{{1, 1}}));
        QCOMPARE(wrongWith(far), std::string());
        // Rows alone.
        const Sizes rows{
            .channels = 8, .filters = 8, .image = {5, 40}, .dilation = {6, 2}, .padding = {6, 2, 6, 2}};
        QCOMPARE(kernelsOf(optimized(convolution(rows))), (std::vector<Ints>{{1, 3}}));
        QCOMPARE(wrongWith(rows), std::string());
        // Padding on one side.
        const Sizes side{.channels = 8,
                         .filters = 4,
                         .image = {6, 6},
                         .kernel = {2, 2},
                         .dilation = {7, 1},
                         .padding = {7, 0, 0, 1}};
        QCOMPARE(kernelsOf(optimized(convolution(side))), (std::vector<Ints>{{1, 2}}));
        QCOMPARE(wrongWith(side), std::string());
    }

    void elementsThatMostlyMeetPaddingStandAlone()
    {
        const Sizes wide{.image = {12, 12}, .dilation = {10, 10}, .padding = {10, 10, 10, 10}};
        const Function split = optimized(convolution(wide));
        QCOMPARE(kernelsOf(split), std::vector<Ints>(9, Ints{1, 1}));
        QCOMPARE(countOf(split, "nn.pad"), 8);
        QCOMPARE(countOf(split, "add"), 8);
        QCOMPARE(wrongWith(wide), std::string());
    }

    void othersStay()
    {
        const Sizes cases[] = {
            {.dilation = {2, 2}, .padding = {2, 2, 2, 2}},
            {.dilation = {10, 10}, .padding = {10, 10, 10, 10}, .strides = {2, 2}},
            {.channels = 16, .dilation = {10, 10}, .padding = {10, 10, 10, 10}}, // too small to stand alone
            {.image = {24, 24}, .dilation = {10, 10}},                           // no padding
        };
        for (const Sizes &sizes : cases) {
            QCOMPARE(kernelsOf(optimized(convolution(sizes))), (std::vector<Ints>{sizes.kernel}));
            QCOMPARE(wrongWith(sizes), std::string());
        }
    }

    void anySizes()
    {
        tests::Random random(5);
        for (int i = 0; i < 24; ++i) {
            Sizes sizes;
            sizes.channels = random.chance(50) ? 64 : 6;
            sizes.filters = random.chance(50) ? 72 : 64;
            for (std::size_t d = 0; d < 2; ++d) {
                sizes.image[d] = random.between(3, 9);
                sizes.kernel[d] = random.between(1, 3);
                sizes.dilation[d] = random.between(1, 9);
                sizes.padding[d] = random.between(0, 10);
                sizes.padding[2 + d] = random.between(0, 10);
                while (sizes.image[d] + sizes.padding[d] + sizes.padding[2 + d]
                       <= (sizes.kernel[d] - 1) * sizes.dilation[d])
                    ++sizes.padding[2 + d];
            }
            const std::string wrong = wrongWith(sizes);
            QVERIFY2(wrong.empty(), std::format("case {}: {}", i, wrong).c_str());
        }
    }
};

QTEST_GUILESS_MAIN(SplitDilatedTest)
#include "split_dilated_test.moc"
