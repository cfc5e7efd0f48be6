// SPDX-License-Identifier: GPL-3.0-or-later
// Traces, search, overlays and export of the canvas.
#include "tests/widgets/canvas/canvas_fixture.h"
#include "widgets/canvas/legend.h"
#include "widgets/canvas/scene/node_query.h"
#include "widgets/canvas/search_box.h"
#include "widgets/look/tokens.h"

#include <QDir>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>

using namespace nestwright;
using namespace nestwright::canvas;

namespace {

GraphNode node(int id, const QString &title, const QString &name, NodeNumbers numbers = {})
{
    GraphNode made;
    made.id = id;
    made.title = title;
    made.subtitle = "1×64×56×56 f32";
    made.name = name;
    made.scope = name.section(u'/', 0, -2);
    made.numbers = numbers;
    return made;
}

/// Two branches that meet, and a third that leads elsewhere; the left one is a scope.
///   0 → 1 → 2 → 5 → 6      0 → 3 → 5      0 → 4
GraphData branches()
{
    GraphData graph;
    graph.nodes = {node(0, "data", "data"),
                   node(1, "conv", "left/conv", {0.004, 8e9, 4e6, 0.9}),
                   node(2, "relu", "left/relu", {0.001, 1e6, 8e6, 0.1}),
                   node(3, "conv", "right", {0.002, 4e9, 4e6, 0.5}),
                   node(4, "mean", "aside"),
                   node(5, "add", "join", {0.001, 2e6, 12e6, 0.3}),
                   node(6, "output", "out")};
    graph.nodes[1].attributes = "strides=[2, 2]";
    graph.nodes[3].attributes = "strides=[1, 1]";
    graph.edges = {{0, 1, {}, {}}, {1, 2, {}, {}}, {2, 5, {}, {}}, {0, 3, {}, {}},
                   {3, 5, {}, {}}, {5, 6, {}, {}}, {0, 4, {}, {}}};
    return graph;
}

} // namespace

class MarksTest : public QObject, CanvasFixture {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        makeCanvas({700, 800});
        show(branches());
    }
    void cleanup() { removeCanvas(); }

    void pathsToANodeAndFromIt()
    {
        const GraphData graph = branches();
        QCOMPARE(trace(graph, {2}, Trace::Inputs), (std::vector<char>{1, 1, 1, 0, 0, 0, 0}));
        QCOMPARE(trace(graph, {2}, Trace::Outputs), (std::vector<char>{0, 0, 1, 0, 0, 1, 1}));
        QCOMPARE(trace(graph, {3}, Trace::Both), (std::vector<char>{1, 0, 0, 1, 0, 1, 1}));
        QVERIFY(trace(graph, {3}, Trace::None).empty());
        GraphData circle;
        circle.nodes = {node(0, "a", "a"), node(1, "b", "b")};
        circle.edges = {{0, 1, {}, {}}, {1, 0, {}, {}}, {0, 9, {}, {}}};
        QCOMPARE(trace(circle, {0}, Trace::Inputs), (std::vector<char>{1, 1}));
    }

    void keysTrace()
    {
        click(3);
        QTest::keyClick(m_canvas.get(), Qt::Key_Up, Qt::ShiftModifier);
        QCOMPARE(m_canvas->tracedNodes(), (std::vector<char>{1, 0, 0, 1, 0, 0, 0}));
        QTest::keyClick(m_canvas.get(), Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(m_canvas->tracedNodes(), (std::vector<char>{0, 0, 0, 1, 0, 1, 1}));
        click(5); // the trace follows the selection
        QCOMPARE(m_canvas->tracedNodes(), (std::vector<char>{0, 0, 0, 0, 0, 1, 1}));
        // Nodes off the path step back: their border is fainter.
        const QImage shot = m_canvas->grab().toImage();
        const auto borderOf = [&](int index) {
            const QRectF rect = m_canvas->nodeRect(index);
            return shot.pixelColor(QPointF(rect.center().x() + 20, rect.top()).toPoint());
        };
        QVERIFY(look::contrast(borderOf(4), look::lightTokens().pane)
                < look::contrast(borderOf(6), look::lightTokens().pane));
        QTest::keyClick(m_canvas.get(), Qt::Key_Escape);
        QVERIFY(m_canvas->tracedNodes().empty());
        QCOMPARE(m_canvas->traced(), Trace::None);
    }

    void altClickAndTheMenuTrace()
    {
        QTest::mouseClick(m_canvas.get(), Qt::LeftButton, Qt::AltModifier,
                          m_canvas->nodeRect(1).center().toPoint());
        QCOMPARE(m_canvas->tracedNodes(), (std::vector<char>{1, 1, 1, 0, 0, 1, 1}));
        chooseAt(4, "traceInputs");
        QCOMPARE(m_canvas->tracedNodes(), (std::vector<char>{1, 0, 0, 0, 1, 0, 0}));
        chooseAt(4, "traceClear");
        QVERIFY(m_canvas->tracedNodes().empty());
    }

    void aCollapsedFrameIsTracedByWhatIsInIt()
    {
        m_canvas->setAllOpen(false);
        QTRY_VERIFY(m_canvas->isLaidOut());
        QCOMPARE(m_canvas->graph().nodes[1].title, "left");
        click(1);
        QTest::keyClick(m_canvas.get(), Qt::Key_Up, Qt::ShiftModifier);
        QCOMPARE(m_canvas->tracedNodes(), (std::vector<char>{1, 1, 0, 0, 0, 0}));
    }

    void queries()
    {
        const auto hits = [](const QString &text) {
            const auto query = NodeQuery::parse(text);
            QStringList found;
            for (const GraphNode &each : branches().nodes)
                if (query && query->matches(each))
                    found << each.name;
            return found.join(u' ');
        };
        QCOMPARE(hits("conv"), "left/conv right");
        QCOMPARE(hits("name:conv"), "left/conv");
        QCOMPARE(hits("op:CONV"), "left/conv right");
        QCOMPARE(hits("op:/^(add|mean)$/"), "aside join");
        QCOMPARE(hits("attr:strides=[2"), "left/conv");
        QCOMPARE(hits("attr: /strides=\\[[12]/"), "left/conv right");
        QCOMPARE(hits("56×56 f32").split(u' ').size(), 7);
        QCOMPARE(hits("nowhere"), "");
        QVERIFY(!NodeQuery::parse("/(/"));
        QVERIFY(NodeQuery::parse("/(/").error().contains("character"));
        QVERIFY(NodeQuery::parse("/"));
    }

    void hitsAreCountedAndSteppedThrough()
    {
        QTest::keyClick(m_canvas.get(), Qt::Key_F, Qt::ControlModifier);
        auto *edit = m_canvas->searchBox()->findChild<QLineEdit *>();
        const auto *count = m_canvas->searchBox()->findChild<QLabel *>();
        QTest::keyClicks(edit, "conv");
        QCOMPARE(count->text(), "1 of 2");
        QCOMPARE(m_canvas->searchBox()->current(), (Hit{1, -1}));
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(count->text(), "2 of 2");
        QCOMPARE(m_canvas->searchBox()->current(), (Hit{3, -1}));
        const auto buttons = m_canvas->searchBox()->findChildren<QToolButton *>();
        const auto next = std::ranges::find(buttons, "Next", &QToolButton::accessibleName);
        QTest::mouseClick(*next, Qt::LeftButton);
        QCOMPARE(count->text(), "1 of 2"); // round the end
        QTest::keyClick(edit, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(count->text(), "2 of 2");
        edit->setText("zzz");
        QCOMPARE(count->text(), "no match");
        QVERIFY(!(*next)->isEnabled());
        edit->setText("/(/");
        QCOMPARE(count->text(), "no regex");
        QVERIFY(!count->toolTip().isEmpty());
    }

    void hitsInCollapsedFramesAreShown()
    {
        m_canvas->setAllOpen(false);
        QTRY_VERIFY(m_canvas->isLaidOut());
        QTest::keyClick(m_canvas.get(), Qt::Key_F, Qt::ControlModifier);
        auto *edit = m_canvas->searchBox()->findChild<QLineEdit *>();
        QTest::keyClicks(edit, "conv");
        QCOMPARE(m_canvas->graph().nodes.size(), std::size_t{6}); // still collapsed
        QTest::keyClick(edit, Qt::Key_Return);                    // opens the frame of the first hit
        QTRY_VERIFY(m_canvas->isLaidOut());
        QCOMPARE(m_canvas->graph().nodes.size(), std::size_t{7});
        QCOMPARE(m_canvas->searchBox()->current(), (Hit{1, -1}));
        QVERIFY(QRectF(m_canvas->rect()).contains(m_canvas->nodeRect(1)));
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(m_canvas->searchBox()->current(), (Hit{3, -1}));
    }

    void overlaysAreChosen()
    {
        QCOMPARE(m_canvas->overlay(), Overlay::Time);
        const auto fillOf = [this](int index) {
            return m_canvas->grab().toImage().pixelColor(
                (m_canvas->nodeRect(index).bottomRight() - QPointF(14, 6)).toPoint());
        };
        const look::Tokens &t = look::lightTokens();
        QCOMPARE(fillOf(1).rgb(), (shadeColor(t, 1)).rgb());   // 4 ms is the most
        QCOMPARE(fillOf(5).rgb(), (shadeColor(t, 0.5)).rgb()); // a quarter: the square root
        QCOMPARE(fillOf(4).rgb(), (t.pane).rgb());             // not known
        auto *legend = m_canvas->findChild<Legend *>();
        QVERIFY(legend->isVisible());
        QSignalSpy changed(m_canvas.get(), &GraphCanvas::overlayChanged);
        chooseAt(0, "overlay.bytes");
        QCOMPARE(changed.count(), 1);
        QCOMPARE(fillOf(5).rgb(), (shadeColor(t, 1)).rgb()); // 12 MB
        QCOMPARE(legend->accessibleName(), "Colours from 0 to 11.4 MB");
        chooseAt(0, "overlay.peak");
        QCOMPARE(fillOf(1).rgb(), (shadeColor(t, std::sqrt(0.9))).rgb());
        chooseAt(0, "overlay.intensity");
        QCOMPARE(fillOf(1).rgb(), (shadeColor(t, 1)).rgb());
        QCOMPARE(fillOf(2).rgb(), (shadeColor(t, 0)).rgb());
        chooseAt(0, "overlay.none");
        QCOMPARE(fillOf(1).rgb(), (t.pane).rgb());
        QVERIFY(!legend->isVisible());
        GraphData unmeasured = branches();
        for (GraphNode &each : unmeasured.nodes)
            each.numbers.seconds = -1;
        show(unmeasured);
        const std::unique_ptr<QMenu> menu(m_canvas->menuAt({2, 2}));
        QVERIFY(!menu->findChild<QAction *>("overlay.time")->isEnabled());
        QVERIFY(menu->findChild<QAction *>("overlay.flops")->isEnabled());
    }

    /// The colours become narrower where there is no room for all of them, and no number goes.
    void theLegendKeepsItsNumbers()
    {
        Legend legend(nullptr);
        legend.setEnds("0", "2.71 ms");
        legend.resize(legend.sizeHint());
        const int whole = legend.bar().width();
        for (int less = 0; less < whole; less += 7) {
            legend.resize(legend.sizeHint() - QSize(less, 0));
            const QFontMetrics metrics(legend.font());
            QVERIFY(legend.bar().left() > metrics.horizontalAdvance("0"));
            QVERIFY(legend.bar().right() < legend.width() - metrics.horizontalAdvance("2.71 ms"));
            QVERIFY(std::abs(legend.bar().width() - (whole - less)) <= 2);
        }
        legend.resize(500, 12);
        QCOMPARE(legend.bar().width(), whole);
    }

    void overlaysKeepTextsLegible()
    {
        for (const look::Tokens *t : {&look::lightTokens(), &look::darkTokens()}) {
            std::vector<QColor> grounds{t->pane, t->ground, t->selectionFill};
            for (const QColor &mark : {t->warn, t->good, t->bad}) // of search and of comparisons
                grounds.push_back(look::mixed(t->pane, mark, 0.22));
            for (int i = 0; i <= 20; ++i)
                grounds.push_back(shadeColor(*t, i / 20.0));
            for (const QColor &ground : grounds) {
                QVERIFY2(look::contrast(t->text, ground) >= 4.5, qPrintable(ground.name()));
                QVERIFY2(look::contrast(quietText(*t, ground), ground) >= 4.5, qPrintable(ground.name()));
            }
            QVERIFY(look::contrast(shadeColor(*t, 1), shadeColor(*t, 0)) > 1.8); // and say something
        }
    }

    void numbersAsText()
    {
        QCOMPARE(overlayText(0.00125, Overlay::Time), "1.25 ms");
        QCOMPARE(overlayText(2.5, Overlay::Time), "2.50 s");
        QCOMPARE(overlayText(3.4e9, Overlay::Flops), "3.40 GFLOP");
        QCOMPARE(overlayText(12 * 1024 * 1024, Overlay::Bytes), "12.0 MB");
        QCOMPARE(overlayText(0.43, Overlay::Peak), "43 %");
        QVERIFY(!overlayValue({-1, 5, 0, -1}, Overlay::Intensity));
        QCOMPARE(overlayValue({-1, 8, 4, -1}, Overlay::Intensity), 2.0);
    }

    void theGraphIsExported()
    {
        QTemporaryDir folder;
        const QString png = folder.filePath("graph.png"), svg = folder.filePath("graph.svg");
        for (const QString &path : {png, svg}) {
            const auto written = writeGraph(m_canvas->picture(), path, false);
            QVERIFY2(written.has_value(), written ? "" : written.error().message.c_str());
        }
        const QImage image(png);
        QVERIFY(!image.isNull());
        // All of it, at two dots a pixel, however little the canvas shows.
        m_canvas->zoomTo(4);
        const QRectF bounds = m_canvas->picture().scene->layout.bounds;
        QVERIFY(image.width() > bounds.width() * 2 && image.height() > bounds.height() * 2);
        QFile file(svg);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        QVERIFY(text.contains("<svg"));
        for (const char *word : {">left<", ">conv<", ">mean<", ">output<"})
            QVERIFY2(text.contains(word), word);
        QCOMPARE(writeGraph(m_canvas->picture(), folder.filePath("graph.txt"), false).error().code,
                 std::string("picture.unknown-form"));
        QCOMPARE(writeGraph(m_canvas->picture(), "/nowhere/graph.png", false).error().code,
                 std::string("file.write"));
        show({});
        QCOMPARE(writeGraph(m_canvas->picture(), png, false).error().code, std::string("graph.empty"));
    }

    void theMenuAsksForAnExport()
    {
        QSignalSpy asked(m_canvas.get(), &GraphCanvas::exportRequested);
        chooseAt(0, "exportSvg");
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked[0][0].toString(), "svg");
    }

private:
    void chooseAt(int index, const char *name) { choose(m_canvas->nodeRect(index).center(), name); }
};

QTEST_MAIN(MarksTest)
#include "marks_test.moc"
