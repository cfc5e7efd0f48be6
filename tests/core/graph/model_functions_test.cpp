// SPDX-License-Identifier: Apache-2.0
// Functions that a model defines, and calls of them.
#include "core/graph/passes/declarations.h"
#include "tests/core/graph/made_models.h"
#include "tests/core/graph/run_graph.h"

#include <set>

using namespace nestwright;
using namespace nestwright::graph;
using namespace nestwright::tests;

class ModelFunctionsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void functionsOfTheModel()
    {
        const auto read = readModel("tests/fuzz/corpus/onnx/function.onnx");
        QVERIFY(read);
        QCOMPARE(read->functions.size(), std::size_t{3});
        const auto imported = importModel(*read);
        QVERIFY2(imported, imported ? "" : imported.error().message.c_str());
        QCOMPARE(imported->function.nodes.size(), std::size_t{2}); // x and a call; "Unused" is nowhere
        QVERIFY(imported->function.at(1).kind == NodeKind::Call);
        const Function &twice = *imported->function.at(1).function;
        QVERIFY(std::ranges::count(twice.nodes, NodeKind::Call, &Node::kind) == 2);
        const std::string text = print(imported->function);
        QVERIFY2(text.starts_with("def @") && !text.contains("Unused"), text.c_str());
        const Function inlined = inlineFunctions(imported->function);
        QCOMPARE(inlined.nodes.size(), std::size_t{5}); // two nodes of each of these calls
        QCOMPARE(verify(inlined), std::string());
        ir::NdArray x(ir::DataType::float32(), {2, 3});
        for (std::int64_t i = 0; i < 6; ++i)
            x.set(i, static_cast<double>(i % 2 == 0 ? i + 1 : -i));
        const auto y = tests::interpreted(imported->function, {x}), same = tests::interpreted(inlined, {x});
        QVERIFY(y && same);
        QCOMPARE(tests::difference(*y, *same), std::string());
        // Twice with slopes of a half and a quarter.
        for (std::int64_t i = 0; i < 6; ++i)
            QCOMPARE(y->front().at(i), x.at(i) * (x.at(i) > 0 ? 4 : 0.5));
    }

    /// "Outer" calls "Inner" twice and is called twice; known shapes go in and out.
    void callsWithinCalls()
    {
        OnnxFunction inner, outer;
        inner.inputs = outer.inputs = {"a", "s"};
        inner.outputs = outer.outputs = {"b", "t"};
        inner.opset = outer.opset = 18;
        inner.nodes = {node("Reshape", {"a", "s"}, {"r"}), node("Relu", {"r"}, {"b"}),
                       node("Shape", {"b"}, {"t"})};
        inner.nodes[0].name = "shape";
        inner.nodes[1].name = "positive";
        outer.nodes = {node("Inner", {"a", "s"}, {"c", "u"}), node("Inner", {"c", "u"}, {"b", "t"})};
        outer.nodes[0].name = "first";
        outer.nodes[1].name = "second";
        for (OnnxNode &each : outer.nodes)
            each.domain = "own";
        OnnxModel made =
            model({node("Shape", {"flat"}, {"s"}), node("Outer", {"x", "s"}, {"y", "t"}),
                   node("Outer", {"flat", "t"}, {"z", ""}), node("Outer", {"z", "t"}, {"w", ""})},
                  {floats("x", {2, 3}), floats("flat", {6})});
        for (std::size_t i = 1; i < made.nodes.size(); ++i) {
            made.nodes[i].domain = "own";
            made.nodes[i].name = "call" + std::to_string(i);
        }
        made.outputs = {floats("w", {}), floats("y", {})};
        made.functions = {{"own:Inner", inner}, {"own:Outer", outer}};
        const auto imported = importModel(made);
        QVERIFY2(imported, imported ? "" : imported.error().message.c_str());
        const Function &function = imported->function;
        QCOMPARE(verify(function), std::string());
        std::vector<const Node *> calls;
        for (const Node &each : function.nodes) {
            if (each.kind == NodeKind::Call)
                calls.push_back(&each);
        }
        QCOMPARE(calls.size(), std::size_t{3});
        QVERIFY(calls[1]->function == calls[2]->function); // the same types
        QVERIFY(calls[0]->function != calls[1]->function); // it makes another shape
        const std::string text = print(function);
        QVERIFY2(QString::fromStdString(text).count(QStringLiteral("def @Outer")) == 2, text.c_str());
        QVERIFY2(text.contains("@Outer_1(%flat)"), text.c_str());

        PassContext context;
        context.level = 0;
        context.keepRecords = true;
        const auto optimized = optimize(function, context);
        QVERIFY(optimized);
        const Function &inlined = optimized->function;
        QCOMPARE(optimized->records.front().name, std::string("inline-functions"));
        QCOMPARE(print(optimized->records.front().before), text);
        std::set<std::string> names;
        std::set<NodeId> ids;
        for (const Node &each : inlined.nodes) {
            QVERIFY(each.kind != NodeKind::Call);
            names.insert(each.name);
            QVERIFY(ids.insert(each.id).second);
        }
        for (const char *name :
             {"call1/first/positive", "call1/first/shape", "call2/second/positive", "call3/second/positive"})
            QVERIFY2(names.contains(name), name);
        ir::NdArray x(ir::DataType::float32(), {2, 3}), flat(ir::DataType::float32(), {6});
        x.fillRandom(1);
        flat.fillRandom(2);
        const auto before = tests::interpreted(function, {x, flat}),
                   after = tests::interpreted(inlined, {x, flat});
        QVERIFY(before && after);
        QCOMPARE(tests::difference(*before, *after), std::string());

        context.disabled = {"inline-functions"};
        const auto left = optimize(function, context);
        QVERIFY(left);
        const auto program = makeProgram(left->function);
        QVERIFY(!program);
        QCOMPARE(program.error().code, std::string("graph.call"));
    }

    void uncomputedValuesAreNone()
    {
        OnnxFunction same;
        same.inputs = {"a"};
        same.outputs = {"a"};
        same.opset = 18;
        OnnxModel made = model({node("Same", {"x"}, {"z"}), node("Relu", {"z"}, {"y"})});
        made.nodes[0].domain = "own";
        made.functions = {{"own:Same", same}};
        const auto imported = importModel(made);
        QVERIFY(imported);
        QCOMPARE(imported->function.nodes.size(), std::size_t{2});
    }

    /// An argument that the function does not read is no input of its call, though the next node reads it.
    void unreadInputsAreNotGiven()
    {
        OnnxFunction function;
        function.inputs = {"a", "b"};
        function.outputs = {"c"};
        function.opset = 18;
        function.nodes = {node("Relu", {"a"}, {"c"})};
        OnnxModel made = model({node("First", {"x", "z"}, {"c"}), node("Add", {"c", "z"}, {"y"})},
                               {floats("x", {2, 3}), floats("z", {2, 3})});
        made.nodes[0].domain = "own";
        made.functions = {{"own:First", function}};
        const auto imported = importModel(made);
        QVERIFY2(imported, imported ? "" : imported.error().message.c_str());
        const auto call = std::ranges::find(imported->function.nodes, NodeKind::Call, &Node::kind);
        QVERIFY(call != imported->function.nodes.end());
        QCOMPARE(call->inputs.size(), std::size_t{1});
        QCOMPARE(call->function->inputs().size(), std::size_t{1});
    }

    void functionsThatGoWrong()
    {
        const auto call = [](const std::string &name, std::vector<std::string> inputs, std::string output) {
            OnnxNode made = node(name, std::move(inputs), {std::move(output)});
            made.domain = "own";
            return made;
        };
        const auto function = [&](std::vector<OnnxNode> nodes) {
            OnnxFunction made;
            made.inputs = {"a"};
            made.outputs = {"b"};
            made.opset = 18;
            made.nodes = std::move(nodes);
            return made;
        };
        OnnxModel made = model({call("F", {"x"}, "y")});
        QCOMPARE(codeOf(made), std::string("onnx.refused")); // there is no such function
        made.functions["own:F"] = function({call("F", {"a"}, "b")});
        QCOMPARE(codeOf(made), std::string("onnx.function")); // calls itself
        made.functions["own:F"] = function({call("G", {"a"}, "b")});
        made.functions["own:G"] = function({call("F", {"a"}, "b")});
        QCOMPARE(codeOf(made), std::string("onnx.function")); // by way of another
        made.functions["own:F"] = function({node("Relu", {"x"}, {"b"})});
        QCOMPARE(codeOf(made), std::string("onnx.value")); // sees its inputs only
        made.functions["own:F"] = function({node("Relu", {"a"}, {"c"})});
        QCOMPARE(codeOf(made), std::string("onnx.value")); // nothing gives its output
        made.functions["own:F"] = function({node("Relu", {"a"}, {"b"})});
        QCOMPARE(codeOf(made), std::string("imported"));
        made.nodes[0].inputs = {"x", "x"};
        QCOMPARE(codeOf(made), std::string("onnx.function")); // one input too many
        made.nodes[0].inputs = {"x"};
        for (int i = 0; i < 40; ++i) { // each calls the one before twice
            const std::string before = i == 0 ? "F" : "F" + std::to_string(i - 1);
            made.functions["own:F" + std::to_string(i)] =
                function({call(before, {"a"}, "c"), call(before, {"c"}, "b")});
        }
        made.nodes[0].op = "F39";
        QCOMPARE(codeOf(made), std::string("onnx.function"));
    }
};

QTEST_GUILESS_MAIN(ModelFunctionsTest)
#include "model_functions_test.moc"
