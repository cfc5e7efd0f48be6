// SPDX-License-Identifier: GPL-3.0-or-later
// The document: opening, steps, undo and branches, the selection over rewrites, files, autosave.
#include "core/schedule/primitive.h"
#include "core/session/project_file.h"
#include "tests/support/long_session.h"
#include "tests/support/programs.h"
#include "widgets/document/autosave.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/selection.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/jobs/mailbox.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace nestwright;
using document::Document;

namespace {
constexpr int patience = 20000;
}

class DocumentTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<jobs::JobRunner> m_jobs;
    std::unique_ptr<Document> m_document;

    QString write(const char *name, std::string_view text) const
    {
        const QString path = m_folder.filePath(QString::fromLatin1(name));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly))
            qFatal("cannot write");
        file.write(text.data(), qint64(text.size()));
        return path;
    }
    void openMatmul() const
    {
        m_document->open(write("matmul.py", tests::programText("matmul")));
        QTRY_VERIFY_WITH_TIMEOUT(m_document->isOpen() && !m_document->isBusy(), patience);
    }
    support::StmtId row(const char *name) const
    {
        for (const document::NestRow &each : m_document->nest()->rows) {
            if (each.name == QLatin1String(name))
                return each.id;
        }
        return {};
    }
    void apply(std::string_view primitive,
               const std::vector<std::pair<std::string_view, schedule::ArgValue>> &args) const
    {
        m_document->apply(schedule::makeStep(primitive, args).value());
        QTRY_VERIFY_WITH_TIMEOUT(!m_document->isBusy(), patience);
    }
    void split(const char *name) const
    {
        apply("split", {{"loop", row(name)}, {"factors", schedule::ArgList{{}, 32}}});
    }

private Q_SLOTS:
    void init()
    {
        m_jobs = std::make_unique<jobs::JobRunner>(2);
        m_document = std::make_unique<Document>(*m_jobs);
    }
    void cleanup()
    {
        m_jobs->cancelAll();
        m_document.reset();
        m_jobs.reset();
    }

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
        QCOMPARE(m_document->nest()->variant, m_document->currentId());
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

    void autosaveSurvivesACrash()
    {
        const QString folder = m_folder.filePath(QStringLiteral("autosave"));
        auto first = std::make_unique<document::Autosave>(*m_document, folder);
        QSignalSpy savedNow(first.get(), &document::Autosave::savedNow);
        openMatmul();
        split("i");
        QTRY_VERIFY_WITH_TIMEOUT(!savedNow.isEmpty(), patience);
        QVERIFY(first->isUpToDate());
        // While it runs nobody may take its file.
        jobs::JobRunner jobs(1);
        Document other(jobs);
        document::Autosave second(other, folder);
        QVERIFY(second.leftBehind().empty());
        first.reset(); // no finish(): as after a crash
        const auto left = second.leftBehind();
        QCOMPARE(int(left.size()), 1);
        QSignalSpy opened(&other, &Document::opened);
        QCOMPARE(left.front().title, QStringLiteral("matmul.py"));
        QVERIFY(left.front().crashed);
        QSignalSpy kept(&second, &document::Autosave::savedNow);
        second.claim(left.front());
        other.recover(left.front().session, left.front().belonging);
        QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 1, patience);
        QCOMPARE(other.tree().size(), 2);
        QVERIFY(other.isModified() && other.sessionPath().isEmpty());
        QVERIFY(second.leftBehind().empty());
        // What was restored is kept by the new run before the old file goes.
        QTRY_VERIFY_WITH_TIMEOUT(!kept.isEmpty(), patience);
        QVERIFY(QFile::exists(second.path()));
        QVERIFY(!QFile::exists(left.front().session));
    }

    /// Several runs that crashed are all offered, newest first, and each by itself.
    void everyCrashIsOffered()
    {
        const QString folder = m_folder.filePath(QStringLiteral("autosave3"));
        for (int i = 0; i < 3; ++i) {
            cleanup();
            init();
            document::Autosave autosave(*m_document, folder);
            QSignalSpy savedNow(&autosave, &document::Autosave::savedNow);
            openMatmul();
            split("i");
            QTRY_VERIFY_WITH_TIMEOUT(!savedNow.isEmpty(), patience);
        }
        jobs::JobRunner jobs(1);
        Document other(jobs);
        const document::Autosave next(other, folder);
        const auto left = next.leftBehind();
        QCOMPARE(left.size(), std::size_t{3});
        QVERIFY(left[0].when >= left[1].when && left[1].when >= left[2].when);
        document::Autosave::discard(left[1]);
        QCOMPARE(next.leftBehind().size(), std::size_t{2});
    }

    void whatIsGivenUpForAnotherIsKept()
    {
        const QString folder = m_folder.filePath(QStringLiteral("autosave4"));
        document::Autosave autosave(*m_document, folder);
        openMatmul();
        split("i"); // not even autosaved yet
        m_document->open(write("other.py", tests::programText("matmul")));
        QTRY_COMPARE_WITH_TIMEOUT(m_document->title(), QStringLiteral("other.py"), patience);
        QVERIFY(!m_document->isModified());
        QTRY_COMPARE_WITH_TIMEOUT(autosave.leftBehind().size(), std::size_t{1}, patience);
        const document::LeftBehind left = autosave.leftBehind().front();
        QCOMPARE(left.title, QStringLiteral("matmul.py"));
        QVERIFY(!left.crashed);
        m_document->recover(left.session, left.belonging);
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 2, patience);
    }

    /// A change that is made while a save runs is still to be saved.
    void changesDuringASaveCount()
    {
        openMatmul();
        split("i");
        document::Autosave autosave(*m_document, m_folder.filePath(QStringLiteral("autosave5")));
        QSignalSpy saved(m_document.get(), &Document::saved);
        const QString path = m_folder.filePath(QStringLiteral("during.nest"));
        m_document->save(path);
        lower::Target target;
        target.threads = 1;
        m_document->setTarget(target); // at once: the save cannot have ended
        QCOMPARE(saved.size(), 0);
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, patience);
        QVERIFY(m_document->isModified());
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(autosave.path()), patience);
        m_document->save(path);
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 2, patience);
        QVERIFY(!m_document->isModified());
        QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(autosave.path()), patience);
        QCOMPARE(session::loadProject(path.toStdString())->target().threads, 1);
    }

    /// A save that ends after something else was opened says nothing about that.
    void savesBelongToWhatWasOpen()
    {
        openMatmul();
        split("i");
        const QString path = m_folder.filePath(QStringLiteral("late.nest"));
        QSignalSpy saved(m_document.get(), &Document::saved);
        QSignalSpy opened(m_document.get(), &Document::opened);
        const int blocked = open(m_folder.path().toUtf8().constData(), O_RDONLY | O_DIRECTORY);
        QCOMPARE(flock(blocked, LOCK_EX), 0); // another program writes there
        m_document->save(path);
        m_document->open(QStringLiteral("op:matmul(M=8,N=8,K=8)"));
        QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 1, patience);
        ::close(blocked);
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, patience);
        QVERIFY(m_document->sessionPath().isEmpty());
        QCOMPARE(session::loadProject(path.toStdString())->tree().size(), 2);
    }

    void filesChangedByOthersAreAskedAbout()
    {
        openMatmul();
        split("i");
        const QString path = m_folder.filePath(QStringLiteral("shared.nest"));
        QSignalSpy saved(m_document.get(), &Document::saved);
        QSignalSpy changed(m_document.get(), &Document::changedOnDisk);
        m_document->save(path);
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, patience);
        m_document->open(path); // as it was read
        QTRY_VERIFY_WITH_TIMEOUT(!m_document->isBusy(), patience);
        QFile file(path);
        QVERIFY(file.open(QIODevice::Append));
        file.write("\n");
        file.close();
        split("j");
        m_document->save(path);
        QTRY_COMPARE_WITH_TIMEOUT(changed.size(), 1, patience);
        QVERIFY(m_document->isModified());
        QCOMPARE(session::loadProject(path.toStdString())->tree().size(), 2); // the other's
        m_document->save(path, document::Overwrite::Always);
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 2, patience);
        QCOMPARE(session::loadProject(path.toStdString())->tree().size(), 3);
        m_document->save(path); // ours again
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 3, patience);
        QCOMPARE(changed.size(), 1);
    }

    void openingCanBeCancelled()
    {
        openMatmul();
        const QString longSession = write("long.nest", tests::longSessionText());
        QSignalSpy cancelled(m_document.get(), &Document::workCancelled);
        m_document->open(longSession);
        QTest::qWait(150);
        QVERIFY(m_document->isBusy());
        QCOMPARE(m_document->opening(), QStringLiteral("long.nest"));
        QElapsedTimer timer;
        timer.start();
        m_document->cancelWork();
        QVERIFY(timer.elapsed() < 100);
        QVERIFY(!m_document->isBusy() && m_document->opening().isEmpty());
        QCOMPARE(cancelled.size(), 1);
        QCOMPARE(m_document->title(), QStringLiteral("matmul.py"));
        split("i"); // goes on as if nothing had been
        timer.start();
        m_document->open(longSession);
        QTest::qWait(50);
        cleanup();
        QVERIFY(timer.elapsed() < 1000);
        QCOMPARE(jobs::abandonedThreads(), 0); // it ended by itself
        init();
    }

    void finishedSessionsAreNotOffered()
    {
        const QString folder = m_folder.filePath(QStringLiteral("autosave2"));
        auto first = std::make_unique<document::Autosave>(*m_document, folder);
        openMatmul();
        split("i");
        QVERIFY(first->flush());
        QVERIFY(QFile::exists(first->path()));
        first->finish(false);
        QVERIFY(!QFile::exists(first->path()));
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
