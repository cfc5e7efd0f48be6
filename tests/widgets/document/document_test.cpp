// SPDX-License-Identifier: GPL-3.0-or-later
// The document: opening, steps, undo and branches, the selection over rewrites, files.
#include "tests/widgets/document/document_fixture.h"
#include "widgets/document/command_registry.h"

#include <QtTest>

using namespace nestwright;

class DocumentTest : public QObject, tests::DocumentFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { begin(); }
    void cleanup() { end(); }

    void opensAKernel()
    {
        QSignalSpy opened(m_document.get(), &Document::opened);
        openMatmul();
        QCOMPARE(opened.size(), 1);
        QCOMPARE(m_document->title(), QStringLiteral("matmul.py"));
        QCOMPARE(m_document->subtitle(), QStringLiteral("main · 128×128 f32"));
        QCOMPARE(m_document->tree().size(), 1);
        QVERIFY(!m_document->isModified());
        QVERIFY(!m_document->canUndo());
    }

    void badFileLeavesWhatIsOpen()
    {
        openMatmul();
        QSignalSpy failed(m_document.get(), &Document::openFailed);
        m_document->open(write("bad.py", "from tvm.script import tir as T\n@T.prim_func\ndef main(:\n"));
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, patience);
        const auto diagnostic = failed.front().front().value<support::Diagnostic>();
        QVERIFY(!diagnostic.locations.empty());
        QCOMPARE(diagnostic.locations.front().line, 3);
        QCOMPARE(m_document->title(), QStringLiteral("matmul.py"));
        QVERIFY(row("i"));
        QVERIFY(!m_document->isBusy());
    }

    void stepsMakeVariants()
    {
        openMatmul();
        QSignalSpy changed(m_document.get(), &Document::currentChanged);
        split("i");
        QCOMPARE(m_document->tree().size(), 2);
        QCOMPARE(changed.size(), 1);
        QVERIFY(row("i_0") && row("i_1") && !row("i"));
        QVERIFY(m_document->isModified());
    }

    void stepsWaitForEachOther()
    {
        openMatmul();
        const support::StmtId i = row("i");
        const support::StmtId j = row("j");
        m_document->apply(schedule::makeStep("parallel", {{"loop", i}}).value());
        m_document->apply(schedule::makeStep("vectorize", {{"loop", j}}).value());
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 3, patience);
        QTRY_VERIFY_WITH_TIMEOUT(!m_document->isBusy(), patience);
        QCOMPARE(m_document->nest()->row(i)->badge, QStringLiteral("parallel"));
        QCOMPARE(m_document->nest()->row(j)->badge, QStringLiteral("vector"));
    }

    void refusedStepIsKeptAndNothingChanges()
    {
        openMatmul();
        QSignalSpy refused(m_document.get(), &Document::stepRefused);
        apply("parallel", {{"loop", row("k")}});
        QCOMPARE(refused.size(), 1);
        QCOMPARE(m_document->tree().size(), 2);
        QVERIFY(!m_document->tree().all().back().ok());
        QCOMPARE(m_document->currentId().value, 0);
        QCOMPARE(int(m_document->problems().size()), 1);
        m_document->jumpTo({1}); // it cannot be current
        QVERIFY(!m_document->isBusy());
        QCOMPARE(m_document->currentId().value, 0);
    }

    void refusedStepIsMended()
    {
        openMatmul();
        apply("fuse", {{"loops", schedule::ArgList{row("i"), row("k")}}});
        QVERIFY(m_document->fix());
        QCOMPARE(m_document->currentId().value, 0);
        m_document->applyFix();
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 4,
                                  patience); // the refused step, the reorder and it again
        QTRY_VERIFY_WITH_TIMEOUT(!m_document->isBusy(), patience);
        QVERIFY(m_document->tree().all().back().ok());
        QVERIFY(row("i_k_fused"));
        QVERIFY(!m_document->fix());
    }

    void undoRedoAndBranch()
    {
        openMatmul();
        split("i");
        split("j");
        m_document->undo();
        m_document->undo();
        QTRY_VERIFY_WITH_TIMEOUT(!m_document->isBusy(), patience);
        QCOMPARE(m_document->currentId().value, 0);
        QVERIFY(!m_document->canUndo() && m_document->canRedo());
        m_document->redo();
        QTRY_COMPARE_WITH_TIMEOUT(m_document->currentId().value, 1, patience);
        split("k"); // a branch beside split(j)
        QCOMPARE(int(m_document->tree().at({1}).children.size()), 2);
        m_document->jumpTo({2});
        QTRY_COMPARE_WITH_TIMEOUT(m_document->currentId().value, 2, patience);
        QVERIFY(row("j_0") && row("k"));
        // The same step again is the same variant.
        m_document->undo();
        QTRY_COMPARE_WITH_TIMEOUT(m_document->currentId().value, 1, patience);
        split("j");
        QCOMPARE(m_document->currentId().value, 2);
        QCOMPARE(m_document->tree().size(), 4);
    }

    void selectionSurvivesRewrites()
    {
        openMatmul();
        const support::StmtId i = row("i");
        m_document->selection().select({row("j"), i});
        split("i");
        const support::StmtId part = m_document->selection().current();
        QVERIFY(part == row("i_0") || part == row("i_1")); // where the step's forward map sends it
        QCOMPARE(m_document->selection().all().front(), row("j"));
        m_document->selection().select(row("i_1"));
        m_document->undo();
        QTRY_COMPARE_WITH_TIMEOUT(m_document->currentId().value, 0, patience);
        QCOMPARE(m_document->selection().current(), i); // a part goes back to the loop that it was made of
    }

    void savesAndOpensSessions()
    {
        openMatmul();
        split("i");
        QSignalSpy saved(m_document.get(), &Document::saved);
        const QString path = m_folder.filePath(QStringLiteral("a.nest"));
        m_document->save(path);
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, patience);
        QVERIFY(!m_document->isModified());
        QSignalSpy opened(m_document.get(), &Document::opened);
        m_document->open(path);
        QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 1, patience);
        QCOMPARE(m_document->tree().size(), 2);
        QVERIFY(row("i_0"));
        QCOMPARE(m_document->sessionPath(), path);
    }

    void truncatedSessionIsRefused()
    {
        openMatmul();
        QSignalSpy failed(m_document.get(), &Document::openFailed);
        m_document->open(write("cut.nest", "{\"format\": \"nestwr"));
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, patience);
        QCOMPARE(m_document->title(), QStringLiteral("matmul.py"));
    }

    void scheduleScriptGoesToWhatIsOpen()
    {
        openMatmul();
        const QString script = write("s.py", "def apply_trace(sch):\n"
                                             "  b0 = sch.get_block(name=\"C\", func_name=\"main\")\n"
                                             "  l1, l2, l3 = sch.get_loops(block=b0)\n"
                                             "  l4, l5 = sch.split(loop=l1, factors=[None, 32])\n"
                                             "  sch.parallel(loop=l4)\n");
        m_document->open(script);
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 3, patience);
        QTRY_VERIFY_WITH_TIMEOUT(!m_document->isBusy(), patience);
        QCOMPARE(m_document->nest()->row(row("i_0"))->badge, QStringLiteral("parallel"));
        QCOMPARE(m_document->title(), QStringLiteral("matmul.py"));
    }

    void brokenScheduleScriptChangesNothing()
    {
        openMatmul();
        QSignalSpy failed(m_document.get(), &Document::openFailed);
        m_document->open(write("broken.py", "def apply_trace(sch):\n"
                                            "  b0 = sch.get_block(name=\"C\", func_name=\"main\")\n"
                                            "  l1, l2, l3 = sch.get_loops(block=b0)\n"
                                            "  l4, l5 = sch.split(loop=l1, factors=[None, 32])\n"
                                            "  sch.parallel(loop=l3)\n"));
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, patience);
        QCOMPARE(m_document->tree().size(), 1);
        QCOMPARE(failed.front().front().value<support::Diagnostic>().locations.front().line, 5);
    }

    void commandsSayWhyNot()
    {
        document::CommandRegistry commands;
        int ran = 0;
        bool possible = false;
        commands.add({.id = QStringLiteral("a"),
                      .title = QStringLiteral("A"),
                      .group = QStringLiteral("G"),
                      .run = [&] { ++ran; },
                      .unavailable = [&] { return possible ? QString() : QStringLiteral("Not yet."); }});
        QSignalSpy refused(&commands, &document::CommandRegistry::refused);
        QVERIFY(!commands.trigger(QStringLiteral("a")));
        QCOMPARE(refused.size(), 1);
        QCOMPARE(refused.front().at(1).toString(), QStringLiteral("Not yet."));
        possible = true;
        QVERIFY(commands.trigger(QStringLiteral("a")));
        QCOMPARE(ran, 1);
        QVERIFY(!commands.trigger(QStringLiteral("unknown")));
    }
};

QTEST_MAIN(DocumentTest)
#include "document_test.moc"
