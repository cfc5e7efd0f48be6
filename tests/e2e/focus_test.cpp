// SPDX-License-Identifier: GPL-3.0-or-later
// Where keys go: every pane and window is entered and left by keys, none keeps them. Panes torn off, their
// places from one run to the next, and those that a screen took with it.
#include "app/window/frame/screen_sight.h"
#include "app/window/panes/nest_pane.h"
#include "tests/e2e/window_fixture.h"
#include "tests/support/programs.h"
#include "widgets/code/code_view.h"
#include "widgets/document/command_registry.h"
#include "widgets/history/history_view.h"
#include "widgets/look/card.h"

#include <QDialog>
#include <QSet>
#include <QtTest>

using namespace nestwright;
using e2e::patience;

class FocusTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    static QWidget *focus() { return QApplication::focusWidget(); }
    look::CardDock *dock(const char *name) const
    {
        return m_window->findChild<look::CardDock *>(QString::fromLatin1(name));
    }
    look::CardDock *dockWithFocus() const
    {
        for (auto *each : m_window->findChildren<look::CardDock *>()) {
            if (each->isAncestorOf(focus()))
                return each;
        }
        return nullptr;
    }
    /// All that Tab comes to until it is where it began; empty where it never gets there.
    QSet<QWidget *> roundTrip(Qt::Key key) const
    {
        QWidget *first = focus();
        QSet<QWidget *> seen;
        for (int i = 0; i < 300; ++i) {
            press(key, key == Qt::Key_Backtab ? Qt::ShiftModifier : Qt::NoModifier);
            if (!focus() || !focus()->isVisible())
                return {};
            seen << focus();
            if (focus() == first)
                return seen;
        }
        return {};
    }
    void trigger(const char *id) const { m_window->commands().trigger(QString::fromLatin1(id)); }
    void openKernel() const
    {
        m_window->open(QStringLiteral("op:matmul(M=64,N=64,K=64)"));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen(), patience);
        QVERIFY(settle());
    }

private Q_SLOTS:
    void init()
    {
        const std::string text(tests::programText("matmul"));
        showWindow(1366, 768, {{"matmul.py", text.c_str()}});
    }
    void cleanup() { m_window.reset(); }

    /// Widgets behind the start page take no keys.
    void startPage()
    {
        QTRY_VERIFY(focus());
        const QSet<QWidget *> seen = roundTrip(Qt::Key_Tab);
        QVERIFY(!seen.isEmpty());
        for (const QWidget *each : seen) {
            for (const auto *pane : m_window->findChildren<look::CardDock *>())
                QVERIFY2(!pane->isAncestorOf(each), qPrintable(pane->objectName()));
        }
    }

    void tabGoesRound()
    {
        openKernel();
        tree()->setFocus();
        for (const Qt::Key key : {Qt::Key_Tab, Qt::Key_Backtab}) {
            const QSet<QWidget *> seen = roundTrip(key);
            QVERIFY(!seen.isEmpty());
            for (const char *name : {"graph", "loops", "nest", "source", "history"}) {
                QVERIFY2(std::ranges::any_of(
                             seen, [&](const QWidget *each) { return dock(name)->isAncestorOf(each); }),
                         name);
            }
        }
    }

    void everyPaneHasAKey()
    {
        openKernel();
        const std::pair<Qt::Key, const char *> keys[] = {{Qt::Key_1, "loops"},
                                                         {Qt::Key_2, "history"},
                                                         {Qt::Key_3, "graph"},
                                                         {Qt::Key_4, "nest"},
                                                         {Qt::Key_5, "source"}};
        for (const auto &[key, name] : keys) {
            press(key, Qt::ControlModifier);
            QVERIFY2(dockWithFocus() == dock(name), name);
            QVERIFY(focus()->isVisible());
        }
        QSet<look::CardDock *> seen;
        const int shown = 5; // charts have nothing to show yet
        for (int i = 0; i < shown; ++i) {
            press(Qt::Key_F6, Qt::ControlModifier);
            QVERIFY(dockWithFocus());
            seen << dockWithFocus();
        }
        QCOMPARE(seen.size(), shown);
        look::CardDock *here = dockWithFocus();
        press(Qt::Key_F6, Qt::ControlModifier);
        press(Qt::Key_F6, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(dockWithFocus(), here);
        // An editor takes Tab for itself, and is left by these keys.
        trigger("nest.editScript");
        QTRY_VERIFY(focus() && focus()->inherits("QPlainTextEdit"));
        press(Qt::Key_1, Qt::ControlModifier);
        QCOMPARE(focus(), tree());
    }

    void everyWindowIsLeftByEscape_data()
    {
        QTest::addColumn<QString>("command");
        for (const char *id :
             {"history.compare", "history.waterfall", "nest.play", "measure.transfer", "nest.layouts",
              "schedule.recipe", "history.recipe", "history.name", "measure.inputs", "measure.libraries",
              "help.keys", "help.primitives", "help.machine", "help.about"})
            QTest::newRow(id) << QString::fromLatin1(id);
    }
    void everyWindowIsLeftByEscape()
    {
        QFETCH(QString, command);
        openKernel();
        document().selection().select(row("i"));
        QVERIFY(settle());
        press(Qt::Key_P);
        awaitVariants(2);
        tree()->setFocus();
        m_window->commands().trigger(command);
        QTRY_VERIFY2_WITH_TIMEOUT(QApplication::activeWindow()
                                      && QApplication::activeWindow() != m_window.get(),
                                  qPrintable(command), patience);
        QPointer<QWidget> window = QApplication::activeWindow();
        QVERIFY(settle());
        if (focus()) { // not where there is nothing to choose
            QVERIFY(window->isAncestorOf(focus()));
            const QSet<QWidget *> seen = roundTrip(Qt::Key_Tab);
            QVERIFY2(!seen.isEmpty(), focus() ? focus()->metaObject()->className() : "no focus");
        }
        QTest::keyClick(focus() ? focus() : window.data(), Qt::Key_Escape);
        QTRY_VERIFY(!window || window->isHidden());
        m_window->activateWindow();
        QTRY_COMPARE(QApplication::activeWindow(), m_window.get());
        QTRY_COMPARE(focus(), tree());
    }

    void aPaneIsTornOff()
    {
        openKernel();
        tree()->setFocus();
        press(Qt::Key_F11, Qt::ShiftModifier);
        QVERIFY(dock("loops")->isFloating());
        QTRY_COMPARE(focus(), tree());
        press(Qt::Key_4, Qt::ControlModifier); // keys of the window hold in it
        QTRY_COMPARE(dockWithFocus(), dock("nest"));
        press(Qt::Key_1, Qt::ControlModifier);
        QTRY_COMPARE(focus(), tree());
        shoot("torn-off", dock("loops"));
        press(Qt::Key_F11, Qt::ShiftModifier);
        QVERIFY(!dock("loops")->isFloating());
        QTRY_COMPARE(focus(), tree());
    }

    void placesAreKept()
    {
        const app::WindowFolders folders{path("kept.ini"), path("kept")};
        const auto begin = [&] {
            m_window = std::make_unique<app::MainWindow>(*m_theme, folders);
            m_window->resize(1200, 700);
            m_window->show();
            QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
            m_window->activateWindow();
            openKernel();
        };
        m_window.reset();
        begin();
        tree()->setFocus();
        trigger("view.tearOff");
        QVERIFY(dock("loops")->isFloating());
        dock("loops")->setGeometry(300, 200, 420, 330);
        QTest::qWait(50);
        const QRect place = dock("loops")->geometry();
        m_window->nestPane()->view()->setZoom(1.5);
        m_window->close();
        m_window.reset();
        begin();
        QVERIFY(dock("loops")->isFloating());
        QTRY_VERIFY(dock("loops")->isVisible());
        QTRY_COMPARE(dock("loops")->geometry(), place);
        QCOMPARE(m_window->nestPane()->view()->zoom(), 1.5);
    }

    /// Screens side by side, and a window that was on the one that is gone.
    void screensGo()
    {
        const QRect first(0, 0, 1600, 1000), second(1600, 0, 1280, 1024);
        const QRect window(1700, 100, 500, 400);
        QCOMPARE(app::inSight(window, {first, second}), window);
        QCOMPARE(app::inSight(window, {first}), QRect(1100, 100, 500, 400));
        QCOMPARE(app::inSight(QRect(1590, 100, 500, 400), {first}), QRect(1100, 100, 500, 400)); // too little
        QCOMPARE(app::inSight(QRect(1400, 100, 500, 400), {first}),
                 QRect(1400, 100, 500, 400)); // can be held
        QCOMPARE(app::inSight(QRect(100, -200, 500, 400), {first}), QRect(100, 0, 500, 400));
        QCOMPARE(app::inSight(QRect(1700, 100, 3000, 2000), {first}), first);
        QCOMPARE(app::inSight(window, {}), window);
    }
};

QTEST_MAIN(FocusTest)
#include "focus_test.moc"
