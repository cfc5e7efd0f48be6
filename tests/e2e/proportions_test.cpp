// SPDX-License-Identifier: GPL-3.0-or-later
// How the room of the window is given: rows of the tree in sight, a bar of actions, cards, and fixed places.
// NESTWRIGHT_SHOTS=DIR leaves pictures there.
#include "app/window/frame/top_bar.h"
#include "tests/e2e/window_fixture.h"
#include "tests/support/programs.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/files/open_documents.h"
#include "widgets/forms/primitive_form.h"
#include "widgets/look/button.h"
#include "widgets/look/card.h"
#include "widgets/look/tab_row.h"

#include <QDockWidget>
#include <QHeaderView>
#include <QtTest>

using namespace nestwright;
using e2e::patience;

class ProportionsTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    void openMatmul(int width, int height)
    {
        const std::string text(tests::programText("matmul"));
        showWindow(width, height, {{"matmul.py", text.c_str()}});
        m_window->open(m_folder.filePath("examples/matmul.py"));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && !document().isBusy(), patience);
        QVERIFY(settle());
    }
    int rowsInSight() const { return tree()->viewport()->height() / tree()->rowRect(row("i")).height(); }

    look::CardDock *dock(const char *name) const
    {
        return m_window->findChild<look::CardDock *>(QString::fromLatin1(name));
    }

private Q_SLOTS:
    void cleanup() { m_window.reset(); }

    void theTreeHasTheRoom_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<int>("rows");
        QTest::newRow("1366 x 768") << QSize(1366, 768) << 10;
        QTest::newRow("1600 x 1000") << QSize(1600, 1000) << 16;
        QTest::newRow("2560 x 1440") << QSize(2560, 1440) << 30;
    }
    void theTreeHasTheRoom()
    {
        QFETCH(QSize, size);
        QFETCH(int, rows);
        openMatmul(size.width(), size.height());
        QVERIFY2(rowsInSight() >= rows, qPrintable(QString::number(rowsInSight())));
        QVERIFY(m_window->loopPane()->width() >= 260);
        shoot(qPrintable(QStringLiteral("proportions-%1").arg(size.width())));
    }

    /// A window that grows gives its height to the work, one that shrinks takes it from there.
    void extraHeightGoesToTheUpperRow()
    {
        openMatmul(1366, 768);
        const int lower = dock("history")->height(), rows = rowsInSight();
        m_window->resize(1366, 1100);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->height() == 1100 && rowsInSight() >= rows + 9, patience);
        QVERIFY2(dock("history")->height() <= lower + 80,
                 qPrintable(QString::number(dock("history")->height())));
        m_window->resize(1366, 768);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->height() == 768 && std::abs(rowsInSight() - rows) <= 1, patience);
        QVERIFY(std::abs(dock("history")->height() - lower) <= 10);
    }

    /// 1366 x 768 at one and a half times the size: all is there, some of it without its title.
    void aNarrowWindowShowsAllControls()
    {
        openMatmul(911, 512);
        QCOMPARE(m_window->width(), 911);
        for (const char *name : {"toolbar.measure.current", "toolbar.edit.undo", "source.form"}) {
            const auto *button = m_window->findChild<look::Button *>(QString::fromLatin1(name));
            QVERIFY(button && button->isVisible());
            QVERIFY(
                m_window->rect().contains(QRect(button->mapTo(m_window.get(), QPoint()), button->size())));
        }
        for (const auto *tabs : m_window->findChildren<look::TabRow *>()) {
            if (!tabs->isVisible())
                continue;
            QVERIFY(tabs->width() >= tabs->minimumSizeHint().width());
            for (int i = 1; i < tabs->count(); ++i)
                QVERIFY(tabs->tabRect(i).left() == tabs->tabRect(i - 1).right() + 1);
            QVERIFY(tabs->tabRect(tabs->count() - 1).right() < tabs->width());
        }
        QVERIFY(m_window->loopPane()->width() >= 260);
        shoot("proportions-911");
    }

    void theFormIsACardThatShowsItsButtons()
    {
        openMatmul(1366, 768);
        click("i");
        press(Qt::Key_T);
        QTRY_VERIFY(strip()->form());
        for (const look::Button *button : strip()->form()->findChildren<look::Button *>()) {
            if (button->text() != "Apply" && button->text() != "Cancel")
                continue;
            QVERIFY(button->isVisible());
            const QRect place(button->mapTo(m_window->loopPane(), QPoint()), button->size());
            QVERIFY(m_window->loopPane()->rect().contains(place));
        }
        QVERIFY(strip()->button("split")->isVisible());
        press(Qt::Key_Escape);
        QVERIFY(!strip()->form());
    }

    /// The bar is one stop; arrows move in it, and other actions are behind More.
    void theBarIsOneStop()
    {
        openMatmul(1366, 768);
        click("i");
        QTest::keyClick(tree(), Qt::Key_Tab);
        QTRY_COMPARE(QApplication::focusWidget(), strip()->button("split"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right);
        QCOMPARE(QApplication::focusWidget(), strip()->button("tile"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down);
        QCOMPARE(QApplication::focusWidget(), strip()->button("unroll"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QVERIFY(!strip()->isAncestorOf(QApplication::focusWidget()));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Backtab);
        QTRY_COMPARE(QApplication::focusWidget(), strip()->button("unroll"));
        QVERIFY(!strip()->button("annotate")->isVisible());
        auto *more = strip()->findChild<look::Button *>("action.more");
        QTest::mouseClick(more, Qt::LeftButton);
        QTRY_VERIFY(strip()->button("annotate")->isVisible());
        QTest::mouseClick(strip()->button("annotate"), Qt::LeftButton);
        QTRY_VERIFY(strip()->form());
        QVERIFY(!strip()->button("annotate")->isVisible());
    }

    /// A small or much scaled screen: one row of whole titles, the rest behind More.
    void aSmallWindowHasWholeTitles()
    {
        openMatmul(911, 512);
        click("i");
        const auto inBar = [&](const char *name) {
            const look::Button *button = strip()->button(name);
            return button->isVisible() && button->window() == m_window.get();
        };
        QTRY_VERIFY(!inBar("cache_read"));
        shoot("proportions-small");
        auto *more = strip()->findChild<look::Button *>("action.more");
        for (const look::Button *button : strip()->findChildren<look::Button *>()) {
            if (!button->isVisible() || button->window() != m_window.get())
                continue;
            QCOMPARE(button->y(), more->y());
            QVERIFY(button->fontMetrics().horizontalAdvance(button->text()) < button->width());
        }
        QVERIFY(inBar("split") && inBar("tile"));
        QTest::mouseClick(more, Qt::LeftButton);
        QTRY_VERIFY(strip()->button("cache_read")->isVisible());
        QTest::mouseClick(strip()->button("parallel"), Qt::LeftButton);
        awaitVariants(2);
        m_window->resize(1366, 768);
        QTRY_VERIFY(inBar("cache_read"));
        QTRY_COMPARE(strip()->button("cache_read")->y(), more->y());
        QVERIFY(strip()->button("split")->y() < more->y());
    }

    void buttonsKeepTheirPlacesWhileMeasuring()
    {
        openMatmul(1366, 768);
        const auto places = [this] {
            QList<QRect> rects;
            for (const look::Button *button :
                 m_window->findChild<app::TopBar *>()->findChildren<look::Button *>())
                rects << button->geometry();
            return rects;
        };
        const QList<QRect> before = places();
        const document::Measuring &measuring = m_window->measuring();
        int looks = 0;
        const auto connection = connect(&measuring, &document::Measuring::changed, this, [&] {
            if (measuring.fraction() <= 0)
                return;
            ++looks;
            QCOMPARE(places(), before);
        });
        m_window->measuring().measure({{0}});
        QTRY_VERIFY_WITH_TIMEOUT(!measuring.isRunning(), patience);
        disconnect(connection);
        QVERIFY(looks > 0);
        QCOMPARE(places(), before);
    }

    /// Charts are shown when there is something to chart; before, their height is the upper row's.
    void chartsTakeRoomWhenThereIsSomethingToChart()
    {
        openMatmul(1366, 768);
        QTRY_VERIFY(dock("variants")->isHidden() && dock("roofline")->isHidden());
        QVERIFY(dock("history")->header()->secondary().contains("M measures"));
        QVERIFY(dock("history")->width() > 1300);
        const int rows = rowsInSight();
        shoot("proportions-no-charts");
        press(Qt::Key_M);
        QTRY_VERIFY(dock("variants")->isVisible() && dock("roofline")->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->measuring().isRunning(), patience);
        QVERIFY(rowsInSight() < rows);
        QVERIFY(rowsInSight() >= 10);
        // One that is closed stays closed, also over a document without figures.
        m_window->commands().trigger("view.dock.roofline");
        QVERIFY(dock("roofline")->isHidden());
        m_window->open(QStringLiteral("op:matmul(M=8,N=8,K=8)"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->documents().count() == 2 && !document().isBusy(), patience);
        QTRY_VERIFY(dock("variants")->isHidden());
        QTRY_COMPARE(rowsInSight(), rows);
        // One that is asked for is shown without figures too.
        m_window->commands().trigger("view.dock.variants");
        QVERIFY(dock("variants")->isVisible());
        m_window->documents().activate(0);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isSettled(), patience);
        QVERIFY(dock("variants")->isVisible());
        QVERIFY(dock("roofline")->isHidden());
    }

    void aDoubleClickOnAHeaderMaximises()
    {
        openMatmul(1366, 768);
        press(Qt::Key_M);
        QTRY_VERIFY(dock("variants")->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->measuring().isRunning(), patience);
        const QList<look::CardDock *> docks = m_window->findChildren<look::CardDock *>();
        QCOMPARE(docks.size(), 7);
        look::CardDock *loops = dock("loops");
        const int before = rowsInSight();
        const QSize size = loops->size();
        QTest::mouseDClick(loops->header(), Qt::LeftButton);
        QTRY_VERIFY(rowsInSight() > before);
        for (const look::CardDock *dock : docks)
            QCOMPARE(dock->isVisible(), dock == loops);
        QTest::mouseDClick(loops->header(), Qt::LeftButton);
        for (const look::CardDock *dock : docks)
            QTRY_VERIFY(dock->isVisible());
        QTRY_COMPARE(loops->size(), size);
    }
};

QTEST_MAIN(ProportionsTest)
#include "proportions_test.moc"
