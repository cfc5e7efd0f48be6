// SPDX-License-Identifier: Apache-2.0
#include "core/graph/equality.h"

#include "tests/core/graph/passes.h"

#include <QtTest>

#include <limits>

using namespace nestwright;
using namespace nestwright::graph;
using tests::floats;

namespace {

Data filled(std::uint64_t seed)
{
    ir::NdArray array(ir::DataType::float32(), {3, 3});
    array.fillRandom(seed);
    return std::make_shared<const ir::NdArray>(std::move(array));
}

struct Layer {
    std::uint64_t seed = 1; ///< of its weights
    std::string name{}, input = "x", output = "y", op = "nn.relu";
};

Function layer(const Layer &like)
{
    Builder b;
    const Value x = b.input(like.input, floats({3, 3}));
    const Value product =
        b.call("nn.matmul", {x, b.constant(filled(like.seed), like.name)}, {}, like.name + "/matmul");
    return b.finish({b.call(like.op, {product})}, {like.output});
}

} // namespace

class GraphEqualityTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void namesAndIdsOfNodesDoNotCount()
    {
        Function other = layer({.name = "dense"});
        for (Node &node : other.nodes)
            node.id.value += 10;
        QVERIFY(structurallyEqual(layer({}), other)); // and data are compared by their elements
    }

    void everythingElseCounts()
    {
        const Function function = layer({});
        QVERIFY(!structurallyEqual(function, layer({.seed = 2})));
        QVERIFY(!structurallyEqual(function, layer({.input = "z"})));
        QVERIFY(!structurallyEqual(function, layer({.output = "z"})));
        QVERIFY(!structurallyEqual(function, layer({.op = "tanh"})));
        Function more = function;
        more.outputs.push_back({1, 0});
        more.outputNames.emplace_back("z");
        QVERIFY(!structurallyEqual(function, more));
    }

    void calledFunctionsAreLookedInto()
    {
        const auto calling = [](const Layer &like) {
            Node call;
            call.kind = NodeKind::Call;
            call.function = std::make_shared<const Function>(layer(like));
            Builder b;
            call.inputs = {b.input("x", floats({3, 3}))};
            call.types = {b.typeOf(call.inputs[0])};
            return b.finish({{b.add(call), 0}}, {"y"});
        };
        QVERIFY(structurallyEqual(calling({}), calling({.name = "dense"})));
        QVERIFY(!structurallyEqual(calling({}), calling({.seed = 2})));
    }

    void notANumberEqualsItself()
    {
        const ops::Attributes a{{"alpha", std::numeric_limits<double>::quiet_NaN()}};
        QVERIFY(sameAttributes(a, a));
        QVERIFY(!sameAttributes(a, {{"alpha", 1.0}}));
        QVERIFY(!sameAttributes(a, {{"beta", std::numeric_limits<double>::quiet_NaN()}}));
        QVERIFY(!sameAttributes(a, {}));
    }
};

QTEST_GUILESS_MAIN(GraphEqualityTest)
#include "equality_test.moc"
