// SPDX-License-Identifier: GPL-3.0-or-later
// Repeated parts of a graph: found, named as in the file, collapsed to begin with, opened by mouse and key.
#include "tests/widgets/canvas/canvas_fixture.h"
#include "widgets/canvas/scene/folded_graph.h"
#include "widgets/canvas/scene/node_query.h"

#include <QElapsedTimer>
#include <QtTest>

#include <algorithm>
#include <random>

using namespace nestwright;
using namespace nestwright::canvas;

namespace {

/// A network, made node by node.
class Network {
public:
    explicit Network(const QString &subject = {})
    {
        graph.subject = subject;
        graph.nodes.push_back({});
        graph.nodes.back().kind = NodeKind::Input;
        graph.nodes.back().title = "data";
    }
    int add(const QString &title, const QString &name, const std::vector<int> &from,
            const QString &scope = {})
    {
        GraphNode node;
        node.id = static_cast<int>(graph.nodes.size());
        node.title = title;
        node.subtitle = "1×64×56×56 f32";
        node.label = node.name = name;
        node.scope = scope;
        for (const int each : from)
            graph.edges.push_back({each, node.id, {}, {}});
        graph.nodes.push_back(node);
        return node.id;
    }
    GraphData graph;
};

/// Four stages of residual blocks, the first of each with a convolution in its short cut, as in ResNet-50.
GraphData residual()
{
    Network net("resnet");
    int last = net.add("conv · relu", "gpu_0/conv1", {0});
    last = net.add("max pool", {}, {last});
    const std::vector<int> blocks{3, 4, 6, 3};
    for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
        for (int block = 0; block < blocks[stage]; ++block) {
            const QString name = QString("gpu_0/res%1_%2_branch").arg(stage + 2).arg(block);
            int inner = net.add("conv · relu", name + "2a", {last});
            inner = net.add("conv · relu", name + "2b", {inner});
            const int shortCut = block == 0 ? net.add("conv", name + "1", {last}) : last;
            last = net.add("conv · add · relu", name + "2c", {inner, shortCut});
        }
    }
    last = net.add("mean", {}, {last});
    net.add("matmul", "gpu_0/pred", {last});
    return net.graph;
}

QStringList titlesOf(const GraphData &graph)
{
    QStringList titles;
    for (const GraphNode &node : graph.nodes)
        titles << node.title;
    return titles;
}

int frameOf(const FrameTree &tree, const QString &title)
{
    const auto found = std::ranges::find(tree.frames, title, &Frame::title);
    return found == tree.frames.end() ? -1 : int(found - tree.frames.begin());
}

/// Outer frames come first, and each node and frame lies in one.
bool isSound(const GraphData &graph, const FrameTree &tree)
{
    std::vector<int> nodes(graph.nodes.size(), 0), frames(tree.frames.size(), 0);
    for (std::size_t i = 0; i < tree.frames.size(); ++i) {
        if ((i > 0) != (tree.frames[i].parent >= 0) || tree.frames[i].parent >= int(i))
            return false;
        for (const int node : tree.frames[i].nodes)
            nodes[std::size_t(node)] += tree.frameOf[std::size_t(node)] == int(i) ? 1 : 2;
        for (const int frame : tree.frames[i].frames)
            frames[std::size_t(frame)] += tree.frames[std::size_t(frame)].parent == int(i) ? 1 : 2;
    }
    return std::ranges::count(nodes, 1) == std::ssize(nodes) && frames[0] == 0
           && std::ranges::count(frames, 1) == std::ssize(frames) - 1
           && tree.frames[0].count == int(graph.nodes.size());
}

} // namespace

class RepeatsTest : public QObject, CanvasFixture {
    Q_OBJECT
private Q_SLOTS:
    void init() { makeCanvas({300, 560}); }
    void cleanup() { removeCanvas(); }

    void blocksOfANetworkAreFolded()
    {
        show(residual());
        QCOMPARE(titlesOf(m_canvas->graph()),
                 (QStringList{"data", "conv · relu", "max pool", "res2_0", "res2_1 … res2_2  ×2", "res3_0",
                              "res3_1 … res3_3  ×3", "res4_0", "res4_1 … res4_5  ×5", "res5_0",
                              "res5_1 … res5_2  ×2", "mean", "matmul"}));
        QCOMPARE(m_canvas->graph().nodes[8].subtitle, "15 nodes");
        QVERIFY(m_canvas->zoom() >= 0.7);
        QVERIFY(isSound(residual(), m_canvas->frames()));
    }

    void whatRepeatedPartsDifferIn()
    {
        const auto differences = [](const GraphData &graph, const QString &title) {
            const FrameTree tree = makeFrames(graph);
            return nodeOfFrame(graph, tree.frames[std::size_t(frameOf(tree, title))]).detail;
        };
        GraphData graph = residual();
        const QString title = "res4_1 … res4_5  ×5";
        QCOMPARE(differences(graph, title), "its 5 parts are alike");
        const auto node = [&](const QString &name) -> GraphNode & {
            return *std::ranges::find(graph.nodes, name, &GraphNode::name);
        };
        node("gpu_0/res4_2_branch2b").attributes = "strides=[2, 2]";
        node("gpu_0/res4_3_branch2b").attributes = "strides=[2, 2]";
        for (GraphEdge &edge : graph.edges) {
            if (edge.from == node("gpu_0/res4_5_branch2c").id)
                edge.label = "1×64×7×7 f32";
        }
        QCOMPARE(differences(graph, title),
                 "its 5 parts differ in:\n"
                 "conv · relu: nothing else in res4_1 … res4_5, strides=[2, 2] in res4_2 … res4_3\n"
                 "conv · add · relu: nothing else in res4_1 … res4_4, 1×64×7×7 f32 in res4_5");
        for (int i = 1; i <= 5; ++i) { // more than are told
            for (const char *branch : {"2a", "2b", "2c"})
                node(QString("gpu_0/res4_%1_branch%2").arg(i).arg(branch)).attributes =
                    QString("a=%1").arg(i);
        }
        QCOMPARE(differences(graph, title).count(u'\n'), 3);
    }

    void numberedInputsAndOutputsAreFolded()
    {
        Network net("cached");
        const auto given = [&](const QString &title) {
            const int id = net.add(title, {}, {});
            net.graph.nodes.back().kind = NodeKind::Input;
            return id;
        };
        std::vector<int> past, results;
        for (int layer = 0; layer < 9; ++layer)
            past.push_back(given(QString("past_%1").arg(layer)));
        for (const char *other : {"a1", "a2", "a3", "mask"}) // too few, and none
            given(other);
        int last = 0;
        for (int layer = 0; layer < 9; ++layer) {
            last = net.add("matmul", QString("h%1/a").arg(layer), {last, past[std::size_t(layer)]});
            last = net.add("add", QString("h%1/b").arg(layer), {last});
            results.push_back(last);
        }
        for (int layer = 0; layer < 9; ++layer) {
            net.add("output", {}, {results[std::size_t(layer)]});
            net.graph.nodes.back().kind = NodeKind::Output;
            net.graph.nodes.back().subtitle = QString("present_%1").arg(layer);
        }
        const FrameTree tree = makeFrames(net.graph);
        QVERIFY(isSound(net.graph, tree));
        const auto shown = [&](const QString &title) {
            const int frame = frameOf(tree, title);
            return frame < 0 ? GraphNode() : nodeOfFrame(net.graph, tree.frames[std::size_t(frame)]);
        };
        QCOMPARE(shown("past_0 … past_8  ×9").subtitle, "9 inputs");
        QCOMPARE(shown("past_0 … past_8  ×9").kind, NodeKind::Input);
        QCOMPARE(shown("present_0 … present_8  ×9").subtitle, "9 outputs");
        QCOMPARE(shown("present_0 … present_8  ×9").kind, NodeKind::Output);
        show(net.graph);
        QVERIFY(titlesOf(m_canvas->graph()).contains("past_0 … past_8  ×9"));
        for (const char *single : {"a1", "a3", "mask", "data"})
            QVERIFY(titlesOf(m_canvas->graph()).contains(single));
    }

    void foldedBlocksAreOpenedByMouseAndKey()
    {
        show(residual());
        m_canvas->reveal(m_canvas->graph().nodes[8].id);
        const auto doubleClick = [this](int index) {
            QTest::mouseDClick(m_canvas.get(), Qt::LeftButton, {},
                               m_canvas->nodeRect(index).center().toPoint());
            QTRY_VERIFY(m_canvas->isLaidOut());
        };
        doubleClick(8);
        QCOMPARE(titlesOf(m_canvas->graph()).mid(8, 5),
                 (QStringList{"res4_1", "res4_2", "res4_3", "res4_4", "res4_5"}));
        doubleClick(8);
        QCOMPARE(titlesOf(m_canvas->graph()).mid(8, 4),
                 (QStringList{"conv · relu", "conv · relu", "conv · add · relu", "res4_2"}));
        click(8);
        QTest::keyClick(m_canvas.get(), Qt::Key_Space);
        QTRY_VERIFY(m_canvas->isLaidOut());
        QCOMPARE(m_canvas->graph().nodes[8].title, "res4_1");
        choose({2, 2}, "expandAll");
        QCOMPARE(m_canvas->graph().nodes.size(), residual().nodes.size());
        QVERIFY(m_canvas->zoom() >= 0.7);
        choose({2, 2}, "collapseAll");
        QCOMPARE(m_canvas->graph().nodes.size(), std::size_t{13});
    }

    void aSearchFindsWhatIsFolded()
    {
        show(residual());
        const auto query = NodeQuery::parse("res4_3_branch2b");
        QVERIFY(query);
        QCOMPARE(findNodes(m_canvas->whole(), m_canvas->frames(), *query).hits.size(), std::size_t{1});
    }

    void scopesThatAreAlikeAreFolded()
    {
        Network net;
        int last = 0;
        for (int layer = 0; layer < 6; ++layer) {
            const QString scope = QString("layers.%1").arg(layer);
            for (const char *title : {"layer norm", "matmul", "softmax", "matmul", "add"})
                last = net.add(title, {}, {last}, scope);
        }
        show(net.graph);
        QCOMPARE(titlesOf(m_canvas->graph()), (QStringList{"data", "layers.0 … layers.5  ×6"}));
    }

    void partsOfAChainAreFolded()
    {
        Network net;
        int last = 0;
        for (int stage = 1; stage <= 5; ++stage) {
            for (int i = 1; i <= (stage <= 2 ? 2 : 4); ++i)
                last = net.add("conv · relu", QString("conv%1_%2").arg(stage).arg(i), {last});
            last = net.add("max pool", {}, {last});
        }
        for (int i = 6; i <= 9; ++i)
            last = net.add("matmul", QString("fc%1").arg(i), {last});
        show(net.graph);
        QCOMPARE(titlesOf(m_canvas->graph()), (QStringList{"data", "conv1 … conv2  ×2", "conv3 … conv5  ×3",
                                                           "matmul", "matmul", "matmul", "matmul"}));
    }

    void smallOrDifferentPartsAreLeftAlone()
    {
        Network small;
        int last = 0;
        for (int i = 0; i < 6; ++i) {
            last = small.add("conv", {}, {last});
            last = small.add("relu", {}, {last});
        }
        QCOMPARE(makeFrames(small.graph).frames.size(), std::size_t{1});
        Network same; // of one operator: a frame around some of them would say nothing
        last = 0;
        for (int i = 0; i < 100; ++i)
            last = same.add("relu", {}, {last});
        QCOMPARE(makeFrames(same.graph).frames.size(), std::size_t{1});
        Network different;
        last = 0;
        for (int i = 0; i < 100; ++i)
            last = different.add(QString("op%1").arg(i), {}, {last});
        QCOMPARE(makeFrames(different.graph).frames.size(), std::size_t{1});
    }

    void changesOfAPassAreNotFolded()
    {
        GraphData graph = residual();
        for (GraphNode &node : graph.nodes) {
            if (node.name == "gpu_0/res4_3_branch2b")
                node.mark = NodeMark::Changed;
        }
        show(graph);
        QCOMPARE(std::ranges::count(m_canvas->graph().nodes, "gpu_0/res4_3_branch2b", &GraphNode::name), 1);
        QVERIFY(!m_canvas->isOpen(frameOf(m_canvas->frames(), "res3_1 … res3_3  ×3")));
    }

    void randomGraphsAreSound()
    {
        std::mt19937 random(7);
        for (int round = 0; round < 200; ++round) {
            Network net;
            const int count = 20 + int(random() % 60);
            for (int i = 1; i < count; ++i) {
                std::vector<int> from{std::max(0, i - 1 - int(random() % 4))};
                if (random() % 3 == 0)
                    from.push_back(int(random() % unsigned(i)));
                const QString scope = random() % 3 ? QString() : QString("s%1/t%2").arg(i / 8).arg(i / 4);
                net.add(QString("op%1").arg(random() % 2), {}, from, scope);
            }
            QVERIFY(isSound(net.graph, makeFrames(net.graph)));
        }
    }

    void largeGraphsTakeLittleTime()
    {
        Network net;
        int last = 0;
        std::mt19937 random(3);
        while (net.graph.nodes.size() < 50'000) {
            const int entry = last;
            for (const char *title : {"conv", "relu", "conv"})
                last = net.add(title, {}, {last});
            if (random() % 5 == 0)
                last = net.add("pool", {}, {last});
            last = net.add("add", {}, {entry, last});
        }
        QElapsedTimer timer;
        timer.start();
        const FrameTree tree = makeFrames(net.graph);
        qInfo("%lld ms, %zu frames", timer.elapsed(), tree.frames.size());
        QVERIFY(timer.elapsed() < 5000);
        QVERIFY(tree.frames.size() > 100);
    }
};

QTEST_MAIN(RepeatsTest)
#include "repeats_test.moc"
