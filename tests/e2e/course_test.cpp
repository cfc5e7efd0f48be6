// SPDX-License-Identifier: GPL-3.0-or-later
// The course: begun on the start page, lessons done by mouse and keys, ticks, note, terms explained.
// NESTWRIGHT_SHOTS=DIR leaves pictures there.
#include "app/window/help/help_window.h"
#include "app/window/help/page_view.h"
#include "app/window/help/term_popup.h"
#include "app/window/panes/course_pane.h"
#include "app/window/panes/goal_row.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/document/command_registry.h"
#include "widgets/history/history_view.h"
#include "widgets/look/button.h"
#include "widgets/look/finding_box.h"
#include "widgets/look/link_button.h"

#include <QHeaderView>
#include <QListWidget>
#include <QScrollBar>

using namespace nestwright;
using e2e::patience;

class CourseTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    app::CoursePane *pane() const { return m_window->coursePane(); }
    const app::GoalRow &goal(std::size_t i) const { return *pane()->goals().at(i); }

    void awaitKernel(const char *name) const
    {
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && !document().isBusy()
                                     && document().title() == QString::fromLatin1(name),
                                 patience);
        QVERIFY(settle());
    }

    /// From the list, by keys.
    void beginLesson(int number) const
    {
        m_window->commands().trigger(QStringLiteral("help.course.list"));
        QListWidget *list = pane()->list();
        QVERIFY(list->isVisible() && list->hasFocus());
        QTest::keyClick(list, Qt::Key_Home);
        for (int i = 1; i < number; ++i)
            QTest::keyClick(list, Qt::Key_Down);
        QTest::keyClick(list, Qt::Key_Return);
    }

    /// The middle of a link of the lesson's text, in the viewport.
    QPoint placeOf(const char *address) const
    {
        const app::PageView *page = pane()->page();
        for (int y = 4; y < page->viewport()->height(); y += 6) {
            for (int x = 2; x < page->viewport()->width(); x += 4) {
                if (page->anchorAt({x, y}) == QLatin1String(address))
                    return {x + 4, y};
            }
        }
        return {};
    }

    void shootBoth(const char *name) const
    {
        m_theme->setMode(look::Mode::Dark);
        QVERIFY(settle());
        shoot(qPrintable(QStringLiteral("course-%1-dark").arg(QLatin1String(name))));
        m_theme->setMode(look::Mode::Light);
        QVERIFY(settle());
        shoot(qPrintable(QStringLiteral("course-%1-light").arg(QLatin1String(name))));
    }

    /// Waits for the run beside the start; the lesson ends by itself where its goals are reached.
    void measureAndGoOn(const char *nextKernel) const
    {
        press(Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isSettled() && goal(1).found().contains(u'×'), patience);
        QCOMPARE(pane()->note()->isVisible(), goal(1).isReached());
        if (pane()->note()->isVisible())
            QTest::mouseClick(pane()->note()->findChild<look::LinkButton *>(), Qt::LeftButton);
        else
            press(Qt::Key_N, Qt::ControlModifier | Qt::ShiftModifier);
        awaitKernel(nextKernel);
    }

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(QFile::link(QDir(QStringLiteral("examples")).absolutePath(), path("examples")));
        showWindow(1366, 768, {});
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }
    void cleanupTestCase() { m_window.reset(); }

    void theStartPageBeginsIt()
    {
        auto *button = m_window->findChild<QAbstractButton *>(QStringLiteral("start.course"));
        QVERIFY(button && button->isVisible() && !pane()->isVisible());
        shootBoth("start");
        QTest::mouseClick(button, Qt::LeftButton);
        awaitKernel("01_naive.py");
        QVERIFY(pane()->isVisible() && pane()->page()->isVisible());
        QVERIFY(pane()->page()->toPlainText().startsWith(QStringLiteral("A kernel is written")));
        QCOMPARE(pane()->goals().size(), 2U);
        QVERIFY(goal(0).found().startsWith(QStringLiteral("C stands in 3 loops")));
        QVERIFY(!pane()->note()->isVisible());
        QVERIFY(m_window->width() == 1366 && m_window->height() == 768);
        shootBoth("lesson1");
    }

    void theFirstLessonIsDone()
    {
        click("k");
        press(Qt::Key_S);
        press(Qt::Key_Return);
        awaitVariants(2);
        QTRY_VERIFY_WITH_TIMEOUT(goal(0).isReached(), patience);
        QVERIFY(!goal(1).isReached() && !pane()->note()->isVisible());
        press(Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(goal(1).isReached() && m_window->isSettled(), patience);
        QVERIFY(pane()->note()->isVisible());
        QVERIFY(pane()
                    ->list()
                    ->item(0)
                    ->data(Qt::AccessibleTextRole)
                    .toString()
                    .endsWith(QStringLiteral("done")));
        shootBoth("done");
        QTest::mouseClick(pane()->note()->findChild<look::LinkButton *>(), Qt::LeftButton);
        awaitKernel("02_tile.py");
        QVERIFY(!pane()->note()->isVisible() && !goal(0).isReached());
    }

    void theSecondIsDoneByMouseAndKeys()
    {
        for (int i = 1; i <= 3; ++i) {
            QCOMPARE(pane()->hintButton()->text(), QStringLiteral("Hint %1 of 3").arg(i));
            QTest::mouseClick(pane()->hintButton(), Qt::LeftButton);
        }
        QVERIFY(!pane()->hintButton()->reason().isEmpty());
        QVERIFY(pane()->page()->toPlainText().contains(QStringLiteral("sch.tile(i, j, 16, 16)")));
        QVERIFY(pane()->page()->verticalScrollBar()->value() > 0); // the last hint is in sight
        shootBoth("hints");
        click("i");
        press(Qt::Key_T);
        press(Qt::Key_Return);
        awaitVariants(2);
        QTRY_VERIFY_WITH_TIMEOUT(goal(0).isReached(), patience);
        press(Qt::Key_Z, Qt::ControlModifier); // the goal is that of the current variant
        QTRY_VERIFY_WITH_TIMEOUT(!goal(0).isReached(), patience);
        press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(goal(0).isReached() && m_window->isSettled(), patience);
        measureAndGoOn("03_reorder.py");
    }

    void theFourth()
    {
        beginLesson(4);
        awaitKernel("04_vectorize.py");
        QVERIFY(goal(0).found().contains(QStringLiteral("should be vectorized")));
        m_window->loopPane()->setFocus();
        click("j_1");
        press(Qt::Key_V);
        QTRY_VERIFY_WITH_TIMEOUT(goal(0).isReached() && m_window->isSettled(), patience);
        measureAndGoOn("05_parallel.py");
    }

    /// The solution is a branch of the history; a lesson that is judged by loops alone ends with it.
    void theSolutionIsShown()
    {
        beginLesson(7);
        awaitKernel("07_packing.py");
        QTest::mouseClick(pane()->solutionButton(),
                          Qt::LeftButton); // on the schedule in the kernel's own file
        QTRY_VERIFY_WITH_TIMEOUT(goal(0).isReached() && m_window->isSettled(), patience);
        beginLesson(9);
        awaitKernel("09_gpu_threads.py");
        QTRY_VERIFY_WITH_TIMEOUT(document().session().target().isGpu() && m_window->isSettled(), patience);
        QTest::mouseClick(pane()->solutionButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(goal(0).isReached() && goal(1).isReached(), patience);
        QTRY_VERIFY_WITH_TIMEOUT(pane()->note()->isVisible() && m_window->isSettled(), patience);
        QCOMPARE(document().tree().current().name, std::string("solution"));
        shootBoth("gpu");
    }

    /// Tabs of lessons bring their lesson; another document leaves it with a way back.
    void theLessonFollowsTheDocument()
    {
        press(Qt::Key_Tab, Qt::ControlModifier | Qt::ShiftModifier);
        awaitKernel("07_packing.py");
        QVERIFY(pane()->page()->toPlainText().contains(QStringLiteral("In a dense layer")));
        QTRY_VERIFY_WITH_TIMEOUT(goal(0).isReached(), patience);
        m_window->open(path("examples") + QStringLiteral("/add_relu.py"));
        awaitKernel("add_relu.py");
        auto *back = pane()->findChild<look::Button *>(QStringLiteral("course.open"));
        QVERIFY(back && back->isVisible() && !pane()->solutionButton()->reason().isEmpty());
        shootBoth("other");
        QTest::mouseClick(back, Qt::LeftButton);
        awaitKernel("07_packing.py");
        QVERIFY(!back->isVisible());
    }

    void aTermIsExplained()
    {
        beginLesson(1);
        awaitKernel("01_naive.py");
        const QPoint at = placeOf("term:loop-nest");
        QVERIFY(!at.isNull());
        QTest::mouseClick(pane()->page()->viewport(), Qt::LeftButton, {}, at);
        app::TermPopup *popup = m_window->termPopup();
        QTRY_VERIFY(popup && popup->isVisible());
        QCOMPARE(popup->address(), QStringLiteral("term:loop-nest"));
        shoot("course-term-light", popup);
        QTest::keyClick(popup, Qt::Key_Escape);
        QTRY_VERIFY(!popup->isVisible());
        m_theme->setMode(look::Mode::Dark);
        QTest::mouseClick(pane()->page()->viewport(), Qt::LeftButton, {}, at);
        QTRY_VERIFY(popup->isVisible());
        shoot("course-term-dark", popup);
        m_theme->setMode(look::Mode::Light);
        QTest::mouseClick(popup->findChild<look::LinkButton *>(), Qt::LeftButton);
        QTRY_VERIFY(m_window->help() && m_window->help()->isVisible());
        QCOMPARE(m_window->help()->list()->currentItem()->text(), QStringLiteral("Loop nest"));
        m_window->help()->close();
        QVERIFY(!popup->isVisible());
    }

    /// Heads of tables, loops and actions, by the key and by a click.
    void whatIsThis()
    {
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        const QHeaderView *header = m_window->historyView()->header();
        const QPoint gflops(header->sectionViewportPosition(2) + 10, header->height() / 2);
        m_window->commands().trigger(QStringLiteral("help.pick"));
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, gflops);
        app::TermPopup *popup = m_window->termPopup();
        QTRY_VERIFY(popup->isVisible());
        QCOMPARE(popup->address(), QStringLiteral("term:gflops"));
        popup->close();
        m_window->commands().trigger(QStringLiteral("help.pick"));
        QTest::mouseClick(tree()->viewport(), Qt::LeftButton, {}, tree()->rowRect(row("C")).center());
        QTRY_VERIFY(popup->isVisible());
        QCOMPARE(popup->address(), QStringLiteral("term:block"));
        popup->close();
        m_window->commands().trigger(QStringLiteral("help.pick")); // Esc gives up, and a click is one again
        QTest::keyClick(m_window.get(), Qt::Key_Escape);
        QTest::mouseClick(tree()->viewport(), Qt::LeftButton, {}, tree()->rowRect(row("i")).center());
        QVERIFY(!popup->isVisible() && document().selection().current() == row("i"));
        QCursor::setPos(tree()->viewport()->mapToGlobal(tree()->rowRect(row("C")).center()));
        QTRY_VERIFY(QApplication::widgetAt(QCursor::pos()));
        press(Qt::Key_F1, Qt::ShiftModifier);
        QTRY_VERIFY(popup->isVisible());
        QCOMPARE(popup->address(), QStringLiteral("term:block"));
        popup->close();
    }

    void theListAndAWideWindow()
    {
        m_window->resize(1920, 1080);
        QTRY_COMPARE(m_window->width(), 1920);
        shootBoth("wide");
        QTest::mouseClick(pane()->findChild<look::LinkButton *>(QStringLiteral("course.all")),
                          Qt::LeftButton);
        QVERIFY(pane()->list()->isVisible());
        QCOMPARE(pane()->list()->count(), 10);
        shootBoth("list");
        press(Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(!pane()->isVisible());
        shootBoth("closed");
        QVERIFY(m_window->graphCanvas()->isVisible()); // whose place it took
    }
};

QTEST_MAIN(CourseTest)
#include "course_test.moc"
