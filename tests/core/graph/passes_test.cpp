// SPDX-License-Identifier: Apache-2.0
// Passes over graphs: every level keeps the meaning; folding, fusing, and what the records tell.
#include "core/graph/passes/declarations.h"
#include "tests/core/graph/passes.h"
#include "tests/support/random.h"

using namespace nestwright;
using namespace nestwright::graph;
using namespace nestwright::tests;

namespace {

/// A chain of operators chosen at random, with branches that meet again.
Function randomNetwork(tests::Random &random)
{
    Builder b;
    std::vector<Value> values{b.input("x", floats({1, 16, 8, 8})), b.input("z", floats({1, 8, 8, 8}))};
    const auto channels = [&](Value v) {
        return *(*b.typeOf(v).constantShape()).begin() * (*b.typeOf(v).constantShape())[1];
    };
    for (int i = 0; i < 10; ++i) {
        const Value x = random.pick(values);
        const std::int64_t c = channels(x);
        switch (random.below(8)) {
        case 0: {
            const std::int64_t f = random.pick(Ints{8, 16, 12});
            values.push_back(b.call("nn.conv", {x, weights(b, {f, c, 3, 3}, static_cast<std::uint64_t>(i))},
                                    {{"padding", Ints{1, 1, 1, 1}}}));
            break;
        }
        case 1:
            values.push_back(b.call("nn.conv", {x, weights(b, {c, 1, 3, 3}, 9)},
                                    {{"padding", Ints{1, 1, 1, 1}}, {"groups", c}}));
            break;
        case 2:
            values.push_back(
                b.call(random.pick(std::vector<std::string>{"nn.relu", "tanh", "negative"}), {x}));
            break;
        case 3: values.push_back(b.call("multiply", {x, weights(b, {c, 1, 1}, 11)})); break;
        case 4: {
            const Value y = random.pick(values);
            if (channels(y) == c)
                values.push_back(b.call(random.pick(std::vector<std::string>{"add", "maximum"}), {x, y}));
            break;
        }
        case 5:
            values.push_back(
                b.call("nn.avg_pool", {x}, {{"kernel", Ints{3, 3}}, {"padding", Ints{1, 1, 1, 1}}}));
            break;
        case 6:
            values.push_back(b.call("concatenate", {x, random.pick(values)}, {{"axis", std::int64_t{1}}}));
            break;
        default: values.push_back(b.call("nn.normalize", {x}, {{"axes", Ints{2, 3}}})); break;
        }
        if (channels(values.back()) > 64)
            values.pop_back();
    }
    return b.finish({values.back(), values[values.size() / 2]}, {"a", "b"});
}

} // namespace

class PassesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void foldedWeightsKeepTheirNames()
    {
        Builder b;
        const auto named = [&](const Ints &shape, const std::string &name) {
            ir::NdArray data(ir::DataType::float32(), shape);
            for (std::int64_t i = 0; i < data.size(); ++i)
                data.set(i, 0.5 + 0.01 * static_cast<double>(i));
            return b.constant(std::move(data), name);
        };
        const Value x = b.input("x", floats({1, 16, 12, 12}));
        Value y =
            b.call("nn.conv", {x, named({16, 16, 3, 3}, "res2a_w")}, {{"padding", Ints{1, 1, 1, 1}}}, "n0");
        b.nameTensor(y, "r0");
        y = b.call(
            "nn.batch_norm",
            {y, named({16}, "bn_s"), named({16}, "bn_b"), named({16}, "bn_mean"), named({16}, "bn_var")}, {},
            "n1");
        b.nameTensor(y, "r1");
        const Function optimized = optimizedWith(b.finish({b.call("nn.relu", {y}, {}, "n2")}, {"y"}), 3);
        std::set<std::string> weights, tensors;
        for (const Node &node : optimized.nodes) {
            if (node.isConstant())
                weights.insert(node.name);
            for (const Node &inner : node.function ? node.function->nodes : std::vector<Node>())
                tensors.insert(inner.tensors.begin(), inner.tensors.end());
        }
        QCOMPARE(weights, (std::set<std::string>{"res2a_w", "bn_b"})); // packed; with mean and variance in it
        QVERIFY(tensors.contains("r0") || tensors.contains("r1"));
    }

    void everyLevelKeepsTheMeaning_data()
    {
        QTest::addColumn<int>("level");
        for (const int level : {0, 1, 2, 3})
            QTest::addRow("%d", level) << level;
    }
    void everyLevelKeepsTheMeaning()
    {
        QFETCH(int, level);
        const Function function = smallNetwork();
        const auto inputs = tests::randomInputs(function, 3);
        const auto expected = tests::interpreted(function, inputs);
        QVERIFY(expected);
        const Function after = optimizedWith(function, level);
        QCOMPARE(verify(after), std::string());
        const auto actual = tests::compiled(after, inputs);
        QVERIFY2(actual, actual ? "" : actual.error().message.c_str());
        QCOMPARE(difference(*expected, *actual), std::string());
    }

    void randomGraphsMeanTheSameAtEveryLevel()
    {
        for (std::uint64_t seed = 0; seed < 12; ++seed) {
            tests::Random random(seed);
            const Function function = randomNetwork(random);
            const auto inputs = tests::randomInputs(function, seed);
            const auto expected = tests::interpreted(function, inputs);
            QVERIFY(expected);
            for (const int level : {1, 3}) {
                const auto actual = tests::compiled(optimizedWith(function, level), inputs);
                QVERIFY2(actual,
                         std::format("seed {}: {}", seed, actual ? "" : actual.error().message).c_str());
                const std::string wrong = difference(*expected, *actual);
                QVERIFY2(
                    wrong.empty(),
                    std::format("seed {}, level {}: {}\n{}", seed, level, wrong, print(function)).c_str());
            }
        }
    }

    void batchNormalizationGoesIntoTheWeights()
    {
        const Function after = optimizedWith(smallNetwork(), 2);
        QCOMPARE(count(after, "nn.batch_norm"), 0);
        QCOMPARE(count(after, "multiply"), 0);
        QCOMPARE(count(optimizedWith(smallNetwork(), 2, {}, "fold-scale-axis"), "multiply"), 1);
    }

    void factorsGoIntoTheWeightsBehindThemToo()
    {
        for (const std::int64_t groups : {1, 2, 6}) {
            for (const Ints &shape : {Ints{6, 1, 1}, Ints{1, 6, 1, 1}, Ints{}}) {
                Builder b;
                const Value x = b.input("x", floats({2, 6, 5, 5}));
                const Value y = b.call(
                    "nn.conv",
                    {b.call("multiply", {x, weights(b, shape, 1)}), weights(b, {12, 6 / groups, 3, 3}, 2)},
                    {{"groups", groups}, {"padding", Ints{1, 1, 1, 1}}});
                const Function function = b.finish({y}, {"y"});
                QCOMPARE(count(optimizedWith(function, 2), "multiply"), 0);
                QCOMPARE(changedBy(function, 2), std::string());
            }
        }
        // Not where something else reads the product, nor where the factor is none per channel.
        Builder b;
        const Value x = b.input("x", floats({1, 6, 5, 5}));
        const Value read = b.call("multiply", {x, weights(b, {6, 1, 1}, 1)}),
                    wide = b.call("multiply", {x, weights(b, {5}, 2)});
        const Function function =
            b.finish({b.call("nn.conv", {read, weights(b, {3, 6, 1, 1}, 3)}), b.call("tanh", {read}),
                      b.call("nn.conv", {wide, weights(b, {3, 6, 1, 1}, 4)})},
                     {"a", "b", "c"});
        QCOMPARE(count(optimizedWith(function, 2), "multiply"), 2);
        QCOMPARE(changedBy(function, 2), std::string());
    }

    void constantsThatOthersReadStay()
    {
        Builder b;
        const Value x = b.input("x", floats({1, 3})), w = weights(b, {3, 3}, 1);
        const Value y = b.call("nn.matmul", {x, b.call("transpose", {w}, {{"axes", Ints{1, 0}}})});
        const Function function = b.finish({b.call("add", {b.call("nn.matmul", {y, w}), y}), w}, {"y", "w"});
        QCOMPARE(changedBy(function, 2), std::string());
        PassContext context; // and graphs in records stay whole
        context.keepRecords = true;
        const auto optimized = optimize(function, context);
        QVERIFY(optimized);
        for (const GraphPassRecord &record : optimized->records) {
            for (const Node &node : record.before.nodes)
                QVERIFY(!node.isConstant() || node.data);
        }
    }

    void constantsAreFolded()
    {
        Builder b;
        const Value x = b.input("x", floats({4}));
        const Value two =
            b.call("add", {b.scalar(1, ir::DataType::float32()), b.scalar(1, ir::DataType::float32())});
        const Function function = b.finish({b.call("multiply", {x, two})}, {"y"});
        const Function after = optimizedWith(function, 2, {}, "fuse-ops");
        QCOMPARE(count(after, "add"), 0);
        QCOMPARE(after.nodes.size(), std::size_t{3});
        QCOMPARE(after.at(after.nodes.back().inputs[1]).data->at(0), 2.0);
    }

    void equalNodesAreComputedOnce()
    {
        Builder b;
        const Value x = b.input("x", floats({4}));
        const Function function = b.finish({b.call("add", {b.call("exp", {x}), b.call("exp", {x})})}, {"y"});
        QCOMPARE(count(optimizedWith(function, 1), "exp"), 2);
        QCOMPARE(count(optimizedWith(function, 3), "exp"), 1);
    }

    void fusionEndsWhereAValueIsReadTwice()
    {
        Builder b;
        const Value x = b.input("x", floats({4}));
        const Value e = b.call("exp", {x});
        const Value left = b.call("tanh", {e}), right = b.call("negative", {e});
        const Function after = optimizedWith(b.finish({b.call("add", {left, right})}, {"y"}), 1);
        std::vector<std::string> names;
        for (const Node &node : after.nodes) {
            if (node.kind == NodeKind::Group)
                names.push_back(node.function->name);
        }
        QCOMPARE(names, std::vector<std::string>{"fused_tanh_negative_add"});
        QCOMPARE(after.nodes.size(), std::size_t{3}); // x, exp, the group
    }

    /// As unrolled loops leave them.
    void longChainsAreJoinedInParts()
    {
        Builder b;
        Value x = b.input("x", {{ir::intImm(4)}, ir::DataType::float32()});
        for (int i = 0; i < 5000; ++i)
            x = b.call("nn.relu", {x});
        const Function after = fuseOps(b.finish({x}, {"y"}));
        QCOMPARE(std::ranges::count(after.nodes, NodeKind::Group, &Node::kind), std::ptrdiff_t{20}); // of 256
        QCOMPARE(verify(after), std::string());
    }

    /// Behind a contraction follow elementwise operators on its own shape, and nothing else; operators with
    /// several results, or that are no tensor expressions, stay alone.
    void fusedNodes_data()
    {
        QTest::addColumn<QString>("op");
        QTest::addColumn<QString>("groups");
        QTest::newRow("elementwise") << "nn.relu" << "fused_matmul_relu";
        QTest::newRow("the same shape, but a reduction within") << "nn.softmax" << "";
        QTest::newRow("the same shape, but sums up to each") << "cumsum" << "";
        QTest::newRow("another shape") << "transpose" << "";
        QTest::newRow("two results") << "topk" << "";
    }

    void fusedNodes()
    {
        QFETCH(QString, op);
        QFETCH(QString, groups);
        Builder b;
        const Value x = b.input("x", floats({4, 8})), w = b.input("w", floats({8, 6}));
        ops::Attributes attributes;
        if (op == QLatin1String("topk"))
            attributes["k"] = std::int64_t{6};
        if (op == QLatin1String("transpose"))
            attributes["axes"] = Ints{1, 0};
        const Value first = b.call(op.toStdString(), {b.call("nn.matmul", {x, w})}, attributes);
        const Value last = b.call("tanh", {first});
        const Function function = b.finish({first, last}, {"first", "last"}), after = fuseOps(function);
        QStringList names;
        for (const Node &node : after.nodes) {
            if (node.kind == NodeKind::Group)
                names << QString::fromStdString(node.function->name);
        }
        QCOMPARE(names.join(u' '), groups);
        QCOMPARE(changedBy(function, 1), std::string());
    }

    void unknownPassesAreNamed()
    {
        PassContext context;
        context.disabled.insert("no_such_pass");
        const auto optimized = optimize(smallNetwork(), context);
        QVERIFY(!optimized);
        QCOMPARE(optimized.error().code, std::string("graph.unknown-pass"));
    }

    void recordsTellWhatEachPassDid()
    {
        PassContext context;
        context.keepRecords = true;
        const auto optimized = optimize(smallNetwork(), context);
        QVERIFY(optimized);
        QCOMPARE(optimized->records.size(),
                 static_cast<std::size_t>(std::ranges::count_if(
                     graphPasses(), [](const GraphPass &pass) { return pass.level <= 3; })));
        const auto simplified =
            std::ranges::find(optimized->records, "simplify-inference", &GraphPassRecord::name);
        QVERIFY(simplified != optimized->records.end() && !simplified->unchanged);
        QVERIFY(std::ranges::any_of(optimized->records, &GraphPassRecord::unchanged));
    }
};

QTEST_GUILESS_MAIN(PassesTest)
#include "passes_test.moc"
