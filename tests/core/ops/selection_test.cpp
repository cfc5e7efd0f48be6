// SPDX-License-Identifier: Apache-2.0
/// Elements picked by their values: elements that are not 0, the best boxes, the k largest.
#include "tests/core/ops/calls.h"

#include <QtTest>

#include <algorithm>
#include <numeric>
#include <random>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

ir::NdArray count(double boxes) { return tensor("int64", {}, {boxes}); }

/// Boxes 2 high and wide at these places of one row.
ir::NdArray boxesAt(const std::vector<double> &places)
{
    std::vector<double> corners;
    for (const double x : places)
        corners.insert(corners.end(), {0, x, 2, x + 2});
    return tensor("float32", {1, static_cast<std::int64_t>(places.size()), 4}, corners);
}

ir::NdArray scores(const std::vector<double> &values)
{
    return tensor("float32", {1, 1, static_cast<std::int64_t>(values.size())}, values);
}

ops::Attributes keeping(std::int64_t most, double overlap) { return {{"most", most}, {"overlap", overlap}}; }

} // namespace

class SelectionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void elementsThatAreNotZero()
    {
        QCOMPARE(answer("nonzero", {tensor("float32", {2, 3}, {0, 1, 0, -2, 0, 3})}),
                 "int64 (2, 6): 0 1 1 0 0 0 1 0 2 0 0 0; int64 (): 3");
        QCOMPARE(answer("nonzero", {tensor("bool", {3}, {1, 0, 1})}), "int64 (1, 3): 0 2 0; int64 (): 2");
        QCOMPARE(answer("nonzero", {tensor("int8", {2}, {0, 0})}), "int64 (1, 2): 0 0; int64 (): 0");
    }

    void worseBoxesThatOverlapGo()
    {
        // The second overlaps with both neighbours by a third, the last lies alone.
        const ir::NdArray boxes = boxesAt({0, 1, 2, 9});
        const auto kept = [&](const std::vector<double> &values, ops::Attributes how, double of = 4) {
            return answer("nn.non_max_suppression", {boxes, scores(values), count(of)}, std::move(how));
        };
        QCOMPARE(kept({1, 2, 3, 4}, keeping(4, 0.3)), "int64 (4, 3): 0 0 3 0 0 2 0 0 0 0 0 0; int64 (): 3");
        QCOMPARE(kept({1, 2, 3, 4}, keeping(4, 0.34)), "int64 (4, 3): 0 0 3 0 0 2 0 0 1 0 0 0; int64 (): 4");
        QCOMPARE(kept({1, 3, 2, 1}, keeping(4, 0.3)), "int64 (4, 3): 0 0 1 0 0 3 0 0 0 0 0 0; int64 (): 2");
        // Of equal scores the first box comes first; only so many are kept, and only so many count.
        QCOMPARE(kept({1, 1, 1, 1}, keeping(2, 0.3)), "int64 (2, 3): 0 0 0 0 0 2; int64 (): 2");
        QCOMPARE(kept({1, 2, 3, 4}, keeping(4, 0.3), 2),
                 "int64 (4, 3): 0 0 1 0 0 0 0 0 0 0 0 0; int64 (): 1");
        ops::Attributes above = keeping(4, 0.3);
        above["has_least"] = true;
        above["least"] = 2.0;
        QCOMPARE(kept({1, 2, 3, 4}, above), "int64 (4, 3): 0 0 3 0 0 2 0 0 0 0 0 0; int64 (): 2");
        QCOMPARE(kept({1, 2, 3, 4}, keeping(0, 0.3)), "int64 (0, 3):; int64 (): 0");
    }

    void boxesByTheirMiddle()
    {
        const ir::NdArray boxes = tensor("float32", {1, 2, 4}, {1, 1, 2, 2, 2, 1, 2, 2});
        ops::Attributes how = keeping(2, 0.3);
        how["by_center"] = true;
        QCOMPARE(answer("nn.non_max_suppression", {boxes, scores({1, 2}), count(2)}, how),
                 "int64 (2, 3): 0 0 1 0 0 0; int64 (): 1");
    }

    void imagesAndClassesByThemselves()
    {
        std::vector<double> corners;
        for (const double x : {0.0, 5.0, 0.0, 0.5})
            corners.insert(corners.end(), {0, x, 2, x + 2});
        QCOMPARE(answer("nn.non_max_suppression",
                        {tensor("float32", {2, 2, 4}, corners),
                         tensor("float32", {2, 2, 2}, {1, 2, 2, 1, 1, 2, 2, 1}), count(2)},
                        keeping(2, 0.3)),
                 "int64 (8, 3): 0 0 1 0 0 0 0 1 0 0 1 1 1 0 1 1 1 0 0 0 0 0 0 0; int64 (): 6");
    }

    void shapesThatDoNotFit()
    {
        QCOMPARE(answer("nn.non_max_suppression", {boxesAt({0, 1}), scores({1}), count(1)}),
                 "\"nn.non_max_suppression\": boxes must be batch × boxes × 4, and scores batch × classes × "
                 "boxes, not Tensor[(1, 2, 4), float32], Tensor[(1, 1, 1), float32]");
        QCOMPARE(answer("nn.non_max_suppression", {boxesAt({0}), scores({1}), tensor("int32", {}, {1})}),
                 "\"nn.non_max_suppression\": boxes and scores must be float32, their number an int64");
    }

    /// So many that they are sorted whole.
    void manyOfTheLargest()
    {
        std::mt19937 random(3);
        for (const std::int64_t n : {9, 64, 101}) {
            for (const bool largest : {true, false}) {
                ir::NdArray x(ir::DataType::float32(), {2, n, 2});
                for (std::int64_t i = 0; i < x.size(); ++i)
                    x.set(i, static_cast<double>(random() % 20));
                const std::int64_t k = n - 1;
                const auto found =
                    called("topk", {x}, {{"k", k}, {"axis", std::int64_t{1}}, {"largest", largest}});
                QVERIFY(found);
                for (std::int64_t row = 0; row < 4; ++row) {
                    const auto at = [&](std::int64_t i) { return (row / 2 * n + i) * 2 + row % 2; };
                    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
                    std::iota(order.begin(), order.end(), 0);
                    std::ranges::stable_sort(
                        order, {}, [&](std::int64_t i) { return largest ? -x.at(at(i)) : x.at(at(i)); });
                    for (std::int64_t i = 0; i < k; ++i) {
                        const std::int64_t place = (row / 2 * k + i) * 2 + row % 2;
                        QCOMPARE((*found)[1].at(place),
                                 static_cast<double>(order[static_cast<std::size_t>(i)]));
                        QCOMPARE((*found)[0].at(place), x.at(at(order[static_cast<std::size_t>(i)])));
                    }
                }
            }
        }
    }
};

QTEST_APPLESS_MAIN(SelectionTest)
#include "selection_test.moc"
