// SPDX-License-Identifier: GPL-3.0-or-later
// Work is kept: autosave, saving while something changes, files of others, work that does not end.
#include "core/session/files/project_file.h"
#include "tests/support/long_session.h"
#include "tests/support/sanitized.h"
#include "tests/widgets/document/document_fixture.h"
#include "widgets/document/files/autosave.h"
#include "widgets/jobs/mailbox.h"

#include <QtTest>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace nestwright;
using document::Document;

class KeepingTest : public QObject, tests::DocumentFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { begin(); }
    void cleanup() { end(); }

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
        other.recover(left.front().session, left.front().sessionOrigin);
        QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 1, patience);
        QCOMPARE(other.tree().size(), 2);
        QVERIFY(other.isModified() && other.sessionPath().isEmpty());
        QVERIFY(second.leftBehind().empty());
        // A restored session is kept by the new run before the old file goes.
        QTRY_VERIFY_WITH_TIMEOUT(!kept.isEmpty(), patience);
        QVERIFY(QFile::exists(second.path()));
        QVERIFY(!QFile::exists(left.front().session));
    }

    /// Several runs that crashed are all offered, newest first, and each by itself.
    void everyCrashIsOffered()
    {
        const QString folder = m_folder.filePath(QStringLiteral("autosave3"));
        for (int i = 0; i < 3; ++i) {
            end();
            begin();
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

    void abandonedDocumentsAreKept()
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
        m_document->recover(left.session, left.sessionOrigin);
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
        target::Target target;
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

    /// The second does not take the first one's write for the work of another program.
    void savesInARowAreOneWriters()
    {
        openMatmul();
        const QString path = m_folder.filePath(QStringLiteral("row.nest"));
        QSignalSpy saved(m_document.get(), &Document::saved);
        QSignalSpy asked(m_document.get(), &Document::changedOnDisk);
        m_document->save(path);
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, patience);
        const int blocked = open(m_folder.path().toUtf8().constData(), O_RDONLY | O_DIRECTORY);
        QCOMPARE(flock(blocked, LOCK_EX), 0);
        target::Target target;
        for (target.threads = 1; target.threads < 4; ++target.threads) {
            m_document->setTarget(target);
            m_document->save(path);
        }
        ::close(blocked);
        QTRY_VERIFY_WITH_TIMEOUT(!m_document->isModified(), patience);
        QVERIFY(asked.isEmpty());
        QCOMPARE(session::loadProject(path.toStdString())->target().threads, 3);
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
        end();
        QVERIFY(timer.elapsed() < 1000);
        QVERIFY(tests::isSanitized || jobs::abandonedThreads() == 0); // it ended by itself
        begin();
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
};

QTEST_MAIN(KeepingTest)
#include "keeping_test.moc"
