// SPDX-License-Identifier: Apache-2.0
// Sequences of tensors, and loops whose turns are known when a model is opened.
#include "core/graph/passes/declarations.h"
#include "tests/core/graph/made_models.h"
#include "tests/core/graph/run_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace nestwright;
using namespace nestwright::graph;
using namespace nestwright::tests;

namespace {

Data integers(std::vector<std::int64_t> shape, std::vector<std::int64_t> values)
{
    ir::NdArray array(ir::DataType::int64(), std::move(shape));
    std::ranges::copy(values, array.data<std::int64_t>());
    return std::make_shared<const ir::NdArray>(std::move(array));
}

OnnxNode with(OnnxNode made, std::map<std::string, Attribute, std::less<>> attributes)
{
    made.attributes = std::move(attributes);
    return made;
}

/// y for the x whose elements are 0, 1, 2, …; the error's message where there is none.
std::pair<std::vector<double>, std::string> run(const OnnxModel &made)
{
    const auto imported = importModel(made);
    if (!imported)
        return {{}, imported.error().message};
    if (const std::string wrong = verify(imported->function); !wrong.empty())
        return {{}, wrong};
    const Function &function = imported->function;
    ir::NdArray x(ir::DataType::float32(), *function.at(function.inputs()[0]).types[0].constantShape());
    for (std::int64_t i = 0; i < x.size(); ++i)
        x.set(i, static_cast<double>(i));
    const auto outputs = tests::interpreted(function, {x});
    if (!outputs)
        return {{}, outputs.error().message};
    std::vector<double> values;
    for (std::int64_t i = 0; i < outputs->front().size(); ++i)
        values.push_back(outputs->front().at(i));
    return {values, {}};
}

using Numbers = std::vector<double>;
using Graph = std::shared_ptr<const OnnxGraph>;

Graph body(std::vector<std::string> inputs, std::vector<OnnxNode> nodes, std::vector<std::string> outputs)
{
    auto made = std::make_shared<OnnxGraph>();
    for (std::string &name : inputs)
        made->inputs.push_back(floats(std::move(name), {}));
    for (std::string &name : outputs)
        made->outputs.push_back(floats(std::move(name), {}));
    made->nodes = std::move(nodes);
    return made;
}

/// A loop of "count" turns that adds its number to the carried value, and gives that.
OnnxModel addingLoop(std::int64_t count)
{
    const Graph turn =
        body({"i", "c", "sum"},
             {node("Identity", {"c"}, {"on"}), with(node("Cast", {"i"}, {"f"}), {{"to", std::int64_t{1}}}),
              node("Add", {"sum", "f"}, {"next"}), node("Relu", {"sum"}, {"row"})},
             {"on", "next", "row"});
    OnnxModel made = model({with(node("Loop", {"count", "", "x"}, {"last", "rows"}), {{"body", turn}}),
                            with(node("Concat", {"rows", "more"}, {"y"}), {{"axis", std::int64_t{0}}}),
                            node("Unsqueeze", {"last", "zero"}, {"more"})},
                           {floats("x", {2})});
    std::swap(made.nodes[1], made.nodes[2]);
    made.initializers["count"] = integers({}, {count});
    made.initializers["zero"] = integers({1}, {0});
    return made;
}

} // namespace

class InnerGraphsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void graphsOfAttention()
    {
        const auto attention = [](std::map<std::string, Attribute, std::less<>> graphs) {
            OnnxNode flex = with(node("FlexAttention", {"x", "x", "x"}, {"y"}), std::move(graphs));
            flex.domain = "ai.onnx.preview";
            return run(model({flex}, {floats("x", {1, 1, 2, 1})}));
        };
        const Graph none = body({"s"}, {node("Sub", {"s", "s"}, {"r"})}, {"r"});
        const Graph twice = body({"s"}, {node("Add", {"s", "s"}, {"r"})}, {"r"});
        const Graph other = body({"s"}, {node("Transpose", {"s"}, {"t"}), node("Relu", {"t"}, {"r"})}, {"r"});
        const Graph whole = body({"s"}, {with(node("Cast", {"s"}, {"r"}), {{"to", std::int64_t{7}}})}, {"r"});
        const double share = 1 / (1 + std::exp(-1));
        const auto near = [](const Numbers &found, const Numbers &wanted) {
            return std::ranges::equal(found, wanted,
                                      [](double a, double b) { return std::abs(a - b) < 1e-6; });
        };
        QVERIFY(near(attention({}).first, {0.5, share}));
        QVERIFY(near(attention({{"score_mod", none}}).first, {0.5, 0.5}));
        QVERIFY(near(attention({{"prob_mod", twice}}).first, {1, 2 * share}));
        for (const Graph &wrong : {whole, other})
            QCOMPARE(
                attention({{"score_mod", wrong}}).second,
                "node \"n\" (FlexAttention): its graph \"score_mod\" must give one tensor like its input");
    }

    void splitAndJoined()
    {
        // x is 2×5; its columns in parts of two, the last part before the first.
        OnnxModel made =
            model({with(node("SplitToSequence", {"x", "two"}, {"s"}), {{"axis", std::int64_t{-1}}}),
                   node("SequenceAt", {"s", "last"}, {"a"}), node("SequenceErase", {"s"}, {"t"}),
                   node("SequenceInsert", {"t", "a", "first"}, {"u"}), node("Identity", {"u"}, {"v"}),
                   with(node("ConcatFromSequence", {"v"}, {"y"}), {{"axis", std::int64_t{1}}})},
                  {floats("x", {2, 5})});
        made.initializers["two"] = integers({}, {2});
        made.initializers["last"] = integers({}, {-1});
        made.initializers["first"] = integers({}, {0});
        QCOMPARE(run(made), std::pair(Numbers{4, 0, 1, 2, 3, 9, 5, 6, 7, 8}, std::string()));
        made.initializers["two"] = integers({2}, {1, 4}); // sizes
        QCOMPARE(run(made), std::pair(Numbers{1, 2, 3, 4, 0, 6, 7, 8, 9, 5}, std::string()));
        made.initializers["two"] = integers({3}, {0, 3, 2}); // a part without columns
        QCOMPARE(run(made), std::pair(Numbers{3, 4, 0, 1, 2, 8, 9, 5, 6, 7}, std::string()));
        made.initializers["two"] = integers({2}, {-1, 6});
        QCOMPARE(codeOf(made), std::string("onnx.unsupported"));
        made.initializers["two"] = integers({2}, {1, 3});
        QCOMPARE(codeOf(made), std::string("onnx.unsupported"));
        made.initializers["two"] = integers({}, {0});
        QCOMPARE(codeOf(made), std::string("onnx.unsupported"));
        made.initializers["two"] = integers({}, {2});
        made.initializers["last"] = integers({}, {3});
        QCOMPARE(codeOf(made), std::string("onnx.unsupported"));
    }

    void turnsWithoutAnEndAreRefused()
    {
        // A while loop is written so: as many turns as there are numbers, until a condition fails.
        const OnnxModel made = addingLoop(std::numeric_limits<std::int64_t>::max());
        QCOMPARE(codeOf(made), std::string("onnx.function"));
        QVERIFY(run(made).second.find("Loop") != std::string::npos);
        QCOMPARE(run(addingLoop(2)).second, std::string());
        QCOMPARE(run(addingLoop(std::numeric_limits<std::int64_t>::min())), run(addingLoop(0))); // never runs
        QCOMPARE(run(addingLoop(0)).second, std::string());
    }

    void integersAreReadExactly()
    {
        const std::int64_t large = (std::int64_t{1} << 60) + 1;
        // large + i - large, once by a constant in the kernel and once through Range and ConstantOfShape.
        OnnxModel made = model({node("Range", {"from", "to", "step"}, {"r"}),
                                with(node("ConstantOfShape", {"shape"}, {"c"}),
                                     {{"value", OnnxTensor{integers({1}, {large}), {}}}}),
                                node("Sub", {"r", "c"}, {"d"}), node("Sub", {"r", "from"}, {"e"}),
                                node("Add", {"d", "e"}, {"both"}),
                                with(node("Cast", {"both"}, {"f"}), {{"to", std::int64_t{1}}}),
                                node("Add", {"f", "x"}, {"y"})},
                               {floats("x", {3})});
        made.initializers["from"] = integers({}, {large});
        made.initializers["to"] = integers({}, {large + 5});
        made.initializers["step"] = integers({}, {2});
        made.initializers["shape"] = integers({1}, {3});
        QCOMPARE(run(made), std::pair(Numbers{0, 5, 10}, std::string()));
    }

    void rowsWithoutTheirAxis()
    {
        OnnxModel made = model({with(node("SplitToSequence", {"x"}, {"s"}), {{"keepdims", std::int64_t{0}}}),
                                with(node("ConcatFromSequence", {"s"}, {"z"}),
                                     {{"axis", std::int64_t{-1}}, {"new_axis", std::int64_t{1}}}),
                                node("SequenceLength", {"s"}, {"n"}),
                                with(node("Cast", {"n"}, {"f"}), {{"to", std::int64_t{1}}}),
                                node("Mul", {"z", "f"}, {"y"})});
        QCOMPARE(run(made), std::pair(Numbers{0, 6, 2, 8, 4, 10}, std::string())); // transposed, twice
        made.nodes[0].inputs.emplace_back("size");
        made.initializers["size"] = integers({}, {1});
        QCOMPARE(run(made), std::pair(Numbers{0, 6, 2, 8, 4, 10}, std::string()));
        made.initializers["size"] = integers({2}, {1, 1}); // a list: the axis stays
        made.nodes[1].attributes.erase("new_axis");
        QCOMPARE(run(made), std::pair(Numbers{0, 2, 4, 6, 8, 10}, std::string()));
    }

    void sequencesAreNoTensors()
    {
        OnnxModel made = model({node("SequenceConstruct", {"x", "x"}, {"s"}), node("Relu", {"s"}, {"y"})});
        QCOMPARE(codeOf(made), std::string("onnx.type"));
        QVERIFY(run(made).second.contains("\"s\" is a sequence of tensors"));
        made.outputs[0].name = "s";
        QCOMPARE(codeOf(made), std::string("onnx.type"));
        QCOMPARE(codeOf(model({node("SequenceAt", {"x", "x"}, {"y"})})), std::string("onnx.unsupported"));
        OnnxModel empty = model({node("SequenceEmpty", {}, {"s"}), node("ConcatFromSequence", {"s"}, {"y"})});
        QCOMPARE(codeOf(empty), std::string("onnx.unsupported"));
        empty.nodes.back() = node("SequenceErase", {"s"}, {"t"});
        QCOMPARE(codeOf(empty), std::string("onnx.unsupported"));
    }

    /// As exporters write splits: a function of the model gives a sequence, another takes one.
    void functionsGiveAndTakeSequences()
    {
        OnnxFunction parts, last;
        parts.inputs = {"a"};
        parts.outputs = {"s"};
        parts.nodes = {node("Relu", {"a"}, {"r"}), node("SplitToSequence", {"r"}, {"s"})};
        last.inputs = {"s", "i"};
        last.outputs = {"b"};
        last.nodes = {node("SequenceAt", {"s", "i"}, {"e"}), node("Neg", {"e"}, {"b"})};
        parts.opset = last.opset = 18;
        OnnxModel made = model({node("Parts", {"x"}, {"s"}), node("At", {"s", "i"}, {"y"})});
        for (OnnxNode &each : made.nodes)
            each.domain = "own";
        made.functions = {{"own:Parts", parts}, {"own:At", last}};
        made.initializers["i"] = integers({}, {1});
        QCOMPARE(run(made), std::pair(Numbers{-3, -4, -5}, std::string()));
        const auto imported = importModel(made);
        QVERIFY(imported);
        const Function &function = imported->function;
        QCOMPARE(std::ranges::count(function.nodes, NodeKind::Call, &Node::kind), 2);
        QCOMPARE(verify(inlineFunctions(function)), std::string());
    }

    void loopsAreUnrolled()
    {
        // The rows are x, x + 0 and x + 0 + 1; the last carried value is x + 0 + 1 + 2.
        QCOMPARE(run(addingLoop(3)), std::pair(Numbers{0, 1, 0, 1, 1, 2, 3, 4}, std::string()));
        const auto imported = importModel(addingLoop(3));
        QVERIFY(imported);
        QVERIFY(std::ranges::contains(imported->function.nodes, std::string("n/2/n"), &Node::name));
        QCOMPARE(codeOf(addingLoop(0)), std::string("imported"));                  // no rows
        QCOMPARE(codeOf(addingLoop(1'000'000'000)), std::string("onnx.function")); // too many nodes
        OnnxModel open = addingLoop(3);
        open.initializers.erase("count");
        OnnxValue count = floats("count", {});
        count.dtype = ir::DataType::int64();
        open.inputs.push_back(count);
        QCOMPARE(codeOf(open), std::string("onnx.refused"));
        open.nodes[0].inputs[0].clear(); // neither a count nor a condition that ends it
        QCOMPARE(codeOf(open), std::string("onnx.function"));
        open.nodes[0].attributes.clear();
        QCOMPARE(codeOf(open), std::string("onnx.attribute"));
    }

    /// It goes on while the number of the turn is below 2, and gathers a sequence.
    void loopsEndByTheirCondition()
    {
        const Graph turn = body(
            {"i", "c", "s"},
            {node("Less", {"i", "two"}, {"on"}), with(node("Cast", {"i"}, {"f"}), {{"to", std::int64_t{1}}}),
             node("Mul", {"x", "f"}, {"row"}), node("SequenceInsert", {"s", "row"}, {"t"})},
            {"on", "t"});
        OnnxModel made =
            model({node("SequenceEmpty", {}, {"none"}),
                   with(node("Loop", {"", "yes", "none"}, {"all"}), {{"body", turn}}),
                   with(node("ConcatFromSequence", {"all"}, {"y"}), {{"axis", std::int64_t{0}}})},
                  {floats("x", {2})});
        made.initializers["two"] = integers({}, {2});
        ir::NdArray yes(ir::DataType::boolean(), {});
        yes.set(0, 1);
        made.initializers["yes"] = std::make_shared<const ir::NdArray>(yes);
        QCOMPARE(run(made), std::pair(Numbers{0, 0, 0, 1, 0, 2}, std::string()));
        yes.set(0, 0);
        made.initializers["yes"] = std::make_shared<const ir::NdArray>(yes);
        QCOMPARE(codeOf(made), std::string("onnx.unsupported")); // it never runs: an empty sequence
    }

    /// Sums of the columns from the last to the first, the rows of the result from the last too.
    void scans()
    {
        const Graph turn = body(
            {"sum", "column"},
            {node("Add", {"sum", "column"}, {"next"}), node("Identity", {"next"}, {"row"})}, {"next", "row"});
        using Ints = std::vector<std::int64_t>;
        OnnxModel made =
            model({with(node("Scan", {"start", "x"}, {"", "y"}), {{"body", turn},
                                                                  {"num_scan_inputs", std::int64_t{1}},
                                                                  {"scan_input_axes", Ints{1}},
                                                                  {"scan_input_directions", Ints{1}},
                                                                  {"scan_output_axes", Ints{-1}}})});
        ir::NdArray start(ir::DataType::float32(), {2});
        made.initializers["start"] = std::make_shared<const ir::NdArray>(start);
        QCOMPARE(run(made), std::pair(Numbers{2, 3, 3, 5, 9, 12}, std::string()));
        made.nodes[0].attributes["scan_output_directions"] = Ints{1};
        QCOMPARE(run(made), std::pair(Numbers{3, 3, 2, 12, 9, 5}, std::string()));
        made.nodes[0].attributes["scan_input_axes"] = Ints{2};
        QCOMPARE(codeOf(made), std::string("onnx.attribute"));
        made.nodes[0].attributes["num_scan_inputs"] = std::int64_t{3};
        QCOMPARE(codeOf(made), std::string("onnx.unsupported"));
    }

    /// Sums of the rows so far, each sequence by itself; the second sequence counts on from 10.
    void sequencesOfABatchBeforeOperatorSet9()
    {
        const Graph turn =
            body({"sum", "row"}, {node("Add", {"sum", "row"}, {"next"}), node("Identity", {"next"}, {"all"})},
                 {"next", "all"});
        OnnxModel made = model({with(node("Scan", {"", "start", "x"}, {"last", "y"}),
                                     {{"body", turn}, {"num_scan_inputs", std::int64_t{1}}})},
                               {floats("x", {2, 3, 1})});
        made.opset = 8;
        ir::NdArray start(ir::DataType::float32(), {2, 1});
        start.set(1, 10);
        made.initializers["start"] = std::make_shared<const ir::NdArray>(start);
        QCOMPARE(run(made), std::pair(Numbers{0, 1, 3, 13, 17, 22}, std::string()));
        made.nodes[0].attributes["directions"] = Ints{1};
        QCOMPARE(run(made), std::pair(Numbers{2, 3, 3, 15, 19, 22}, std::string()));
        made.outputs = {floats("last", {})};
        QCOMPARE(run(made), std::pair(Numbers{3, 22}, std::string()));
        made.initializers["lengths"] = integers({2}, {3, 2});
        made.nodes[0].inputs[0] = "lengths";
        QCOMPARE(codeOf(made), std::string("onnx.unsupported"));
    }

    /// The hint names the sizes that stand in the way.
    void sizesThatAreLeftOpenAreNamed()
    {
        const OnnxModel made = model({node("Shape", {"x"}, {"y"})}, {floats("x", {"batch", "length"})});
        const auto imported = importModel(made);
        QVERIFY(!imported);
        QCOMPARE(imported.error().code, std::string("onnx.value-needed"));
        QVERIFY2(imported.error().hint.contains("\"batch\", \"length\""), imported.error().hint.c_str());
        ImportOptions options;
        options.sizes = {{"batch", 1}, {"length", 2}};
        QVERIFY(importModel(made, options));
    }
};

QTEST_GUILESS_MAIN(InnerGraphsTest)
#include "inner_graphs_test.moc"
