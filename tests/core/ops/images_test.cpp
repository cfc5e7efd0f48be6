// SPDX-License-Identifier: Apache-2.0
/// Elements between the elements of images, regions of images, products of matrices and by labels, transposed
/// convolutions: small answers counted by hand.
#include "tests/core/ops/calls.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

const char *const floats = "float32";

ops::Attributes sampling(const std::string &mode, const std::string &padding, bool corners)
{
    return {{"mode", mode}, {"padding_mode", padding}, {"align_corners", corners}};
}

} // namespace

class ImagesTest : public QObject {
    Q_OBJECT

    /// Elements 10 20 30 40 in a row at the places `at`, from -1 to 1.
    static QString sampled(const std::vector<double> &at, const std::string &mode, const std::string &padding,
                           bool corners)
    {
        const auto count = static_cast<std::int64_t>(at.size());
        return answer("image.grid_sample",
                      {tensor(floats, {1, 1, 4}, {10, 20, 30, 40}), tensor(floats, {1, count, 1}, at)},
                      sampling(mode, padding, corners));
    }

private Q_SLOTS:
    void placesBetweenElements()
    {
        QCOMPARE(sampled({-1, 1, 0}, "linear", "zeros", true), "float32 (1, 1, 3): 10 40 25");
        QCOMPARE(sampled({-0.75, 0.75, -1}, "linear", "zeros", false), "float32 (1, 1, 3): 10 40 5");
        QCOMPARE(sampled({-0.75, 0.2, 0.3}, "nearest", "zeros", false), "float32 (1, 1, 3): 10 30 30");
        QCOMPARE(sampled({-1, -0.25, 0}, "cubic", "border", false), "float32 (1, 1, 3): 9.0625 20 25");
    }

    void placesOutside()
    {
        // Places -2, -1, 4 and 5 of 0 to 3.
        const std::vector<double> outside{-7. / 3, -5. / 3, 5. / 3, 7. / 3};
        QCOMPARE(sampled(outside, "nearest", "zeros", true), "float32 (1, 1, 4): 0 0 0 0");
        QCOMPARE(sampled(outside, "nearest", "border", true), "float32 (1, 1, 4): 10 10 40 40");
        QCOMPARE(sampled(outside, "nearest", "reflection", true), "float32 (1, 1, 4): 30 20 30 20");
        QCOMPARE(sampled({-1.75, -1.25, 1.25, 1.75}, "nearest", "reflection", false),
                 "float32 (1, 1, 4): 20 10 40 30");
        QCOMPARE(sampled({1e30, -1e30}, "linear", "zeros", false), "float32 (1, 1, 2): 0 0");
    }

    void oneElementIsItsOwnReflection()
    {
        const ir::NdArray x = tensor(floats, {1, 1, 1}, {7}), grid = tensor(floats, {1, 2, 1}, {-3, 0.5});
        for (const char *mode : {"nearest", "linear"})
            QCOMPARE(answer("image.grid_sample", {x, grid}, sampling(mode, "reflection", true)),
                     "float32 (1, 1, 2): 7 7");
    }

    void theGridNamesTheLastDimensionFirst()
    {
        const ir::NdArray x = counted(floats, {1, 1, 2, 3}), grid = tensor(floats, {1, 1, 1, 2}, {1, -1});
        QCOMPARE(answer("image.grid_sample", {x, grid}, sampling("linear", "zeros", true)),
                 "float32 (1, 1, 1, 1): 2");
    }

    void gridsMustFit()
    {
        const auto sample = [](const Sizes &x, const Sizes &grid, const char *type = "float32") {
            return answer("image.grid_sample",
                          {counted(floats, x), ir::NdArray(*ir::DataType::parse(type), grid)});
        };
        const QString none = "has no grid of places in";
        QVERIFY(sample({1, 1, 3}, {2, 4, 1}).contains(none));
        QVERIFY(sample({1, 1, 3}, {1, 4, 2}).contains(none));
        QVERIFY(sample({1, 3}, {1, 1}).contains(none));
        QVERIFY(sample({1, 1, 3}, {1, 4, 1}, "int32").contains(none));
        QCOMPARE(sample({1, 1, 3}, {1, 4}), "\"image.grid_sample\": the grid must have 3 dimensions, not 2");
        QCOMPARE(sampled({0}, "best", "zeros", true), "\"image.grid_sample\": there is no mode \"best\"");
        QCOMPARE(sampled({0}, "linear", "none", true),
                 "\"image.grid_sample\": there is no padding mode \"none\"");
    }

    void sumsByTables()
    {
        const ir::NdArray x = tensor(floats, {1, 3}, {10, 20, 30});
        const ir::NdArray places = tensor("int32", {2, 2}, {-1, 0, 2, 3});
        const ir::NdArray weights = tensor(floats, {2, 2}, {0.5, 0.5, 1, 2});
        QCOMPARE(answer("image.resample", {x, places, weights}, {{"axis", std::int64_t{1}}}),
                 "float32 (1, 2): 10 90");
        const QString differ = "\"image.resample\": the places and the weights differ in shape";
        for (const Sizes &other : {Sizes{3, 2}, Sizes{2, 3}})
            QCOMPARE(answer("image.resample", {x, places, counted(floats, other)}), differ);
        const QString types =
            "\"image.resample\": the places must be integers, and the weights of the type of the tensor";
        QCOMPARE(answer("image.resample", {x, weights, weights}), types);
        QCOMPARE(answer("image.resample", {x, places, counted("float64", {2, 2})}), types);
        QCOMPARE(answer("image.resample", {x, places, weights}, {{"axis", std::int64_t{2}}}),
                 "\"image.resample\": there is no axis 2 in a tensor of 2 dimensions");
    }

    void regionsOfImages()
    {
        // Elements grow by 1 to the right and by 10 downwards; bins have their value in the middle.
        ir::NdArray x = counted(floats, {1, 1, 4, 4});
        for (std::int64_t i = 0; i < 16; ++i)
            x.set(i, static_cast<double>(i / 4 * 10 + i % 4));
        const auto aligned = [&](const std::vector<double> &region, ops::Attributes given, double image = 0) {
            return answer("image.roi_align",
                          {x, tensor(floats, {1, 4}, region), tensor("int64", {1}, {image})},
                          std::move(given));
        };
        const ops::Attributes whole{{"half_pixel", false}, {"samples", std::int64_t{1}}};
        QCOMPARE(aligned({0, 1, 2, 3}, whole), "float32 (1, 1, 1, 1): 21");
        ops::Attributes two = whole;
        two.emplace("size", Sizes{1, 2});
        QCOMPARE(aligned({0, 1, 2, 3}, two), "float32 (1, 1, 1, 2): 20.5 21.5");
        QCOMPARE(aligned({0, 1, 2, 3}, {{"samples", std::int64_t{2}}}), "float32 (1, 1, 1, 1): 15.5");
        // A region without an extent has one of 1 where pixels are whole.
        QCOMPARE(aligned({1, 1, 1, 1}, whole), "float32 (1, 1, 1, 1): 16.5");
        ops::Attributes half = whole;
        half.emplace("spatial_scale", 0.5);
        QCOMPARE(aligned({0, 2, 4, 6}, half), "float32 (1, 1, 1, 1): 21");
        // Images that there are not are the nearest.
        QCOMPARE(aligned({0, 1, 2, 3}, whole, 5), "float32 (1, 1, 1, 1): 21");
        QCOMPARE(aligned({0, 1, 2, 3}, whole, -1), "float32 (1, 1, 1, 1): 21");
        // Places more than one element outside count nothing.
        QCOMPARE(aligned({-4, 0, -2, 2}, whole), "float32 (1, 1, 1, 1): 0");
        QCOMPARE(aligned({-2, 0, 0, 2}, whole), "float32 (1, 1, 1, 1): 10");
    }

    void samplesThatFollowFromTheRegion()
    {
        ir::NdArray x(ir::DataType::float32(), {1, 1, 2, 4});
        for (std::int64_t i = 0; i < 4; ++i)
            x.set(i, static_cast<double>(i * i));
        const auto row = [&](const std::string &op, const std::string &mode, std::vector<double> region) {
            return answer(op, {x, tensor(floats, {1, 4}, region), tensor("int64", {1}, {0})},
                          {{"mode", mode}});
        };
        const std::string adaptive = "image.roi_align_adaptive";
        // Four places at 0, 1, 2 and 3: the mean of 0 1 4 9, and the largest.
        QCOMPARE(row(adaptive, "avg", {0, -0.5, 4, 0.5}), "float32 (1, 1, 1, 1): 3.5");
        QCOMPARE(row(adaptive, "max", {0, -0.5, 4, 0.5}), "float32 (1, 1, 1, 1): 9");
        QCOMPARE(row("image.roi_align", "avg", {0, -0.5, 4, 0.5}), "float32 (1, 1, 1, 1): 2.5");
        // Eight places from -2 to 5, those beyond the border by one element at most among them: 0 0 1 4 9 9.
        QCOMPARE(row(adaptive, "avg", {-2, -0.5, 6, 0.5}), "float32 (1, 1, 1, 1): 2.875");
        QCOMPARE(row(adaptive, "avg", {-1e6, -0.5, -1e5, 0.5}), "float32 (1, 1, 1, 1): 0");
        QCOMPARE(row(adaptive, "max", {-1e6, -0.5, -1e5, 0.5}), "float32 (1, 1, 1, 1): 0");
        // Without an extent there is nothing to sample.
        QCOMPARE(row(adaptive, "avg", {2, -0.5, 2, 0.5}), "float32 (1, 1, 1, 1): 0");
        QCOMPARE(row(adaptive, "max", {3, -0.5, 1, 0.5}), "float32 (1, 1, 1, 1): 0");
    }

    void regionsMustFit()
    {
        const auto aligned = [](const Sizes &regions, const Sizes &images, ops::Attributes given = {},
                                const char *number = "int64", const char *type = "float32") {
            return answer("image.roi_align",
                          {counted(floats, {1, 1, 2, 2}), ir::NdArray(*ir::DataType::parse(type), regions),
                           ir::NdArray(*ir::DataType::parse(number), images)},
                          std::move(given));
        };
        QVERIFY(aligned({2, 4}, {2}).startsWith("float32 (2, 1, 1, 1)"));
        QVERIFY(aligned({2, 5}, {2}).endsWith("do not name regions of images"));
        QVERIFY(aligned({2, 4}, {3}).endsWith("do not name regions of images"));
        const QString types = "\"image.roi_align\": the regions must have the type of the images, and the "
                              "numbers of the images be integers";
        QCOMPARE(aligned({2, 4}, {2}, {}, "float32"), types);
        QCOMPARE(aligned({2, 4}, {2}, {}, "int64", "float64"), types);
        const QString sizes = "\"image.roi_align\": the result needs a height and a width above 0";
        for (const Sizes &size : {Sizes{1}, Sizes{0, 1}, Sizes{1, 0}, Sizes{1, 1, 1}})
            QCOMPARE(aligned({2, 4}, {2}, {{"size", size}}), sizes);
        for (const std::int64_t samples : {-1, 0})
            QCOMPARE(aligned({2, 4}, {2}, {{"samples", samples}}),
                     "\"image.roi_align\": there must be 1 sample or more");
    }

    void productsOfMatrices()
    {
        const ir::NdArray a = counted("int32", {2, 2}, 1), row = counted("int32", {1, 2}, 1);
        QCOMPARE(answer("nn.matmul", {a, a}), "int32 (2, 2): 7 10 15 22");
        QCOMPARE(answer("nn.matmul", {row, a}), "int32 (1, 2): 7 10");
        QCOMPARE(answer("nn.matmul", {row, row}, {{"transpose_b", true}}), "int32 (1, 1): 5");
        QCOMPARE(answer("nn.matmul", {row, row}, {{"transpose_a", true}}), "int32 (2, 2): 1 2 2 4");
        QCOMPARE(answer("nn.matmul", {row, row}),
                 "\"nn.matmul\": Tensor[(1, 2), int32] and Tensor[(1, 2), int32] cannot be multiplied: the "
                 "sizes summed over differ");
        for (const bool first : {true, false})
            QCOMPARE(answer("nn.matmul", first ? std::vector{counted("int32", {2}), a}
                                               : std::vector{a, counted("int32", {2})}),
                     "\"nn.matmul\": it needs matrices");
        const ir::NdArray batch = counted("int32", {2, 1, 2}, 1);
        QCOMPARE(answer("nn.matmul", {batch, a}), "int32 (2, 1, 2): 7 10 15 22");
        QCOMPARE(answer("nn.matmul", {counted("int32", {3, 1, 2}), counted("int32", {2, 2, 1})}),
                 "\"nn.matmul\": (3,) and (2,) cannot be broadcast to one shape");
        QCOMPARE(answer("nn.matmul",
                        {tensor("float16", {1, 3}, {2048, 1, 1}), tensor("float16", {3, 1}, {1, 1, 1})}),
                 "float16 (1, 1): 2050");
    }

    void sumsOfProductsByLabels()
    {
        const ir::NdArray a = counted("int32", {2, 2}, 1), v = counted("int32", {2}, 1);
        const auto sum = [](const char *equation, std::vector<ir::NdArray> inputs) {
            return answer("einsum", std::move(inputs), {{"equation", std::string(equation)}});
        };
        QCOMPARE(sum("ab,b->a", {a, v}), "int32 (2): 5 11");
        QCOMPARE(sum("aa->a", {a}), "int32 (2): 1 4");
        QCOMPARE(sum("aa->", {a}), "int32 (): 5");
        QCOMPARE(sum("ab->ba", {a}), "int32 (2, 2): 1 3 2 4");
        QCOMPARE(sum("a,a,a->", {v, v, v}), "int32 (): 9");
        QCOMPARE(sum("ab,b->ab", {counted("int32", {2, 1}, 1), v}), "int32 (2, 2): 1 2 2 4"); // 1 is repeated
        QCOMPARE(sum("b,ab->ab", {counted("int32", {1}, 3), a}), "int32 (2, 2): 3 6 9 12");
        QCOMPARE(sum("a,a->", {tensor("float16", {3}, {2048, 1, 1}), tensor("float16", {3}, {1, 1, 1})}),
                 "float16 (): 2050");
        QCOMPARE(sum("ab", {a}),
                 "\"einsum\": the equation must name the labels of the result: \"ab,bc->ac\"");
        QCOMPARE(sum("ab,b->a", {a}), "\"einsum\": \"ab,b->a\" has the labels of 2 inputs");
        QCOMPARE(sum("abc->a", {a}),
                 "\"einsum\": \"abc\" does not name the dimensions of Tensor[(2, 2), int32]");
        for (const char *result : {"c", "aa"})
            QCOMPARE(sum(QString("ab->%1").arg(result).toStdString().c_str(), {a}),
                     QString("\"einsum\": \"%1\" is no result of its inputs").arg(result));
        QCOMPARE(sum("ab,b->a", {a, counted("int32", {3})}),
                 "\"einsum\": the label \"b\" stands for different sizes");
        QCOMPARE(sum("ab,b->a", {a, counted("int64", {2})}),
                 "\"einsum\": the inputs have different element types, int32 and int64");
    }

    void elementsSpreadOverWindows()
    {
        const ir::NdArray x = counted(floats, {1, 1, 2}, 1), w = tensor(floats, {1, 1, 3}, {1, 10, 100});
        const auto spread = [&](ops::Attributes given) {
            return answer("nn.conv_transpose", {x, w}, std::move(given));
        };
        QCOMPARE(spread({}), "float32 (1, 1, 4): 1 12 120 200");
        QCOMPARE(spread({{"strides", Sizes{2}}}), "float32 (1, 1, 5): 1 10 102 20 200");
        QCOMPARE(spread({{"strides", Sizes{3}}}), "float32 (1, 1, 6): 1 10 100 2 20 200");
        QCOMPARE(spread({{"strides", Sizes{4}}}), "float32 (1, 1, 7): 1 10 100 0 2 20 200");
        QCOMPARE(spread({{"dilation", Sizes{2}}}), "float32 (1, 1, 6): 1 2 10 20 100 200");
        QCOMPARE(spread({{"strides", Sizes{2}}, {"dilation", Sizes{2}}}),
                 "float32 (1, 1, 7): 1 0 12 0 120 0 200");
        QCOMPARE(spread({{"padding", Sizes{1, 2}}}), "float32 (1, 1, 1): 12");
        QCOMPARE(spread({{"strides", Sizes{2}}, {"output_padding", Sizes{1}}}),
                 "float32 (1, 1, 6): 1 10 102 20 200 0");
        QCOMPARE(spread({{"padding", Sizes{3, 3}}}), "\"nn.conv_transpose\" would give a dimension of -2");
    }

    void groupsMustDivideChannels()
    {
        const auto convolved = [](const char *op, const Sizes &x, const Sizes &w, std::int64_t groups) {
            return answer(op, {counted(floats, x), counted(floats, w)}, {{"groups", groups}});
        };
        QVERIFY(convolved("nn.conv", {1, 4, 2}, {2, 2, 1}, 2).startsWith("float32 (1, 2, 2)"));
        for (const std::int64_t groups : {0, 3})
            QCOMPARE(
                convolved("nn.conv", {1, 4, 2}, {6, 2, 1}, groups),
                QString("\"nn.conv\": 4 channels and 6 filters cannot be parted into %1 groups").arg(groups));
        QCOMPARE(convolved("nn.conv", {1, 4, 2}, {3, 2, 1}, 2),
                 "\"nn.conv\": 4 channels and 3 filters cannot be parted into 2 groups");
        QCOMPARE(convolved("nn.conv", {1, 4, 2}, {2, 3, 1}, 2),
                 "\"nn.conv\": the input has 4 channels, the kernel 3 in each of 2 groups");
        QCOMPARE(convolved("nn.conv", {1, 4}, {4, 4}, 1),
                 "\"nn.conv\": the kernel must have three dimensions or more");
        QCOMPARE(convolved("nn.conv", {1, 4, 2, 2}, {2, 4, 1}, 1),
                 "\"nn.conv\": the input must have 3 dimensions, not 4");
        QCOMPARE(convolved("nn.conv", {1, 4, 2}, {2, 4, 3}, 1),
                 "\"nn.conv\": the window is larger than the padded input");
        QCOMPARE(convolved("nn.conv", {1, 4, 2}, {2, 4, 0}, 1), "\"nn.conv\": the window is empty");
        QCOMPARE(convolved("nn.conv_transpose", {1, 4, 2}, {3, 2, 1}, 1),
                 "\"nn.conv_transpose\": the input and the kernel differ in the number of channels");
        QCOMPARE(convolved("nn.conv_transpose", {1, 4, 2}, {4, 2, 1}, 3),
                 "\"nn.conv_transpose\": 4 channels and 6 filters cannot be parted into 3 groups");
    }

    void groupsAreConvolvedApart()
    {
        const ir::NdArray x = tensor(floats, {1, 4, 1}, {1, 10, 100, 1000}),
                          w = tensor(floats, {4, 2, 1}, {1, 1, 1, 2, 1, 1, 2, 1});
        QCOMPARE(answer("nn.conv", {x, w}, {{"groups", std::int64_t{2}}}),
                 "float32 (1, 4, 1): 11 21 1100 1200");
        QCOMPARE(answer("nn.conv_transpose", {x, w}, {{"groups", std::int64_t{2}}}),
                 "float32 (1, 4, 1): 11 21 2100 1100");
    }
};

QTEST_APPLESS_MAIN(ImagesTest)
#include "images_test.moc"
