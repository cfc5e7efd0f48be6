// SPDX-License-Identifier: Apache-2.0
/// Operators with windows whose answers are counted by hand.
#include "tests/core/ops/calls.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

const char *const floats = "float32";

} // namespace

class WindowTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void positionsOfTheLargestElements()
    {
        const ir::NdArray x = tensor(floats, {1, 1, 3, 3}, {1, 5, 2, 9, 0, 3, 4, 4, 8});
        QCOMPARE(answer("nn.max_pool_position", {x}, {{"kernel", Sizes{2, 2}}}),
                 "int64 (1, 1, 2, 2): 3 1 3 8");
        // Counted along the first spatial dimension first: column · 3 + row.
        QCOMPARE(answer("nn.max_pool_position", {x}, {{"kernel", Sizes{2, 2}}, {"column_major", true}}),
                 "int64 (1, 1, 2, 2): 1 3 1 8");
        QCOMPARE(answer("nn.max_pool_position", {x},
                        {{"kernel", Sizes{2, 2}}, {"padding", Sizes{1, 1, 0, 0}}, {"strides", Sizes{2, 2}}}),
                 "int64 (1, 1, 2, 2): 0 1 3 8");
    }

    void positionsCountOverBatchAndChannels()
    {
        const ir::NdArray x = tensor(floats, {2, 2, 2}, {1, 2, 4, 3, 5, 6, 8, 7});
        QCOMPARE(answer("nn.max_pool_position", {x}, {{"kernel", Sizes{2}}}), "int64 (2, 2, 1): 1 2 5 6");
    }

    void ofEqualElementsTheFirstIsTaken()
    {
        const ir::NdArray x = tensor(floats, {1, 1, 4}, {7, 7, 7, 7});
        QCOMPARE(answer("nn.max_pool_position", {x}, {{"kernel", Sizes{3}}}), "int64 (1, 1, 2): 0 1");
    }

    void positionsInBlocksAreRefused()
    {
        QCOMPARE(answer("nn.max_pool_position", {counted(floats, {1, 1, 4, 2})},
                        {{"kernel", Sizes{2}}, {"blocked", true}}),
                 "positions in blocks of channels are not supported");
    }

    void poolsOfBlockedChannels()
    {
        // Two channels side by side: those of even and of odd numbers.
        const ir::NdArray x = counted(floats, {1, 1, 4, 2});
        QCOMPARE(answer("nn.max_pool", {x}, {{"kernel", Sizes{2}}, {"blocked", true}}),
                 "float32 (1, 1, 3, 2): 2 3 4 5 6 7");
        QCOMPARE(answer("nn.avg_pool", {x}, {{"kernel", Sizes{2}}, {"strides", Sizes{2}}, {"blocked", true}}),
                 "float32 (1, 1, 2, 2): 1 2 5 6");
        QCOMPARE(answer("nn.max_pool", {x}, {{"kernel", Sizes{2}}}),
                 "\"nn.max_pool\": the input must have 3 dimensions, not 4");
    }

    void meansOfWhatLiesInside()
    {
        const ir::NdArray x = counted(floats, {1, 1, 4}, 1); // 1 2 3 4
        const ops::Attributes oneBefore{{"kernel", Sizes{3}}, {"padding", Sizes{1, 0}}},
            oneBehind{{"kernel", Sizes{3}}, {"padding", Sizes{0, 1}}};
        QCOMPARE(answer("nn.avg_pool", {x}, oneBefore), "float32 (1, 1, 3): 1.5 2 3");
        QCOMPARE(answer("nn.avg_pool", {x}, oneBehind), "float32 (1, 1, 3): 2 3 3.5");
        ops::Attributes counting = oneBefore;
        counting.emplace("count_include_pad", true);
        QCOMPARE(answer("nn.avg_pool", {x}, counting), "float32 (1, 1, 3): 1 2 3");
    }

    void windowsThatAreRoundedUp()
    {
        const ir::NdArray x = counted(floats, {1, 1, 4}, 1);
        const ops::Attributes up{{"kernel", Sizes{3}}, {"strides", Sizes{2}}, {"ceil_mode", true}};
        QCOMPARE(answer("nn.max_pool", {x}, up), "float32 (1, 1, 2): 3 4");
        QCOMPARE(answer("nn.avg_pool", {x}, up), "float32 (1, 1, 2): 2 3.5");
        ops::Attributes down = up;
        down["ceil_mode"] = false;
        QCOMPARE(answer("nn.max_pool", {x}, down), "float32 (1, 1, 1): 3");
        // A window that would begin behind the input is left out.
        QCOMPARE(
            answer(
                "nn.max_pool", {x},
                {{"kernel", Sizes{2}}, {"strides", Sizes{2}}, {"padding", Sizes{0, 1}}, {"ceil_mode", true}}),
            "float32 (1, 1, 2): 2 4");
        QCOMPARE(answer("nn.max_pool", {counted(floats, {1, 1, 5}, 1)},
                        {{"kernel", Sizes{1}}, {"strides", Sizes{4}}, {"ceil_mode", true}}),
                 "float32 (1, 1, 2): 1 5");
    }

    void halvesAreSummedUpIn32Bits()
    {
        // In float16 2048 + 1 stays 2048.
        const ir::NdArray x = tensor("float16", {1, 1, 4}, {2048, 1, 1, 2});
        QCOMPARE(answer("nn.avg_pool", {x}, {{"kernel", Sizes{4}}}), "float16 (1, 1, 1): 513");
    }

    void foldedColumns()
    {
        // Columns of windows of 2: windows (1, 2), (3, 4), (5, 6) at 0, 1, 2; they overlap by one.
        const ir::NdArray columns = tensor(floats, {1, 2, 3}, {1, 3, 5, 2, 4, 6});
        QCOMPARE(answer("image.fold", {columns}, {{"kernel", Sizes{2}}, {"image", Sizes{4}}}),
                 "float32 (1, 1, 4): 1 5 9 6");
        QCOMPARE(answer("image.fold", {columns},
                        {{"kernel", Sizes{2}}, {"image", Sizes{6}}, {"strides", Sizes{2}}}),
                 "float32 (1, 1, 6): 1 2 3 4 5 6");
        QCOMPARE(answer("image.fold", {columns},
                        {{"kernel", Sizes{2}}, {"image", Sizes{5}}, {"dilation", Sizes{2}}}),
                 "float32 (1, 1, 5): 1 3 7 4 6");
        QCOMPARE(answer("image.fold", {columns},
                        {{"kernel", Sizes{2}}, {"image", Sizes{3}}, {"padding", Sizes{1, 0}}}),
                 "float32 (1, 1, 3): 5 9 6");
    }

    void foldedRowsAndColumns()
    {
        // Four windows of 2×2 that do not overlap, each filled with its number.
        const ir::NdArray columns =
            tensor(floats, {1, 4, 4}, {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4});
        QCOMPARE(answer("image.fold", {columns},
                        {{"kernel", Sizes{2, 2}}, {"image", Sizes{4, 4}}, {"strides", Sizes{2, 2}}}),
                 "float32 (1, 1, 4, 4): 1 1 2 2 1 1 2 2 3 3 4 4 3 3 4 4");
    }

    void foldsThatDoNotFit()
    {
        const auto folded = [](const Sizes &shape, ops::Attributes given) {
            return answer("image.fold", {counted(floats, shape)}, std::move(given));
        };
        QCOMPARE(folded({1, 2, 3}, {{"kernel", Sizes{2}}, {"image", Sizes{4, 4}}}),
                 "\"image.fold\": image and kernel differ in their dimensions");
        QCOMPARE(folded({1, 2, 3}, {{"kernel", Sizes{2}}, {"image", Sizes{5}}}),
                 "\"image.fold\": Tensor[(1, 2, 3), float32] does not hold 4 windows of 2 elements");
        QCOMPARE(folded({1, 3, 3}, {{"kernel", Sizes{2}}, {"image", Sizes{4}}}),
                 "\"image.fold\": Tensor[(1, 3, 3), float32] does not hold 3 windows of 2 elements");
        QCOMPARE(folded({2, 3}, {{"kernel", Sizes{2}}, {"image", Sizes{4}}}),
                 "\"image.fold\": the columns must have 3 dimensions, not 2");
    }

    void columnsOfMovedWindows()
    {
        // Windows of 2 over 10 20 30; the offsets of the first elements are 0, those of the second ½ and 1.
        const ir::NdArray x = tensor(floats, {1, 1, 3}, {10, 20, 30});
        const ir::NdArray offsets = tensor(floats, {1, 2, 2}, {0, 0, 0.5, 1});
        QCOMPARE(answer("image.deformable_columns", {x, offsets}, {{"kernel", Sizes{2}}}),
                 "float32 (1, 2, 2): 10 20 25 0"); // the last lies outside
        const ir::NdArray mask = tensor(floats, {1, 2, 2}, {1, 0.5, 2, 1});
        QCOMPARE(answer("image.deformable_columns", {x, offsets, mask}, {{"kernel", Sizes{2}}}),
                 "float32 (1, 2, 2): 10 10 50 0");
    }

    void groupsOfChannelsHaveOffsetsOfTheirOwn()
    {
        const ir::NdArray x = tensor(floats, {1, 2, 3}, {10, 20, 30, 1, 2, 3});
        const ir::NdArray offsets = tensor(floats, {1, 2, 3}, {0, 0, 0, 1, -1, -1});
        QCOMPARE(answer("image.deformable_columns", {x, offsets},
                        {{"kernel", Sizes{1}}, {"offset_groups", std::int64_t{2}}}),
                 "float32 (1, 2, 3): 10 20 30 2 1 2");
        const ir::NdArray shared = tensor(floats, {1, 1, 3}, {1, -1, -1});
        QCOMPARE(answer("image.deformable_columns", {x, shared}, {{"kernel", Sizes{1}}}),
                 "float32 (1, 2, 3): 20 10 20 2 1 2");
    }

    void columnsThatDoNotFit()
    {
        const auto columns = [](std::vector<ir::NdArray> inputs, std::int64_t groups) {
            return answer("image.deformable_columns", std::move(inputs),
                          {{"kernel", Sizes{2}}, {"offset_groups", groups}});
        };
        const ir::NdArray x = counted(floats, {1, 3, 3}), offsets = counted(floats, {1, 2, 2});
        QCOMPARE(columns({x, offsets}, 0),
                 "\"image.deformable_columns\": 3 channels cannot be parted into 0 groups");
        QCOMPARE(columns({x, offsets}, 2),
                 "\"image.deformable_columns\": 3 channels cannot be parted into 2 groups");
        QCOMPARE(columns({x, offsets}, 3),
                 "\"image.deformable_columns\": the offsets must be Tensor[(1, 6, 2), float32], but is "
                 "Tensor[(1, 2, 2), float32]");
        QCOMPARE(columns({x, offsets, counted(floats, {1, 2, 3})}, 1),
                 "\"image.deformable_columns\": the mask must be Tensor[(1, 2, 2), float32], but is "
                 "Tensor[(1, 2, 3), float32]");
        QCOMPARE(
            columns({x, counted("float64", {1, 2, 2})}, 1),
            "\"image.deformable_columns\": the inputs have different element types, float32 and float64");
    }

    void channelsInBlocksAndBack()
    {
        const ir::NdArray x = counted(floats, {1, 4, 2});
        QCOMPARE(answer("layout.to_blocks", {x}, {{"block", std::int64_t{2}}}),
                 "float32 (1, 2, 2, 2): 0 2 1 3 4 6 5 7");
        QCOMPARE(answer("layout.from_blocks", {tensor(floats, {1, 2, 2, 2}, {0, 2, 1, 3, 4, 6, 5, 7})}),
                 "float32 (1, 4, 2): 0 1 2 3 4 5 6 7");
        QCOMPARE(answer("layout.to_blocks", {counted(floats, {1, 2})}, {{"block", std::int64_t{1}}}),
                 "float32 (1, 2, 1): 0 1");
        QCOMPARE(answer("layout.from_blocks", {counted(floats, {1, 1, 2})}), "float32 (1, 2): 0 1");
        for (const std::int64_t block : {0, 3, -2})
            QCOMPARE(
                answer("layout.to_blocks", {x}, {{"block", block}}),
                QString("\"layout.to_blocks\": 4 channels cannot be parted into blocks of %1").arg(block));
        QCOMPARE(answer("layout.to_blocks", {counted(floats, {4})}),
                 "\"layout.to_blocks\": it needs a dimension of channels");
        QCOMPARE(answer("layout.from_blocks", {counted(floats, {4, 2})}),
                 "\"layout.from_blocks\": it needs a dimension of channels, and one of blocks");
    }

    void convolutionsInBlocks()
    {
        // Two channels in one block, windows of 2, two filters: the sum of both channels, and the first
        // one's.
        const ir::NdArray x = tensor(floats, {1, 1, 3, 2}, {1, 10, 2, 20, 3, 30});
        const ir::NdArray w = tensor(floats, {1, 1, 2, 2, 2}, {1, 1, 1, 0, 1, 1, 1, 0});
        QCOMPARE(answer("nn.blocked_conv", {x, w}), "float32 (1, 1, 2, 2): 33 3 55 5");
        QCOMPARE(answer("nn.blocked_conv", {x, w}, {{"padding", Sizes{1, 0}}}),
                 "float32 (1, 1, 3, 2): 11 1 33 3 55 5");
        const ir::NdArray each = tensor(floats, {1, 1, 2, 1, 2}, {1, 2, 1, 2});
        QCOMPARE(answer("nn.blocked_conv", {x, each}, {{"depthwise", true}}),
                 "float32 (1, 1, 2, 2): 3 60 5 100");
    }

    /// Two groups of two channels in a block: filters of the sum and of the difference of their group's.
    void groupsWithinABlock()
    {
        const ir::NdArray x = tensor(floats, {1, 1, 2, 4}, {1, 2, 3, 4, 10, 20, 30, 40});
        const ir::NdArray w = tensor(floats, {1, 1, 1, 2, 4}, {1, -1, 1, -1, 1, 1, 1, 1});
        QCOMPARE(answer("nn.blocked_conv", {x, w}, {{"groups", std::int64_t{2}}}),
                 "float32 (1, 1, 2, 4): 3 1 7 1 30 10 70 10");
        const auto refused = [](const Sizes &image, const Sizes &kernel, std::int64_t groups) {
            return answer("nn.blocked_conv", {counted(floats, image), counted(floats, kernel)},
                          {{"groups", groups}});
        };
        const QString differ =
            "\"nn.blocked_conv\": the groups within a block are not as many channels as filters each";
        QCOMPARE(refused({1, 1, 2, 4}, {1, 1, 1, 2, 4}, 3), differ); // four channels have two groups
        QCOMPARE(refused({1, 1, 2, 4}, {2, 1, 1, 2, 4}, 2), differ);
        QCOMPARE(refused({1, 1, 2, 4}, {1, 1, 1, 2, 8}, 2), differ);
        QCOMPARE(refused({1, 1, 2, 4}, {1, 1, 1, 3, 4}, 2), differ);
        QCOMPARE(refused({1, 1, 2, 4}, {1, 2, 1, 2, 4}, 2), differ);
    }

    void blockedChannelsMustFit()
    {
        const auto called = [](const Sizes &x, const Sizes &w, bool depthwise) {
            return answer("nn.blocked_conv", {counted(floats, x), counted(floats, w)},
                          {{"depthwise", depthwise}});
        };
        const QString differ = "\"nn.blocked_conv\": the input and the kernel differ in their channels";
        QCOMPARE(called({1, 1, 3, 2}, {1, 2, 1, 2, 2}, false), differ);
        QCOMPARE(called({1, 1, 3, 2}, {1, 1, 1, 3, 2}, false), differ);
        QCOMPARE(called({1, 1, 3, 2}, {2, 1, 1, 1, 2}, true), differ);
        QCOMPARE(called({1, 1, 3, 2}, {1, 1, 1, 1, 3}, true), differ);
        QCOMPARE(called({1, 1, 3, 2}, {1, 1, 2, 2}, false),
                 "\"nn.blocked_conv\": the kernel must have five dimensions or more");
        QCOMPARE(called({1, 3, 2}, {1, 1, 1, 2, 2}, false),
                 "\"nn.blocked_conv\": the input must have 4 dimensions, not 3");
    }

    void channelsOfKernelsMustBeKnown()
    {
        const ir::Var n("n", ir::DataType::int32());
        const ops::TensorType x{{1, 4, 8, 8}, ir::DataType::float32()},
            w{{4, n, 3, 3}, ir::DataType::float32()};
        QCOMPARE(typesOf("nn.conv", {x, w}),
                 "\"nn.conv\": the number of channels of the kernel must be known, but is symbolic");
    }

    void convolutionsPadOneSideOnly()
    {
        const ir::NdArray x = counted(floats, {1, 1, 3}, 1), w = tensor(floats, {1, 1, 2}, {1, 10});
        QCOMPARE(answer("nn.conv", {x, w}), "float32 (1, 1, 2): 21 32");
        QCOMPARE(answer("nn.conv", {x, w}, {{"padding", Sizes{1, 0}}}), "float32 (1, 1, 3): 10 21 32");
        QCOMPARE(answer("nn.conv", {x, w}, {{"padding", Sizes{0, 1}}}), "float32 (1, 1, 3): 21 32 3");
    }

    /// Padding below 0 leaves out what lies at the side; of pools it is an error.
    void convolutionsCut()
    {
        const ir::NdArray x = counted(floats, {1, 1, 5}, 1), w = tensor(floats, {1, 1, 2}, {1, 10});
        QCOMPARE(answer("nn.conv", {x, w}, {{"padding", Sizes{-1, 0}}}), "float32 (1, 1, 3): 32 43 54");
        QCOMPARE(answer("nn.conv", {x, w}, {{"padding", Sizes{-2, 1}}}), "float32 (1, 1, 3): 43 54 5");
        QCOMPARE(answer("nn.conv", {x, w}, {{"padding", Sizes{1, -3}}}), "float32 (1, 1, 2): 10 21");
        QCOMPARE(answer("nn.conv", {x, w}, {{"padding", Sizes{-2, -2}}}),
                 "\"nn.conv\": the window is larger than the padded input");
        QCOMPARE(answer("nn.max_pool", {x}, {{"kernel", Sizes{2}}, {"padding", Sizes{-1, 0}}}),
                 "\"nn.max_pool\": padding must be at least 0");
    }
};

QTEST_APPLESS_MAIN(WindowTest)
#include "window_test.moc"
