// SPDX-License-Identifier: Apache-2.0
/// Dimensions that do not fit into 32 bits: refused, not wrapped round.
#include "core/ops/table/tensor_op.h"

#include <QtTest>

using namespace nestwright;
using Sizes = std::vector<std::int64_t>;

namespace {

/// The type that the operator gives for float32 inputs, or its error.
QString typeOf(const char *name, const std::vector<std::vector<int>> &inputs, ops::Attributes given)
{
    const ops::TensorOp &op = *ops::findTensorOp(name);
    std::vector<ops::TensorType> types;
    for (const std::vector<int> &sizes : inputs) {
        ops::TensorType type{{}, ir::DataType::float32()};
        for (const int size : sizes)
            type.shape.emplace_back(size);
        types.push_back(std::move(type));
    }
    const auto attributes = ops::completeAttributes(op, std::move(given));
    if (!attributes)
        return QString::fromStdString(attributes.error().render());
    const auto result = ops::inferTypes({op, *attributes, types});
    return QString::fromStdString(result ? result->front().str() : result.error().message);
}

} // namespace

class TensorSizesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sumsAndProducts_data()
    {
        QTest::addColumn<QString>("found");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char *name, const QString &found, const char *expected) {
            QTest::newRow(name) << found << expected;
        };
        row("tile", typeOf("tile", {{2, 3}}, {{"reps", Sizes{4, 5}}}), "Tensor[(8, 15), float32]");
        row("tile, 32 bits", typeOf("tile", {{0, 46341}}, {{"reps", Sizes{1, 46341}}}),
            "\"tile\": a dimension of 2147488281 is too large");
        row("tile, wraps to what fits", typeOf("tile", {{65536}}, {{"reps", Sizes{65537}}}),
            "\"tile\": a dimension of 4295032832 is too large");
        row("nothing, by dimensions that are too large for anything",
            typeOf("broadcast_to", {{0, 1, 1}}, {{"shape", Sizes{0, 65536, 65536}}}),
            "\"broadcast_to\" would give Tensor[(0, 65536, 65536), float32], 2^31 elements or more");
        row("concatenate", typeOf("concatenate", {{2, 3}, {2, 4}}, {{"axis", std::int64_t{1}}}),
            "Tensor[(2, 7), float32]");
        row("concatenate, 32 bits",
            typeOf("concatenate", {{0, 2147483647}, {0, 1}}, {{"axis", std::int64_t{1}}}),
            "\"concatenate\": a dimension of 2147483648 is too large");
        row("an attribute beyond 32 bits",
            typeOf("tile", {{2}}, {{"reps", Sizes{(std::int64_t{1} << 31) + 1}}}),
            "error: attribute \"reps\" of \"tile\" cannot be 2147483649, which is beyond 2^31 "
            "[ops.bad-attribute]");
        row("one below them", typeOf("tile", {{2}}, {{"reps", Sizes{-(std::int64_t{1} << 31) - 1}}}),
            "error: attribute \"reps\" of \"tile\" cannot be -2147483649, which is beyond 2^31 "
            "[ops.bad-attribute]");
        row("more numbers than dimensions", typeOf("tile", {{2}}, {{"reps", Sizes(129, 1)}}),
            "error: attribute \"reps\" of \"tile\" has 129 numbers; a tensor has 64 dimensions at most "
            "[ops.bad-attribute]");
        row("pad, 32 bits", typeOf("nn.pad", {{2147483647, 0}}, {{"pad_width", Sizes{1, 0, 1, 0}}}),
            "\"nn.pad\": a dimension of 2147483649 is too large");
    }
    void sumsAndProducts()
    {
        QFETCH(QString, found);
        QFETCH(QString, expected);
        QCOMPARE(found, expected);
    }
};

QTEST_APPLESS_MAIN(TensorSizesTest)
#include "tensor_sizes_test.moc"
