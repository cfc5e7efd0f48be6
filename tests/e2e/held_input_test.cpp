// SPDX-License-Identifier: GPL-3.0-or-later
// Typing faster than steps are made: every key and click acts on what it would have acted on with time
// between them.
#include "app/window/frame/banner.h"
#include "app/window/frame/document_tabs.h"
#include "tests/e2e/hands.h"
#include "tests/support/programs.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/document/command_registry.h"
#include "widgets/forms/primitive_form.h"
#include "widgets/history/history_view.h"
#include "widgets/look/button.h"

#include <QtTest>

using namespace nestwright;
using e2e::Key;

class HeldInputTest : public QObject, e2e::HandsFixture {
    Q_OBJECT

    /// Result of the keys; `pauseMs` between them, or as long as each takes where it is negative.
    QStringList afterTyping(const std::vector<Key> &keys, int pauseMs)
    {
        openAnew({"matmul"});
        for (const Key &key : keys) {
            type(key);
            if (pauseMs > 0)
                QTest::qWait(pauseMs);
            else if (pauseMs < 0)
                settleBehind(textOf(keys));
        }
        settleBehind(textOf(keys));
        const QStringList steps = madeAndCurrent();
        type({Qt::Key_Escape});
        return steps;
    }
    static std::vector<Key> keysOf(const char *text)
    {
        std::vector<Key> keys;
        for (const char *each = text; *each; ++each) {
            keys.push_back(*each == '\n'  ? Key{Qt::Key_Return}
                           : *each == '<' ? Key{Qt::Key_Z, Qt::ControlModifier}
                                          : Key{QChar::fromLatin1(*each).toUpper().unicode()});
        }
        return keys;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const std::string text(tests::programText("matmul"));
        showWindow(1366, 768, {{"matmul.py", text.c_str()}});
    }
    void cleanupTestCase() { m_window.reset(); }

    void keysWaitForTheStepBefore_data()
    {
        QTest::addColumn<QString>("keys");
        QTest::newRow("two splits") << QStringLiteral("s4\ns8\nu");
        QTest::newRow("fused twice") << QStringLiteral("ffp");
        QTest::newRow("steps without a form") << QStringLiteral("pfu");
        QTest::newRow("undone at once") << QStringLiteral("s4\n<u");
        QTest::newRow("not legal") << QStringLiteral("s0\nu");
    }
    void keysWaitForTheStepBefore()
    {
        QFETCH(QString, keys);
        const std::vector<Key> typed = keysOf(qPrintable(keys));
        const QStringList slow = afterTyping(typed, -1);
        QVERIFY(!slow.join(u' ').contains(u"refused"));
        for (const int pause : {0, 5, 20})
            QCOMPARE(afterTyping(typed, pause), slow);
    }

    /// Nor does it make a row that stays refused.
    void aMoveThatIsNotLegalMakesNothing()
    {
        std::vector<Key> keys = keysOf("s4\n");
        const Key inwards{Qt::Key_Down, Qt::AltModifier};
        for (const Key &key : {inwards, Key{Qt::Key_F}, inwards}) // the fused loop belongs around the others
            keys.push_back(key);
        const QStringList slow = afterTyping(keys, -1);
        QCOMPARE(slow.size(), 4);
        QVERIFY2(slow[2].startsWith(u"fuse(") && slow[3] == u"at 3", qPrintable(slow.join(u'\n')));
        for (const int pause : {0, 5})
            QCOMPARE(afterTyping(keys, pause), slow);
    }

    /// A key that opens a list in a form is followed by keys for that list.
    void keysGoIntoAnOpenList()
    {
        const std::vector<Key> keys = {{Qt::Key_U},
                                       {Qt::Key_H, Qt::ShiftModifier},
                                       {Qt::Key_Down, Qt::AltModifier},
                                       {Qt::Key_Z, Qt::ControlModifier}};
        for (const int pause : {-1, 0, 5}) {
            QCOMPARE(afterTyping(keys, pause),
                     (QStringList{QStringLiteral("unroll(i)"), QStringLiteral("at 1")}));
            type({Qt::Key_Escape}); // the form behind its list
        }
    }

    void twoSplitsAndAnUnroll()
    {
        const QStringList steps = afterTyping(keysOf("s4\ns8\nu"), 0);
        QCOMPARE(steps.size(), 4);
        QVERIFY2(steps[0].startsWith(u"split(i, ") && steps[0].contains(u'4'), qPrintable(steps[0]));
        QVERIFY2(steps[1].startsWith(u"split(i_") && steps[1].contains(u'8'), qPrintable(steps[1]));
        QVERIFY2(steps[2].startsWith(u"unroll("), qPrintable(steps[2]));
    }

    /// A click means the row that was seen there.
    void clicksWait()
    {
        openAnew({"matmul"});
        type({Qt::Key_P}); // i
        clickRow("j");
        type({Qt::Key_S});
        type({Qt::Key_4});
        type({Qt::Key_Return});
        clickRow("k"); // which then lies a row below
        type({Qt::Key_U});
        QTest::mouseClick(strip()->button("split"), Qt::LeftButton);
        type({Qt::Key_Escape});
        QVERIFY(settle());
        const QStringList steps = made();
        QCOMPARE(steps.size(), 3);
        QCOMPARE(steps[0], QStringLiteral("parallel(i)"));
        QVERIFY2(steps[1].startsWith(u"split(j, "), qPrintable(steps[1]));
        QCOMPARE(steps[2], QStringLiteral("unroll(k)"));
    }

    /// Shift and a click selects up to the row from the one that is current in its turn, not from one that
    /// was clicked before a step moved the selection.
    void aRangeIsFromTheLoopThatAStepMade()
    {
        openAnew({"matmul"});
        clickRow("C");
        document().selection().select(row("i"));
        clickRow("j", Qt::ShiftModifier);
        QCOMPARE(document().selection().all(), (std::vector<support::StmtId>{row("i"), row("j")}));
        clickRow("C", Qt::ShiftModifier); // further, from where it began
        QCOMPARE(document().selection().all().size(), std::size_t{4});
        clickRow("j", Qt::ShiftModifier);
        QCOMPARE(document().selection().all(), (std::vector<support::StmtId>{row("i"), row("j")}));
        const auto selectedAfter = [&](int pause) {
            openAnew({"matmul", "other"});
            auto *tabs = m_window->findChild<app::DocumentTabs *>();
            const auto wait = [&] {
                if (pause < 0)
                    settleBehind(QStringLiteral("fuse"));
                else
                    QTest::qWait(pause);
            };
            QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(1).center() - QPoint(20, 0));
            wait();
            clickRow("j", Qt::ControlModifier);
            wait();
            QTest::mouseClick(strip()->button("fuse"), Qt::LeftButton);
            if (pause < 0)
                settleBehind(QStringLiteral("fuse"));
            else
                QTest::qWait(pause);
            clickRow("C", Qt::ShiftModifier);
            settleBehind(QStringLiteral("shift"));
            return document().selection().all().size();
        };
        QCOMPARE(selectedAfter(-1), std::size_t{3});
        for (const int pause : {0, 2, 5, 10, 15, 20, 30})
            QCOMPARE(selectedAfter(pause), std::size_t{3});
    }

    /// Ctrl and a click selects a further loop, a double click folds one, whatever is at work.
    void clicksKeepTheirKeysAndNumber()
    {
        openAnew({"matmul"});
        clickRow("k");
        type({Qt::Key_U});
        clickRow("i");
        clickRow("j", Qt::ControlModifier);
        type({Qt::Key_F});
        QVERIFY(settle());
        QCOMPARE(made(), (QStringList{QStringLiteral("unroll(k)"), QStringLiteral("fuse(i, j)")}));
        type({Qt::Key_P});
        const QPoint at = tree()->rowRect(row("k")).center();
        doubleClickAt(tree()->viewport(), at);
        QVERIFY(settle());
        QCOMPARE(made().size(), 3);
        QVERIFY(!tree()->isExpanded(tree()->indexAt(at).siblingAtColumn(0)));
        doubleClickAt(tree()->viewport(), at);
        QVERIFY(settle());
    }

    /// Keys are for the pane that had them when they were typed.
    void keysBeforeAClickAreForThePaneBefore()
    {
        openAnew({"matmul"});
        type({Qt::Key_P});
        type({Qt::Key_Down});
        type({Qt::Key_U});
        QTest::mouseClick(m_window->historyView()->viewport(), Qt::LeftButton, {},
                          m_window->historyView()->rowRect({0}).center());
        QVERIFY(settle());
        QCOMPARE(madeAndCurrent(), (QStringList{QStringLiteral("parallel(i)"), QStringLiteral("unroll(j)"),
                                                QStringLiteral("at 0")}));
        QCOMPARE(QApplication::focusWidget(), m_window->historyView());
    }

    /// Another document comes when the steps before are made, and takes the keys behind.
    void tabsWait()
    {
        openAnew({"matmul", "other"});
        auto *tabs = m_window->findChild<app::DocumentTabs *>();
        type({Qt::Key_P});
        type({Qt::Key_Down});
        type({Qt::Key_U});
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(1).center() - QPoint(20, 0));
        type({Qt::Key_P});
        QVERIFY(settle());
        QCOMPARE(m_window->documents().current(), 1);
        QCOMPARE(made(), QStringList{QStringLiteral("parallel(i)")});
        type({Qt::Key_Down});
        type({Qt::Key_U});
        QTest::mouseClick(tabs->tabButton(1, QTabBar::RightSide), Qt::LeftButton);
        QVERIFY(settle());
        QCOMPARE(m_window->documents().count(), 1);
        QCOMPARE(made(), (QStringList{QStringLiteral("parallel(i)"), QStringLiteral("unroll(j)")}));
    }

    /// Keys that waited for a step do not act on a program without it.
    void whatWaitsForCancelledWorkIsDropped()
    {
        openAnew({"matmul"});
        m_window->banner()->hide();
        type({Qt::Key_P});
        type({Qt::Key_U});
        QVERIFY(document().isBusy());
        m_window->commands().trigger(QStringLiteral("file.stopOpening"));
        QVERIFY(settle());
        QCOMPARE(made(), QStringList());
        QVERIFY(m_window->banner()->isVisible());
        shoot("dropped-keys");
        m_window->banner()->hide();
    }

    /// With the graph alone in sight letters make no steps, and say why.
    void lettersNeedTheTreeInSight()
    {
        openAnew({"matmul"});
        auto *graph = m_window->graphCanvas();
        m_window->commands().trigger(QStringLiteral("view.go.graph"));
        m_window->commands().trigger(QStringLiteral("view.maximise"));
        QVERIFY(settle());
        QVERIFY(!tree()->isVisible());
        for (const int letter : {Qt::Key_P, Qt::Key_U, Qt::Key_S, Qt::Key_X}) {
            QTest::keyClick(graph, Qt::Key(letter));
            QVERIFY(settle());
        }
        QCOMPARE(made(), QStringList());
        QVERIFY(!strip()->form());
        m_window->commands().trigger(QStringLiteral("view.go.loops"));
        QVERIFY(settle());
        QVERIFY(tree()->isVisible());
        QCOMPARE(QApplication::focusWidget(), tree());
        type({Qt::Key_P});
        QVERIFY(settle());
        QCOMPARE(made(), QStringList{QStringLiteral("parallel(i)")});
    }
};

QTEST_MAIN(HeldInputTest)
#include "held_input_test.moc"
