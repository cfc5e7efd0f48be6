// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions, which are computed phase by phase, against their definition.
#include "core/graph/program/program.h"
#include "core/graph/strategy/strategy.h"
#include "core/ops/table/shapes.h"
#include "core/schedule/primitive.h"
#include "tests/core/graph/run_graph.h"

using namespace nestwright;
using namespace nestwright::graph;

namespace {

using Ints = std::vector<std::int64_t>;

struct Case {
    Ints x, w;
    std::int64_t groups = 1;
    Ints strides{}, padding{}, dilation{}, more{};
};

Function functionOf(const Case &c)
{
    Builder builder;
    const Value x = builder.input("x", {ops::shapeOf(c.x), ir::DataType::float32()}),
                w = builder.input("w", {ops::shapeOf(c.w), ir::DataType::float32()});
    const Value y = builder.call("nn.conv_transpose", {x, w},
                                 {{"groups", c.groups},
                                  {"strides", c.strides},
                                  {"padding", c.padding},
                                  {"dilation", c.dilation},
                                  {"output_padding", c.more}});
    return builder.finish({y}, {"y"});
}

/// Every element of the input adds to a window of the result; two spatial dimensions.
ir::NdArray spread(const Case &c, const ir::NdArray &x, const ir::NdArray &w, const Ints &shape)
{
    ir::NdArray y(ir::DataType::float32(), shape);
    const std::int64_t channels = c.x[1] / c.groups, filters = c.w[1];
    for (std::int64_t n = 0; n < c.x[0]; ++n)
        for (std::int64_t ch = 0; ch < c.x[1]; ++ch)
            for (std::int64_t f = 0; f < filters; ++f)
                for (std::int64_t i = 0; i < c.x[2] * c.x[3] * c.w[2] * c.w[3]; ++i) {
                    const std::int64_t k1 = i % c.w[3], k0 = i / c.w[3] % c.w[2], j = i / (c.w[3] * c.w[2]),
                                       x1 = j % c.x[3], x0 = j / c.x[3];
                    const std::int64_t y0 = x0 * c.strides[0] + k0 * c.dilation[0] - c.padding[0],
                                       y1 = x1 * c.strides[1] + k1 * c.dilation[1] - c.padding[1];
                    if (y0 < 0 || y0 >= shape[2] || y1 < 0 || y1 >= shape[3])
                        continue;
                    const std::int64_t at =
                        ((n * shape[1] + ch / channels * filters + f) * shape[2] + y0) * shape[3] + y1;
                    y.set(at, y.at(at)
                                  + x.at(((n * c.x[1] + ch) * c.x[2] + x0) * c.x[3] + x1)
                                        * w.at(((ch * filters + f) * c.w[2] + k0) * c.w[3] + k1));
                }
    return y;
}

} // namespace

class TransposedConvolutionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void asDefined()
    {
        const Case cases[] = {
            {{1, 2, 3, 4}, {2, 3, 3, 3}, 1, {1, 1}, {0, 0, 0, 0}, {1, 1}, {0, 0}},
            {{1, 2, 3, 4}, {2, 3, 2, 2}, 1, {2, 2}, {0, 0, 0, 0}, {1, 1}, {0, 0}},
            {{2, 2, 3, 4}, {2, 3, 4, 4}, 1, {2, 2}, {1, 1, 1, 1}, {1, 1}, {0, 0}},
            {{1, 2, 3, 4}, {2, 3, 3, 5}, 1, {2, 3}, {1, 0, 2, 1}, {1, 1}, {1, 2}},
            {{1, 4, 3, 3}, {4, 2, 3, 2}, 2, {2, 4}, {0, 1, 1, 0}, {1, 1}, {0, 0}},
            {{1, 4, 5, 5}, {4, 1, 2, 3}, 4, {1, 2}, {0, 0, 1, 1}, {3, 1}, {0, 1}},
            {{1, 2, 4, 4}, {2, 2, 3, 2}, 1, {2, 3}, {2, 1, 2, 0}, {3, 2}, {1, 0}},
            {{1, 1, 1, 3}, {1, 2, 1, 1}, 1, {3, 2}, {0, 0, 0, 0}, {1, 1}, {2, 1}},
            {{1, 2, 4, 4}, {2, 2, 5, 5}, 1, {2, 2}, {4, 3, 4, 4}, {1, 1}, {0, 0}},
        };
        for (const Case &each : cases) {
            const Function function = functionOf(each);
            ir::NdArray x(ir::DataType::float32(), each.x), w(ir::DataType::float32(), each.w);
            x.fillRandom(1);
            w.fillRandom(2);
            const ir::NdArray expected = spread(each, x, w, *function.typeOf({2, 0}).constantShape());
            const auto slow = tests::interpreted(function, {x, w}), fast = tests::compiled(function, {x, w});
            QVERIFY2(slow && fast, slow ? "" : slow.error().message.c_str());
            QVERIFY(ir::compare(expected, slow->front(), 1e-5, 1e-6).withinTolerance);
            QVERIFY(ir::compare(expected, fast->front(), 1e-5, 1e-6).withinTolerance);
        }
    }

    /// The sums are tiled and vectorized whatever follows, and no element is asked whether it is reached.
    void sumsOfPhasesAreTiled()
    {
        Builder builder;
        const Value x = builder.input("x", {ops::shapeOf(Ints{1, 8, 16, 16}), ir::DataType::float32()}),
                    w = builder.input("w", {ops::shapeOf(Ints{8, 8, 2, 2}), ir::DataType::float32()});
        const Value y = builder.call("nn.conv_transpose", {x, w}, {{"strides", Ints{2, 2}}});
        const auto program = makeProgram(builder.finish({builder.call("nn.relu", {y})}, {"y"}));
        QVERIFY(program);
        const auto scheduled = defaultSchedule(program->kernels.front().module, target::tunedMachine());
        QVERIFY(scheduled);
        const auto count = [&](std::string_view primitive) {
            return std::ranges::count(scheduled->steps, primitive,
                                      [](const schedule::Step &step) { return step.primitive->name; });
        };
        QCOMPARE(count("decompose_reduction"), 1);
        QVERIFY(count("vectorize") >= 3);
    }
};

QTEST_GUILESS_MAIN(TransposedConvolutionTest)
#include "transposed_convolution_test.moc"
