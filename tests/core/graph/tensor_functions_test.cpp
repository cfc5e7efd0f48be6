// SPDX-License-Identifier: Apache-2.0
// Operators on tensors that are functions of blocks: against plain loops, with indices that lie outside, on
// every backend.
#include "core/analysis/verify/verify.h"
#include "core/interp/interpreter.h"
#include "core/ops/table/shapes.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"

#include <QtTest>
#include <algorithm>
#include <numeric>

using namespace nestwright;

namespace {

using Ints = std::vector<std::int64_t>;

ir::NdArray filled(ir::DataType type, const Ints &shape, const std::vector<double> &values)
{
    ir::NdArray array(type, shape);
    for (std::int64_t i = 0; i < array.size(); ++i)
        array.set(i, values[static_cast<std::size_t>(i) % values.size()]);
    return array;
}

ir::NdArray random(ir::DataType type, const Ints &shape, std::uint64_t seed)
{
    ir::NdArray array(type, shape);
    array.fillRandom(seed);
    return array;
}

std::vector<double> valuesOf(const ir::NdArray &array)
{
    std::vector<double> values;
    for (std::int64_t i = 0; i < array.size(); ++i)
        values.push_back(array.at(i));
    return values;
}

/// A call with its types, as a module.
struct Call {
    ops::Attributes attributes;
    std::vector<ops::TensorType> inputs, results;
    ir::Module module;
    std::string error;

    Call(std::string_view name, const std::vector<ir::NdArray> &arrays, ops::Attributes given)
    {
        const ops::TensorOp &op = *ops::findTensorOp(name);
        attributes = ops::completeAttributes(op, std::move(given)).value();
        for (const ir::NdArray &array : arrays)
            inputs.push_back({ops::shapeOf(array.shape()), array.dtype()});
        const ops::CallSite site{op, attributes, inputs};
        const auto types = ops::inferTypes(site);
        if (!types) {
            error = types.error().code;
            return;
        }
        results = *types;
        const auto made = ops::moduleOf(site, results);
        if (made)
            module = *made;
        else
            error = made.error().code;
    }
};

/// The results by the interpreter; all backends must agree with it on random data.
std::vector<ir::NdArray> resultsOf(std::string_view name, std::vector<ir::NdArray> arrays,
                                   ops::Attributes given = {})
{
    const Call call(name, arrays, std::move(given));
    if (!call.error.empty()) {
        QTest::qFail(call.error.c_str(), __FILE__, __LINE__);
        return {};
    }
    if (const auto formed = analysis::verify(call.module, analysis::Level::Block); !formed)
        QTest::qFail(formed.error().render().c_str(), __FILE__, __LINE__);
    tests::checkBackends(call.module, {.runs = 3});
    std::vector<ir::NdArray> results;
    for (const ops::TensorType &type : call.results)
        results.emplace_back(type.dtype, *type.constantShape());
    std::vector<ir::NdArray *> arguments;
    for (ir::NdArray &array : arrays)
        arguments.push_back(&array);
    for (ir::NdArray &result : results)
        arguments.push_back(&result);
    if (const auto ran = interp::run(*call.module.mainEntry()->function, arguments); !ran)
        QTest::qFail(ran.error().render().c_str(), __FILE__, __LINE__);
    return results;
}

const ir::DataType real = ir::DataType::float32(), whole = ir::DataType::int64();

} // namespace

class TensorFunctionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void scatterLeavesOutWhatLiesOutside()
    {
        const ir::NdArray data = filled(real, {4}, {1, 2, 3, 4});
        const ir::NdArray places = filled(whole, {6}, {0, -1, 4, -5, 1LL << 40, -(1LL << 40)});
        const ir::NdArray updates = filled(real, {6}, {10, 20, 30, 40, 50, 60});
        QCOMPARE(valuesOf(resultsOf("scatter_elements", {data, places, updates})[0]),
                 (std::vector<double>{10, 2, 3, 20}));
        const ir::NdArray tuples = filled(whole, {6, 1}, {0, -1, 4, -5, 1LL << 40, -(1LL << 40)});
        QCOMPARE(valuesOf(resultsOf("scatter_nd", {data, tuples, updates})[0]),
                 (std::vector<double>{10, 2, 3, 20}));
    }

    void nothingIsScattered()
    {
        const ir::NdArray data = filled(real, {3}, {1, 2, 3}), updates(real, {0}), places(whole, {0});
        QCOMPARE(valuesOf(resultsOf("scatter_elements", {data, places, updates})[0]),
                 (std::vector<double>{1, 2, 3}));
    }

    void theLastOfEqualPlacesStays()
    {
        const ir::NdArray data = filled(real, {2, 3}, {0});
        const ir::NdArray places = filled(whole, {2, 3}, {1, 1, 1, 0, 0, 2});
        const ir::NdArray updates = filled(real, {2, 3}, {1, 2, 3, 4, 5, 6});
        QCOMPARE(
            valuesOf(resultsOf("scatter_elements", {data, places, updates}, {{"axis", std::int64_t{1}}})[0]),
            (std::vector<double>{0, 3, 0, 5, 0, 6}));
    }

    void scatterCombines_data()
    {
        QTest::addColumn<QString>("how");
        QTest::addColumn<double>("expected");
        QTest::newRow("add") << "add" << 2.0 + 3 + 5;
        QTest::newRow("mul") << "mul" << 2.0 * 3 * 5;
        QTest::newRow("max") << "max" << 5.0;
        QTest::newRow("min") << "min" << 2.0;
    }
    void scatterCombines()
    {
        QFETCH(QString, how);
        QFETCH(double, expected);
        const ir::NdArray data = filled(ir::DataType::int32(), {2, 2}, {9, 2, 9, 9});
        const ir::NdArray tuples = filled(whole, {2, 2}, {0, 1, 0, -1});
        const ir::NdArray updates = filled(ir::DataType::int32(), {2}, {3, 5});
        const auto found =
            resultsOf("scatter_nd", {data, tuples, updates}, {{"reduction", how.toStdString()}});
        QCOMPARE(valuesOf(found[0]), (std::vector<double>{9, expected, 9, 9}));
    }

    void topK_data()
    {
        QTest::addColumn<int>("k");
        QTest::addColumn<bool>("largest");
        for (const int k : {1, 3, 9}) {
            for (const bool largest : {false, true})
                QTest::addRow("%d, %s", k, largest ? "largest" : "smallest") << k << largest;
        }
    }
    void topK()
    {
        QFETCH(int, k);
        QFETCH(bool, largest);
        const std::int64_t rows = 2, size = 9, columns = 3;
        ir::NdArray x =
            random(ir::DataType::int32(), {rows, size, columns}, 5); // small: there are equal ones
        const auto found =
            resultsOf("topk", {x}, {{"k", std::int64_t{k}}, {"axis", std::int64_t{1}}, {"largest", largest}});
        for (std::int64_t row = 0; row < rows; ++row) {
            for (std::int64_t column = 0; column < columns; ++column) {
                const auto at = [&](std::int64_t i) { return x.at((row * size + i) * columns + column); };
                Ints order(static_cast<std::size_t>(size));
                std::iota(order.begin(), order.end(), 0);
                std::ranges::stable_sort(
                    order, [&](auto a, auto b) { return largest ? at(a) > at(b) : at(a) < at(b); });
                for (std::int64_t i = 0; i < k; ++i) {
                    const std::int64_t place = (row * k + i) * columns + column;
                    const std::int64_t expected = order[static_cast<std::size_t>(i)];
                    QCOMPARE(found[1].at(place), static_cast<double>(expected));
                    QCOMPARE(found[0].at(place), at(expected));
                }
            }
        }
    }

    void determinants()
    {
        // The first pivot is 0; the second matrix has none in its second column; the third is a
        // permutation's.
        const ir::NdArray x = filled(real, {3, 3, 3}, {0, 2, 1, 3, 0, 0, 0, 0, 4, //
                                                       1, 2, 3, 2, 4, 6, 1, 1, 1, //
                                                       0, 1, 0, 0, 0, 1, 1, 0, 0});
        QCOMPARE(valuesOf(resultsOf("linalg.det", {x})[0]), (std::vector<double>{-24, 0, 1}));
        QCOMPARE(valuesOf(resultsOf("linalg.det", {filled(ir::DataType::float_(64), {1, 1}, {-7})})[0]),
                 (std::vector<double>{-7}));
    }

    void refusesWhatDoesNotFit_data()
    {
        QTest::addColumn<QString>("op");
        QTest::addColumn<int>("which");
        QTest::newRow("updates of another shape") << "scatter_elements" << 0;
        QTest::newRow("indices beyond the data") << "scatter_elements" << 1;
        QTest::newRow("no such reduction") << "scatter_nd" << 2;
        QTest::newRow("tuples too long") << "scatter_nd" << 3;
        QTest::newRow("more than there are") << "topk" << 4;
        QTest::newRow("no square") << "linalg.det" << 5;
    }
    void refusesWhatDoesNotFit()
    {
        QFETCH(QString, op);
        QFETCH(int, which);
        const auto array = [](ir::DataType type, const Ints &shape) { return ir::NdArray(type, shape); };
        const std::vector<std::pair<std::vector<ir::NdArray>, ops::Attributes>> calls{
            {{array(real, {3, 3}), array(whole, {2, 3}), array(real, {2, 2})}, {}},
            {{array(real, {3, 3}), array(whole, {2, 4}), array(real, {2, 4})}, {}},
            {{array(real, {3}), array(whole, {2, 1}), array(real, {2})}, {{"reduction", std::string("sub")}}},
            {{array(real, {3}), array(whole, {2, 2}), array(real, {2})}, {}},
            {{array(real, {3})}, {{"k", std::int64_t{4}}}},
            {{array(real, {2, 3})}, {}},
        };
        const auto &[arrays, attributes] = calls[static_cast<std::size_t>(which)];
        const Call call(op.toStdString(), arrays, attributes);
        QCOMPARE(call.error, std::string("ops.type"));
    }
};

QTEST_GUILESS_MAIN(TensorFunctionsTest)
#include "tensor_functions_test.moc"
