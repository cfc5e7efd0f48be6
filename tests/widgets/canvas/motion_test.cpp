// SPDX-License-Identifier: GPL-3.0-or-later
// Things move from where they were to where they are.
#include "widgets/canvas/scene/scene_motion.h"

#include <QtTest>

using namespace nestwright::canvas;

namespace {

/// a → scope/b → scope/c → d
GraphData scoped()
{
    GraphData graph;
    const QStringList scopes{"", "scope", "scope", ""};
    for (int i = 0; i < 4; ++i) {
        GraphNode node;
        node.id = 10 + i;
        node.title = QString(QChar(u'a' + i));
        node.scope = scopes[i];
        graph.nodes.push_back(node);
        if (i > 0)
            graph.edges.push_back({9 + i, 10 + i, {}, {}});
    }
    return graph;
}

std::shared_ptr<const Scene> sceneOf(const GraphData &graph, bool open)
{
    const FrameTree tree = makeFrames(graph);
    FoldedGraph folded = fold(graph, tree, std::vector<char>(tree.frames.size(), open ? 1 : 0));
    GraphLayout layout = layOut(folded.shown, folded.nesting, {});
    return std::make_shared<const Scene>(makeScene(std::move(folded), std::move(layout)));
}

QRectF boxOf(const Scene &scene, const QString &title)
{
    const auto &nodes = scene.shown().nodes;
    const auto found = std::ranges::find(nodes, title, &GraphNode::title);
    return scene.layout.boxes[static_cast<std::size_t>(found - nodes.begin())];
}

} // namespace

class MotionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void contentsOfAFrameComeOutOfIt()
    {
        const auto collapsed = sceneOf(scoped(), false);
        const auto open = sceneOf(scoped(), true);
        QCOMPARE(collapsed->shown().nodes.size(), 3U);
        QCOMPARE(open->shown().nodes.size(), 4U);
        const SceneMotion motion(*collapsed, open, {});
        QVERIFY(motion.isVisible());

        const Scene first = motion.at(0);
        const QRectF frame = boxOf(*collapsed, "scope");
        QCOMPARE(first.layout.frames.front(), frame);
        QCOMPARE(boxOf(first, "d"), boxOf(*collapsed, "d"));
        for (const QString inner : {"b", "c"})
            QVERIFY(frame.contains(boxOf(first, inner)));
        // Edges stay at their nodes all the way.
        for (const double progress : {0.0, 0.4, 1.0}) {
            const Scene scene = motion.at(progress);
            QVERIFY(std::abs(scene.layout.routes[0].first().x() - boxOf(scene, "a").center().x()) < 2);
            QVERIFY(std::abs(scene.layout.routes[2].last().x() - boxOf(scene, "d").center().x()) < 2);
        }
        const Scene last = motion.at(1);
        QVERIFY(last.layout.boxes == open->layout.boxes);
        QVERIFY(last.layout.frames == open->layout.frames);
        QVERIFY(last.layout.routes == open->layout.routes);
    }

    void aFrameShrinksToItsNode()
    {
        const auto open = sceneOf(scoped(), true);
        const auto collapsed = sceneOf(scoped(), false);
        QTransform shift; // the view may have moved too
        shift.translate(100, 0);
        const SceneMotion motion(*open, collapsed, shift);
        QCOMPARE(boxOf(motion.at(0), "scope"), open->layout.frames.front().translated(100, 0));
        QCOMPARE(boxOf(motion.at(1), "scope"), boxOf(*collapsed, "scope"));
        QCOMPARE(boxOf(motion.at(0.5), "a").center(),
                 (boxOf(*open, "a").center() + QPointF(100, 0) + boxOf(*collapsed, "a").center()) / 2);
    }

    void newNodesStandWhereTheyBelong()
    {
        GraphData before = scoped();
        before.nodes.pop_back();
        before.edges.pop_back();
        const auto to = sceneOf(scoped(), true);
        const SceneMotion motion(*sceneOf(before, true), to, {});
        QCOMPARE(boxOf(motion.at(0), "d"), boxOf(*to, "d"));
    }

    void nothingMovesFromASceneToItself()
    {
        const auto scene = sceneOf(scoped(), true);
        QVERIFY(!SceneMotion(*scene, scene, {}).isVisible());
    }
};

QTEST_GUILESS_MAIN(MotionTest)
#include "motion_test.moc"
