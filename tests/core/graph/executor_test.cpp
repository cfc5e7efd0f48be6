// SPDX-License-Identifier: Apache-2.0
// Running a model in this process: inputs that are kept, outputs of every kind, errors that name the node.
#include "tests/core/graph/run_graph.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::graph;

namespace {

TensorType row(std::int64_t size, ir::DataType type = ir::DataType::float32())
{
    return {{ir::Expr(1), ir::Expr(static_cast<std::int32_t>(size))}, type};
}

Executor executorOf(Function function)
{
    auto program = makeProgram(std::move(function));
    if (!program)
        qFatal("%s", program.error().render().c_str());
    auto executor = makeExecutor(std::move(*program), {});
    if (!executor)
        qFatal("%s", executor.error().render().c_str());
    return std::move(*executor);
}

ir::NdArray filled(std::int64_t size, double value)
{
    ir::NdArray array(ir::DataType::float32(), {1, size});
    for (std::int64_t i = 0; i < size; ++i)
        array.set(i, value);
    return array;
}

} // namespace

class ExecutorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Outputs that are computed, given, constant, and one of them twice.
    void outputsOfEveryKind()
    {
        Builder b;
        const Value x = b.input("x", row(4)), y = b.input("y", row(4)), c = b.constant(filled(4, 7));
        const Value sum = b.call("add", {x, y});
        Executor executor = executorOf(b.finish({sum, y, c, sum}, {"sum", "y", "c", "again"}));
        QVERIFY(executor.run().has_value());
        QCOMPARE(executor.outputs()[0].at(3), 0.0); // inputs are zeros until they are set
        QVERIFY(executor.setInput(0, filled(4, 1)).has_value());
        QVERIFY(executor.setInput(1, filled(4, 2)).has_value());
        for (int turn = 0; turn < 2; ++turn) { // inputs are unchanged
            std::vector<double> seconds;
            QVERIFY(executor.run(&seconds).has_value());
            QCOMPARE(seconds.size(), executor.program().steps.size());
            QVERIFY(std::ranges::all_of(seconds, [](double each) { return each > 0; }));
            const std::vector<ir::NdArray> outputs = executor.outputs();
            QCOMPARE(outputs.size(), std::size_t{4});
            for (const auto &[i, expected] : {std::pair{0, 3.0}, {1, 2.0}, {2, 7.0}, {3, 3.0}})
                QCOMPARE(outputs[static_cast<std::size_t>(i)].at(3), expected);
        }
    }

    /// Given, computed, and constant ones: kernels get an address for each.
    void tensorsWithoutElements()
    {
        Builder b;
        const Value x = b.input("x", row(4)),
                    none = b.input("none", TensorType{{ir::Expr(0), ir::Expr(4)}, ir::DataType::float32()});
        const Value negative = b.call("negative", {none});
        const Value places = b.constant(ir::NdArray(ir::DataType::int64(), {0, 4}));
        const Value same = b.call("scatter_elements", {x, places, negative});
        const Value sum =
            b.call("sum", {negative}, {{"axes", std::vector<std::int64_t>{0}}, {"keepdims", true}});
        const Value product = b.call("nn.matmul", {negative, none}, {{"transpose_a", true}});
        Executor executor =
            executorOf(b.finish({same, sum, product, negative}, {"same", "sum", "product", "none"}));
        QVERIFY(executor.setInput(0, filled(4, 3)).has_value());
        QVERIFY(executor.run().has_value());
        QCOMPARE(executor.outputs()[0].at(3), 3.0);
        QCOMPARE(executor.outputs()[1].at(3), 0.0);
        QCOMPARE(executor.outputs()[2].shape(), (std::vector<std::int64_t>{4, 4}));
        QCOMPARE(executor.outputs()[2].at(15), 0.0);
        QCOMPARE(executor.outputs()[3].size(), std::int64_t{0});
    }

    void inputsThatDoNotFit()
    {
        Builder b;
        const Value x = b.input("x", row(4)), y = b.input("y", row(4));
        Executor executor = executorOf(b.finish({b.call("add", {x, y})}, {"sum"}));
        const auto refused = [&](std::size_t place, const ir::NdArray &array) {
            const auto set = executor.setInput(place, array);
            return set ? std::string() : set.error().code + ": " + set.error().message;
        };
        QCOMPARE(refused(1, filled(4, 1)), std::string());
        QCOMPARE(refused(2, filled(4, 1)), std::string("graph.input: the model has 2 inputs, 3 are given"));
        QCOMPARE(refused(1, filled(5, 1)),
                 std::string("graph.input: the input \"y\" is Tensor[(1, 4), float32], but "
                             "Tensor[(1, 5), float32] is given"));
        QVERIFY(refused(0, ir::NdArray(ir::DataType::int32(), {1, 4})).contains("(1, 4), int32] is given"));
        QVERIFY(executor.run().has_value());
        QCOMPARE(executor.outputs()[0].at(0), 1.0); // a refused input changed nothing
    }

    void aFaultNamesItsNode()
    {
        Builder b;
        const Value x = b.input("x", row(4, ir::DataType::int32())),
                    y = b.input("y", row(4, ir::DataType::int32()));
        Executor executor = executorOf(b.finish({b.call("divide", {x, y})}, {"quotient"}));
        const auto ran = executor.run(); // by zeros
        QVERIFY(!ran);
        QCOMPARE(ran.error().code, std::string("kernel.error"));
        QVERIFY2(ran.error().message.contains("divide") && ran.error().message.contains("zero"),
                 ran.error().message.c_str());
    }
};

QTEST_GUILESS_MAIN(ExecutorTest)
#include "executor_test.moc"
