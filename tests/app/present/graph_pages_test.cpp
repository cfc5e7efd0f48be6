// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels and models as graphs of the canvas.
#include "app/present/graph_pages.h"

#include "core/analysis/kernel/stage_graph.h"
#include "core/frontend/open_kernel.h"
#include "core/graph/passes/change.h"
#include "core/schedule/script/reader.h"
#include "core/schedule/state_index.h"
#include "tests/app/present/small_models.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;
using canvas::GraphData;
using canvas::GraphNode;
using canvas::NodeKind;
using canvas::NodeMark;

namespace {

GraphData kernelGraph(const std::string &what)
{
    const auto kernel = frontend::openKernel(what);
    if (!kernel)
        qFatal("%s", kernel.error().render().c_str());
    return app::graphOf(kernel->graph);
}

const GraphNode *nodeIn(const GraphData &graph, int id)
{
    const auto found = std::ranges::find(graph.nodes, id, &GraphNode::id);
    return found == graph.nodes.end() ? nullptr : &*found;
}

const GraphNode *titled(const GraphData &graph, const QString &title)
{
    const auto found = std::ranges::find(graph.nodes, title, &GraphNode::title);
    return found == graph.nodes.end() ? nullptr : &*found;
}

/// "A > Y  matmul", sorted: an edge each.
QStringList edgesOf(const GraphData &graph)
{
    QStringList edges;
    for (const canvas::GraphEdge &edge : graph.edges) {
        const GraphNode *from = nodeIn(graph, edge.from), *to = nodeIn(graph, edge.to);
        edges << (from ? from->title : QStringLiteral("nothing")) + QStringLiteral(" > ")
                     + (to ? to->title : QStringLiteral("nothing"));
    }
    edges.sort();
    return edges;
}

/// Ids stand for one node each, edges lie between nodes, groups have nodes.
QString faultOf(const GraphData &graph)
{
    std::set<int> ids;
    for (const GraphNode &node : graph.nodes) {
        if (!ids.insert(node.id).second)
            return QStringLiteral("two nodes are %1").arg(node.id);
    }
    for (const canvas::GraphEdge &edge : graph.edges) {
        if (!ids.contains(edge.from) || !ids.contains(edge.to))
            return QStringLiteral("an edge from %1 to %2").arg(edge.from).arg(edge.to);
    }
    for (const canvas::GraphGroup &group : graph.groups) {
        if (!std::ranges::contains(graph.nodes, group.path, &GraphNode::scope))
            return QStringLiteral("nothing in %1").arg(group.path);
        if (!ids.insert(group.node.id).second)
            return QStringLiteral("a group and a node are %1").arg(group.node.id);
    }
    return {};
}

document::ModelTime timeOf(const session::Model &model)
{
    document::ModelTime time{
        .seconds = {0.009, 0.01, 0.011}, .speedup = {}, .machine = {1e9, 1e9}, .kernels = {}};
    for (std::size_t i = 0; i < model.program.kernels.size(); ++i)
        time.kernels[model.program.kernels[i].name] = {
            .seconds = 0.002, .work = {model.flops[i], 1000}, .speedup = {}};
    return time;
}

} // namespace

class GraphPagesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stagesOfAKernel()
    {
        const auto kernel = frontend::openKernel("examples/mm_relu.py");
        QVERIFY(kernel.has_value());
        const GraphData graph = app::graphOf(kernel->graph);
        QCOMPARE(faultOf(graph), QString());
        QCOMPARE(edgesOf(graph), (QStringList{"A > Y  matmul", "B > Y  matmul", "C  elementwise > output",
                                              "Y  matmul > C  elementwise"}));
        const GraphNode &product = *titled(graph, "Y  matmul");
        QCOMPARE(product.kind, NodeKind::Compute);
        QVERIFY(product.subtitle.contains(QStringLiteral("sum over k"))); // its summary
        QVERIFY(product.detail.startsWith(QStringLiteral("128×128 f32\n")));
        QCOMPARE(product.buffer, QStringLiteral("Y"));
        const GraphNode &a = *titled(graph, "A"), &output = *titled(graph, "output");
        QCOMPARE(a.kind, NodeKind::Input);
        QCOMPARE(a.subtitle, QStringLiteral("128×128 f32"));
        QCOMPARE(output.kind, NodeKind::Output);
        QCOMPARE(output.buffer, QStringLiteral("C"));
        // Details name what dragging the node does.
        QVERIFY(a.detail.contains(QStringLiteral("Drag A onto a loop: it then works on a copy")));
        QVERIFY(output.detail.contains(QStringLiteral("Drag C onto a loop: it then writes")));
        QVERIFY(a.id < -1 && output.id < -1 && a.id != output.id);
        for (const canvas::GraphEdge &edge : graph.edges) { // shapes stand on what flows between stages
            const bool isFromStage = nodeIn(graph, edge.from)->kind == NodeKind::Compute;
            QCOMPARE(edge.label, isFromStage ? QStringLiteral("128×128 f32") : QString());
            QVERIFY(edge.detail.endsWith(QStringLiteral(" 128×128 f32")));
        }
    }

    /// Ids of stages are those of their blocks.
    void stagesKeepTheirIds()
    {
        const auto root = schedule::makeState(program("mm_relu")).value();
        const GraphData before = app::graphOf(analysis::stageGraph(root.module));
        const auto run = schedule::runScheduleScript(
            root,
            "def apply_trace(sch):\n  b = sch.get_block(\"C\")\n  i, j, k = sch.get_loops(b)\n"
            "  sch.split(i, [None, 8])\n",
            "test.py");
        QVERIFY(run.has_value());
        const GraphData after = app::graphOf(analysis::stageGraph(run->state.module));
        for (const GraphNode &node : before.nodes) {
            QVERIFY(nodeIn(after, node.id));
            QCOMPARE(nodeIn(after, node.id)->title, node.title);
        }
        const auto block = root.index->function("main")->blockByName("C").value();
        QVERIFY(nodeIn(before, static_cast<int>(block.value)));
    }

    void symbolicSizes()
    {
        const GraphData graph = kernelGraph("examples/elementwise_chain.py");
        QCOMPARE(titled(graph, "A")->subtitle, QStringLiteral("n f32"));
        QCOMPARE(edgesOf(graph).size(), 3);
        QCOMPARE(faultOf(graph), QString());
    }

    void noStages()
    {
        const GraphData graph = app::graphOf(analysis::StageGraph());
        QVERIFY(graph.nodes.empty() && graph.edges.empty() && graph.groups.empty());
    }

    void nodesOfAModel()
    {
        const session::Model model = modelOf(paneNetwork());
        const GraphData graph = app::graphOf(model, {});
        QCOMPARE(faultOf(graph), QString());
        QCOMPARE(graph.subject, QStringLiteral("folder/small.onnx"));
        QCOMPARE(edgesOf(graph), (QStringList{"conv > relu", "matmul > output", "max pool > reshape",
                                              "relu > max pool", "reshape > matmul", "x > conv"}));
        const GraphNode &x = *titled(graph, "x"), &pool = *titled(graph, "max pool");
        QCOMPARE(x.kind, NodeKind::Input);
        QCOMPARE(x.subtitle, QStringLiteral("1×3×8×8 f32"));
        const Node &node = nodeNamed(model.program.function, "/net/pool/MaxPool");
        QCOMPARE(pool.id, static_cast<int>(node.id.value));
        QCOMPARE(pool.name, QStringLiteral("/net/pool/MaxPool"));
        QCOMPARE(pool.label, pool.name);
        // Attributes with their usual values are left out; the scope around everything is no frame.
        QCOMPARE(pool.attributes, QStringLiteral("strides=[2, 2], kernel=[2, 2]"));
        QCOMPARE(pool.scope, QStringLiteral("pool"));
        QCOMPARE(pool.detail, QStringLiteral("gives pooled"));
        const GraphNode &output = *titled(graph, "output");
        QCOMPARE(output.subtitle, QStringLiteral("scores"));
        QCOMPARE(output.detail, QStringLiteral("1×10 f32"));
    }

    /// A name that was made up gives way to that of the weights, which the tool tip has in full.
    void madeUpNames()
    {
        const session::Model model = modelOf(paneNetwork());
        const GraphData graph = app::graphOf(model, {});
        const GraphNode &product = *titled(graph, "matmul");
        QCOMPARE(product.name, QStringLiteral("MatMul_7"));
        QCOMPARE(product.label, QStringLiteral("net/head/dense"));
        QCOMPARE(product.scope, QStringLiteral("head"));
        QVERIFY(product.subtitle.startsWith(QStringLiteral("dense · ")));
        QVERIFY(product.detail.contains(QStringLiteral("weights net/head/dense.weight 10×64 f32")));
    }

    /// Fused operators are nodes in the frame of their group, which has the costs.
    void groups()
    {
        const session::Model model = modelOf(paneNetwork());
        const GraphData graph = app::graphOf(model, {});
        QCOMPARE(graph.groups.size(), 1U);
        const canvas::GraphGroup &group = graph.groups.front();
        QCOMPARE(group.node.title, QStringLiteral("conv · relu"));
        QVERIFY(group.path.startsWith(QStringLiteral("layer1/#")));
        QVERIFY(group.node.numbers.flops > 0 && group.node.numbers.bytes > 0);
        for (const char *title : {"conv", "relu"}) {
            QCOMPARE(titled(graph, title)->scope, group.path);
            QVERIFY(titled(graph, title)->numbers.flops < 0);
        }
        QVERIFY(
            titled(graph, "conv")->detail.contains(QStringLiteral("weights layer1.conv.weight 4×3×3×3 f32")));
        QCOMPARE(titled(graph, "conv")->attributes, QStringLiteral("padding=[1, 1, 1, 1]"));
    }

    void costs()
    {
        const session::Model model = modelOf(paneNetwork());
        document::ModelTime time = timeOf(model);
        const GraphData graph = app::graphOf(model, time);
        const GraphNode &product = *titled(graph, "matmul");
        QCOMPARE(product.numbers.seconds, 0.002);
        QCOMPARE(product.share, 0.2);
        QCOMPARE(product.numbers.flops, 2.0 * 64 * 10);
        QCOMPARE(product.numbers.bytes, 4.0 * (64 + 640 + 10));
        QVERIFY(product.numbers.peakFraction > 0 && product.numbers.peakFraction < 0.01);
        // A kernel that was not measured, and a machine that is not known.
        time.kernels.erase(time.kernels.find(model.program.kernels.front().name));
        time.machine = {};
        const GraphData partly = app::graphOf(model, time);
        QVERIFY(partly.groups.front().node.numbers.seconds < 0 && partly.groups.front().node.share < 0);
        QVERIFY(titled(partly, "matmul")->numbers.peakFraction < 0);
        const GraphData unmeasured = app::graphOf(model, {});
        for (const GraphNode &node : unmeasured.nodes)
            QVERIFY(node.numbers.seconds < 0 && node.share < 0);
    }

    /// Nodes that share a kernel take an equal part of its time.
    void sharedKernels()
    {
        Builder b;
        const Value x = b.input("x", floats({4, 8}));
        const Value one = b.call("nn.softmax", {x}, {}, "one"), two = b.call("nn.softmax", {one}, {}, "two");
        const session::Model model = modelOf(b.finish({two}, {"out"}));
        QCOMPARE(model.program.kernels.size(), 1U);
        const GraphData graph = app::graphOf(model, timeOf(model));
        for (const GraphNode &node : graph.nodes) {
            if (node.kind == NodeKind::Compute)
                QCOMPARE(node.numbers.seconds, 0.001);
        }
    }

    void outputsWithWords()
    {
        session::Model model = modelOf(paneNetwork());
        const auto words = [](int count) {
            auto texts = std::make_shared<std::vector<std::string>>();
            for (int i = 0; i < count; ++i)
                texts->push_back("w" + std::to_string(i));
            return texts;
        };
        model.labels["scores"] = {.texts = {}, .columns = words(3)};
        QCOMPARE(titled(app::graphOf(model, {}), "output")->detail,
                 QStringLiteral("1×10 f32 · columns w0, w1, w2"));
        model.labels["scores"] = {.texts = words(9), .columns = {}};
        QCOMPARE(titled(app::graphOf(model, {}), "output")->detail,
                 QStringLiteral("1×10 f32 · places of w0, w1, w2, w3, w4, w5, w6, w7, …"));
        model.lateOutputs.push_back({"scores", 0, "count"});
        QVERIFY(
            titled(app::graphOf(model, {}), "output")->detail.startsWith(QStringLiteral("at most 1×10 f32")));
    }

    /// A node without a name belongs to the scope whose results it joins; one that joins those of two to
    /// none.
    void joinsWithoutNames()
    {
        Builder b;
        const Value x = b.input("x", floats({4, 8}));
        const Value one = b.call("nn.softmax", {x}, {}, "a/one"), two = b.call("tanh", {x}, {}, "a/two");
        const Value other = b.call("tanh", {two}, {}, "b/other");
        const ops::Attributes rows{{"axis", std::int64_t{0}}};
        const Value inside = b.call("concatenate", {one, two}, rows);
        const Value between = b.call("concatenate", {one, other}, rows);
        const Function function = b.finish({inside, between}, {"first", "second"});
        const GraphData graph = app::graphOf(function);
        QCOMPARE(nodeIn(graph, static_cast<int>(function.at(function.outputs[0]).id.value))->scope,
                 QStringLiteral("a"));
        QCOMPARE(nodeIn(graph, static_cast<int>(function.at(function.outputs[1]).id.value))->scope,
                 QString());
        QCOMPARE(edgesOf(graph).filter(QStringLiteral("> output")).size(), 2);
    }

    /// A value that is computed twice over and given as it came.
    void inputsThatAreOutputs()
    {
        Builder b;
        const Value x = b.input("x", floats({4}));
        const GraphData graph = app::graphOf(b.finish({x, x}, {"first", "second"}));
        QCOMPARE(faultOf(graph), QString());
        QCOMPARE(edgesOf(graph), (QStringList{"x > output", "x > output"}));
    }

    void changesOfAPass()
    {
        Builder b;
        const Value x = b.input("x", floats({1, 3, 8, 8}));
        const Value y = b.call("nn.conv", {x, namedWeights(b, {4, 3, 1, 1}, "w")}, {}, "conv");
        const Value z = b.call("nn.relu", {y}, {}, "relu"), kept = b.call("nn.softmax", {x}, {}, "kept");
        PassContext context;
        context.level = 1;
        context.keepRecords = true;
        const auto optimized = optimize(b.finish({z, kept}, {"z", "kept"}), context);
        QVERIFY(optimized.has_value());
        const auto record = std::ranges::find_if(optimized->records, [](const GraphPassRecord &each) {
            return !changeOf(each.before, each.after).empty();
        });
        QVERIFY(record != optimized->records.end());
        const auto [before, after] = app::graphsOf(*record);
        QCOMPARE(faultOf(before), QString());
        QCOMPARE(faultOf(after), QString());
        QCOMPARE(titled(before, "softmax")->mark, NodeMark::None);
        QCOMPARE(titled(after, "softmax")->mark, NodeMark::None);
        QCOMPARE(titled(before, "output")->mark, NodeMark::None);
        // The convolution and its relu are one thing afterwards.
        QVERIFY(titled(before, "conv")->mark != NodeMark::None);
        QVERIFY(titled(before, "relu")->mark != NodeMark::None);
        QCOMPARE(after.groups.size(), 1U);
        QVERIFY(after.groups.front().node.mark != NodeMark::None);
    }

    void opensARealModel()
    {
        const auto model = session::openModel("examples/models/transformer_encoder.onnx", {});
        if (!model && model.error().code == "model.not-built")
            QSKIP("built without the reader for ONNX");
        QVERIFY2(model.has_value(), model ? "" : model.error().render().c_str());
        const GraphData graph = app::graphOf(*model, timeOf(*model));
        QCOMPARE(faultOf(graph), QString());
        QVERIFY(graph.nodes.size() >= model->program.steps.size());
        for (const GraphNode &node : graph.nodes)
            QVERIFY(!node.title.isEmpty());
    }
};

QTEST_GUILESS_MAIN(GraphPagesTest)
#include "graph_pages_test.moc"
