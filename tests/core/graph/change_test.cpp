// SPDX-License-Identifier: Apache-2.0
#include "core/graph/builder.h"
#include "core/graph/passes/change.h"
#include "core/graph/passes/declarations.h"

#include <QTest>

using namespace nestwright;
using namespace nestwright::graph;

namespace {

Value weights(Builder &builder, const std::vector<std::int64_t> &shape, std::uint64_t seed)
{
    ir::NdArray data(ir::DataType::float32(), shape);
    data.fillRandom(seed);
    for (std::int64_t i = 0; i < data.size(); ++i)
        data.set(i, 1 + std::abs(data.at(i)));
    return builder.constant(std::move(data));
}

NodeId idOf(const Function &function, std::string_view op)
{
    for (const Node &node : function.nodes) {
        if (node.op && node.op->name == op)
            return node.id;
    }
    return {};
}

/// conv → batch_norm → relu, and tanh beside them.
Function network()
{
    Builder b;
    TensorType image{{}, ir::DataType::float32()};
    for (const std::int64_t size : {1, 4, 8, 8})
        image.shape.emplace_back(size);
    const Value x = b.input("x", image);
    Value y = b.call("nn.conv", {x, weights(b, {4, 4, 1, 1}, 1)});
    y = b.call("nn.batch_norm",
               {y, weights(b, {4}, 2), weights(b, {4}, 3), weights(b, {4}, 4), weights(b, {4}, 5)});
    y = b.call("nn.relu", {y});
    return b.finish({y, b.call("tanh", {x})}, {"y", "z"});
}

} // namespace

class ChangeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aGraphDoesNotDifferFromItself()
    {
        const Function function = network();
        QVERIFY(changeOf(function, function).empty());
    }

    void replacedNodesAreRemovedAndAdded()
    {
        const Function before = network(), after = withoutDeadNodes(simplifyInference(before));
        const GraphChange change = changeOf(before, after);
        QCOMPARE(change.removed, std::set{idOf(before, "nn.batch_norm")});
        QVERIFY(change.added.contains(idOf(after, "multiply")));
        QVERIFY(change.added.contains(idOf(after, "add")));
        QVERIFY(!change.added.contains(idOf(after, "nn.relu")));
        QVERIFY(change.changed.empty()); // relu reads another node, but is the same
    }

    void otherWeightsAreAChange()
    {
        const Function before = network();
        Function after = before;
        for (Node &node : after.nodes) {
            if (node.isConstant() && node.types[0].shape.size() == 4)
                node.data = std::make_shared<const ir::NdArray>(*node.data);
        }
        const GraphChange change = changeOf(before, after);
        QCOMPARE(change.changed, std::set{idOf(before, "nn.conv")});
        QVERIFY(change.removed.empty() && change.added.empty());
    }

    void otherAttributesOrTypesAreAChange()
    {
        const Function before = network();
        const auto changed = [&](std::string_view op, const auto &edit) {
            Function after = before;
            edit(*std::ranges::find(after.nodes, idOf(before, op), &Node::id));
            return changeOf(before, after).changed;
        };
        QCOMPARE(changed("nn.conv", [](Node &node) { node.attributes["group"] = std::int64_t{2}; }),
                 std::set{idOf(before, "nn.conv")});
        QCOMPARE(changed("tanh", [](Node &node) { node.types[0].dtype = ir::DataType::int32(); }),
                 std::set{idOf(before, "tanh")});
    }

    void membersOfAGroupAreChangedAndNotGone()
    {
        const Function before = withoutDeadNodes(simplifyInference(network())), after = fuseOps(before);
        const GraphChange change = changeOf(before, after);
        QVERIFY(change.removed.empty());
        QVERIFY(change.added.empty());
        QVERIFY(change.changed.contains(idOf(before, "nn.conv")));
        QVERIFY(change.changed.contains(idOf(before, "nn.relu")));
        QVERIFY(!change.changed.contains(idOf(before, "tanh")));
        NodeId group;
        for (const Node &node : after.nodes)
            group = node.function ? node.id : group;
        QVERIFY(change.changed.contains(group));
    }
};

QTEST_GUILESS_MAIN(ChangeTest)
#include "change_test.moc"
