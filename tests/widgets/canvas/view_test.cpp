// SPDX-License-Identifier: GPL-3.0-or-later
// The view of a graph: how it opens, the room that it has, how far it can be moved, its state.
#include "tests/widgets/canvas/canvas_fixture.h"
#include "widgets/canvas/legend.h"
#include "widgets/canvas/minimap.h"
#include "widgets/canvas/paint/edge_path.h"
#include "widgets/canvas/search_box.h"
#include "widgets/look/link_button.h"
#include "widgets/look/tokens.h"

#include <QLineEdit>
#include <QtTest>

#include <algorithm>

using namespace nestwright;
using namespace nestwright::canvas;

namespace {

GraphNode node(int id, const QString &title)
{
    GraphNode made;
    made.id = id;
    made.title = title;
    made.subtitle = "1×64×56×56 f32";
    made.numbers.flops = 1e6 * id;
    return made;
}

/// One below the other.
GraphData chain(int count, const QString &subject = {})
{
    GraphData graph;
    graph.subject = subject;
    for (int i = 1; i <= count; ++i) {
        graph.nodes.push_back(node(i, QString("op%1").arg(i)));
        if (i > 1)
            graph.edges.push_back({i - 1, i, {}, {}});
    }
    return graph;
}

/// The same nodes in rows of three.
GraphData rows(int count, const QString &subject)
{
    GraphData graph = chain(count, subject);
    graph.edges.clear();
    for (int i = 4; i <= count; ++i)
        graph.edges.push_back({(i - 1) / 3 * 3 - i % 3, i, {}, {}});
    return graph;
}

} // namespace

class ViewTest : public QObject, CanvasFixture {
    Q_OBJECT

    bool isAnythingSeen() const
    {
        for (int i = 0; i < static_cast<int>(m_canvas->graph().nodes.size()); ++i) {
            const QRectF seen = m_canvas->room() & m_canvas->nodeRect(i);
            if (std::min(seen.width(), 20.0) >= std::min(m_canvas->nodeRect(i).width(), 20.0)
                && seen.height() > 4)
                return true;
        }
        const Scene &scene = *m_canvas->picture().scene;
        const QTransform toWidget =
            QTransform::fromTranslate(-scene.layout.boxes[0].left(), -scene.layout.boxes[0].top())
            * QTransform::fromScale(m_canvas->zoom(), m_canvas->zoom())
            * QTransform::fromTranslate(m_canvas->nodeRect(0).left(), m_canvas->nodeRect(0).top());
        return std::ranges::any_of(scene.layout.routes, [&](const QPolygonF &route) {
            return !route.isEmpty() && passes(toWidget.map(route), m_canvas->room());
        });
    }

    void wheel(const QPointF &at, int by) const
    {
        QWheelEvent event(at, m_canvas->mapToGlobal(at), {}, {0, by}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(m_canvas.get(), &event);
    }

    void drag(const QPoint &from, const QPoint &by) const
    {
        QTest::mousePress(m_canvas.get(), Qt::LeftButton, {}, from);
        for (int i = 1; i <= 10; ++i) {
            const QPointF to = from + by * i / 10;
            QMouseEvent move(QEvent::MouseMove, to, m_canvas->mapToGlobal(to), Qt::NoButton, Qt::LeftButton,
                             {});
            QApplication::sendEvent(m_canvas.get(), &move);
        }
        QTest::mouseRelease(m_canvas.get(), Qt::LeftButton, {}, from + by);
    }

    /// Names the widgets around the graph that reach into its room.
    QString intruders() const
    {
        QStringList names;
        for (const QWidget *widget : m_canvas->findChildren<QWidget *>(Qt::FindDirectChildrenOnly)) {
            if (widget->isVisible() && m_canvas->room().intersects(widget->geometry()))
                names << widget->metaObject()->className();
        }
        return names.join(u' ');
    }

private Q_SLOTS:
    void init() { makeCanvas({300, 560}); }
    void cleanup() { removeCanvas(); }

    void aLongGraphOpensAtItsBeginning()
    {
        show(chain(80));
        QVERIFY(m_canvas->zoom() >= 0.7);
        QVERIFY(m_canvas->room().contains(m_canvas->nodeRect(0)));
        QVERIFY(m_canvas->nodeRect(0).top() < 40);
        m_canvas->resize(m_canvas->width(), m_canvas->height() + 200);
        QVERIFY(m_canvas->nodeRect(0).top() < 40);
        QTest::keyClick(m_canvas.get(), Qt::Key_0); // all of it can be seen all the same
        for (int i = 0; i < 80; ++i)
            QVERIFY(m_canvas->room().contains(m_canvas->nodeRect(i)));
    }

    void aSmallGraphOpensWhole()
    {
        show(chain(4));
        QCOMPARE(m_canvas->zoom(), 1.0);
        for (int i = 0; i < 4; ++i)
            QVERIFY(m_canvas->room().contains(m_canvas->nodeRect(i)));
        QVERIFY(!m_canvas->findChild<Minimap *>()->isVisible()); // all is in sight
    }

    /// A part was shown since all had no room; a step later all has.
    void aGraphThatShrinksIsWhole()
    {
        show(chain(80));
        show(chain(4));
        for (int i = 0; i < 4; ++i)
            QVERIFY(m_canvas->room().contains(m_canvas->nodeRect(i)));
        show(chain(80));
        drag({8, 300}, {-20, -60});
        show(chain(4)); // the user's choice stays
        QVERIFY(!m_canvas->room().contains(m_canvas->nodeRect(0)));
    }

    /// Beside others, at a scale that can be read, it would be cut by the edge of the pane.
    void theSelectedNodeStaysInSightWhenAGraphGrows()
    {
        m_canvas->resize(240, 560);
        show(chain(80));
        m_canvas->setSelected(2);
        GraphData wide = chain(80);
        for (int i = 0; i < 3; ++i) {
            wide.nodes.push_back(wide.nodes.front());
            wide.nodes.back().id = 100 + i;
            wide.edges.push_back({100 + i, 3, {}, {}});
        }
        show(wide);
        QVERIFY(m_canvas->room().contains(m_canvas->nodeRect(2)));
    }

    void nothingStandsOnTheGraph()
    {
        for (const QSize size : {QSize(224, 300), QSize(300, 560), QSize(1200, 700)}) {
            m_canvas->resize(size);
            show({});
            show(chain(80));
            m_canvas->setOverlay(Overlay::Flops);
            QVERIFY(m_canvas->findChild<Legend *>()->isVisible());
            QVERIFY(m_canvas->findChild<Minimap *>()->isVisible());
            QCOMPARE(intruders(), "");
            QVERIFY(m_canvas->room().height() > size.height() * 0.55);
            QTest::keyClick(m_canvas.get(), Qt::Key_F, Qt::ControlModifier);
            QTest::keyClicks(m_canvas->searchBox()->findChild<QLineEdit *>(), "op");
            m_canvas->setSelected(3);
            m_canvas->setTrace(Trace::Both);
            QCOMPARE(intruders(), "");
            const auto parts = m_canvas->searchBox()->findChildren<QWidget *>(Qt::FindDirectChildrenOnly);
            for (const QWidget *part : parts) {
                for (const QWidget *other : parts)
                    QVERIFY(part == other || !part->geometry().intersects(other->geometry()));
            }
            QTest::keyClick(m_canvas->searchBox()->findChild<QLineEdit *>(), Qt::Key_Escape);
            m_canvas->setTrace(Trace::None);
            m_canvas->fit();
            QVERIFY(!m_canvas->findChild<Minimap *>()->isVisible());
            QCOMPARE(intruders(), "");
        }
    }

    void widgetsBelowTheLinksAreNotClicked()
    {
        show(chain(80));
        QSignalSpy clicked(m_canvas.get(), &GraphCanvas::nodeClicked);
        for (int y = static_cast<int>(m_canvas->room().bottom()) + 1; y < m_canvas->height(); y += 3)
            QTest::mouseClick(m_canvas.get(), Qt::LeftButton, {}, {m_canvas->width() / 2, y});
        QCOMPARE(clicked.count(), 0);
        QCOMPARE(m_canvas->toolTip(), "");
    }

    void theGraphCannotBeDraggedAway()
    {
        for (const GraphData &graph : {chain(3), chain(80), rows(90, {})}) {
            for (const QPoint &by : {QPoint(3000, 0), QPoint(-3000, 0), QPoint(0, 20000), QPoint(0, -20000),
                                     QPoint(-3000, -20000)}) {
                show({});
                show(graph);
                drag({4, 4}, by);
                QVERIFY(isAnythingSeen());
                m_canvas->resize(240, 300);
                QVERIFY(isAnythingSeen());
                m_canvas->resize(300, 560);
                for (int turn = 0; turn < 8; ++turn) {
                    wheel({290, 10}, 240);
                    QVERIFY(isAnythingSeen());
                }
                for (int turn = 0; turn < 30; ++turn) {
                    wheel({5, 400}, -240);
                    QVERIFY(isAnythingSeen());
                }
            }
        }
    }

    void theWheelWorksWhilePanning()
    {
        show(chain(80));
        const double before = m_canvas->zoom();
        QTest::mousePress(m_canvas.get(), Qt::LeftButton, {}, {10, 100});
        QMouseEvent move(QEvent::MouseMove, QPointF(10, 60), m_canvas->mapToGlobal(QPointF(10, 60)),
                         Qt::NoButton, Qt::LeftButton, {});
        QApplication::sendEvent(m_canvas.get(), &move);
        wheel({10, 60}, 120);
        QVERIFY(m_canvas->zoom() > before);
        QTest::mouseRelease(m_canvas.get(), Qt::LeftButton, {}, {10, 60});
    }

    void theWheelWorksWhileABufferIsDragged()
    {
        GraphData graph = chain(80);
        graph.nodes[0].buffer = "A";
        show(graph);
        const double before = m_canvas->zoom();
        double during = 0;
        QWindow *window = m_canvas->windowHandle();
        const QPoint from = m_canvas->nodeRect(0).center().toPoint(), to(20, 300);
        QTimer::singleShot(300, this, [&] { // the drag has an event loop of its own
            QTest::wheelEvent(window, to, {0, 240});
            QTimer::singleShot(100, this, [&] {
                during = m_canvas->zoom();
                QTest::mouseRelease(window, Qt::LeftButton, {}, to);
                QTest::keyClick(window, Qt::Key_Escape);
            });
        });
        QTest::mousePress(m_canvas.get(), Qt::LeftButton, {}, from);
        QMouseEvent move(QEvent::MouseMove, QPointF(to), m_canvas->mapToGlobal(QPointF(to)), Qt::NoButton,
                         Qt::LeftButton, {});
        QApplication::sendEvent(m_canvas.get(), &move);
        QTRY_VERIFY(during > 0);
        QVERIFY(during > before * 1.2);
    }

    void theCurrentMatchStandsOut()
    {
        for (const look::Mode mode : {look::Mode::Light, look::Mode::Dark}) {
            m_theme->setMode(mode);
            show({});
            show(chain(5));
            QTest::keyClick(m_canvas.get(), Qt::Key_F, Qt::ControlModifier);
            auto *edit = m_canvas->searchBox()->findChild<QLineEdit *>();
            edit->setText("op");
            QTest::keyClick(edit, Qt::Key_Return);
            QCOMPARE(m_canvas->searchBox()->current(), (Hit{1, -1}));
            const QImage shot = m_canvas->grab().toImage();
            const look::Tokens &t = look::tokens(m_canvas.get());
            const auto groundOf = [&](int index) {
                return shot.pixelColor(
                    (m_canvas->nodeRect(index).bottomRight() - QPointF(20, 8) * m_canvas->zoom()).toPoint());
            };
            const auto beside = [&](int index) { // 5 pixels out: where the ring is
                return shot.pixelColor(
                    QPointF(m_canvas->nodeRect(index).left() - 5, m_canvas->nodeRect(index).center().y())
                        .toPoint());
            };
            QVERIFY(groundOf(1) != groundOf(2));
            QVERIFY(look::contrast(beside(1), t.pane) > 3);
            QCOMPARE(beside(2), t.pane);
            QTest::keyClick(edit, Qt::Key_Return); // and goes on with the search
            const QImage next = m_canvas->grab().toImage();
            QCOMPARE(next.pixelColor((m_canvas->nodeRect(1).bottomRight() - QPointF(20, 8)).toPoint()),
                     groundOf(2));
            QTest::keyClick(edit, Qt::Key_Escape);
        }
        m_theme->setMode(look::Mode::Light);
    }

    void anotherSubjectLeavesNothingBehind()
    {
        show(rows(12, "rows"));
        m_canvas->setSelected(5);
        m_canvas->zoomTo(0.5);
        show(chain(12, "chain"));
        QVERIFY(m_canvas->picture().scene->layout.boxes == layOut(chain(12)).boxes);
        QCOMPARE(m_canvas->selectedId(), -1);
        QVERIFY(m_canvas->zoom() >= 0.7);
        const double middle = m_canvas->nodeRect(0).center().x();
        for (int i = 1; i < 12; ++i)
            QCOMPARE(m_canvas->nodeRect(i).center().x(), middle);
        // While a graph is on its way, too.
        m_canvas->setGraph(rows(12, "rows"));
        m_canvas->setGraph(rows(12, "rows"));
        QTRY_VERIFY(m_canvas->isLaidOut());
        QVERIFY(m_canvas->picture().scene->layout.boxes == layOut(rows(12, "rows")).boxes);
    }

    void aStageThatGoesAndComesBackLeavesTheOthersWhereTheyAre()
    {
        const GraphData whole = chain(6, "kernel");
        GraphData without = whole;
        without.nodes.erase(without.nodes.begin() + 4);
        without.edges = {{1, 2, {}, {}}, {2, 3, {}, {}}, {3, 4, {}, {}}, {4, 6, {}, {}}};
        show(whole);
        m_canvas->setSelected(2);
        std::vector<QRectF> before;
        for (int i = 0; i < 6; ++i)
            before.push_back(m_canvas->nodeRect(i));
        show(without);
        QCOMPARE(m_canvas->graph().nodes.size(), std::size_t{5});
        for (int i = 0; i < 4; ++i)
            QVERIFY(QLineF(m_canvas->nodeRect(i).topLeft(), before[std::size_t(i)].topLeft()).length() < 1);
        QCOMPARE(m_canvas->selectedId(), 2);
        show(whole);
        for (int i = 0; i < 6; ++i)
            QVERIFY(QLineF(m_canvas->nodeRect(i).topLeft(), before[std::size_t(i)].topLeft()).length() < 1);
    }
};

QTEST_MAIN(ViewTest)
#include "view_test.moc"
