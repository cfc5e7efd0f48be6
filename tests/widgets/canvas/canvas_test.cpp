// SPDX-License-Identifier: GPL-3.0-or-later
// The canvas by mouse and key. NESTWRIGHT_SHOTS=DIR also leaves pictures of it there.
#include "tests/widgets/canvas/canvas_fixture.h"
#include "widgets/canvas/minimap.h"
#include "widgets/canvas/search_box.h"
#include "widgets/look/card.h"
#include "widgets/look/tokens.h"

#include <QDir>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QtTest>
#include <algorithm>
#include <array>

using namespace nestwright;
using namespace nestwright::canvas;

namespace {

GraphData matmul()
{
    GraphData graph;
    graph.nodes = {
        {1, "A", "1024×1024 f32", NodeKind::Input, {}, -1, {}},
        {2, "B", "1024×1024 f32", NodeKind::Input, {}, -1, {}},
        {3, "C  matmul", "sum over k · 2.15 GFLOP", NodeKind::Compute, "examples/matmul.py:12", 1, "19 ms"},
        {4, "output", "1024×1024 f32", NodeKind::Output, {}, -1, {}}};
    graph.edges = {
        {1, 3, {}, "1024×1024 float32"}, {2, 3, {}, "1024×1024 float32"}, {3, 4, "1024×1024 f32", {}}};
    return graph;
}

GraphData block(int layers)
{
    GraphData graph;
    int last = 0;
    graph.nodes.push_back({0, "data", "1×3×224×224 f32", NodeKind::Input, {}, -1, {}});
    for (int i = 1; i <= layers; ++i) {
        const int conv = i * 10, weight = conv + 1, relu = conv + 2, add = conv + 3;
        graph.nodes.push_back(
            {weight, QString("W%1").arg(i), "64×64×3×3 f32", NodeKind::Constant, {}, -1, {}});
        graph.nodes.push_back({conv, QString("conv2d_%1").arg(i), "1×64×56×56 f32", NodeKind::Compute,
                               "stride 1, pad 1", 0.05 * (i % 5), QString("%1 ms").arg(i)});
        graph.nodes.push_back(
            {relu, QString("relu_%1").arg(i), "1×64×56×56 f32", NodeKind::Compute, {}, 0.01, "0.1 ms"});
        graph.edges.push_back({last, conv, i == 1 ? "1×3×224×224" : "1×64×56×56", {}});
        graph.edges.push_back({weight, conv, {}, {}});
        graph.edges.push_back({conv, relu, {}, {}});
        if (i % 2 == 0) {
            graph.nodes.push_back(
                {add, QString("add_%1").arg(i), "1×64×56×56 f32", NodeKind::Compute, {}, 0.02, "0.2 ms"});
            graph.edges.push_back({relu, add, {}, {}});
            graph.edges.push_back({(i - 1) * 10, add, "skip", {}});
            last = add;
        } else {
            last = relu;
        }
    }
    return graph;
}

} // namespace

class CanvasTest : public QObject, CanvasFixture {
    Q_OBJECT
private Q_SLOTS:
    void init() { makeCanvas({300, 560}); }
    void cleanup() { removeCanvas(); }

    void emptyOffersWhatToDo()
    {
        QSignalSpy open(m_canvas.get(), &GraphCanvas::openRequested);
        QSignalSpy examples(m_canvas.get(), &GraphCanvas::examplesRequested);
        const auto buttons = m_canvas->findChildren<QPushButton *>();
        QCOMPARE(buttons.size(), 2);
        for (QPushButton *button : buttons) {
            QVERIFY(button->isVisible());
            QTest::mouseClick(button, Qt::LeftButton);
        }
        QCOMPARE(open.count(), 1);
        QCOMPARE(examples.count(), 1);
        show(matmul());
        QVERIFY(!buttons[0]->isVisible());
        show({});
        QVERIFY(buttons[0]->isVisible());
    }

    /// The canvas lays out in a thread of its own, and from there asks dot where edges cross.
    void aGraphThatCrossesIsLaidOutAsByItself()
    {
        GraphData graph;
        for (int i = 0; i < 40; ++i) {
            graph.nodes.push_back({i + 1, QString("n%1").arg(i), {}, NodeKind::Compute, {}, -1, {}});
            for (int k = 1; i >= 8 && k <= 2; ++k)
                graph.edges.push_back({1 + (i - 8) / 8 * 8 + (5 * i + 3 * k) % 8, i + 1, {}, {}});
        }
        show(graph);
        QVERIFY(m_canvas->picture().scene->layout.boxes == layOut(graph).boxes);
    }

    void smallGraphIsShownWhole()
    {
        show(matmul());
        for (int i = 0; i < 4; ++i)
            QVERIFY(QRectF(m_canvas->rect()).contains(m_canvas->nodeRect(i)));
        QVERIFY(m_canvas->zoom() > 0.9 && m_canvas->zoom() <= 1);
    }

    void clickSelects()
    {
        show(matmul());
        QSignalSpy clicked(m_canvas.get(), &GraphCanvas::nodeClicked);
        click(2);
        QCOMPARE(clicked.count(), 1);
        QCOMPARE(clicked[0][0].toInt(), 3);
        QCOMPARE(m_canvas->selectedIndex(), 2);
        const QColor fill = m_canvas->grab().toImage().pixelColor(
            (m_canvas->nodeRect(2).center() + QPointF(0, 18)).toPoint());
        QCOMPARE(fill, look::lightTokens().selectionFill);
        QTest::mouseClick(m_canvas.get(), Qt::LeftButton, {}, {5, 300}); // beside: stays
        QCOMPARE(clicked.count(), 1);
        QSignalSpy activated(m_canvas.get(), &GraphCanvas::nodeActivated);
        QTest::mouseDClick(m_canvas.get(), Qt::LeftButton, {}, m_canvas->nodeRect(3).center().toPoint());
        QCOMPARE(activated[0][0].toInt(), 4);
    }

    void keysFollowEdges()
    {
        show(matmul());
        m_canvas->setSelected(1);
        QTest::keyClick(m_canvas.get(), Qt::Key_Right);
        QCOMPARE(m_canvas->selectedIndex(), 1);
        QTest::keyClick(m_canvas.get(), Qt::Key_Down);
        QCOMPARE(m_canvas->selectedIndex(), 2);
        QTest::keyClick(m_canvas.get(), Qt::Key_Down);
        QCOMPARE(m_canvas->selectedIndex(), 3);
        QTest::keyClick(m_canvas.get(), Qt::Key_Down);
        QCOMPARE(m_canvas->selectedIndex(), 3); // the end
        QTest::keyClick(m_canvas.get(), Qt::Key_Up);
        QCOMPARE(m_canvas->selectedIndex(), 2);
        QKeyEvent letter(QEvent::KeyPress, Qt::Key_F, Qt::NoModifier, "f");
        QApplication::sendEvent(m_canvas.get(), &letter);
        QVERIFY(!letter.isAccepted()); // fuse, not fit
    }

    void wheelZoomsAtThePointer()
    {
        show(matmul());
        const QPointF corner = m_canvas->nodeRect(2).topLeft();
        const double before = m_canvas->zoom();
        QWheelEvent wheel(corner, m_canvas->mapToGlobal(corner), {}, {0, 240}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(m_canvas.get(), &wheel);
        QVERIFY(m_canvas->zoom() > before * 1.3);
        QVERIFY(QLineF(m_canvas->nodeRect(2).topLeft(), corner).length() < 0.01);
        QTest::keyClick(m_canvas.get(), Qt::Key_0);
        QCOMPARE(m_canvas->zoom(), before);
    }

    void draggingPans()
    {
        show(matmul());
        const QPointF before = m_canvas->nodeRect(0).topLeft();
        QSignalSpy clicked(m_canvas.get(), &GraphCanvas::nodeClicked);
        const QPoint from = m_canvas->nodeRect(2).center().toPoint();
        QTest::mousePress(m_canvas.get(), Qt::LeftButton, {}, from);
        for (int i = 1; i <= 4; ++i) {
            const QPointF to = from + QPoint(10 * i, 5 * i);
            QMouseEvent move(QEvent::MouseMove, to, m_canvas->mapToGlobal(to), Qt::NoButton, Qt::LeftButton,
                             {});
            QApplication::sendEvent(m_canvas.get(), &move);
        }
        QTest::mouseRelease(m_canvas.get(), Qt::LeftButton, {}, from + QPoint(40, 20));
        QVERIFY(QLineF(m_canvas->nodeRect(0).topLeft(), before + QPointF(40, 20)).length() < 0.01);
        QCOMPARE(clicked.count(), 0);
    }

    void theViewStaysWhenTheGraphGrows()
    {
        show(block(6));
        QTest::keyClick(m_canvas.get(), Qt::Key_Plus);
        const QRectF before = m_canvas->nodeRect(1);
        show(block(7));
        QVERIFY(QLineF(m_canvas->nodeRect(1).topLeft(), before.topLeft()).length() < 60);
        show(matmul()); // has nothing in common: shown whole
        QVERIFY(QRectF(m_canvas->rect()).contains(m_canvas->nodeRect(0)));
    }

    void otherCostsMoveNothing()
    {
        show(block(6));
        std::vector<QRectF> before;
        GraphData graph = m_canvas->graph();
        for (std::size_t i = 0; i < graph.nodes.size(); ++i)
            before.push_back(m_canvas->nodeRect(int(i)));
        for (GraphNode &node : graph.nodes)
            node.cost = "2 ms";
        QSignalSpy laidOut(m_canvas.get(), &GraphCanvas::laidOut);
        m_canvas->setGraph(graph);
        QCOMPARE(laidOut.count(), 1); // at once
        QCOMPARE(m_canvas->graph().nodes[0].cost, QString("2 ms"));
        for (std::size_t i = 0; i < before.size(); ++i)
            QCOMPARE(m_canvas->nodeRect(int(i)), before[i]);
    }

    void searchFindsAndShows()
    {
        show(block(12));
        QTest::keyClick(m_canvas.get(), Qt::Key_F, Qt::ControlModifier);
        auto *edit = m_canvas->searchBox()->findChild<QLineEdit *>();
        QVERIFY(edit->isVisible());
        const auto count = [this] {
            const Found *found = m_canvas->searchBox()->found();
            return found ? int(found->hits.size()) : -1;
        };
        QTest::keyClicks(edit, "relu_1");
        QCOMPARE(count(), 4); // 1, 10, 11, 12
        const Hit first = m_canvas->searchBox()->current();
        QTest::keyClick(edit, Qt::Key_Return);
        QVERIFY(m_canvas->searchBox()->current() != first);
        edit->setText("/^conv2d_\\d$/");
        QCOMPARE(count(), 9);
        edit->setText("/(/");
        QCOMPARE(count(), 0);
        edit->setText("stride"); // an attribute
        QCOMPARE(count(), 12);
        QTest::keyClick(edit, Qt::Key_Escape);
        QCOMPARE(count(), -1);
        QVERIFY(m_canvas->hasFocus());
    }

    void minimapMovesTheView()
    {
        show(block(30));
        m_canvas->zoomTo(1);
        auto *map = m_canvas->findChild<Minimap *>();
        const double before = m_canvas->nodeRect(0).top();
        QTest::mouseClick(map, Qt::LeftButton, {}, {map->width() / 2, map->height() - 10});
        QVERIFY(m_canvas->nodeRect(0).top() < before - 500);
    }

    void onlyTheNewestGraphIsShown()
    {
        QSignalSpy laidOut(m_canvas.get(), &GraphCanvas::laidOut);
        for (int i = 3; i < 9; ++i)
            m_canvas->setGraph(block(i));
        QTRY_VERIFY(m_canvas->isLaidOut());
        QCOMPARE(laidOut.count(), 1);
        QCOMPARE(m_canvas->graph().nodes.size(), block(8).nodes.size());
    }

    void tenThousandNodesAreSeenAtAnyZoom()
    {
        show(block(2800));
        const int count = static_cast<int>(m_canvas->graph().nodes.size());
        QVERIFY(count > 9000);
        const QColor background = look::tokens(m_canvas.get()).pane;
        for (const double zoom : {0.1, 0.3, 1.0}) {
            m_canvas->zoomTo(zoom);
            m_canvas->reveal(m_canvas->graph().nodes[static_cast<std::size_t>(count) / 2].id);
            m_canvas->repaint();
            QTRY_VERIFY(!m_canvas->isPainting());
            const QImage seen = m_canvas->grab().toImage();
            // Away from the widgets in the corners.
            const QRectF middle(m_canvas->width() * 0.25, m_canvas->height() * 0.25, m_canvas->width() * 0.5,
                                m_canvas->height() * 0.5);
            int found = 0;
            for (int i = 0; i < count; ++i) {
                const QRectF node = m_canvas->nodeRect(i);
                if (!middle.contains(node))
                    continue;
                ++found;
                const QPoint frame =
                    QPointF(node.left(), node.center().y()).toPoint(); // on it, or next to it
                QVERIFY(std::ranges::any_of(std::array{-1, 0, 1}, [&](int right) {
                    return seen.pixelColor(frame + QPoint(right, 0)) != background;
                }));
            }
            QVERIFY(found > 0);
        }
    }

    void picture()
    {
        const QString folder = qEnvironmentVariable("NESTWRIGHT_SHOTS");
        for (const look::Mode mode : {look::Mode::Light, look::Mode::Dark}) {
            m_theme->setMode(mode);
            QWidget window;
            window.resize(1200, 600);
            auto *layout = new QHBoxLayout(&window);
            const auto add = [&](const QString &secondary, GraphData graph, int stretch) {
                auto *card = new look::Card("Graph");
                card->header()->setSecondary(secondary);
                auto *made = new GraphCanvas(*m_jobs);
                made->setGraph(std::move(graph));
                card->setContent(made);
                layout->addWidget(card, stretch);
                return made;
            };
            GraphCanvas *kernel = add("4 nodes · 1 kernel", matmul(), 3);
            GraphCanvas *model = add("ResNet-ish", block(10), 5);
            add("", {}, 3);
            window.show();
            QVERIFY(QTest::qWaitForWindowExposed(&window));
            QTRY_VERIFY(kernel->isLaidOut() && model->isLaidOut());
            kernel->setSelected(3);
            model->setSelected(40);
            model->zoomTo(0.62);
            const QPixmap shot = window.grab();
            QVERIFY(!shot.isNull());
            if (!folder.isEmpty())
                QVERIFY(shot.save(QDir(folder).filePath(mode == look::Mode::Dark ? "canvas-dark.png"
                                                                                 : "canvas-light.png")));
        }
        m_theme->setMode(look::Mode::Light);
    }
};

QTEST_MAIN(CanvasTest)
#include "canvas_test.moc"
