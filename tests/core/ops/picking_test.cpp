// SPDX-License-Identifier: Apache-2.0
/// Elements picked and put by indices that are data: negative indices, indices outside, refusals.
#include "tests/core/ops/calls.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

ir::NdArray indices(const Sizes &shape, const std::vector<double> &values)
{
    return tensor("int64", shape, values);
}

ops::Attributes along(std::int64_t axis) { return {{"axis", axis}}; }

} // namespace

class PickingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void indicesOutsideTakeTheBorder()
    {
        const ir::NdArray x = counted("float32", {3}, 10);
        QCOMPARE(answer("take", {x, indices({6}, {0, 2, 3, -1, -3, -4})}), "float32 (6): 10 12 12 12 10 10");
        QCOMPARE(answer("gather_elements", {x, indices({4}, {2, 3, -3, -4})}), "float32 (4): 12 12 10 10");
        QCOMPARE(answer("gather_nd", {x, indices({4, 1}, {2, 3, -3, -4})}), "float32 (4): 12 12 10 10");
        // Of eight bits, too, in which 300 elements cannot be counted.
        QCOMPARE(answer("take", {counted("float32", {300}), tensor("int8", {2}, {-1, 127})}),
                 "float32 (2): 299 127");
        QCOMPARE(answer("take", {counted("float32", {300}), tensor("uint8", {2}, {255, 1})}),
                 "float32 (2): 255 1");
    }

    void slicesAreTakenAlongAnAxis()
    {
        const ir::NdArray x = counted("float32", {2, 3});
        QCOMPARE(answer("take", {x, indices({2}, {2, 0})}, along(1)), "float32 (2, 2): 2 0 5 3");
        QCOMPARE(answer("take", {x, indices({}, {1})}, along(0)), "float32 (3): 3 4 5");
        QCOMPARE(answer("take", {x, indices({1, 2}, {1, 0})}, along(-2)), "float32 (1, 2, 3): 3 4 5 0 1 2");
        QCOMPARE(answer("take", {x, indices({1}, {0})}, along(2)),
                 "\"take\": there is no axis 2 in a tensor of 2 dimensions");
        QCOMPARE(answer("take", {x, tensor("float32", {1}, {0})}), "\"take\": the indices must be integers");
    }

    void gatheredElements()
    {
        const ir::NdArray x = counted("float32", {2, 2});
        QCOMPARE(answer("gather_elements", {x, indices({2, 2}, {1, 0, 0, 1})}, along(1)),
                 "float32 (2, 2): 1 0 2 3");
        QCOMPARE(answer("gather_elements", {x, indices({1, 2}, {1, 0})}), "float32 (1, 2): 2 1");
        QCOMPARE(answer("gather_elements", {x, indices({2, 3}, {1, 0, 0, 1, 0, 0})}),
                 "\"gather_elements\": the indices have 3 elements along axis 1, the tensor 2");
        QCOMPARE(answer("gather_elements", {x, indices({2}, {1, 0})}),
                 "\"gather_elements\": the indices must have 2 dimensions, not 1");
        QCOMPARE(answer("gather_elements", {x, tensor("float32", {1, 1}, {0})}),
                 "\"gather_elements\": the indices must be integers");
        QCOMPARE(answer("gather_elements", {x, indices({1, 1}, {0})}, along(2)),
                 "\"gather_elements\": there is no axis 2 in a tensor of 2 dimensions");
    }

    void gatheredByTuples()
    {
        const ir::NdArray x = counted("float32", {2, 3});
        const auto gathered = [&](const ir::NdArray &at, std::int64_t batch) {
            return answer("gather_nd", {x, at}, {{"batch_dims", batch}});
        };
        QCOMPARE(gathered(indices({2, 2}, {0, 1, 1, 2}), 0), "float32 (2): 1 5");
        QCOMPARE(gathered(indices({1, 1}, {1}), 0), "float32 (1, 3): 3 4 5");
        QCOMPARE(gathered(indices({1}, {1}), 0), "float32 (3): 3 4 5");
        QCOMPARE(gathered(indices({2, 1}, {2, 0}), 1), "float32 (2): 2 3");
        QCOMPARE(gathered(indices({2, 2, 1}, {2, 0, 1, 1}), 1), "float32 (2, 2): 2 0 4 4");
        const QString longer = "\"gather_nd\": the index tuples are longer than the tensor has dimensions";
        QCOMPARE(gathered(indices({1, 3}, {0, 0, 0}), 0), longer);
        QCOMPARE(gathered(indices({2, 2}, {0, 0, 0, 0}), 1), longer);
        QCOMPARE(gathered(indices({1}, {1}), 1), longer);
        QCOMPARE(gathered(indices({3, 1}, {2, 0, 1}), 1),
                 "\"gather_nd\": along axis 0, which data and indices share, they have 2 and 3 elements");
        QCOMPARE(gathered(indices({1, 1}, {1}), -1), longer);
        QCOMPARE(gathered(indices({}, {1}), 0),
                 "\"gather_nd\": the indices need a dimension that holds the tuples");
        QCOMPARE(gathered(tensor("float32", {1, 1}, {1}), 0), "\"gather_nd\": the indices must be integers");
    }

    void sequencesAreTurnedAbout()
    {
        const ir::NdArray x = counted("float32", {3, 3});
        QCOMPARE(answer("reverse_sequence", {x, indices({3}, {2, 3, 1})}),
                 "float32 (3, 3): 1 0 2 5 4 3 6 7 8");
        QCOMPARE(answer("reverse_sequence", {x, indices({3}, {9, 0, -1})}),
                 "float32 (3, 3): 2 1 0 3 4 5 6 7 8");
        QCOMPARE(answer("reverse_sequence", {x, indices({3}, {2, 1, 1})},
                        {{"batch_axis", std::int64_t{1}}, {"axis", std::int64_t{0}}}),
                 "float32 (3, 3): 3 1 2 0 4 5 6 7 8");
        QCOMPARE(answer("reverse_sequence", {x, indices({2}, {1, 1})}),
                 "\"reverse_sequence\": there must be one length for each sequence");
        QCOMPARE(answer("reverse_sequence", {x, indices({3}, {1, 1, 1})}, along(0)),
                 "\"reverse_sequence\": the axes must differ");
        QCOMPARE(answer("reverse_sequence", {x, indices({3, 1}, {1, 1, 1})}),
                 "\"reverse_sequence\": the lengths must have 1 dimension, not 2");
    }

    void onesAtIndices()
    {
        const ir::NdArray values = tensor("float32", {2}, {0, 1});
        const auto hot = [&](const std::vector<double> &at, std::int64_t axis) {
            return answer("one_hot", {indices({static_cast<std::int64_t>(at.size())}, at), values},
                          {{"depth", std::int64_t{3}}, {"axis", axis}});
        };
        QCOMPARE(hot({0, 2}, -1), "float32 (2, 3): 1 0 0 0 0 1");
        QCOMPARE(hot({-1, -3}, 1), "float32 (2, 3): 0 0 1 1 0 0");
        QCOMPARE(hot({3, -4}, 1), "float32 (2, 3): 0 0 0 0 0 0");
        QCOMPARE(hot({0, 2}, 0), "float32 (3, 2): 1 0 0 0 0 1");
        QCOMPARE(hot({0, 2}, 2), "\"one_hot\": there is no axis 2 in a tensor of 2 dimensions");
        QCOMPARE(answer("one_hot", {indices({1}, {0}), counted("float32", {3})}),
                 "\"one_hot\": there must be two values, one for all elements but those at the indices, and "
                 "theirs");
        QCOMPARE(answer("one_hot", {indices({1}, {0}), counted("float32", {2, 1})}),
                 "\"one_hot\": the values must have 1 dimension, not 2");
    }

    void elementsArePutWhereIndicesSay()
    {
        const ir::NdArray x = tensor("float32", {2, 2}, {1, 2, 3, 4});
        const auto put = [&](const ir::NdArray &at, const std::string &how, std::int64_t axis) {
            return answer("scatter_elements", {x, at, tensor("float32", {1, 2}, {5, 6})},
                          {{"axis", axis}, {"reduction", how}});
        };
        QCOMPARE(put(indices({1, 2}, {1, -2}), "none", 0), "float32 (2, 2): 1 6 5 4");
        QCOMPARE(put(indices({1, 2}, {1, 1}), "none", 1), "float32 (2, 2): 1 6 3 4"); // the last one stays
        QCOMPARE(put(indices({1, 2}, {1, 1}), "add", 1), "float32 (2, 2): 1 13 3 4");
        QCOMPARE(put(indices({1, 2}, {0, 1}), "mul", 1), "float32 (2, 2): 5 12 3 4");
        QCOMPARE(put(indices({1, 2}, {0, 1}), "max", 1), "float32 (2, 2): 5 6 3 4");
        QCOMPARE(put(indices({1, 2}, {0, 1}), "min", 1), "float32 (2, 2): 1 2 3 4");
        // Those outside are left out.
        QCOMPARE(put(indices({1, 2}, {2, -3}), "none", 1), "float32 (2, 2): 1 2 3 4");
    }

    void scatteredElementsMustFit()
    {
        const auto put = [](const Sizes &at, const Sizes &updates, const std::string &how = "none",
                            const char *of = "float32", const char *with = "float32") {
            return answer(
                "scatter_elements",
                {counted(of, {2, 2}), ir::NdArray(ir::DataType::int64(), at), counted(with, updates)},
                {{"reduction", how}});
        };
        QCOMPARE(put({3, 2}, {3, 2}), "float32 (2, 2): 4 5 2 3"); // along the axis they may be more
        QCOMPARE(put({1, 3}, {1, 3}),
                 "\"scatter_elements\": the indices Tensor[(1, 3), int64] reach beyond the "
                 "data Tensor[(2, 2), float32]");
        QCOMPARE(put({1, 2}, {2, 2}), "\"scatter_elements\": indices and updates differ in shape: "
                                      "Tensor[(1, 2), int64], Tensor[(2, 2), float32]");
        QCOMPARE(put({2}, {1, 2}), "\"scatter_elements\": the indices must have 2 dimensions, not 1");
        QCOMPARE(put({1, 2}, {2}), "\"scatter_elements\": the updates must have 2 dimensions, not 1");
        QCOMPARE(put({1, 2}, {1, 2}, "sum"), "\"scatter_elements\": there is no reduction \"sum\"");
        QCOMPARE(put({1, 2}, {1, 2}, "max", "bool", "bool"),
                 "\"scatter_elements\": truth values cannot be combined");
        QCOMPARE(put({1, 2}, {1, 2}, "none", "bool", "bool"), "bool (2, 2): 0 1 1 1");
        QCOMPARE(put({1, 2}, {1, 2}, "none", "float32", "int32"),
                 "\"scatter_elements\": the updates must have the type of the data");
        QCOMPARE(answer("scatter_elements",
                        {counted("float32", {2}), counted("float32", {2}), counted("float32", {2})}),
                 "\"scatter_elements\": the indices must be integers");
    }

    void slicesArePutWhereTuplesSay()
    {
        const ir::NdArray x = counted("float32", {2, 2});
        const auto put = [&](const ir::NdArray &at, const ir::NdArray &updates,
                             const std::string &how = "none") {
            return answer("scatter_nd", {x, at, updates}, {{"reduction", how}});
        };
        QCOMPARE(put(indices({1, 2}, {1, -2}), counted("float32", {1}, 9)), "float32 (2, 2): 0 1 9 3");
        QCOMPARE(put(indices({2, 1}, {1, 1}), counted("float32", {2, 2}, 5), "add"),
                 "float32 (2, 2): 0 1 14 17");
        // A tuple of which one index lies outside is left out.
        for (const std::vector<double> &outside : {std::vector<double>{1, 2}, {2, 1}, {-3, 0}, {0, -3}})
            QCOMPARE(put(indices({1, 2}, outside), counted("float32", {1}, 9)), "float32 (2, 2): 0 1 2 3");
        QCOMPARE(put(indices({1}, {0}), counted("float32", {2}, 5)), "float32 (2, 2): 5 6 2 3");
    }

    void scatteredSlicesMustFit()
    {
        const auto put = [](const Sizes &at, const Sizes &updates) {
            return typesOf("scatter_nd", {typeOf(counted("float32", {2, 3})),
                                          typeOf(ir::NdArray(ir::DataType::int64(), at)),
                                          typeOf(ir::NdArray(ir::DataType::float32(), updates))});
        };
        const QString longer =
            "\"scatter_nd\": the index tuples are empty, or longer than the tensor has dimensions";
        QCOMPARE(put({4, 2}, {4}), "Tensor[(2, 3), float32]");
        QCOMPARE(put({4, 1}, {4, 3}), "Tensor[(2, 3), float32]");
        QCOMPARE(put({4, 1}, {4, 2}), "\"scatter_nd\": the updates must be Tensor[(4, 3), float32], but are "
                                      "Tensor[(4, 2), float32]");
        QCOMPARE(put({4, 3}, {4}), longer);
        QCOMPARE(put({4, 0}, {4, 2, 3}), longer);
        QCOMPARE(put({}, {2, 3}), "\"scatter_nd\": the indices need a dimension that holds the tuples");
    }
};

QTEST_APPLESS_MAIN(PickingTest)
#include "picking_test.moc"
