// SPDX-License-Identifier: GPL-3.0-or-later
// Names that people gave are told from those that exporters made up, and scopes are found in them.
#include "app/present/node_names.h"

#include "tests/app/present/small_models.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

/// The label of a product of that name with those weights, whose result has that name.
QString labelWith(const std::string &name, const std::vector<std::pair<std::string, Ints>> &weights,
                  const std::string &result = {})
{
    Builder b;
    Value y = b.input("x", floats({4, 8}));
    if (weights.empty()) {
        y = b.call("nn.relu", {y}, {}, name);
    } else {
        std::vector<Value> read{y};
        for (const auto &[weight, shape] : weights)
            read.push_back(namedWeights(b, shape, weight));
        y = b.call(read.size() == 2 ? "nn.matmul" : "concatenate", read,
                   read.size() == 2 ? ops::Attributes{} : ops::Attributes{{"axis", std::int64_t{0}}}, name);
    }
    if (!result.empty())
        b.nameTensor(y, result);
    const Function function = b.finish({y}, {"out"});
    return app::labelOf(function, function.nodes.back());
}

QStringList scopeWith(const std::string &name, const std::string &weight = {})
{
    Builder b;
    Value y = b.input("x", floats({4, 8}));
    y = weight.empty() ? b.call("nn.relu", {y}, {}, name)
                       : b.call("nn.matmul", {y, namedWeights(b, {8, 8}, weight)}, {}, name);
    const Function function = b.finish({y}, {"out"});
    return app::scopeOf(function, function.nodes.back());
}

} // namespace

class NodeNamesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void madeUp_data()
    {
        QTest::addColumn<bool>("isMadeUp");
        for (const char *name : {"", "n5", "r12", "123", "Conv_12", "MatMul", "node_7", "node", "op3",
                                 "val_12", "tensor_1", "onnx::MatMul_207", "BatchNormalization_3"})
            QTest::newRow(name) << true;
        for (const char *name : {"fire2/expand1x1", "/layer1/conv1/Conv", "encoder.layer.0", "conv1",
                                 "logits", "n5/relu", "node_of_mine", "Conv_12_of_mine", "scores_2"})
            QTest::newRow(name) << false;
    }
    void madeUp()
    {
        QFETCH(bool, isMadeUp);
        QCOMPARE(app::isMadeUp(QString::fromUtf8(QTest::currentDataTag())), isMadeUp);
    }

    /// Its own name is best, then that of the layer whose weights it reads, then that of its result.
    void labels()
    {
        QCOMPARE(labelWith("fire2/expand1x1", {{"fire3/other_w_0", {8, 8}}}, "r"),
                 QStringLiteral("fire2/expand1x1"));
        QCOMPARE(labelWith("n5", {{"fire2/expand1x1_w_0", {8, 8}}}, "mine"),
                 QStringLiteral("fire2/expand1x1"));
        QCOMPARE(labelWith("", {{"layers.0.wide.weight", {8, 8}}}), QStringLiteral("layers.0.wide"));
        QCOMPARE(labelWith("Conv_12", {{"a.weight + b.weight", {8, 8}}}), QStringLiteral("a"));
        QCOMPARE(labelWith("node_7", {{"onnx::MatMul_207", {8, 8}}}, "logits"), QStringLiteral("logits"));
        QCOMPARE(labelWith("node_7", {}, "logits"), QStringLiteral("logits"));
        QCOMPARE(labelWith("node_7", {{"207", {8, 8}}}, "208"), QString());
        QCOMPARE(labelWith("", {}), QString());
    }

    void theLargestWeightsName()
    {
        QCOMPARE(labelWith("n1", {{"small.bias", {1, 8}}, {"large.weight", {4, 8}}, {"last.scale", {2, 8}}}),
                 QStringLiteral("large"));
    }

    void endingsOfWeights()
    {
        for (const char *ending : {".weight", "_bias", "/kernel", ".BN_gamma", "_w", ".weights_3", "/beta_0"})
            QCOMPARE(labelWith("n1", {{std::string("layers.7") + ending, {8, 8}}}),
                     QStringLiteral("layers.7"));
        QCOMPARE(labelWith("n1", {{"overweight", {8, 8}}}), QStringLiteral("overweight"));
    }

    void scopes()
    {
        QCOMPARE(scopeWith("/layer1/conv1/Conv"), (QStringList{"layer1", "conv1"}));
        QCOMPARE(scopeWith("layer1/conv1"), QStringList{"layer1"});
        QCOMPARE(scopeWith("conv1"), QStringList());
        QCOMPARE(scopeWith("/Relu"), QStringList());
        QCOMPARE(scopeWith("n7", "fire2/expand1x1_w_0"), QStringList{"fire2"}); // that of its layer
        QCOMPARE(scopeWith("n7"), QStringList());
    }

    /// Of what was fused, the part that all operators have in common.
    void groups()
    {
        const session::Model model = modelOf(paneNetwork());
        const Function &function = model.program.function;
        const auto group = std::ranges::find(function.nodes, NodeKind::Group, &Node::kind);
        QVERIFY(group != function.nodes.end());
        std::vector<std::string_view> inside;
        for (const Node *each : app::operatorsIn(*group))
            inside.push_back(each->op->name);
        QVERIFY(std::ranges::contains(inside, "nn.conv") && std::ranges::contains(inside, "nn.relu"));
        QCOMPARE(app::scopeOf(function, *group), (QStringList{"net", "layer1"}));

        const Node &pool = nodeNamed(function, "/net/pool/MaxPool");
        QCOMPARE(app::operatorsIn(pool), std::vector{&pool});
        QVERIFY(app::operatorsIn(function.at(function.inputs().front())).empty());
    }

    void sharedScopes()
    {
        app::SharedScope scope;
        QVERIFY(!scope.shared());
        scope.add({"net", "layer1", "conv"});
        QCOMPARE(*scope.shared(), (QStringList{"net", "layer1", "conv"}));
        scope.add({"net", "layer1", "conv", "deeper"});
        QCOMPARE(*scope.shared(), (QStringList{"net", "layer1", "conv"}));
        scope.add({"net", "layer2", "conv"});
        QCOMPARE(*scope.shared(), QStringList{"net"});
        scope.add({});
        QCOMPARE(*scope.shared(), QStringList());
        scope.add({"net"});
        QCOMPARE(*scope.shared(), QStringList());
    }
};

QTEST_GUILESS_MAIN(NodeNamesTest)
#include "node_names_test.moc"
