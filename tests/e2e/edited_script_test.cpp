// SPDX-License-Identifier: GPL-3.0-or-later
// The schedule's script edited in its pane: legal lines become variants, the first that is not is underlined,
// steps made elsewhere become lines. Nothing moves but what is typed.
#include "app/window/controllers/script_edit_controller.h"
#include "app/window/panes/nest_pane.h"
#include "app/window/panes/script_line.h"
#include "tests/e2e/matmul_scripts.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/code/code_editor.h"
#include "widgets/code/code_view.h"
#include "widgets/document/command_registry.h"
#include "widgets/look/button.h"

#include <QScrollBar>
#include <QTextBlock>

using namespace nestwright;
using e2e::patience;
using session::VariantId;

class EditedScriptTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    app::NestPane *pane() const { return m_window->nestPane(); }
    code::CodeEditor *editor() const { return pane()->scriptEditor(); }
    app::ScriptLine *line() const { return pane()->scriptLine(); }
    const session::VariantTree &variants() const { return document().tree(); }
    const session::Variant &current() const { return variants().current(); }
    QString text() const { return editor()->toPlainText(); }

    void goToEnd() const
    {
        QTextCursor cursor = editor()->textCursor();
        cursor.movePosition(QTextCursor::End);
        editor()->setTextCursor(cursor);
        QTest::keyClick(editor(), Qt::Key_End, Qt::ControlModifier);
    }
    /// Selects this part of the text.
    void choose(const char *part) const
    {
        const QTextCursor found = editor()->document()->find(QString::fromLatin1(part));
        QVERIFY2(!found.isNull(), part);
        editor()->setTextCursor(found);
    }
    void type(const char *keys) const { QTest::keyClicks(editor(), QString::fromLatin1(keys)); }
    /// Typed text is read and taken in.
    void rest() const
    {
        QVERIFY(settle());
        QTest::qWait(1);
        QVERIFY(settle());
    }
    void shootBoth(const char *light, const char *dark) const
    {
        shoot(light);
        m_theme->setMode(look::Mode::Dark);
        shoot(dark);
        m_theme->setMode(look::Mode::Light);
    }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1366, 768, {{"matmul.py", e2e::smallMatmul}});
        m_window->open(m_folder.filePath(QStringLiteral("examples/matmul.py")));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen(), patience);
        QVERIFY(settle());
    }
    void cleanupTestCase() { m_window.reset(); }

    void aKeyBeginsIt()
    {
        pane()->setTab(app::NestPane::Script);
        QVERIFY(settle());
        code::CodeView *view = pane()->view();
        const QRectF second = view->rectOf({1, 0}).translated(view->viewport()->mapTo(pane(), QPoint()));
        m_window->loopPane()->setFocus();
        press(Qt::Key_F4);
        QTRY_VERIFY_WITH_TIMEOUT(editor()->isVisible() && editor()->hasFocus(), patience);
        rest();
        // The lines stay where they were: the caret, as high as the font, is in the middle of its line.
        const QTextCursor line2(editor()->document()->findBlockByNumber(1));
        const QRectF caret =
            QRectF(editor()->cursorRect(line2)).translated(editor()->viewport()->mapTo(pane(), QPoint()));
        const double above = std::floor((second.height() - caret.height()) / 2);
        QVERIFY2(std::abs(caret.top() - second.top() - above) <= 1,
                 qPrintable(QString::number(caret.top() - second.top() - above)));
        QVERIFY2(std::abs(caret.left() - second.left()) <= 1,
                 qPrintable(QString::number(caret.left() - second.left())));
        QVERIFY(!pane()->view()->isVisible());
        QVERIFY(text().endsWith("  pass\n"));
        QVERIFY2(line()->title().startsWith("0 steps"), qPrintable(line()->title()));
        press(Qt::Key_Escape);
        QTRY_VERIFY(!editor()->isVisible());
        QVERIFY(pane()->view()->isVisible());
        QCOMPARE(variants().size(), 1);
    }

    /// Letters typed over the script that is shown are the text's, those of commands, too.
    void typingBeginsIt()
    {
        QVERIFY(settle());
        pane()->view()->setFocus();
        pane()->view()->goTo({2, 0});
        QTest::keyClicks(pane()->view(), QStringLiteral("s"));
        QTRY_VERIFY_WITH_TIMEOUT(editor()->isVisible() && editor()->hasFocus(), patience);
        QCOMPARE(editor()->textCursor().block().text(), QStringLiteral("s  pass"));
        press(Qt::Key_Backspace);
        rest();
        QCOMPARE(editor()->faultLine(), 0);
        QCOMPARE(variants().size(), 1);
    }

    /// A line becomes a variant once the cursor leaves it, and none before.
    void aLegalLineIsAVariant()
    {
        choose("pass");
        type("i, j, k = sch.get_loops(\"C\")");
        press(Qt::Key_Return);
        type("i0, i1 = sch.split(i, [None, 16])");
        QCOMPARE(variants().size(), 1);
        press(Qt::Key_Return);
        awaitVariants(2);
        rest();
        QCOMPARE(order(), QStringLiteral("i_0 i_1 j k C"));
        QCOMPARE(editor()->textCursor().positionInBlock(), 2); // indented as the line before
        type("j0, j1 = sch.split(j, [None, 8])");
        awaitVariants(3); // after a pause
        QCOMPARE(order(), QStringLiteral("i_0 i_1 j_0 j_1 k C"));
        press(Qt::Key_Return);
        type("sch.reorder(i0, j0, k, i1, j1)");
        press(Qt::Key_Return);
        type("sch.vectorize(j1)");
        press(Qt::Key_Up);
        awaitVariants(5);
        rest();
        QCOMPARE(order(), QStringLiteral("i_0 j_0 k i_1 j_1 C"));
        QVERIFY2(line()->title().startsWith("4 steps"), qPrintable(line()->title()));
        shootBoth("script-edit", "script-edit-dark");
    }

    /// The first line that is not legal is underlined and says why; the program is the one before it.
    void aWrongLineIsUnderlined()
    {
        const QString before = text();
        choose("sch.vectorize(j1)");
        type("sch.vectorize(k)");
        rest();
        QCOMPARE(editor()->faultLine(), 7);
        QCOMPARE(line()->title(), QStringLiteral("Line 7 is not legal"));
        QVERIFY2(line()->text().contains("reduction"), qPrintable(line()->text()));
        QCOMPARE(variants().size(), 5);
        QTRY_COMPARE_WITH_TIMEOUT(current().id, VariantId{3}, patience);
        rest();
        shootBoth("script-edit-fault", "script-edit-fault-dark");
        // An unfinished line in the middle: those below are greyed, not lost.
        choose("i1 = sch.split(i, [None, 16])");
        type("i1 = sch.split(i, [None,");
        rest();
        QCOMPARE(editor()->faultLine(), 4);
        QVERIFY(current().isRoot());
        QVERIFY(text().contains("sch.reorder(i0, j0, k, i1, j1)"));
        shoot("script-edit-unfinished");
        type(" 16])");
        choose("sch.vectorize(k)");
        type("sch.vectorize(j1)");
        rest();
        QCOMPARE(editor()->faultLine(), 0);
        QTRY_COMPARE_WITH_TIMEOUT(current().id, VariantId{4}, patience);
        rest();
        QCOMPARE(text(), before);
        QCOMPARE(variants().size(), 5);
    }

    void aLineOfTheMiddleIsTakenOut()
    {
        const QString before = text();
        choose("  sch.reorder(i0, j0, k, i1, j1)");
        QTextCursor cursor = editor()->textCursor();
        cursor.movePosition(QTextCursor::Right, QTextCursor::KeepAnchor);
        editor()->setTextCursor(cursor);
        const int at = cursor.selectionStart();
        press(Qt::Key_Delete);
        awaitVariants(6);
        rest();
        QCOMPARE(current().parent, std::optional(VariantId{2}));
        QVERIFY2(current().label.starts_with("vectorize"), current().label.c_str());
        QCOMPARE(editor()->textCursor().position(), at);
        QCOMPARE(editor()->faultLine(), 0);
        // Its own undo takes back what was typed, and the history goes along.
        for (int keys = 0; keys < 20 && text() != before; ++keys)
            press(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(text(), before);
        rest();
        QTRY_COMPARE_WITH_TIMEOUT(current().id, VariantId{4}, patience);
        QCOMPARE(variants().size(), 6);
    }

    /// A step taken in the tree is a line at the end; undo there takes it away. Cursor and scroll stay.
    void stepsOfTheTreeAreLines()
    {
        rest();
        choose("i0, i1");
        const int position = editor()->textCursor().position(), anchor = editor()->textCursor().anchor();
        const QString before = text();
        click("i_0");
        m_window->loopPane()->tree()->setFocus();
        press(Qt::Key_P);
        awaitVariants(7);
        QTRY_COMPARE_WITH_TIMEOUT(text(), before + QStringLiteral("  sch.parallel(loop=i0)\n"), patience);
        QCOMPARE(editor()->textCursor().position(), position);
        QCOMPARE(editor()->textCursor().anchor(), anchor);
        rest();
        QCOMPARE(editor()->faultLine(), 0);
        shoot("script-edit-followed");
        press(Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(current().id, VariantId{4}, patience);
        QTRY_COMPARE_WITH_TIMEOUT(text(), before, patience);
        rest();
        QCOMPARE(editor()->textCursor().position(), position);
        press(Qt::Key_Y, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(text().endsWith("  sch.parallel(loop=i0)\n"), patience);
        rest();
        QCOMPARE(variants().size(), 7);
    }

    /// Where the cursor's line would go, the text stays and says so.
    void theTextIsNeverPulledAway()
    {
        choose("parallel");
        const QString before = text();
        m_window->loopPane()->tree()->setFocus();
        press(Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(current().id, VariantId{4}, patience);
        QTRY_COMPARE_WITH_TIMEOUT(line()->title(), QStringLiteral("The history went elsewhere"), patience);
        QCOMPARE(text(), before);
        shoot("script-edit-elsewhere");
        editor()->setFocus();
        QTest::keyClick(editor(), Qt::Key_End);
        type(" # again");
        rest();
        QTRY_COMPARE_WITH_TIMEOUT(current().label.substr(0, 8), std::string("parallel"), patience);
        rest();
        QCOMPARE(variants().size(), 7);
    }

    void loopsAndConditionsWork()
    {
        goToEnd();
        type("  for l in [i1]:");
        press(Qt::Key_Return);
        type("    if sch.get(l).extent == 16:");
        press(Qt::Key_Return);
        type("    sch.unroll(l)");
        awaitVariants(8);
        rest();
        QVERIFY2(current().label.starts_with("unroll"), current().label.c_str());
        QCOMPARE(editor()->faultLine(), 0);
    }

    /// A text with many lines stays where it is scrolled to.
    void scrollStays()
    {
        goToEnd();
        for (int lines = 0; lines < 60; ++lines)
            press(Qt::Key_Return);
        type("# the end");
        rest();
        editor()->goToLine(40);
        editor()->verticalScrollBar()->setValue(25);
        const int before = variants().size(), position = editor()->textCursor().position();
        rest();
        click("k");
        m_window->loopPane()->tree()->setFocus();
        press(Qt::Key_U);
        awaitVariants(before + 1);
        QTRY_VERIFY_WITH_TIMEOUT(text().contains("sch.unroll(loop=k)"), patience);
        QCOMPARE(editor()->verticalScrollBar()->value(), 25);
        QCOMPARE(editor()->textCursor().position(), position);
        rest();
    }

    /// Esc keeps the text: it is there again at the same variant.
    void theTextIsKept()
    {
        editor()->setFocus();
        goToEnd();
        press(Qt::Key_Return);
        type("  sch.nothing(1)");
        const QString before = text();
        press(Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(!editor()->isVisible(), patience);
        rest();
        QCOMPARE(line()->title(), QStringLiteral("Your text is kept"));
        QVERIFY(!pane()->view()->source().text.contains("nothing"));
        shoot("script-kept");
        QTest::mouseClick(line()->button(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(editor()->isVisible(), patience);
        rest();
        QCOMPARE(text(), before);
        QVERIFY(editor()->faultLine() > 0);
    }

    /// The other tabs show what came of it, and the edit goes on.
    void otherTabsAreShownMeanwhile()
    {
        pane()->setTab(app::NestPane::Nest);
        QVERIFY(!editor()->isVisible() && pane()->view()->isVisible());
        pane()->setTab(app::NestPane::Script);
        QVERIFY(editor()->isVisible());
        QVERIFY(text().contains("sch.nothing(1)"));
    }
};

QTEST_MAIN(EditedScriptTest)
#include "edited_script_test.moc"
