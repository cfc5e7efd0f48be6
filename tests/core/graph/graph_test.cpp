// SPDX-License-Identifier: Apache-2.0
// Malformed graphs: verification names the node.
#include "tests/core/graph/passes.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::graph;
using tests::floats;

class GraphTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void graphsThatAreNone()
    {
        Builder b;
        const Value x = b.input("x", floats({1, 4})), c = tests::weights(b, {1, 4}, 7);
        const Function whole = b.finish({b.call("add", {x, c})}, {"sum"});
        QCOMPARE(verify(whole), std::string());
        const auto wrong = [&](const auto &change) {
            Function function = whole;
            change(function.nodes);
            return verify(function);
        };
        QVERIFY(wrong([](auto &nodes) { nodes[1].data.reset(); }).contains("do not have its type"));
        QVERIFY(
            wrong([](auto &nodes) { nodes[1].types[0] = floats({1, 5}); }).contains("do not have its type"));
        QVERIFY(wrong([](auto &nodes) {
                    nodes[1].types[0].dtype = ir::DataType::int32();
                }).contains("do not have its type"));
        QVERIFY(wrong([](auto &nodes) {
                    nodes[2].inputs[0].node = 2;
                }).contains("reads a node that does not come before"));
        QVERIFY(wrong([](auto &nodes) {
                    nodes[2].inputs[0].node = -1;
                }).contains("reads a node that does not come before"));
        QVERIFY(
            wrong([](auto &nodes) { nodes[2].inputs[0].output = 1; }).contains("a result that there is not"));
        QVERIFY(wrong([](auto &nodes) {
                    nodes[2].types[0] = floats({1, 5});
                }).contains("the type that add gives"));
    }
};

QTEST_APPLESS_MAIN(GraphTest)
#include "graph_test.moc"
