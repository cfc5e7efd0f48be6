// SPDX-License-Identifier: GPL-3.0-or-later
// Generated code edited in its pane by mouse and keys: applied, judged, carried along with its schedule,
// saved, and asked about when it comes from a file.
#include "app/window/controllers/code_edit_controller.h"
#include "app/window/frame/banner.h"
#include "app/window/panes/code_edit_pane.h"
#include "app/window/panes/source_pane.h"
#include "core/session/files/project_file.h"
#include "tests/e2e/dialog_hands.h"
#include "tests/e2e/matmul_scripts.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/code/code_editor.h"
#include "widgets/code/code_view.h"
#include "widgets/document/command_registry.h"
#include "widgets/history/history_view.h"
#include "widgets/look/button.h"
#include "widgets/look/finding_box.h"

#include <QMessageBox>
#include <QTextBlock>

using namespace nestwright;
using e2e::patience;
using measure::Failure;
using session::VariantId;

class EditedCodeTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    app::CodeEditPane *pane() const { return m_window->codeEditor(); }
    code::CodeEditor *editor() const { return pane()->editor(); }
    const code::CodeView *view() const { return m_window->sourcePane()->view(); }
    history::HistoryView *history() const { return m_window->findChild<history::HistoryView *>(); }
    const session::VariantTree &variants() const { return document().tree(); }
    const session::Variant &current() const { return variants().current(); }

    void showC()
    {
        QVERIFY(m_window->commands().trigger(QStringLiteral("source.c")));
        QVERIFY(settle());
    }
    void beginEditing()
    {
        m_window->loopPane()->setFocus();
        press(Qt::Key_E, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(editor()->isVisible(), patience);
        QVERIFY(editor()->hasFocus());
    }
    /// Puts the cursor at the beginning of the first line that holds `text`.
    void goTo(const char *text)
    {
        const QTextCursor found = editor()->document()->find(QString::fromLatin1(text));
        QVERIFY2(!found.isNull(), text);
        editor()->goToLine(found.blockNumber() + 1);
    }
    void typeLine(const char *line)
    {
        QTest::keyClicks(editor(), QString::fromLatin1(line));
        QTest::keyClick(editor(), Qt::Key_Return);
    }
    void awaitVerdict(VariantId of)
    {
        QTRY_VERIFY_WITH_TIMEOUT(m_window->codeEdits().secondsToVerdict().has_value(), patience);
        qInfo("%s: %.2f s from Apply to the verdict", variants().at(of).label.c_str(),
              *m_window->codeEdits().secondsToVerdict());
        QVERIFY(settle());
    }
    VariantId applied()
    {
        const int before = variants().size();
        QTest::mouseClick(pane()->applyButton(), Qt::LeftButton);
        if (variants().size() != before + 1)
            qFatal("no variant was made");
        return variants().all().back().id;
    }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1366, 768, {{"matmul.py", e2e::smallMatmul}});
        QFile file(path("schedule.py"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(e2e::tiledSchedule);
        file.close();
        m_window->open(m_folder.filePath(QStringLiteral("examples/matmul.py")));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen(), patience);
        QVERIFY(settle());
        m_window->open(path("schedule.py"));
        QTRY_VERIFY_WITH_TIMEOUT(variants().size() == 6, patience);
        QVERIFY(settle());
        press(Qt::Key_F5); // as a person has done before
        QVERIFY(settle());
    }
    void cleanupTestCase() { m_window.reset(); }

    void onlyCodeOfProcessorsIsEdited()
    {
        QVERIFY(m_window->commands().trigger(QStringLiteral("source.lowered")));
        QVERIFY(settle());
        QVERIFY(!m_window->commands().reason(QStringLiteral("source.edit")).isEmpty());
        showC();
        QVERIFY(m_window->commands().reason(QStringLiteral("source.edit")).isEmpty());
    }

    /// Esc without a change leaves at once; letters are the text's.
    void escLeaves()
    {
        beginEditing();
        QVERIFY(!view()->isVisible());
        shoot("edit-code");
        press(Qt::Key_Escape);
        QTRY_VERIFY(!editor()->isVisible());
        QVERIFY(view()->isVisible());
        QCOMPARE(variants().size(), 6);
    }

    void escAsksWhereSomethingWasChanged()
    {
        beginEditing();
        const QString before = editor()->toPlainText();
        typeLine("// m s v");
        const auto box = [this] { return m_window->findChild<QMessageBox *>(); };
        for (const char *answer : {"Go on editing", "Discard changes"}) {
            press(Qt::Key_Escape);
            QTRY_VERIFY_WITH_TIMEOUT(box() && box()->isVisible(), patience);
            shoot("edit-question", box());
            QTest::mouseClick(e2e::button(box(), answer), Qt::LeftButton);
            QTRY_VERIFY(!box());
            m_window->activateWindow();
            QVERIFY(QTest::qWaitForWindowActive(m_window.get(), patience));
            QCOMPARE(editor()->isVisible(), QByteArray(answer) == "Go on editing");
        }
        QVERIFY(editor()->toPlainText() != before);
        QCOMPARE(variants().size(), 6);
    }

    void anEditIsAppliedAndVerified()
    {
        const VariantId program = current().id;
        beginEditing();
        goTo("int32_t main");
        typeLine("/* by hand */");
        const VariantId id = applied();
        awaitVerdict(id);
        const session::Variant &edited = variants().at(id);
        QVERIFY(edited.parent == program);
        QCOMPARE(current().id, id);
        QVERIFY(edited.measurement && edited.measurement->isVerified() && edited.measurement->ok());
        QVERIFY(!editor()->isVisible());
        QVERIFY(view()->source().text.contains("/* by hand */"));
        shoot("edit-applied");
        m_theme->setMode(look::Mode::Dark);
        shoot("edit-applied-dark");
        m_theme->setMode(look::Mode::Light);
        // Its text is exported, not what is generated.
        m_window->exportTo(QStringLiteral("c"), path("out.c"));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path("out.c")), patience);
        QVERIFY(settle());
        QFile exported(path("out.c"));
        QVERIFY(exported.open(QIODevice::ReadOnly));
        QVERIFY(exported.readAll().contains("/* by hand */"));
    }

    void aWrongEditIsRed()
    {
        beginEditing();
        const QTextCursor product = editor()->document()->find(QStringLiteral("] * B["));
        QVERIFY(!product.isNull());
        editor()->setTextCursor(product);
        QTest::keyClicks(editor(), QStringLiteral("] - B["));
        press(Qt::Key_Return, Qt::ControlModifier);
        const VariantId id = variants().all().back().id;
        awaitVerdict(id);
        QVERIFY(variants().at(id).measurement->failed == Failure::WrongResult);
        document().undo();
        QVERIFY(settle());
        QVERIFY(!current().edit);
    }

    /// The editor stays open at the line that the compiler names, until it is right.
    void anErrorIsShownAtItsLine()
    {
        beginEditing();
        goTo("int32_t main");
        typeLine("int x = nothing;");
        const VariantId id = applied();
        awaitVerdict(id);
        QVERIFY(variants().at(id).measurement->failed == Failure::Compile);
        QVERIFY(editor()->isVisible());
        QVERIFY2(pane()->problem()->title().contains("nothing"), qPrintable(pane()->problem()->title()));
        QCOMPARE(editor()->document()->findBlockByNumber(editor()->markedLine() - 1).text(),
                 QStringLiteral("int x = nothing;"));
        shoot("edit-error");
        m_theme->setMode(look::Mode::Dark);
        shoot("edit-error-dark");
        m_theme->setMode(look::Mode::Light);
        press(Qt::Key_Escape);
        QVERIFY(!editor()->isVisible());
        document().undo();
        QVERIFY(settle());
    }

    /// A step of the schedule below is left out: the edit comes along, verified anew.
    void theEditIsCarriedAlong()
    {
        const auto edited = std::ranges::find_if(variants().all(), [](const session::Variant &each) {
            return each.edit && each.edit->text.contains("/* by hand */");
        });
        QVERIFY(edited != variants().all().end());
        const VariantId id = edited->id;
        document().jumpTo(id);
        QTRY_COMPARE_WITH_TIMEOUT(current().id, id, patience);
        QVERIFY(settle());
        history()->setFocus();
        for (int rows = 0; rows < 8 && !variants().at(history()->focused()).label.starts_with("parallel");
             ++rows)
            press(Qt::Key_Up, Qt::ControlModifier);
        QVERIFY2(variants().at(history()->focused()).label.starts_with("parallel"),
                 variants().at(history()->focused()).label.c_str());
        press(Qt::Key_Delete);
        QTRY_VERIFY_WITH_TIMEOUT(current().id != id, patience);
        QVERIFY(settle());
        QVERIFY(current().edit);
        QCOMPARE(current().edit->conflicts(), 0);
        QVERIFY(current().edit->text.contains("/* by hand */"));
        QVERIFY(!current().edit->text.contains("omp parallel"));
        press(Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(current().measurement && current().measurement->isVerified(), patience);
        QVERIFY(settle());
    }

    /// Both sides stand in the text, and a button leads there.
    void conflictsAreShown()
    {
        document().jumpTo(variants().root().id);
        QTRY_VERIFY_WITH_TIMEOUT(current().isRoot(), patience);
        QVERIFY(settle());
        showC();
        beginEditing();
        goTo("for (");
        QTest::keyClicks(editor(), QStringLiteral("/* mine */"));
        awaitVerdict(applied());
        document().jumpTo({5});
        QTRY_COMPARE_WITH_TIMEOUT(current().id, VariantId{5}, patience);
        QVERIFY(settle());
        const int before = variants().size();
        press(Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
        awaitVariants(before + 1);
        QVERIFY(current().edit && current().edit->conflicts() > 0);
        QVERIFY2(m_window->banner()->isVisible(), "nothing says so");
        shoot("edit-conflict");
        QTest::mouseClick(e2e::button(m_window->banner(), "Settle them"), Qt::LeftButton);
        QTRY_VERIFY(editor()->isVisible());
        QVERIFY(editor()->textCursor().block().text().startsWith("<<<<<<< the edit"));
        shoot("edit-settle");
        // As it is it does not run, and says why.
        press(Qt::Key_Escape);
        press(Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(current().measurement.has_value(), patience);
        QVERIFY(current().measurement->failure->code == "edited.conflict");
        QVERIFY(settle());
    }

    /// The edits of a session's file are not run before a person agrees.
    void aFilesEditsAreAskedAbout()
    {
        QSignalSpy saved(&document(), &document::Document::saved);
        document().save(path("edited.nest"));
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, patience);
        m_window->banner()->hide();
        m_window->open(path("edited.nest"));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && !document().isBusy() && variants().foreignEdits() > 0,
                                 patience);
        QVERIFY(settle());
        QVERIFY(m_window->banner()->isVisible());
        QVERIFY2(m_window->banner()->text().contains("hand-edited code"),
                 qPrintable(m_window->banner()->text()));
        shoot("edit-foreign");
        const auto verified = std::ranges::find_if(variants().all(), [](const session::Variant &each) {
            return each.edit && each.edit->text.contains("/* by hand */") && each.edit->conflicts() == 0;
        });
        const VariantId id = verified->id;
        document().jumpTo(id);
        QTRY_COMPARE_WITH_TIMEOUT(current().id, id, patience);
        QVERIFY(settle());
        m_window->banner()->hide();
        press(Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->banner()->isVisible(), patience);
        QVERIFY(settle());
        QVERIFY(!document().session().isMeasured(id));
        QTest::mouseClick(e2e::button(m_window->banner(), "Run it"), Qt::LeftButton);
        QCOMPARE(variants().foreignEdits(), 0);
        press(Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(document().session().isMeasured(id), patience);
        QVERIFY(settle());
        QVERIFY(current().measurement->isVerified());
    }

    /// A text that was changed and not applied is a variant when its document goes.
    void nothingIsLost()
    {
        beginEditing();
        goTo("int32_t main");
        typeLine("/* not applied */");
        const int before = variants().size();
        m_window->codeEdits().keep();
        QCOMPARE(variants().size(), before + 1);
        QVERIFY(variants().all().back().edit->text.contains("/* not applied */"));
        QVERIFY(!editor()->isVisible());
    }
};

QTEST_MAIN(EditedCodeTest)
#include "edited_code_test.moc"
