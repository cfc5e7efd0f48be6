// SPDX-License-Identifier: Apache-2.0
#include "tests/core/graph/passes.h"

using namespace nestwright;
using namespace nestwright::graph;
using namespace nestwright::tests;

namespace {

Value convolution(Builder &b, Value x, std::int64_t filters, std::uint64_t seed)
{
    const std::int64_t channels = (*b.typeOf(x).constantShape())[1];
    return b.call("nn.conv", {x, weights(b, {filters, channels, 1, 1}, seed)});
}

/// With a bias and a relu behind it.
Value activated(Builder &b, Value x, std::int64_t filters, std::uint64_t seed)
{
    const Value sum =
        b.call("add", {convolution(b, x, filters, seed), weights(b, {filters, 1, 1}, seed + 100)});
    return b.call("nn.relu", {sum});
}

/// The convolutions, combined or not, of a graph after the pass and before layouts change.
int convolutions(const Function &function)
{
    PassContext context;
    context.disabled = {"alter-op-layout", "fuse-ops", "flatten-pointwise"};
    const auto after = optimize(function, context);
    return after ? count(after->function, "nn.conv") : -1;
}

/// Three products of an input of that shape, each with a bias and something elementwise.
Function products(const Ints &rows, const std::vector<std::string> &behind)
{
    Builder b;
    const Value x = b.input("x", floats(rows));
    std::vector<Value> outputs;
    for (std::size_t i = 0; i < behind.size(); ++i) {
        const Value y = b.call("nn.matmul", {x, weights(b, {rows.back(), 10}, i)});
        outputs.push_back(b.call(behind[i], {b.call("add", {weights(b, {10}, i + 50), y})}));
    }
    return b.finish(outputs, std::vector<std::string>(outputs.size(), "y"));
}

} // namespace

class CombineParallelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void threeConvolutionsBecomeOne()
    {
        Builder b;
        const Value x = b.input("x", floats({1, 16, 7, 7}));
        const Value y = b.call("nn.conv", {activated(b, x, 32, 2), weights(b, {16, 32, 3, 3}, 9)});
        const Function function = b.finish(
            {b.call("negative", {activated(b, x, 16, 1)}), y, b.call("tanh", {activated(b, x, 48, 3)})},
            {"a", "b", "c"});
        QCOMPARE(convolutions(function), 2);
        QCOMPARE(changedBy(function, 3), std::string());
        const Function after = optimizedWith(function, 3);
        QCOMPARE(count(after, "nn.relu"), 1);
        QCOMPARE(count(after, "strided_slice"), 3);
        // The part that a convolution reads stays in blocks and lies where the whole lies.
        for (std::size_t i = 0; i < after.nodes.size(); ++i) {
            if (after.nodes[i].op && after.nodes[i].op->name == "strided_slice")
                QVERIFY(isView(after, static_cast<int>(i)));
        }
    }

    void partsMayBeOutputs()
    {
        Builder b;
        const Value x = b.input("x", floats({1, 5, 4, 4}));
        std::vector<Value> parts;
        for (const std::int64_t filters : {3, 7, 1, 2})
            parts.push_back(activated(b, x, filters, static_cast<std::uint64_t>(filters)));
        const Function function = b.finish(parts, {"a", "b", "c", "d"});
        QCOMPARE(convolutions(function), 1);
        QCOMPARE(changedBy(function, 3), std::string());
    }

    /// A chain ends at a node that is read elsewhere too: a result of the graph, or one with two readers.
    void chainsEndWhereOthersRead()
    {
        const auto relus = [](bool isOutput) {
            Builder b;
            const Value x = b.input("x", floats({1, 8, 6, 6}));
            std::vector<Value> parts;
            std::vector<std::string> names;
            for (std::uint64_t i = 0; i < 3; ++i) {
                const Value y = convolution(b, x, 8, i);
                parts.push_back(b.call("nn.relu", {y}));
                parts.push_back(isOutput ? y : b.call("exp", {y}));
                names.push_back("a" + std::to_string(i));
                names.push_back("b" + std::to_string(i));
            }
            const Function function = b.finish(parts, names);
            const std::string changed = changedBy(function, 3);
            const Function after = optimizedWith(function, 3);
            return changed.empty() && convolutions(function) == 1 ? count(after, "nn.relu") : -1;
        };
        QCOMPARE(relus(true), 3);
        QCOMPARE(relus(false), 3);
    }

    void differentNodesAreNotCombined()
    {
        const auto rest = [](const auto &third) {
            Builder b;
            const Value x = b.input("x", floats({1, 8, 6, 6})), z = b.input("z", floats({1, 8, 6, 6}));
            const Value y = third(b, x, z);
            const Function function =
                b.finish({convolution(b, x, 8, 1), convolution(b, x, 8, 2), y}, {"a", "b", "c"});
            const std::string changed = changedBy(function, 3);
            return changed.empty() ? convolutions(function) : -2;
        };
        QCOMPARE(rest([](Builder &b, Value x, Value) { return convolution(b, x, 8, 3); }), 1);
        QCOMPARE(rest([](Builder &b, Value x, Value) { return b.call("negative", {x}); }),
                 2); // fewer than three
        QCOMPARE(rest([](Builder &b, Value, Value z) { return convolution(b, z, 8, 3); }), 3);
        QCOMPARE(rest([](Builder &b, Value x, Value) {
                     return b.call("nn.conv", {x, weights(b, {8, 8, 3, 3}, 3)});
                 }),
                 3);
        QCOMPARE(rest([](Builder &b, Value x, Value) {
                     return b.call("nn.conv", {x, weights(b, {8, 8, 1, 1}, 3)}, {{"strides", Ints{2, 2}}});
                 }),
                 3);
        // 16 goes into other blocks than 8.
        QCOMPARE(rest([](Builder &b, Value x, Value) { return convolution(b, x, 16, 3); }), 3);
    }

    void chainsEndWhereTheyDiffer()
    {
        Builder b;
        const Value x = b.input("x", floats({1, 8, 6, 6}));
        std::vector<Value> parts;
        for (std::uint64_t i = 0; i < 3; ++i) {
            const Value y =
                b.call("multiply", {convolution(b, x, 8, i), b.scalar(2, ir::DataType::float32())});
            parts.push_back(b.call("add", {y, b.scalar(static_cast<double>(i), ir::DataType::float32())}));
        }
        const Function function = b.finish(parts, {"a", "b", "c"});
        QCOMPARE(changedBy(function, 3), std::string());
        const Function after = optimizedWith(function, 3);
        QCOMPARE(count(after, "nn.blocked_conv"), 1);
        QCOMPARE(count(after, "add"), 3);
    }

    void threeProductsBecomeOne()
    {
        for (const Ints &rows : {Ints{6, 12}, Ints{1, 6, 12}, Ints{2, 3, 4, 12}}) {
            const Function function = products(rows, {"tanh", "tanh", "tanh"});
            const Function after = optimizedWith(function, 3);
            QCOMPARE(count(after, "nn.matmul"), 1);
            QCOMPARE(count(after, "tanh"), 1);
            QCOMPARE(changedBy(function, 3), std::string());
            const Function others = products(rows, {"tanh", "negative", "tanh", "exp"});
            QCOMPARE(count(optimizedWith(others, 3), "nn.matmul"), 1);
            QCOMPARE(count(optimizedWith(others, 3), "exp"), 1);
            QCOMPARE(changedBy(others, 3), std::string());
            QCOMPARE(count(optimizedWith(products(rows, {"tanh", "tanh"}), 3), "nn.matmul"), 2);
        }
    }
};

QTEST_GUILESS_MAIN(CombineParallelTest)
#include "combine_parallel_test.moc"
