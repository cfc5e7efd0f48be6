// SPDX-License-Identifier: Apache-2.0
// NaN, infinities and numbers at the ends of their types mean the same at every level of optimisation, and to
// compiled kernels.
#include "core/ir/exact_integers.h"
#include "tests/core/graph/run_graph.h"

#include <limits>

using namespace nestwright;
using namespace nestwright::graph;
using Arrays = std::vector<ir::NdArray>;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TensorType floats(std::int64_t count) { return {{ir::Expr(count)}, ir::DataType::float32()}; }

ir::NdArray array(const std::vector<double> &values)
{
    ir::NdArray result(ir::DataType::float32(), {static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i)
        result.set(static_cast<std::int64_t>(i), values[i]);
    return result;
}

/// Fails where some level computes something else than the operators one by one.
void checkAllLevels(const Function &function, const Arrays &inputs)
{
    const auto expected = tests::interpreted(function, inputs);
    QVERIFY2(expected, expected ? "" : expected.error().render().c_str());
    for (int level = 0; level <= 3; ++level) {
        PassContext context;
        context.level = level;
        auto optimized = optimize(function, context);
        QVERIFY2(optimized, optimized ? "" : optimized.error().render().c_str());
        const auto actual = tests::compiled(std::move(optimized->function), inputs);
        QVERIFY2(actual, actual ? "" : actual.error().render().c_str());
        const std::string wrong = tests::difference(*expected, *actual);
        QVERIFY2(wrong.empty(), std::format("level {}: {}", level, wrong).c_str());
    }
}

} // namespace

class NotANumberTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void comparedWithItself()
    {
        Builder builder;
        const Value x = builder.input("x", floats(8)), y = builder.input("y", floats(8));
        const Value less = builder.call("less", {x, y});
        const Function function =
            builder.finish({builder.call("equal", {x, x}), builder.call("logical_not", {less}),
                            builder.call("less_equal", {y, x}), builder.call("subtract", {x, x}),
                            builder.call("divide", {x, x}),
                            builder.call("multiply", {x, builder.scalar(0, ir::DataType::float32())}),
                            builder.call("maximum", {x, x}), builder.call("minimum", {x, y}),
                            builder.call("subtract", {builder.call("add", {x, y}), y})},
                           {"a", "b", "c", "d", "e", "f", "g", "h", "i"});
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const Arrays inputs{array({nan, 1, 2, infinity, -infinity, nan, 0, 3}),
                            array({1, nan, 2, infinity, 1, nan, -1, 4})};
        checkAllLevels(function, inputs);
        const auto found = tests::interpreted(function, inputs);
        for (std::int64_t i = 0; i < 8; ++i) {
            QCOMPARE(found->front().at(i), i == 0 || i == 5 ? 0.0 : 1.0);
            QCOMPARE((*found)[1].at(i) != 0, i != 4 && i != 7);
        }
    }

    void numbersThatAreNoDoubles()
    {
        // A constant of one element becomes part of the kernels that read it.
        const std::int64_t large = (std::int64_t{1} << 60) + 1;
        ir::NdArray one(ir::DataType::int64(), {}), many(ir::DataType::int64(), {4});
        *one.data<std::int64_t>() = large;
        for (std::int64_t i = 0; i < 4; ++i)
            many.data<std::int64_t>()[i] = large + i;
        Builder builder;
        const Value x = builder.input("x", {{ir::Expr(4)}, ir::DataType::int64()});
        const Value difference = builder.call("subtract", {x, builder.constant(one)});
        const Function function = builder.finish({builder.call("multiply", {difference, difference})}, {"y"});
        checkAllLevels(function, {many});
        const auto found = tests::interpreted(function, {many});
        for (std::int64_t i = 0; i < 4; ++i)
            QCOMPARE(ir::integerAt(found->front(), i), i * i);
    }
};

QTEST_GUILESS_MAIN(NotANumberTest)
#include "not_a_number_test.moc"
