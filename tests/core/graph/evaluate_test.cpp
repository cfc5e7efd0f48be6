// SPDX-License-Identifier: Apache-2.0
// Nodes computed ahead: large ones in parts, with axes joined, give the results of small ones.
#include "core/graph/evaluate.h"

#include "core/graph/builder.h"
#include "core/ops/table/shapes.h"

#include <QtTest>

#include <functional>
#include <numeric>
#include <utility>

using namespace nestwright;
using graph::Data;
using graph::Value;
using Extents = std::vector<std::int64_t>;

namespace {

Data randomData(const Extents &shape, ir::DataType dtype, std::uint64_t seed)
{
    ir::NdArray array(dtype, shape);
    array.fillRandom(seed);
    return std::make_shared<const ir::NdArray>(std::move(array));
}

/// Flat place in an array of this shape, repeated along extents of 1, of an element of a result of shape
/// `whole`.
std::int64_t placeIn(const Extents &shape, const Extents &whole, std::int64_t element)
{
    std::int64_t place = 0, stride = 1;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        const std::int64_t extent = whole[whole.size() - 1 - i], index = element % extent;
        element /= extent;
        if (i >= shape.size())
            continue;
        const std::int64_t own = shape[shape.size() - 1 - i];
        place += own == 1 ? 0 : index * stride;
        stride *= own;
    }
    return place;
}

/// Results of the node that `call` names; none where it cannot be computed.
std::vector<Data> evaluated(graph::Builder &builder, Value call, const std::vector<Data> &inputs)
{
    const graph::Node &node = builder.function().at(call);
    const auto results = graph::evaluate(builder.function(), node, inputs, 100'000'000);
    return results ? *results : std::vector<Data>();
}

class EvaluateTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void repeatedInputs_data()
    {
        QTest::addColumn<QList<qint64>>("a");
        QTest::addColumn<QList<qint64>>("b");
        QTest::addColumn<QList<qint64>>("whole");
        using Row = QList<qint64>;
        QTest::newRow("small") << Row{2, 3} << Row{1, 3} << Row{2, 3};
        QTest::newRow("same") << Row{3, 50, 1, 700} << Row{3, 50, 1, 700} << Row{3, 50, 1, 700};
        QTest::newRow("weights by channel") << Row{67, 64, 5, 5} << Row{67, 1, 1, 1} << Row{67, 64, 5, 5};
        QTest::newRow("channels in front") << Row{1, 64, 40, 41} << Row{64, 1, 1} << Row{1, 64, 40, 41};
        QTest::newRow("of lower rank") << Row{400, 301} << Row{301} << Row{400, 301};
        QTest::newRow("scalar") << Row{120'001} << Row{} << Row{120'001};
        QTest::newRow("one row") << Row{1, 1, 100'003} << Row{1} << Row{1, 1, 100'003};
        QTest::newRow("both repeated") << Row{300, 1, 7} << Row{1, 60, 7} << Row{300, 60, 7};
        QTest::newRow("first axis repeated") << Row{1, 60, 500} << Row{5, 60, 1} << Row{5, 60, 500};
    }

    void repeatedInputs()
    {
        QFETCH(const QList<qint64>, a);
        QFETCH(const QList<qint64>, b);
        QFETCH(const QList<qint64>, whole);
        const Extents shapeA(a.begin(), a.end()), shapeB(b.begin(), b.end()),
            shape(whole.begin(), whole.end());
        const ir::DataType dtype = ir::DataType::float32();
        const Data first = randomData(shapeA, dtype, 1), second = randomData(shapeB, dtype, 2);
        graph::Builder builder;
        const Value call = builder.call("subtract", {builder.input("a", {ops::shapeOf(shapeA), dtype}),
                                                     builder.input("b", {ops::shapeOf(shapeB), dtype})});
        const std::vector<Data> results = evaluated(builder, call, {first, second});
        QCOMPARE(results.size(), 1U);
        QCOMPARE(results[0]->shape(), shape);
        const std::int64_t size = results[0]->size();
        const auto *values = results[0]->data<float>();
        for (std::int64_t i = 0; i < size; ++i) {
            const float expected = first->data<float>()[placeIn(shapeA, shape, i)]
                                   - second->data<float>()[placeIn(shapeB, shape, i)];
            if (values[i] != expected)
                QFAIL(qPrintable(
                    QStringLiteral("element %1 is %2, not %3").arg(i).arg(values[i]).arg(expected)));
        }
    }

    /// Elementwise for fusion, but it looks where an element stands.
    void placesAreKeptWhereTheyMatter()
    {
        const Extents shape{3, 150, 200};
        const ir::DataType dtype = ir::DataType::float32();
        const Data data = randomData(shape, dtype, 3);
        graph::Builder builder;
        const Value call = builder.call("trilu", {builder.input("a", {ops::shapeOf(shape), dtype})}, {});
        const std::vector<Data> results = evaluated(builder, call, {data});
        QCOMPARE(results.size(), 1U);
        int kept = 0;
        for (std::int64_t i = 0; i < results[0]->size(); ++i) {
            const bool isKept = results[0]->data<float>()[i] == data->data<float>()[i];
            kept += isKept ? 1 : 0;
            QVERIFY(isKept || results[0]->data<float>()[i] == 0);
        }
        QCOMPARE(kept, 3 * (200 * 150 - 150 * 149 / 2)); // above the diagonal, which is kept
    }

    /// An attribute names the axis that the scales lie along.
    void scalesOfAnAxisKeepToIt()
    {
        const Extents shape{3, 200, 250};
        const auto axes = std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 3}, {1, 200}, {2, 250}};
        for (const auto &[axis, count] : axes) {
            const Data data = randomData(shape, ir::DataType::int_(8), 3),
                       scales = randomData({count}, ir::DataType::float32(), 5);
            graph::Builder builder;
            const Value call =
                builder.call("nn.dequantize",
                             {builder.input("q", {ops::shapeOf(shape), ir::DataType::int_(8)}),
                              builder.input("s", {ops::shapeOf(Extents{count}), ir::DataType::float32()})},
                             {{"axis", axis}});
            const std::vector<Data> results = evaluated(builder, call, {data, scales});
            QCOMPARE(results.size(), 1U);
            const std::int64_t inner = axis == 0 ? 200 * 250 : axis == 1 ? 250 : 1;
            for (std::int64_t i = 0; i < results[0]->size(); ++i) {
                const auto scale = static_cast<float>(scales->at(i / inner % count));
                QCOMPARE(static_cast<float>(results[0]->at(i)), static_cast<float>(data->at(i)) * scale);
            }
        }
    }

    void transposes_data()
    {
        QTest::addColumn<int>("bits");
        QTest::addColumn<QList<qint64>>("shape");
        QTest::addColumn<QList<qint64>>("axes");
        for (const int bits : {8, 16, 32, 64}) {
            QTest::addRow("%d bits, turned round", bits) << bits << QList<qint64>{4, 5, 6} << QList<qint64>{};
            QTest::addRow("%d bits, last stays", bits)
                << bits << QList<qint64>{4, 5, 6} << QList<qint64>{1, 0, 2};
            QTest::addRow("%d bits, from behind", bits)
                << bits << QList<qint64>{4, 5, 6} << QList<qint64>{-1, 0, 1};
        }
        // In blocks that are not whole, by several threads.
        QTest::addRow("matrix") << 32 << QList<qint64>{301, 515} << QList<qint64>{};
        QTest::addRow("weights in blocks")
            << 32 << QList<qint64>{5, 16, 7, 16, 3, 3} << QList<qint64>{0, 2, 4, 5, 3, 1};
        QTest::addRow("weights of one element")
            << 32 << QList<qint64>{5, 16, 40, 16, 1, 1} << QList<qint64>{0, 2, 4, 5, 3, 1};
        QTest::addRow("one element inside") << 32 << QList<qint64>{40, 50, 1} << QList<qint64>{1, 0, 2};
        QTest::addRow("vector") << 32 << QList<qint64>{40} << QList<qint64>{0};
    }

    void transposes()
    {
        QFETCH(const int, bits);
        QFETCH(const QList<qint64>, shape);
        QFETCH(const QList<qint64>, axes);
        const Extents extents(shape.begin(), shape.end());
        const ir::DataType dtype = ir::DataType::int_(bits);
        const Data data = randomData(extents, dtype, 4);
        graph::Builder builder;
        const Value call = builder.call("transpose", {builder.input("a", {ops::shapeOf(extents), dtype})},
                                        {{"axes", Extents(axes.begin(), axes.end())}});
        const std::vector<Data> results = evaluated(builder, call, {data});
        QCOMPARE(results.size(), 1U);
        const auto rank = static_cast<std::int64_t>(shape.size());
        std::vector<std::int64_t> steps(static_cast<std::size_t>(rank)); // in the data, by the result's axes
        for (std::int64_t k = 0; k < rank; ++k) {
            const std::int64_t axis = axes.empty() ? rank - 1 - k : (axes[k] + rank) % rank;
            steps[static_cast<std::size_t>(k)] = std::accumulate(extents.begin() + axis + 1, extents.end(),
                                                                 std::int64_t{1}, std::multiplies<>());
            QCOMPARE(results[0]->shape()[static_cast<std::size_t>(k)],
                     extents[static_cast<std::size_t>(axis)]);
        }
        for (std::int64_t i = 0; i < results[0]->size(); ++i) {
            std::int64_t from = 0, rest = i;
            for (auto k = static_cast<std::size_t>(rank); k-- > 0; rest /= results[0]->shape()[k])
                from += rest % results[0]->shape()[k] * steps[k];
            QCOMPARE(results[0]->at(i), data->at(from));
        }
    }

    /// Nobody writes to constants: weights of gigabytes are not copied.
    void reshapesShareTheirMemory()
    {
        const Extents shape{40, 60};
        const ir::DataType dtype = ir::DataType::float32();
        Data data = randomData(shape, dtype, 4);
        const std::byte *memory = data->bytes().data();
        const ir::NdArray expected = *data;
        graph::Builder builder;
        const Value call = builder.call("reshape", {builder.input("a", {ops::shapeOf(shape), dtype})},
                                        {{"newshape", Extents{24, 100}}});
        const std::vector<Data> results = evaluated(builder, call, {std::exchange(data, nullptr)});
        QCOMPARE(results.size(), 1U);
        QCOMPARE(results[0]->shape(), (Extents{24, 100}));
        QCOMPARE(results[0]->bytes().data(), memory);
        QVERIFY(std::ranges::equal(expected.bytes(), results[0]->bytes())); // though the data are let go of
    }

    /// A part that takes too long says so for all.
    void stepsAreCounted()
    {
        const Extents shape{400, 400};
        const ir::DataType dtype = ir::DataType::float32();
        graph::Builder builder;
        const Value call = builder.call("exp", {builder.input("a", {ops::shapeOf(shape), dtype})});
        const auto results = graph::evaluate(builder.function(), builder.function().at(call),
                                             {randomData(shape, dtype, 5)}, 1000);
        QVERIFY(!results);
        QCOMPARE(results.error().code, "interp.step-limit");
    }
};

} // namespace

QTEST_MAIN(EvaluateTest)
#include "evaluate_test.moc"
