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

    void outputsAreResultsOfNodes()
    {
        Builder b;
        const Value x = b.input("x", floats({4}));
        const Function whole = b.finish({b.call("topk", {x}, {{"k", std::int64_t{2}}})}, {"y"});
        for (const auto &[output, good] : {std::pair(Value{1, 0}, true),
                                           {Value{1, 1}, true},
                                           {Value{1, 2}, false},
                                           {Value{0, 0}, true},
                                           {Value{0, 1}, false},
                                           {Value{2, 0}, false},
                                           {Value{-1, 0}, false}}) {
            Function function = whole;
            function.outputs = {output};
            QCOMPARE(verify(function),
                     good ? std::string() : std::string("an output is no result of any node"));
        }
    }

    void calledFunctionsHaveTheTypesOfTheirNode()
    {
        Builder inner;
        const Value given = inner.input("a", floats({4}));
        auto called = std::make_shared<Function>(inner.finish({inner.call("exp", {given})}, {"r"}));
        called->name = "twice";
        Builder b;
        Node node;
        node.kind = NodeKind::Call;
        node.function = called;
        node.types = {floats({4})};
        node.inputs = {b.input("x", floats({4}))};
        Function function = b.finish({}, {});
        function.nodes.push_back(node);
        function.outputs = {{1, 0}};
        function.outputNames = {"y"};
        QCOMPARE(verify(function), std::string());
        QCOMPARE(displayName(function, 1), std::string("twice_1"));
        Function other = function;
        other.nodes[1].types = {floats({5})};
        const std::string differs =
            "\"twice_1\" does not have the types of the function that it calls, \"twice\"";
        QCOMPARE(verify(other), differs);
        other = function;
        other.nodes[0].types = {floats({5})};
        QCOMPARE(verify(other), differs);
        other = function;
        auto broken = std::make_shared<Function>(*called);
        broken->nodes[1].inputs[0].node = 1;
        other.nodes[1].function = broken;
        QVERIFY(verify(other).contains("reads a node that does not come before it"));
    }

    void nodesThatNothingNeedsAreLeftOut()
    {
        Builder b;
        const Value x = b.input("x", floats({4})), unused = b.input("unused", floats({4}));
        const Value dead = b.call("exp", {unused}), deader = b.call("sin", {dead});
        const Value cast = b.call("negative", {x}), y = b.call("add", {cast, x});
        QVERIFY(deader.node > dead.node);
        const Function all = b.finish({y, x}, {"y", "x"});
        const Function kept = withoutDeadNodes(all);
        QCOMPARE(tests::count(kept, "exp") + tests::count(kept, "sin"), 0);
        QCOMPARE(kept.nodes.size(), std::size_t{4}); // inputs stay
        QCOMPARE(kept.inputs(), (std::vector<int>{0, 1}));
        QCOMPARE(verify(kept), std::string());
        QCOMPARE(kept.at(kept.outputs[0]).op->name, std::string_view("add"));
        QCOMPARE(kept.outputs[1].node, 0);
    }

    void readersAreCountedOnce()
    {
        Builder b;
        const Value x = b.input("x", floats({4})), y = b.call("add", {x, x}), z = b.call("add", {x, y});
        const Function function = b.finish({z}, {"z"});
        const auto readers = function.readers();
        QCOMPARE(readers[0], (std::vector<int>{1, 2}));
        QCOMPARE(readers[1], std::vector<int>{2});
        QVERIFY(readers[2].empty());
    }

    void namesForNodesWithout()
    {
        Builder b;
        const Value x = b.input("", floats({4})), c = tests::weights(b, {4}, 1);
        const Value y = b.call("add", {x, c}), named = b.call("exp", {y}, {}, "last");
        const Function function = b.finish({named}, {"y"});
        QCOMPARE(displayName(function, 0), std::string("input0"));
        QCOMPARE(displayName(function, 1), std::string("constant1"));
        QCOMPARE(displayName(function, 2), std::string("add_2"));
        QCOMPARE(displayName(function, 3), std::string("last"));
    }

    void printedAsText()
    {
        Builder b;
        const Value x = b.input("in put", floats({2, 3})), again = b.input("in_put", floats({3}));
        const Value scaled = b.call("multiply", {x, b.scalar(0.5, ir::DataType::float32())});
        const Value w = b.constant(ir::NdArray(ir::DataType::float32(), {3}), "w");
        const Value sum = b.call("add", {b.call("add", {scaled, again}), w});
        const Value best = b.call("topk", {sum}, {{"k", std::int64_t{2}}, {"axis", std::int64_t{-1}}});
        const Function function = b.finish({best, {best.node, 1}}, {"values", "places"});
        QCOMPARE(QString::fromStdString(print(function)),
                 "def @main(%in_put: Tensor[(2, 3), float32], %in_put_1: Tensor[(3,), float32]) -> "
                 "(Tensor[(2, 2), float32], Tensor[(2, 2), int64]) {\n"
                 "  %1 = multiply(%in_put, 0.5) /* Tensor[(2, 3), float32] */;\n"
                 "  %w = const(Tensor[(3,), float32]);\n"
                 "  %2 = add(%1, %in_put_1) /* Tensor[(2, 3), float32] */;\n"
                 "  %3 = add(%2, %w) /* Tensor[(2, 3), float32] */;\n"
                 "  %4 = topk(%3, k=2) /* Tensor[(2, 2), float32], Tensor[(2, 2), int64] */;\n"
                 "  (%4.0, %4.1)\n}\n");
        Builder single;
        const Function one = single.finish({single.input("x", floats({1}))}, {"x"});
        QCOMPARE(QString::fromStdString(print(one)),
                 "def @main(%x: Tensor[(1,), float32]) -> Tensor[(1,), float32] {\n  %x\n}\n");
    }
};

QTEST_APPLESS_MAIN(GraphTest)
#include "graph_test.moc"
