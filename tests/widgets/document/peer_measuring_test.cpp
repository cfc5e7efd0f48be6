// SPDX-License-Identifier: GPL-3.0-or-later
// The time of a tuned library, taken by nestc beside the open kernel.
#include "widgets/document/document.h"
#include "widgets/document/work/measuring.h"
#include "widgets/document/work/peer_measuring.h"
#include "widgets/jobs/job_runner.h"

#include <QSignalSpy>
#include <QtTest>

using namespace nestwright;

class PeerMeasuringTest : public QObject {
    Q_OBJECT

    static constexpr int patience = 60000;
    std::unique_ptr<jobs::JobRunner> m_jobs;
    std::unique_ptr<document::Document> m_document;
    std::unique_ptr<document::Measuring> m_measuring;
    std::unique_ptr<document::PeerMeasuring> m_peer;

    void open(const char *kernel)
    {
        m_document->open(QString::fromLatin1(kernel));
        QTRY_VERIFY_WITH_TIMEOUT(m_document->isOpen() && !m_document->isBusy(), patience);
    }
    void measure()
    {
        m_measuring->measure({{0}});
        QVERIFY(m_measuring->isRunning());
        QVERIFY(!m_peer->isRunning());
        QTRY_VERIFY_WITH_TIMEOUT(!m_measuring->isRunning(), patience);
        QVERIFY(m_document->tree().root().measurement->ok());
    }

private Q_SLOTS:
    void init()
    {
        m_jobs = std::make_unique<jobs::JobRunner>(2);
        m_document = std::make_unique<document::Document>(*m_jobs);
        m_measuring = std::make_unique<document::Measuring>(*m_document);
        m_measuring->setEffort({2, 0.01});
        m_peer = std::make_unique<document::PeerMeasuring>(*m_document, *m_measuring);
    }
    void cleanup()
    {
        m_peer.reset();
        m_measuring.reset();
        m_document.reset();
        m_jobs.reset();
    }

    /// It begins when a variant was measured, not before, and is of the target's threads.
    void aProductIsTimed()
    {
        QSignalSpy changed(m_peer.get(), &document::PeerMeasuring::changed);
        open("op:matmul(M=64,N=64,K=64)");
        QTest::qWait(50);
        QVERIFY(!m_peer->isRunning());
        measure();
        QTRY_COMPARE_WITH_TIMEOUT(changed.size(), 1, patience);
        if (!m_peer->time())
            QSKIP("no tuned library is on this machine");
        const std::string &library = m_peer->time()->library;
        QVERIFY(library.starts_with("OpenBLAS ") || library.starts_with("oneDNN "));
        QVERIFY(m_peer->time()->gflops() > 0);
        m_document->setTarget(target::parseTarget("llvm -num-cores=1").value());
        QVERIFY(!m_peer->time()); // nothing is known of one thread
    }

    void itGivesWayToMeasuring()
    {
        open("op:matmul(M=1024,N=1024,K=1024)");
        m_document->setMeasurement({0}, [] {
            measure::Measurement made;
            made.time = {1, 1, 1};
            made.samples = {1};
            made.verdict = measure::Verdict::Verified;
            return made;
        }());
        Q_EMIT m_measuring->changed();
        QTRY_VERIFY_WITH_TIMEOUT(m_peer->isRunning() || m_peer->time(), patience);
        m_measuring->measure({{0}});
        QVERIFY(!m_peer->isRunning());
        m_measuring->cancel();
    }

    void otherKernelsHaveNone()
    {
        open("op:row_sum(M=32,N=32)");
        measure();
        QTest::qWait(50);
        QVERIFY(!m_peer->isRunning());
        QVERIFY(!m_peer->time());
    }
};

QTEST_MAIN(PeerMeasuringTest)
#include "peer_measuring_test.moc"
