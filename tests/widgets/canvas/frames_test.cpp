// SPDX-License-Identifier: GPL-3.0-or-later
// Frames: made of scopes and groups, laid out around their contents, opened and collapsed by mouse, key and
// menu.
#include "tests/widgets/canvas/canvas_fixture.h"
#include "widgets/canvas/scene/folded_graph.h"

#include <QDir>
#include <QMenu>
#include <QtTest>

using namespace nestwright;
using namespace nestwright::canvas;

namespace {

GraphNode node(int id, const QString &title, const QString &scope = {}, double flops = -1)
{
    GraphNode made;
    made.id = id;
    made.title = title;
    made.subtitle = "1×64×56×56 f32";
    made.scope = scope;
    made.numbers.flops = flops;
    return made;
}

/// data → layer1 (block0: conv, relu; block1: conv, relu, add) → head; a short cut past block0 into block1's
/// add.
GraphData nested()
{
    GraphData graph;
    graph.nodes = {node(0, "data"),
                   node(1, "conv", "layer1/block0/conv1", 10),
                   node(2, "relu", "layer1/block0/act", 1),
                   node(3, "conv", "layer1/block1/conv1", 20),
                   node(4, "relu", "layer1/block1", 2),
                   node(5, "add", "layer1/block1", 3),
                   node(6, "dense", "head")};
    graph.edges = {{0, 1, "a", {}}, {1, 2, {}, {}}, {2, 3, {}, {}}, {3, 4, {}, {}},
                   {4, 5, {}, {}},  {0, 5, {}, {}}, {5, 6, {}, {}}};
    return graph;
}

/// A fused kernel of three operators between an input and an output.
GraphData kernel()
{
    GraphData graph;
    graph.nodes = {node(0, "data"), node(101, "conv", "#7"), node(102, "add", "#7"), node(103, "relu", "#7"),
                   node(8, "output")};
    graph.edges = {
        {0, 101, {}, {}}, {101, 102, {}, {}}, {102, 103, {}, {}}, {0, 102, {}, {}}, {103, 8, {}, {}}};
    graph.groups = {{"#7", node(7, "conv · add · relu", {}, 50)}};
    return graph;
}

/// `blocks` blocks of eight operators each, in stages of ten blocks.
GraphData deep(int blocks)
{
    GraphData graph;
    int id = 1;
    int last = 0;
    graph.nodes.push_back(node(0, "data"));
    for (int block = 0; block < blocks; ++block) {
        const int entry = last;
        for (int i = 0; i < 8; ++i) {
            graph.nodes.push_back(
                node(id, QString("op%1").arg(i),
                     QString("stage%1/block%2/part%3").arg(block / 10).arg(block).arg(i / 4), i));
            graph.edges.push_back({last, id, {}, {}});
            if (i == 7)
                graph.edges.push_back({entry, id, {}, {}});
            last = id++;
        }
    }
    return graph;
}

int frameOf(const FrameTree &tree, const QString &path)
{
    const auto found = std::ranges::find(tree.frames, path, &Frame::path);
    return found == tree.frames.end() ? -1 : int(found - tree.frames.begin());
}

/// Boxes lie in their frames, inner frames in outer ones, siblings apart; routes begin and end at their
/// nodes.
QString problemOf(const FoldedGraph &folded, const GraphLayout &layout)
{
    const Nesting &nesting = folded.nesting;
    for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
        const int frame = nesting.frameOf[i];
        if (frame >= 0 && !layout.frames[std::size_t(frame)].contains(layout.boxes[i]))
            return QString("node %1 is outside of its frame").arg(i);
        for (std::size_t k = 0; k < layout.frames.size(); ++k) {
            int at = frame;
            while (at >= 0 && at != int(k))
                at = nesting.frames[std::size_t(at)].parent;
            if (at < 0 && layout.frames[k].intersects(layout.boxes[i]))
                return QString("node %1 lies on a frame that it does not belong to").arg(i);
        }
        for (std::size_t k = 0; k < i; ++k)
            if (layout.boxes[i].adjusted(1, 1, -1, -1).intersects(layout.boxes[k]))
                return QString("nodes %1 and %2 overlap").arg(i).arg(k);
    }
    for (std::size_t i = 0; i < layout.frames.size(); ++i) {
        const int parent = nesting.frames[i].parent;
        if (parent >= 0 && !layout.frames[std::size_t(parent)].contains(layout.frames[i]))
            return QString("frame %1 is outside of its frame").arg(i);
        for (std::size_t k = 0; k < i; ++k)
            if (nesting.frames[k].parent == parent && layout.frames[i].intersects(layout.frames[k]))
                return QString("frames %1 and %2 overlap").arg(i).arg(k);
    }
    const auto boxOf = [&](int id) {
        const auto &nodes = folded.shown.nodes;
        return layout.boxes[std::size_t(std::ranges::find(nodes, id, &GraphNode::id) - nodes.begin())];
    };
    for (std::size_t i = 0; i < layout.routes.size(); ++i) {
        const GraphEdge &edge = folded.shown.edges[i];
        const QPolygonF &route = layout.routes[i];
        if (route.size() < 2
            || QLineF(route.first(), {boxOf(edge.from).center().x(), boxOf(edge.from).bottom()}).length() > 1
            || QLineF(route.last(), {boxOf(edge.to).center().x(), boxOf(edge.to).top()}).length() > 1)
            return QString("edge %1 does not join its nodes").arg(i);
        for (qsizetype p = 1; p < route.size(); ++p)
            if (route[p].y() < route[p - 1].y() - 0.5)
                return QString("edge %1 goes up").arg(i);
    }
    return {};
}

} // namespace

class FramesTest : public QObject, CanvasFixture {
    Q_OBJECT
private Q_SLOTS:
    void init() { makeCanvas({700, 900}); }
    void cleanup() { removeCanvas(); }

    void scopesAreFrames()
    {
        const FrameTree tree = makeFrames(nested());
        QStringList paths;
        for (const Frame &frame : tree.frames)
            paths << frame.path;
        // "conv1", "act" and "head" hold one thing only.
        QCOMPARE(paths, QStringList({"", "layer1", "layer1/block0", "layer1/block1"}));
        QCOMPARE(tree.frames[2].title, "block0");
        QCOMPARE(tree.frames[1].count, 5);
        QCOMPARE(tree.frames[1].numbers.flops, 36.0);
        QCOMPARE(tree.frames[2].nodes, (std::vector<int>{1, 2}));
        QCOMPARE(tree.frames[0].nodes, (std::vector<int>{0, 6}));
    }

    void collapsedFramesAreOneNode()
    {
        const GraphData graph = nested();
        const FrameTree tree = makeFrames(graph);
        const FoldedGraph folded = fold(graph, tree, {1, 1, 0, 1});
        QCOMPARE(folded.shown.nodes.size(), std::size_t{6}); // data, block0, conv, relu, add, dense
        QCOMPARE(folded.shown.nodes[1].title, "block0");
        QCOMPARE(folded.shown.nodes[1].subtitle, "2 nodes · 11.0 FLOP");
        QCOMPARE(folded.shown.nodes[1].numbers.flops, 11.0);
        QCOMPARE(folded.shownOf, (std::vector<int>{0, 1, 1, 2, 3, 4, 5}));
        QCOMPARE(folded.edgeOf[1], -1); // conv → relu is inside
        QCOMPARE(folded.shown.edges.size(), std::size_t{6});
        const FoldedGraph all = fold(graph, tree, {1, 0, 1, 1}); // open inside a collapsed one: not seen
        QCOMPARE(all.shown.nodes.size(), std::size_t{3});
        QVERIFY(all.open.empty());
        // data → layer1 is one edge of the one tensor that is read twice.
        QCOMPARE(all.shown.edges.size(), std::size_t{2});
        QCOMPARE(all.shown.edges[0].label, "a");
    }

    void framesAreLaidOutAroundTheirNodes()
    {
        for (const GraphData &graph : {nested(), kernel(), deep(7)}) {
            const FrameTree tree = makeFrames(graph);
            const FoldedGraph folded = fold(graph, tree, std::vector<char>(tree.frames.size(), 1));
            const GraphLayout layout = layOut(folded.shown, folded.nesting, {});
            QCOMPARE(layout.frames.size(), tree.frames.size() - 1);
            QCOMPARE(problemOf(folded, layout), QString());
        }
    }

    void randomNestingsAreSound()
    {
        QRandomGenerator random(5);
        for (int round = 0; round < 60; ++round) {
            GraphData graph;
            const int count = 3 + random.bounded(40);
            const int parts = 1 + random.bounded(5);
            for (int i = 0; i < count; ++i) { // scopes are stretches of the order, so that no cycles arise
                const int outer = i * parts / count;
                const int inner = i * parts * 3 / count;
                graph.nodes.push_back(
                    node(i, QString("n%1").arg(i), QString("s%1/t%2").arg(outer).arg(inner)));
            }
            for (int i = random.bounded(90); i > 0; --i) {
                const int a = random.bounded(count), b = random.bounded(count);
                if (a != b)
                    graph.edges.push_back({std::min(a, b), std::max(a, b), {}, {}});
            }
            const FrameTree tree = makeFrames(graph);
            std::vector<char> open(tree.frames.size(), 1);
            for (std::size_t i = 1; i < open.size(); ++i)
                open[i] = char(random.bounded(3) > 0);
            const FoldedGraph folded = fold(graph, tree, open);
            QCOMPARE(problemOf(folded, layOut(folded.shown, folded.nesting, {})), QString());
        }
    }

    void framesInCyclesDoNotHarm()
    {
        GraphData graph; // a → b → a between the frames
        graph.nodes = {node(0, "n0", "a"), node(1, "n1", "b"), node(2, "n2", "a"), node(3, "n3", "b")};
        graph.edges = {{0, 1, {}, {}}, {1, 2, {}, {}}, {2, 3, {}, {}}};
        const FrameTree tree = makeFrames(graph);
        for (const char open : {0, 1}) {
            const FoldedGraph folded = fold(graph, tree, {1, open, open});
            const GraphLayout layout = layOut(folded.shown, folded.nesting, {});
            QCOMPARE(layout.routes.size(), folded.shown.edges.size());
            for (const QPolygonF &route : layout.routes)
                QVERIFY(route.size() >= 2);
        }
    }

    void doubleClickCollapsesAndOpens()
    {
        show(nested());
        const int block = frameOf(m_canvas->frames(), "layer1/block0");
        QVERIFY(m_canvas->isOpen(block));
        QCOMPARE(m_canvas->graph().nodes.size(), std::size_t{7});
        const QRectF title = m_canvas->frameTitleRect(block);
        const QRectF before = m_canvas->frameRect(block);
        doubleClick(title.center());
        QVERIFY(!m_canvas->isOpen(block));
        QCOMPARE(m_canvas->graph().nodes.size(), std::size_t{6});
        const int collapsed = m_canvas->selectedIndex();
        QCOMPARE(m_canvas->graph().nodes[std::size_t(collapsed)].title, "block0");
        // It stays under the pointer.
        const QRectF now = m_canvas->nodeRect(collapsed);
        QVERIFY(std::abs(now.center().x() - before.center().x()) < 1
                && std::abs(now.top() - before.top()) < 1);
        QSignalSpy activated(m_canvas.get(), &GraphCanvas::nodeActivated);
        doubleClick(now.center());
        QVERIFY(m_canvas->isOpen(block));
        QCOMPARE(m_canvas->graph().nodes.size(), std::size_t{7});
        QCOMPARE(activated.count(), 0);
    }

    void keysCollapseAndOpen()
    {
        show(nested());
        const int block = frameOf(m_canvas->frames(), "layer1/block1");
        m_canvas->setSelected(4); // in block1
        QTest::keyClick(m_canvas.get(), Qt::Key_Space);
        QTRY_VERIFY(m_canvas->isLaidOut());
        QVERIFY(!m_canvas->isOpen(block));
        QVERIFY(m_canvas->selectedIndex() >= 0);
        QTest::keyClick(m_canvas.get(), Qt::Key_Return);
        QTRY_VERIFY(m_canvas->isLaidOut());
        QVERIFY(m_canvas->isOpen(block));
    }

    void theMenuCollapsesAndOpens()
    {
        show(nested());
        const int block = frameOf(m_canvas->frames(), "layer1/block0");
        choose(m_canvas->frameTitleRect(block).center(), "toggleFrame");
        QVERIFY(!m_canvas->isOpen(block));
        choose(QPointF(2, 2), "collapseAll");
        QCOMPARE(m_canvas->graph().nodes.size(), std::size_t{3});
        choose(QPointF(2, 2), "expandAll");
        QCOMPARE(m_canvas->graph().nodes.size(), std::size_t{7});
    }

    void groupsStartCollapsedAndStandForTheirNodes()
    {
        show(kernel());
        QCOMPARE(m_canvas->graph().nodes.size(), std::size_t{3});
        QSignalSpy clicked(m_canvas.get(), &GraphCanvas::nodeClicked);
        m_canvas->setSelected(7);
        QCOMPARE(m_canvas->selectedIndex(), 1);
        QTest::mouseClick(m_canvas.get(), Qt::LeftButton, {}, m_canvas->nodeRect(1).center().toPoint());
        QCOMPARE(clicked.takeFirst()[0].toInt(), 7);
        doubleClick(m_canvas->nodeRect(1).center());
        QCOMPARE(m_canvas->graph().nodes.size(), std::size_t{5});
        QCOMPARE(m_canvas->selectedIndex(), -1);
        QCOMPARE(m_canvas->selectedId(), 7); // the open frame
        clicked.clear();
        QTest::mouseClick(m_canvas.get(), Qt::LeftButton, {}, m_canvas->nodeRect(2).center().toPoint());
        QCOMPARE(clicked.takeFirst()[0].toInt(), 7); // its contents
        QCOMPARE(m_canvas->selectedIndex(), 2);
        m_canvas->setSelected(7);
        QCOMPARE(m_canvas->selectedIndex(), 2); // stays
    }

    void collapsedFramesStaySoWithOtherCosts()
    {
        show(nested());
        const int block = frameOf(m_canvas->frames(), "layer1/block0");
        m_canvas->setOpen(block, false);
        QTRY_VERIFY(m_canvas->isLaidOut());
        GraphData graph = nested();
        for (GraphNode &each : graph.nodes)
            each.numbers.seconds = 0.5;
        show(graph);
        QVERIFY(!m_canvas->isOpen(block));
        QCOMPARE(m_canvas->graph().nodes[1].numbers.seconds, 1.0);
        graph.nodes.push_back(node(77, "new", "layer1/block1")); // another graph: laid out anew
        show(graph);
        QVERIFY(!m_canvas->isOpen(frameOf(m_canvas->frames(), "layer1/block0")));
        QVERIFY(m_canvas->isOpen(frameOf(m_canvas->frames(), "layer1/block1")));
    }

    void openingFramesAreSeenToMove()
    {
        show(nested());
        const int block = frameOf(m_canvas->frames(), "layer1/block0");
        QVERIFY(!m_canvas->isPainting());
        m_canvas->setOpen(block, false);
        QTRY_VERIFY(m_canvas->isLaidOut());
        QVERIFY(m_canvas->isPainting());
        const QImage onTheWay = m_canvas->grab().toImage();
        QTRY_VERIFY(!m_canvas->isPainting());
        QVERIFY(m_canvas->grab().toImage() != onTheWay);

        m_theme->setReducedMotion(true);
        m_canvas->setOpen(block, true);
        QTRY_VERIFY(m_canvas->isLaidOut());
        QVERIFY(!m_canvas->isPainting());
        m_theme->setReducedMotion(false);
    }

    void largeGraphsStartReadable()
    {
        GraphData graph = deep(1250);       // 10,001 nodes: 125 stages of ten blocks
        for (GraphNode &each : graph.nodes) // all different
            each.title += QString::number(each.id);
        show(graph);
        QVERIFY(m_canvas->graph().nodes.size() <= 300);
        QVERIFY(m_canvas->graph().nodes.size() > 100);
        m_canvas->setAllOpen(true);
        QTRY_VERIFY_WITH_TIMEOUT(m_canvas->isLaidOut(), 20000);
        QCOMPARE(m_canvas->graph().nodes.size(), std::size_t{10'001});
    }

    void picture()
    {
        const QString folder = qEnvironmentVariable("NESTWRIGHT_SHOTS");
        for (const look::Mode mode : {look::Mode::Light, look::Mode::Dark}) {
            m_theme->setMode(mode);
            GraphData graph = deep(3);
            m_canvas->resize(900, 1000);
            show(graph);
            m_canvas->setOpen(frameOf(m_canvas->frames(), "stage0/block1"), false);
            QTRY_VERIFY(m_canvas->isLaidOut());
            m_canvas->setOverlay(Overlay::Flops);
            m_canvas->zoomTo(0.7);
            const QPixmap shot = m_canvas->grab();
            QVERIFY(!shot.isNull());
            if (!folder.isEmpty())
                QVERIFY(shot.save(QDir(folder).filePath(mode == look::Mode::Dark ? "frames-dark.png"
                                                                                 : "frames-light.png")));
        }
        m_theme->setMode(look::Mode::Light);
    }

private:
    void doubleClick(const QPointF &point)
    {
        QTest::mouseDClick(m_canvas.get(), Qt::LeftButton, {}, point.toPoint());
        QTRY_VERIFY(m_canvas->isLaidOut());
    }
};

QTEST_MAIN(FramesTest)
#include "frames_test.moc"
