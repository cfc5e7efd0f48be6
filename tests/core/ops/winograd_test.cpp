// SPDX-License-Identifier: Apache-2.0
/// Convolutions by minimal filtering: what they compute, and where they are chosen.
#include "core/ops/nn/winograd.h"

#include "tests/core/ops/calls.h"

#include <QtTest>

#include <cmath>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

ir::NdArray random(const Sizes &shape, std::uint64_t seed)
{
    ir::NdArray array(ir::DataType::float32(), shape);
    array.fillRandom(seed);
    return array;
}

/// The largest difference between both ways to compute a convolution, in parts of its largest element.
double deviation(const Sizes &image, const Sizes &padding, const Sizes &dilation, std::int64_t results,
                 std::int64_t groups = 1)
{
    const ir::NdArray x = random(image, 1), w = random({2, image[1] / groups, 3, 3, image.back(), 8}, 2);
    const ir::NdArray u = ops::winogradWeights(w, *ops::Winograd::of(results));
    const auto expected =
        called("nn.blocked_conv", {x, w}, {{"padding", padding}, {"dilation", dilation}, {"groups", groups}});
    const auto actual =
        called("nn.winograd_conv", {x, u},
               {{"padding", padding}, {"dilation", dilation}, {"groups", groups}, {"results", results}});
    if (!expected || !actual || (*expected)[0].shape() != (*actual)[0].shape())
        qFatal("%s", (actual ? std::string("shapes") : actual.error().message).c_str());
    double largest = 0, worst = 0;
    for (std::int64_t i = 0; i < (*expected)[0].size(); ++i) {
        largest = std::max(largest, std::abs((*expected)[0].at(i)));
        worst = std::max(worst, std::abs((*expected)[0].at(i) - (*actual)[0].at(i)));
    }
    return worst / largest;
}

/// Of the weights 1 … 9 by F(2, 3), the element of a row and a column.
double transformed(std::int64_t row, std::int64_t column)
{
    const ir::NdArray u =
        ops::winogradWeights(counted("float32", {1, 1, 3, 3, 1, 1}, 1), *ops::Winograd::of(2));
    return u.at(row * 4 + column);
}

} // namespace

class WinogradTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void computesTheConvolution_data()
    {
        QTest::addColumn<Sizes>("image");
        QTest::addColumn<Sizes>("padding");
        QTest::addColumn<Sizes>("dilation");
        QTest::newRow("one tile") << Sizes{1, 1, 4, 4, 8} << Sizes{} << Sizes{};
        QTest::newRow("part of a tile") << Sizes{1, 1, 3, 3, 8} << Sizes{} << Sizes{};
        QTest::newRow("odd sizes") << Sizes{2, 2, 7, 9, 8} << Sizes{1, 1, 1, 1} << Sizes{};
        QTest::newRow("padding on one side") << Sizes{1, 1, 6, 5, 4} << Sizes{0, 2, 1, 0} << Sizes{1, 1};
        QTest::newRow("several parts of rows") << Sizes{1, 1, 5, 230, 4} << Sizes{1, 1, 1, 1} << Sizes{};
        QTest::newRow("dilated") << Sizes{1, 1, 11, 13, 4} << Sizes{2, 2, 2, 2} << Sizes{2, 2};
        QTest::newRow("differently dilated") << Sizes{1, 1, 9, 30, 4} << Sizes{} << Sizes{1, 7};
    }

    void computesTheConvolution()
    {
        QFETCH(Sizes, image);
        QFETCH(Sizes, padding);
        QFETCH(Sizes, dilation);
        for (const std::int64_t results : {2, 3, 4})
            QVERIFY(deviation(image, padding, dilation, results) < 5e-6);
    }

    void groupsOfChannels()
    {
        QVERIFY(deviation({1, 4, 6, 6, 4}, {1, 1, 1, 1}, {}, 2, 2) < 5e-6);
        QVERIFY(deviation({1, 2, 9, 9, 4}, {1, 1, 1, 1}, {}, 4, 2) < 5e-6);
    }

    void weightsByHand()
    {
        // G g Gᵀ with the rows (-1, 0, 0), (½, ½, ½), (½, -½, ½), (0, 0, 1) of G, the first one's sign with
        // that of Bᵀ.
        QCOMPARE(transformed(0, 0), 1.0);
        QCOMPARE(transformed(3, 3), 9.0);
        QCOMPARE(transformed(1, 1), 45.0 / 4);
        QCOMPARE(transformed(2, 2), (1.0 - 2 + 3 - 4 + 5 - 6 + 7 - 8 + 9) / 4);
        QCOMPARE(std::abs(transformed(0, 3)), 3.0);
    }

    void otherCallsAreRefused()
    {
        const ops::TensorType x = typeOf(random({1, 1, 8, 8, 8}, 1)), u = typeOf(random({1, 16, 1, 8, 8}, 1));
        const auto refused = [&](ops::Attributes attributes) {
            return typesOf("nn.winograd_conv", {x, u}, std::move(attributes)).section(": ", 1);
        };
        QCOMPARE(typesOf("nn.winograd_conv", {x, u}), "Tensor[(1, 1, 6, 6, 8), float32]");
        QCOMPARE(refused({{"results", std::int64_t{5}}}), "results must be 2, 3 or 4");
        QCOMPARE(refused({{"strides", Sizes{2, 2}}}), "strides must be 1");
        QCOMPARE(refused({{"results", std::int64_t{4}}}),
                 "the input and the kernel differ in their channels, or the kernel in its tiles");
    }

    void chosenWhereItTakesLessTime()
    {
        const auto results = [](std::int64_t size, std::int64_t channels, std::int64_t filters,
                                std::int64_t dilation = 1) {
            const auto tiles = ops::winogradTiles({.height = size,
                                                   .width = size,
                                                   .channels = channels,
                                                   .filters = filters,
                                                   .rowDilation = dilation,
                                                   .columnDilation = dilation},
                                                  target::tunedMachine());
            return tiles ? tiles->results : 0;
        };
        QCOMPARE(results(56, 64, 64), 4);
        QCOMPARE(results(7, 512, 512), 2); // more weights than work
        QCOMPARE(results(2, 64, 64), 0);
        QCOMPARE(results(28, 256, 256, 2), 4);
        QCOMPARE(results(28, 256, 256, 12), 3); // three rows and columns lie 12 apart
    }

    void rowsOfTilesTogether()
    {
        const auto parts = [](std::int64_t height, std::int64_t width, std::int64_t results) {
            const ops::WinogradTiles tiles = ops::WinogradTiles::of(height, width, results);
            return std::pair(tiles.together(), tiles.parts);
        };
        QCOMPARE(parts(14, 14, 2), std::pair(std::int64_t{49}, std::int64_t{1}));
        QCOMPARE(parts(56, 56, 4), std::pair(std::int64_t{98}, std::int64_t{2}));
        QCOMPARE(parts(224, 224, 2), std::pair(std::int64_t{112}, std::int64_t{112}));
    }
};

QTEST_APPLESS_MAIN(WinogradTest)
#include "winograd_test.moc"
