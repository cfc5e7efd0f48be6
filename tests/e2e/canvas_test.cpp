// SPDX-License-Identifier: GPL-3.0-or-later
// The graph of a kernel in the real window: it follows the schedule, and is laid out as if nothing else had
// been open. NESTWRIGHT_SHOTS=DIR leaves pictures there.
#include "core/schedule/primitive.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/document/action_list.h"
#include "widgets/document/buffer_mime.h"

#include <QDragEnterEvent>
#include <QMimeData>
#include <QtTest>

#include <algorithm>

using namespace nestwright;
using e2e::patience;

namespace {

const char chainText[] = R"(from tvm import te
A = te.placeholder((64, 64), name="A")
B = te.compute((64, 64), lambda i, j: A[i, j] * 2.0, name="B")
C = te.compute((64, 64), lambda i, j: B[i, j] + 1.0, name="C")
D = te.compute((64, 64), lambda i, j: te.exp(C[i, j]), name="D")
func = te.create_prim_func([A, D])
)";

const char matmulText[] = R"(from tvm import te
A = te.placeholder((64, 64), name="A")
B = te.placeholder((64, 64), name="B")
k = te.reduce_axis((0, 64), name="k")
C = te.compute((64, 64), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
func = te.create_prim_func([A, B, C])
)";

} // namespace

class CanvasTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    void open(const char *name, const char *text)
    {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.close();
        m_window->open(file.fileName());
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && document().title() == QLatin1String(name), patience);
        QVERIFY(settle());
    }
    canvas::GraphCanvas *graph() const { return m_window->graphCanvas(); }
    QString titles() const
    {
        QStringList found;
        for (const canvas::GraphNode &node : graph()->graph().nodes)
            found << node.title.section(u' ', 0, 0);
        return found.join(u' ');
    }
    int indexOf(const QString &title) const
    {
        const auto &nodes = graph()->graph().nodes;
        return static_cast<int>(
            std::ranges::find_if(
                nodes, [&](const canvas::GraphNode &node) { return node.title.section(u' ', 0, 0) == title; })
            - nodes.begin());
    }
    QRectF rectOf(const QString &title) const { return graph()->nodeRect(indexOf(title)); }
    void apply(const char *primitive,
               const std::vector<std::pair<std::string_view, schedule::ArgValue>> &arguments)
    {
        auto step = schedule::makeStep(primitive, arguments);
        QVERIFY(step.has_value());
        const int before = document().tree().size();
        document().apply(*step);
        QTRY_VERIFY_WITH_TIMEOUT(document().tree().size() > before, patience);
        QVERIFY(settle());
        QVERIFY(document().tree().current().ok());
    }

private Q_SLOTS:
    void init() { showWindow(1600, 1000, {}); }
    void cleanup() { m_window.reset(); }

    void aChainIsAStraightLineWhateverWasOpenBefore()
    {
        open("chain.py", chainText);
        QCOMPARE(titles(), "A B C D output");
        const std::vector<QRectF> alone = graph()->picture().scene->layout.boxes;
        open("matmul.py", matmulText);
        QCOMPARE(titles(), "A B C output");
        QVERIFY(rectOf("A").center().x() < rectOf("B").center().x()); // the order of the arguments
        QCOMPARE(rectOf("A").top(), rectOf("B").top());
        open("chain.py", chainText);
        QVERIFY(graph()->picture().scene->layout.boxes == alone);
        for (const char *title : {"B", "C", "D", "output"})
            QCOMPARE(rectOf(title).center().x(), rectOf("A").center().x());
        m_window->open(path("matmul.py")); // a tab now
        QTRY_VERIFY_WITH_TIMEOUT(document().title() == QLatin1String("matmul.py"), patience);
        QVERIFY(settle());
        QVERIFY(rectOf("A").center().x() < rectOf("B").center().x());
    }

    void theGraphFollowsTheSchedule()
    {
        open("chain.py", chainText);
        const QRectF a = rectOf("A"), b = rectOf("B"), output = rectOf("output");
        click("C");
        QCOMPARE(graph()->selectedIndex(), indexOf("C"));
        press(Qt::Key_I); // inlines it
        QTRY_COMPARE_WITH_TIMEOUT(document().tree().size(), 2, patience);
        QVERIFY(settle());
        QCOMPARE(titles(), "A B D output");
        QCOMPARE(rectOf("A"), a);
        QCOMPARE(rectOf("B"), b);
        shoot("canvas-inlined");
        press(Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(document().currentId().value, 0, patience);
        QVERIFY(settle());
        QCOMPARE(titles(), "A B C D output");
        QCOMPARE(rectOf("A"), a);
        QCOMPARE(rectOf("output"), output);

        apply("cache_read",
              {{"block", row("B")}, {"read_buffer_index", std::int64_t{0}}, {"storage_scope", "global"}});
        QCOMPARE(titles(), "A A_global B C D output");
        QCOMPARE(rectOf("A").top(), a.top());
        for (const char *title : {"A_global", "B", "C", "D", "output"})
            QCOMPARE(rectOf(title).center().x(), a.center().x());
        // A click on a stage selects its block in the tree.
        QTest::mouseClick(graph(), Qt::LeftButton, {}, rectOf("A_global").center().toPoint());
        QCOMPARE(document().selection().current(), row("A_global"));
        press(Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(document().currentId().value, 0, patience);
        QVERIFY(settle());
        QCOMPARE(titles(), "A B C D output");
        QCOMPARE(rectOf("A"), a);
        QCOMPARE(rectOf("output"), output);
    }

    void theOutputDraggedOntoALoopIsWrittenToACopyFirst()
    {
        open("matmul.py", matmulText);
        const canvas::GraphNode &output = graph()->graph().nodes[static_cast<std::size_t>(indexOf("output"))];
        QCOMPARE(output.buffer, "C");
        const QPoint from = rectOf("output").center().toPoint();
        const QPoint to = tree()->rowRect(row("i")).center();
        const QPoint inWindow = tree()->viewport()->mapTo(m_window.get(), to);
        QWindow *window = m_window->windowHandle();
        QTimer::singleShot(300, this, [&] { // the drag has an event loop of its own
            QTest::mouseMove(window, inWindow - QPoint(3, 0));
            QTimer::singleShot(500, this, [&] { // until the places are found
                QTest::mouseMove(window, inWindow);
                shoot("canvas-output-dragged");
                QTimer::singleShot(100, this,
                                   [&] { QTest::mouseRelease(window, Qt::LeftButton, {}, inWindow); });
            });
        });
        QTest::mousePress(graph(), Qt::LeftButton, {}, from);
        const QPointF away = from + QPoint(0, 30);
        QMouseEvent move(QEvent::MouseMove, away, graph()->mapToGlobal(away), Qt::NoButton, Qt::LeftButton,
                         {});
        QApplication::sendEvent(graph(), &move);
        QTRY_COMPARE_WITH_TIMEOUT(document().tree().size(), 3, patience);
        QVERIFY(settle());
        QVERIFY(document().tree().current().ok());
        QCOMPARE(QString::fromStdString(document().tree().current().label),
                 QStringLiteral("reverse_compute_at(C_global, i)"));
        QCOMPARE(titles(), "A B C C_global output");
    }
};

QTEST_MAIN(CanvasTest)
#include "canvas_test.moc"
