// SPDX-License-Identifier: GPL-3.0-or-later
// The layered layout: nothing overlaps, edges go down, few crossings, stable, quick, can be stopped.
#include "widgets/canvas/layout/dot_layers.h"
#include "widgets/canvas/layout/layered_graph.h"
#include "widgets/canvas/layout/layered_layout.h"

#include <QElapsedTimer>
#include <QRandomGenerator>
#include <QtTest>

using namespace nestwright::canvas;

namespace {

GraphData graphOf(int count, const std::vector<std::pair<int, int>> &edges)
{
    GraphData graph;
    for (int i = 0; i < count; ++i)
        graph.nodes.push_back(
            {100 + i, QString("node %1").arg(i), "64×64 f32", NodeKind::Compute, {}, -1, {}});
    for (const auto &[from, to] : edges)
        graph.edges.push_back({100 + from, 100 + to, {}, {}});
    return graph;
}

/// Like a deep network: a long chain of operators with weights, and skip connections.
GraphData network(int count)
{
    std::vector<std::pair<int, int>> edges;
    QRandomGenerator random(7);
    for (int i = 2; i < count; ++i) {
        if (i % 2) // operators are odd, the weight before each is even
            edges.insert(edges.end(), {{i - 2, i}, {i - 1, i}});
        if (i % 14 == 13)
            edges.emplace_back(i - 12, i);
    }
    return graphOf(count, edges);
}

bool overlaps(const GraphLayout &layout)
{
    std::vector<QRectF> boxes = layout.boxes;
    std::ranges::sort(boxes, {}, [](const QRectF &box) { return std::pair(box.center().y(), box.left()); });
    for (std::size_t i = 1; i < boxes.size(); ++i)
        if (boxes[i].adjusted(1, 1, -1, -1).intersects(boxes[i - 1].adjusted(1, 1, -1, -1)))
            return true;
    return false;
}

} // namespace

class LayoutTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void matmulLooksAsDrawn()
    {
        const GraphLayout layout = layOut(graphOf(4, {{0, 2}, {1, 2}, {2, 3}}));
        QCOMPARE(layout.boxes[0].center().y(), layout.boxes[1].center().y());
        QVERIFY(layout.boxes[0].right() < layout.boxes[1].left());
        QVERIFY(layout.boxes[1].bottom() < layout.boxes[2].top());
        // The consumer is centred below its inputs, the output below it.
        QVERIFY(std::abs(layout.boxes[2].center().x()
                         - (layout.boxes[0].center().x() + layout.boxes[1].center().x()) / 2)
                <= 1);
        QVERIFY(std::abs(layout.boxes[3].center().x() - layout.boxes[2].center().x()) <= 1);
        QCOMPARE(layout.routes[0].first(), QPointF(layout.boxes[0].center().x(), layout.boxes[0].bottom()));
        QCOMPARE(layout.routes[0].last(), QPointF(layout.boxes[2].center().x(), layout.boxes[2].top()));
    }

    void randomGraphsAreSound()
    {
        QRandomGenerator random(11);
        for (int round = 0; round < 60; ++round) {
            const int count = 2 + random.bounded(40);
            std::vector<std::pair<int, int>> edges;
            for (int i = random.bounded(90); i > 0; --i) {
                const int a = random.bounded(count), b = random.bounded(count);
                if (a != b)
                    edges.emplace_back(std::min(a, b), std::max(a, b));
            }
            const GraphData graph = graphOf(count, edges);
            const GraphLayout layout = layOut(graph);
            QVERIFY(!overlaps(layout));
            for (std::size_t i = 0; i < edges.size(); ++i) {
                QVERIFY(layout.boxes[edges[i].first].bottom() < layout.boxes[edges[i].second].top());
                for (qsizetype p = 1; p < layout.routes[i].size(); ++p)
                    QVERIFY(layout.routes[i][p - 1].y() < layout.routes[i][p].y());
            }
        }
    }

    void cyclesDoNotHarm()
    {
        const GraphLayout layout = layOut(graphOf(3, {{0, 1}, {1, 2}, {2, 0}}));
        QVERIFY(!overlaps(layout));
        QVERIFY(layout.routes[2].first().y() > layout.routes[2].last().y()); // the closing edge leads up
    }

    void badEdgesHaveNoRoute()
    {
        GraphData graph = graphOf(2, {{0, 1}, {1, 1}});
        graph.edges.push_back({100, 999, {}, {}});
        const GraphLayout layout = layOut(graph);
        QVERIFY(!layout.routes[0].isEmpty());
        QVERIFY(layout.routes[1].isEmpty());
        QVERIFY(layout.routes[2].isEmpty());
    }

    void crossingsAreAvoided()
    {
        // Two crossing edges can be drawn without crossing.
        LayeredGraph graph = makeLayers(std::vector<double>(4, 100), {{0, 3}, {1, 2}});
        QCOMPARE(countCrossings(graph), 1);
        orderLayers(graph, {});
        QCOMPARE(countCrossings(graph), 0);
        // The complete bipartite graph of 3 and 3 cannot do with fewer than 9.
        LayeredGraph complete =
            makeLayers(std::vector<double>(6, 100),
                       {{0, 3}, {0, 4}, {0, 5}, {1, 3}, {1, 4}, {1, 5}, {2, 3}, {2, 4}, {2, 5}});
        orderLayers(complete, {});
        QCOMPARE(countCrossings(complete), 9);
    }

    void dotOrdersSmallGraphsThatCross()
    {
        QVERIFY2(hasDot(), "Graphviz' program dot is not installed (scripts/packages.txt names it)");
        QRandomGenerator random(17);
        long long ours = 0, theirs = 0;
        for (int round = 0; round < 10; ++round) {
            Level level;
            const int count = 20 + random.bounded(20);
            level.sizes.assign(static_cast<std::size_t>(count), QSizeF(100, 40));
            for (int i = 0; i < 2 * count; ++i) {
                const int a = random.bounded(count), b = random.bounded(count);
                if (a != b) // cycles too
                    level.edges.emplace_back(a, b);
            }
            level.pins.assign(static_cast<std::size_t>(count) + 2, Pin::Free); // and a port on either side
            level.pins[static_cast<std::size_t>(count)] = Pin::Top;
            level.pins[static_cast<std::size_t>(count) + 1] = Pin::Bottom;
            level.sizes.resize(level.pins.size(), QSizeF(0, 0));
            level.edges.insert(level.edges.end(), {{count, 1}, {2, count + 1}});

            LayeredGraph own =
                makeLayers(std::vector<double>(level.sizes.size(), 100), level.edges, level.pins);
            orderLayers(own, {});
            ours += countCrossings(own);
            const std::optional<LayeredGraph> dot = layersByDot(level, {});
            QVERIFY(dot);
            theirs += countCrossings(*dot);
            QCOMPARE(dot->layers.front(), std::vector{count}); // ports have their layers to themselves
            QCOMPARE(dot->layers.back(), std::vector{count + 1});
            for (std::size_t i = 0; i < level.edges.size(); ++i) {
                const std::vector<int> &chain = dot->chains[i];
                QCOMPARE(std::pair(chain.front(), chain.back()), level.edges[i]);
            }
        }
        QVERIFY2(theirs < ours, qPrintable(QString("%1 crossings, ours %2").arg(theirs).arg(ours)));
    }

    void dotIsStopped()
    {
        Level level;
        level.sizes.assign(600, QSizeF(100, 40));
        for (int i = 20; i < 600; ++i)
            for (int k = 0; k < 4; ++k)
                level.edges.emplace_back(i - 20 + (i * 7 + k * 5) % 19, i);
        std::stop_source source;
        source.request_stop();
        QVERIFY(!layersByDot(level, source.get_token()));
    }

    void weightsStandNextToTheirUsers()
    {
        const GraphLayout layout = layOut(network(41));
        const double row = layout.boxes[3].center().y() - layout.boxes[1].center().y();
        for (int i = 3; i < 41; i += 2) // the weight is one layer above its operator
            QCOMPARE(layout.boxes[i].center().y() - layout.boxes[i - 1].center().y(), row);
    }

    void unchangedNodesDoNotMove()
    {
        const GraphData before = network(61);
        const GraphLayout first = layOut(before);
        const FormerLayout former(before, first);
        const GraphLayout same = layOut(before, former);
        for (std::size_t i = 0; i < before.nodes.size(); ++i)
            QVERIFY(QLineF(same.boxes[i].center(), first.boxes[i].center()).length() < 2);
        GraphData after = before;
        after.nodes.push_back({999, "new", "1", NodeKind::Output, {}, -1, {}});
        after.edges.push_back({160, 999, {}, {}});
        const GraphLayout grown = layOut(after, former);
        for (std::size_t i = 0; i < before.nodes.size(); ++i)
            QVERIFY(QLineF(grown.boxes[i].center(), first.boxes[i].center()).length() < 10);
    }

    void largeGraphsTakeLittleTime()
    {
        for (const int count : {10'000, 50'000}) {
            const GraphData graph = network(count);
            QElapsedTimer timer;
            timer.start();
            const GraphLayout layout = layOut(graph);
            qInfo("%d nodes laid out in %lld ms", count, timer.elapsed());
            QVERIFY(!overlaps(layout));
        }
        QRandomGenerator random(3); // as wide as deep
        std::vector<std::pair<int, int>> edges;
        for (int i = 100; i < 10'000; ++i)
            for (int k = 0; k < 2; ++k)
                edges.emplace_back(i - 100 + random.bounded(-20, 20) + (i < 120 ? 20 : 0), i);
        QElapsedTimer timer;
        timer.start();
        layOut(graphOf(10'000, edges));
        qInfo("10000 nodes in wide layers laid out in %lld ms", timer.elapsed());
    }

    void stoppingReturnsAtOnce()
    {
        std::stop_source source;
        source.request_stop();
        const GraphLayout layout = layOut(network(2001), {}, source.get_token());
        QCOMPARE(layout.boxes.size(), 2001U);
    }
};

QTEST_MAIN(LayoutTest)
#include "layout_test.moc"
