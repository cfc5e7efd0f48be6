// SPDX-License-Identifier: GPL-3.0-or-later
// The newest job of a key wins, stopped ones never answer, results arrive on the UI thread.
#include "core/support/errors/stop.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/jobs/mailbox.h"

#include <QSemaphore>
#include <QSignalSpy>
#include <QThread>
#include <QtTest>

#include <atomic>
#include <stdexcept>

using namespace nestwright::jobs;

class JobRunnerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void resultArrivesOnThisThread()
    {
        JobRunner runner(2);
        QThread *worked = nullptr;
        QThread *answered = nullptr;
        int value = 0;
        runner.run(
            "a", this,
            [&worked](const Job &) {
                worked = QThread::currentThread();
                return 42;
            },
            [&](const std::shared_ptr<const int> &result) {
                answered = QThread::currentThread();
                value = *result;
            });
        QVERIFY(runner.isRunning("a"));
        QCOMPARE(value, 0); // never at once, even when the work is
        QTRY_COMPARE(value, 42);
        QCOMPARE(answered, thread());
        QVERIFY(worked != thread());
        QVERIFY(!runner.isRunning("a"));
    }

    void newestOfAKeyWins()
    {
        JobRunner runner(1);
        QSemaphore go;
        QList<int> answers;
        std::atomic<bool> firstSawStop = false;
        std::atomic<int> ran = 0;
        for (int i = 0; i < 5; ++i) {
            runner.run(
                "key", this,
                [i, &go, &firstSawStop, &ran](const Job &job) {
                    ++ran;
                    if (i == 0) {
                        go.acquire();
                        firstSawStop = job.stopped();
                    }
                    return i;
                },
                [&answers](const std::shared_ptr<const int> &result) { answers.append(*result); });
            if (i == 0)
                QTRY_COMPARE(ran.load(), 1); // it runs before the next ones come
        }
        go.release();
        QTRY_VERIFY(!runner.isRunning("key"));
        QCOMPARE(answers, QList<int>{4});
        QVERIFY(firstSawStop);
        QCOMPARE(ran.load(), 2); // those in between never began
    }

    void keysAreIndependent()
    {
        JobRunner runner(2);
        int sum = 0;
        const auto add = [&sum](const std::shared_ptr<const int> &result) { sum += *result; };
        runner.run("a", this, [](const Job &) { return 1; }, add);
        runner.run("b", this, [](const Job &) { return 10; }, add);
        QTRY_COMPARE(sum, 11);
    }

    void cancelledJobNeverAnswers()
    {
        JobRunner runner(1);
        QSignalSpy cancelled(&runner, &JobRunner::cancelled);
        QSignalSpy finished(&runner, &JobRunner::finished);
        std::atomic<bool> began = false;
        std::atomic<bool> ended = false;
        bool answered = false;
        runner.run(
            "key", this,
            [&](const Job &job) {
                began = true;
                while (!job.stopped())
                    QThread::msleep(1);
                ended = true;
                return 1;
            },
            [&answered](const std::shared_ptr<const int> &) { answered = true; });
        QTRY_VERIFY(began);
        runner.cancel("nobody");
        QCOMPARE(cancelled.count(), 0);
        runner.cancel("key");
        QCOMPARE(cancelled.count(), 1);
        QTRY_VERIFY(ended);
        QTest::qWait(20);
        QVERIFY(!answered);
        QCOMPARE(finished.count(), 0);
    }

    void contextGoneMeansNoAnswer()
    {
        JobRunner runner(1);
        QSignalSpy finished(&runner, &JobRunner::finished);
        bool answered = false;
        {
            QObject context;
            runner.run(
                "key", &context, [](const Job &) { return 1; },
                [&answered](const std::shared_ptr<const int> &) { answered = true; });
        }
        QTRY_COMPARE(finished.count(), 1);
        QVERIFY(!answered);
    }

    void exceptionIsReported()
    {
        JobRunner runner(1);
        QSignalSpy failed(&runner, &JobRunner::failed);
        runner.run(
            "key", this, [](const Job &) -> int { throw std::logic_error("broken"); },
            [](const std::shared_ptr<const int> &) { QFAIL("must not answer"); });
        QTRY_COMPARE(failed.count(), 1);
        QCOMPARE(failed.first().at(1).toString(), "broken");
        QVERIFY(!runner.isRunning("key"));
    }

    void progressIsThinnedOut()
    {
        JobRunner runner(1);
        QSignalSpy progressed(&runner, &JobRunner::progressed);
        QSignalSpy finished(&runner, &JobRunner::finished);
        runner.run(
            "key", this,
            [](const Job &job) {
                for (int i = 0; i <= 100000; ++i)
                    job.progress(i / 100000.0, "counting");
                return 0;
            },
            [](const std::shared_ptr<const int> &) {});
        QTRY_COMPARE(finished.count(), 1);
        QVERIFY(progressed.count() >= 2 && progressed.count() < 200);
        QCOMPARE(progressed.last().at(1).toDouble(), 1.0);
    }

    void workIsStoppedDeepInside()
    {
        JobRunner runner(1);
        std::atomic<bool> unwound = false;
        std::atomic<bool> running = false;
        runner.run(
            "key", this,
            [&](const Job &) {
                const auto guard = qScopeGuard([&] { unwound = true; });
                while (true) {
                    running = true;
                    nestwright::support::checkStop();
                }
                return 0;
            },
            [](const std::shared_ptr<const int> &) { QFAIL("must not answer"); });
        QTRY_VERIFY(running);
        QSignalSpy failed(&runner, &JobRunner::failed);
        runner.cancel("key");
        QTRY_VERIFY(unwound);
        QTest::qWait(20);
        QCOMPARE(failed.count(), 0);
    }

    /// However many jobs are stuck, others and those that save go on.
    void stuckJobsHoldNobodyUp()
    {
        const auto go = std::make_shared<QSemaphore>(); // the jobs outlive this function
        const auto release = qScopeGuard([&] { go->release(100); });
        JobRunner runner(2);
        for (const char *key : {"a", "b"})
            runner.run(
                key, this, [go](const Job &) { return go->acquire(), 0; },
                [](const std::shared_ptr<const int> &) {});
        QList<int> order;
        for (int i = 0; i < 3; ++i)
            runner.run(
                QString::number(i), this, [i](const Job &) { return i; },
                [&](const std::shared_ptr<const int> &i) { order << *i; }, Lane::Save);
        QTRY_COMPARE(order, QList<int>({0, 1, 2}));
        runner.run(
            "after", this, [](const Job &) { return 3; },
            [&](const std::shared_ptr<const int> &i) { order << *i; });
        QTest::qWait(50);
        QCOMPARE(order.size(), 3); // both threads are taken
        runner.cancel("a");
        QTRY_COMPARE_WITH_TIMEOUT(order.size(), 4, 2000);
    }

    void savesAreNotCancelledAtTheEnd()
    {
        std::atomic<int> saved = 0;
        {
            JobRunner runner(1);
            for (const char *key : {"a", "b"})
                runner.run(
                    key, this,
                    [&](const Job &) {
                        QThread::msleep(30);
                        return ++saved, 0;
                    },
                    [](const std::shared_ptr<const int> &) {}, Lane::Save);
            runner.cancelAll();
        }
        QCOMPARE(saved.load(), 2);
    }

    void destructionStopsEverything()
    {
        std::atomic<int> stopped = 0;
        {
            JobRunner runner(2);
            QSemaphore running;
            for (const char *key : {"a", "b"}) {
                runner.run(
                    key, this,
                    [&](const Job &job) {
                        running.release();
                        while (!job.stopped())
                            QThread::msleep(1);
                        ++stopped;
                        return 0;
                    },
                    [](const std::shared_ptr<const int> &) { QFAIL("must not answer"); });
            }
            QVERIFY(running.tryAcquire(2, 5000));
        }
        QCOMPARE(stopped.load(), 2);
        QCoreApplication::processEvents();
    }

    /// Must be the last: the thread stays.
    void stuckJobsDoNotHoldUpTheEnd()
    {
        static QSemaphore go;
        static std::atomic<bool> ended = false, running = false;
        QElapsedTimer timer;
        const int before = abandonedThreads();
        {
            JobRunner runner(1);
            runner.run(
                "stuck", this,
                [held = std::make_shared<int>(7)](const Job &job) {
                    running = true;
                    go.acquire();
                    job.progress(0.5, "after the runner is gone");
                    ended = *held == 7;
                    return 0;
                },
                [](const std::shared_ptr<const int> &) { QFAIL("must not answer"); });
            QTRY_VERIFY(running);
            timer.start();
        }
        QVERIFY(timer.elapsed() < 1500);
        QCOMPARE(abandonedThreads(), before + 1);
        go.release();
        QTRY_VERIFY(ended);
        QTest::qWait(20);
    }
};

QTEST_MAIN(JobRunnerTest)
#include "job_runner_test.moc"
