// SPDX-License-Identifier: Apache-2.0
// Passes that lay values out anew: channels in blocks or last, images as rows, columns of constants.
#include "tests/core/graph/passes.h"

using namespace nestwright;
using namespace nestwright::graph;
using namespace nestwright::tests;

class LayoutPassesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void layoutsChangeOnlyWhereTheyMust()
    {
        const Function after = optimizedWith(smallNetwork(), 3, {}, "fuse-ops");
        QCOMPARE(count(after, "nn.conv"), 0);
        QCOMPARE(count(after, "nn.blocked_conv") + count(after, "nn.winograd_conv"), 2);
        QCOMPARE(count(after, "layout.to_blocks"), 1);   // the input
        QCOMPARE(count(after, "layout.from_blocks"), 1); // behind the mean
    }

    void constantColumnsLieNextToEachOther()
    {
        Builder b;
        const Value x = b.input("x", floats({3, 8})), z = b.input("z", floats({2, 8})),
                    y = b.input("y", floats({5, 8}));
        const Value w = weights(b, {5, 8}, 1);
        const auto timesTransposed = [&](Value left, Value right) {
            return b.call("nn.matmul", {left, right}, {{"transpose_b", true}});
        };
        const Function function =
            b.finish({timesTransposed(x, w), timesTransposed(z, w), timesTransposed(x, y)}, {"a", "b", "c"});
        QCOMPARE(changedBy(function, 3), std::string());
        const Function after = optimizedWith(function, 3, {}, "fuse-ops");
        QCOMPARE(count(after, "transpose"), 0); // of the constant: computed now, once
        QCOMPARE(std::ranges::count_if(after.nodes, &Node::isConstant), 1);
        int turned = 0;
        for (const Node &node : after.nodes)
            turned += node.op && !std::get<bool>(node.attributes.find("transpose_b")->second) ? 1 : 0;
        QCOMPARE(turned, 2);
    }

    void sequencesHaveChannelsInBlocksToo()
    {
        Builder b;
        const Value x = b.input("x", floats({2, 16, 37}));
        const Value first = b.call("nn.conv", {x, weights(b, {64, 16, 3}, 1)}, {{"padding", Ints{1, 1}}});
        const Value second = b.call("nn.conv", {b.call("tanh", {first}), weights(b, {32, 64, 5}, 2)},
                                    {{"strides", Ints{2}}, {"padding", Ints{2, 1}}});
        const Function function = b.finish({b.call("transpose", {second}, {{"axes", Ints{0, 2, 1}}})}, {"y"});
        QCOMPARE(changedBy(function, 3), std::string());
        QCOMPARE(count(optimizedWith(function, 3, {}, "fuse-ops"), "nn.blocked_conv"), 2);
    }

    /// A block holds several groups of few channels, and is that of the convolutions before and behind.
    void smallGroupsShareABlock()
    {
        for (const std::int64_t ofGroup : {2, 4}) {
            Builder b;
            const Value x = b.input("x", floats({1, 16, 9, 10}));
            const Value before = b.call("nn.conv", {x, weights(b, {32, 16, 1, 1}, 1)});
            const Value grouped =
                b.call("nn.conv", {b.call("nn.relu", {before}), weights(b, {32, ofGroup, 3, 3}, 2)},
                       {{"groups", 32 / ofGroup}, {"padding", Ints{1, 1, 1, 1}}});
            const Value behind = b.call("nn.conv", {grouped, weights(b, {16, 32, 1, 1}, 3)});
            const Function function = b.finish({behind}, {"y"});
            QCOMPARE(changedBy(function, 3), std::string());
            const Function after = optimizedWith(function, 3, {}, "fuse-ops");
            QCOMPARE(count(after, "nn.blocked_conv"), 3);
            QCOMPARE(count(after, "layout.to_blocks"), 1);   // the input
            QCOMPARE(count(after, "layout.from_blocks"), 1); // the output
        }
    }

    void volumesHaveChannelsInBlocksToo()
    {
        Builder b;
        const Value x = b.input("x", floats({1, 16, 4, 5, 6}));
        const Value first =
            b.call("nn.conv", {x, weights(b, {32, 16, 2, 3, 3}, 1)}, {{"padding", Ints{0, 1, 1, 1, 1, 1}}});
        const Value second = b.call("nn.conv", {b.call("nn.relu", {first}), weights(b, {16, 32, 1, 1, 1}, 2)},
                                    {{"strides", Ints{1, 2, 2}}});
        const Value mean = b.call("mean", {second}, {{"axes", Ints{2, 3, 4}}});
        const Function function = b.finish({mean}, {"y"});
        QCOMPARE(changedBy(function, 3), std::string());
        const Function after = optimizedWith(function, 3, {}, "fuse-ops");
        QCOMPARE(count(after, "nn.blocked_conv"), 2);
        QCOMPARE(count(after, "layout.to_blocks"), 1);   // the input
        QCOMPARE(count(after, "layout.from_blocks"), 1); // behind the mean
    }

    /// Factors of channels that are computed from their means lie in blocks as they are: as in networks that
    /// squeeze and excite. Axes may be counted from the end.
    void factorsOfChannelsNeedNoOtherLayout_data()
    {
        QTest::addColumn<int>("images");
        QTest::addColumn<int>("squeezed");
        QTest::newRow("of two images") << 2 << 16;
        QTest::newRow("through channels in no blocks") << 1 << 5;
    }
    void factorsOfChannelsNeedNoOtherLayout()
    {
        QFETCH(int, images);
        QFETCH(int, squeezed);
        Builder b;
        const Value x = b.input("x", floats({images, 16, 6, 6}));
        const Value y =
            b.call("nn.conv", {x, weights(b, {32, 16, 3, 3}, 1)}, {{"padding", Ints{1, 1, 1, 1}}});
        const Value mean = b.call("mean", {y}, {{"axes", Ints{-1, -2}}});
        const Value few = b.call("nn.relu", {b.call("nn.conv", {mean, weights(b, {squeezed, 32, 1, 1}, 2)})});
        const Value factors =
            b.call("sigmoid", {b.call("nn.conv", {few, weights(b, {32, squeezed, 1, 1}, 3)})});
        const Value scaled = b.call("multiply", {y, factors});
        const Function function =
            b.finish({b.call("nn.conv", {scaled, weights(b, {16, 32, 1, 1}, 4)})}, {"z"});
        QCOMPARE(changedBy(function, 3), std::string());
        const Function after = optimizedWith(function, 3, {}, "fuse-ops");
        const auto changes = [&](std::string_view op) {
            int whole = 0; // changes of layout of images, not of numbers of channels
            for (const Node &node : after.nodes)
                whole += node.op && node.op->name == op && (*node.types[0].constantShape())[2] == 6 ? 1 : 0;
            return whole;
        };
        QCOMPARE(changes("layout.to_blocks"), 1);   // x
        QCOMPARE(changes("layout.from_blocks"), 1); // z
    }

    void layoutsStayWhereAPlainValueTakesPart()
    {
        Builder b;
        const Value x = b.input("x", floats({1, 16, 6, 6})), y = b.input("y", floats({1, 16, 6, 6}));
        const Value blocked =
            b.call("nn.conv", {x, weights(b, {16, 16, 3, 3}, 1)}, {{"padding", Ints{1, 1, 1, 1}}});
        const Value sum = b.call("add", {blocked, y});
        const Value both = b.call("concatenate", {blocked, sum}, {{"axis", std::int64_t{1}}});
        const Function function = b.finish({both}, {"z"});
        QCOMPARE(changedBy(function, 3), std::string());
        const Function after = optimizedWith(function, 3, {}, "fuse-ops");
        QCOMPARE(count(after, "layout.to_blocks"), 1); // x
        QCOMPARE(count(after, "layout.from_blocks"), 1);
    }

    void imagesOfPointwiseConvolutionsBecomeRows()
    {
        Builder b;
        const Value x = b.input("x", floats({2, 12, 14, 14}));
        Value y = b.call("nn.conv", {x, weights(b, {68, 6, 1, 1}, 1)}, {{"groups", std::int64_t{2}}});
        y = b.call("nn.relu", {b.call("add", {y, weights(b, {68, 1, 1}, 2)})});
        Value z = b.call("nn.conv", {y, weights(b, {12, 34, 1, 1}, 3)}, {{"groups", std::int64_t{2}}});
        z = b.call("add", {x, z});
        z = b.call("nn.max_pool", {z}, {{"kernel", Ints{2, 2}}, {"strides", Ints{2, 2}}});
        const Function function = b.finish({z}, {"z"});
        QCOMPARE(changedBy(function, 3), std::string());
        const Function after = optimizedWith(function, 3, {}, "fuse-ops");
        QCOMPARE(count(after, "reshape"), 2); // of x, and in front of the pool
        for (const Node &node : after.nodes) {
            if (node.op
                && (node.op->name == "nn.relu" || node.op->name == "add" || node.op->name == "nn.conv"))
                QCOMPARE((*node.types[0].constantShape())[2], 1);
        }
        // Windows of more than one element, strides and padding need the image.
        Builder other;
        const Value w = other.input("w", floats({1, 3, 8, 8}));
        const Value strided =
            other.call("nn.conv", {w, weights(other, {5, 3, 1, 1}, 4)}, {{"strides", Ints{2, 2}}});
        const Value wide = other.call("nn.conv", {strided, weights(other, {5, 5, 1, 3}, 5)});
        const Value around =
            other.call("nn.conv", {wide, weights(other, {3, 5, 1, 1}, 6)}, {{"padding", Ints{1, 1, 0, 0}}});
        const Function kept = other.finish({around}, {"y"});
        QCOMPARE(count(optimizedWith(kept, 3), "reshape"), 0);
        QCOMPARE(changedBy(kept, 3), std::string());
    }

    /// Channels lie in blocks, and a row of 7 is no good tile: 49 places are.
    void shortRowsOfBlocksBecomeOne()
    {
        target::Machine few; // registers of vectors of 8
        few.vectors.bytes = 32;
        few.vectors.registers = 16;
        target::fitSizes(few);
        Builder b;
        const Value x = b.input("x", floats({1, 32, 14, 14}));
        Value y = b.call("nn.conv", {x, weights(b, {32, 32, 1, 1}, 1)}, {{"strides", Ints{2, 2}}});
        y = b.call("nn.relu", {b.call("add", {y, weights(b, {32, 1, 1}, 2)})});
        Value z = b.call("nn.conv", {y, weights(b, {64, 32, 1, 1}, 3)});
        z = b.call("nn.conv", {z, weights(b, {32, 64, 3, 3}, 4)}, {{"padding", Ints{1, 1, 1, 1}}});
        const Function function = b.finish({b.call("add", {y, z})}, {"z"});
        QCOMPARE(changedBy(function, 3, 3, few), std::string());
        const Function after = optimizedWith(function, 3, {}, "fuse-ops", few);
        QCOMPARE(count(after, "strided_slice"), 1); // the places that the strides lead to
        QCOMPARE(count(after, "reshape"), 4);       // of these, of the image around the window of 3×3, of z
        int rows = 0;
        for (const Node &node : after.nodes)
            rows += node.op && (*node.types[0].constantShape()).size() == 5
                    && (*node.types[0].constantShape())[3] == 49;
        QCOMPARE(rows, 7); // two of these, and all that is computed but the window's
        // Rows that are long enough stay, and those of which registers hold several.
        QCOMPARE(count(optimizedWith(function, 3), "reshape"), 0);
        Builder other;
        const Value w = other.input("w", floats({1, 32, 28, 28}));
        const Value wide =
            other.call("nn.conv", {w, weights(other, {32, 32, 1, 1}, 1)}, {{"strides", Ints{2, 2}}});
        const Function kept = other.finish({wide}, {"y"});
        QCOMPARE(count(optimizedWith(kept, 3, {}, {}, few), "reshape"), 0);
    }

    void channelsAreLastWhereThatIsRequired()
    {
        Builder b;
        const Value x = b.input("x", floats({2, 3, 10, 10}));
        Value y = b.call("nn.conv", {x, weights(b, {5, 3, 3, 3}, 1)}, {{"padding", Ints{1, 1, 1, 1}}});
        y = b.call("nn.relu", {b.call("add", {y, weights(b, {5, 1, 1}, 2)})});
        const Value z = b.call("nn.conv", {y, weights(b, {5, 1, 3, 3}, 3)},
                               {{"padding", Ints{1, 1, 1, 1}}, {"groups", std::int64_t{5}}});
        Value all = b.call("concatenate", {y, z, b.call("add", {y, z})}, {{"axis", std::int64_t{1}}});
        all = b.call("nn.max_pool", {all}, {{"kernel", Ints{2, 2}}, {"strides", Ints{2, 2}}});
        all = b.call("strided_slice", {all},
                     {{"begin", Ints{2}}, {"end", Ints{13}}, {"strides", Ints{1}}, {"axes", Ints{1}}});
        const Function function = b.finish({b.call("mean", {all}, {{"axes", Ints{2, 3}}})}, {"y"});
        QCOMPARE(count(optimizedWith(function, 3, {}, "fuse-ops"), "nn.blocked_conv"), 0);
        const auto inputs = randomInputs(function, 1);
        const auto expected = interpreted(function, inputs);
        QVERIFY(expected);
        for (const int level : {0, 3}) {
            const Function after = optimizedWith(function, level, "convert-layout", "fuse-ops");
            QCOMPARE(count(after, "nn.blocked_conv"), 2);
            QCOMPARE(count(after, "layout.to_blocks"), 1);
            QCOMPARE(count(after, "layout.from_blocks"), 1);
            const auto actual = compiled(optimizedWith(function, level, "convert-layout"), inputs);
            QVERIFY2(actual, actual ? "" : actual.error().message.c_str());
            QCOMPARE(difference(*expected, *actual), std::string());
            for (const Node &node : after.nodes) {
                if (node.op && node.op->name == "nn.max_pool")
                    QCOMPARE(*node.types[0].constantShape(), (std::vector<std::int64_t>{2, 1, 5, 5, 15}));
            }
        }
    }
};

QTEST_GUILESS_MAIN(LayoutPassesTest)
#include "layout_passes_test.moc"
