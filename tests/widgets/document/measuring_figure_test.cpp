// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of a variant whose measuring ends before its time: cancelled, or with the process that took
// it.
#include "core/schedule/state_index.h"
#include "tests/support/processes.h"
#include "widgets/document/document.h"
#include "widgets/document/work/measuring.h"
#include "widgets/jobs/job_runner.h"

#include <QFile>
#include <QtTest>

#include <csignal>
#include <memory>
#include <sys/prctl.h>
#include <unistd.h>

using namespace nestwright;
using measure::Measurement;
using session::VariantId;

namespace {

constexpr int figurePatience = 120'000;

/// The processes that this one has started itself and that measure.
std::vector<pid_t> workers()
{
    std::vector<pid_t> found;
    for (const pid_t id : tests::descendants()) {
        QFile file(QStringLiteral("/proc/%1/stat").arg(id));
        if (!file.open(QIODevice::ReadOnly))
            continue;
        const QByteArray text = file.readAll();
        const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
        if (fields.size() > 1 && fields[1].toInt() == getpid() && tests::nameOf(id).startsWith("nestc"))
            found.push_back(id);
    }
    return found;
}

} // namespace

class MeasuringFigureTest : public QObject {
    Q_OBJECT

    std::unique_ptr<jobs::JobRunner> m_jobs;
    std::unique_ptr<document::Document> m_document;
    std::unique_ptr<document::Measuring> m_measuring;

    VariantId makeSplit(int factor)
    {
        const schedule::State &root = *m_document->tree().root().state;
        const analysis::FunctionIndex &index = *root.index->function("main");
        const auto loop = index.loopsOf(index.blockByName("C").value());
        const auto step = schedule::makeStep(
            "split", {{"loop", loop.front()}, {"factors", schedule::ArgList{schedule::ArgValue(), factor}}});
        std::vector<VariantId> made;
        m_document->make({{.onto = {}, .steps = {}, .step = step.value()}},
                         [&](const std::vector<VariantId> &ids) { made = ids; });
        if (!QTest::qWaitFor([&] { return !made.empty(); }, figurePatience))
            qFatal("no variant");
        return made.front();
    }
    const std::optional<Measurement> &figure(VariantId id) const
    {
        return m_document->tree().at(id).measurement;
    }
    void measureWhole(VariantId id)
    {
        m_measuring->setEffort({2, 0.005});
        m_measuring->measure({id});
        QTRY_VERIFY_WITH_TIMEOUT(!m_measuring->isRunning(), figurePatience);
        QVERIFY(figure(id) && figure(id)->isVerified() && figure(id)->final);
    }
    /// Returns once an unfinished figure is shown.
    void beginMeasuring(VariantId id)
    {
        m_measuring->setEffort({400, 0.2});
        m_measuring->measure({id});
        QTRY_VERIFY_WITH_TIMEOUT(figure(id) && !figure(id)->final, figurePatience);
        QVERIFY(m_measuring->isRunning());
    }
    void checkUnchanged(VariantId id, const Measurement &before) const
    {
        QVERIFY(figure(id).has_value());
        QCOMPARE(figure(id)->samples, before.samples);
        QCOMPARE(figure(id)->time.median, before.time.median);
        QVERIFY(figure(id)->isVerified() && figure(id)->final);
    }
    void killWorkers() const
    {
        const std::vector<pid_t> running = workers();
        QVERIFY(!running.empty());
        for (const pid_t id : running)
            ::kill(id, SIGKILL);
        QTRY_VERIFY_WITH_TIMEOUT(!m_measuring->isRunning(), figurePatience);
    }
    bool hasProblemOf(VariantId id) const
    {
        return std::ranges::any_of(m_document->problems(), [id](const document::Problem &problem) {
            return problem.kind == document::Problem::Kind::Failed && problem.variant == id;
        });
    }

private Q_SLOTS:
    void initTestCase() { QCOMPARE(prctl(PR_SET_CHILD_SUBREAPER, 1), 0); }
    void init()
    {
        m_jobs = std::make_unique<jobs::JobRunner>(2);
        m_document = std::make_unique<document::Document>(*m_jobs);
        m_measuring = std::make_unique<document::Measuring>(*m_document);
        m_document->open(QStringLiteral("op:matmul(M=64,N=64,K=64)"));
        QTRY_VERIFY_WITH_TIMEOUT(m_document->isOpen() && !m_document->isBusy(), figurePatience);
    }
    void cleanup()
    {
        m_measuring.reset();
        m_document.reset();
        m_jobs.reset();
    }

    void cancelledLeavesTheFigureBefore()
    {
        const VariantId id = makeSplit(4);
        measureWhole(id);
        const Measurement before = *figure(id);
        beginMeasuring(id);
        m_measuring->cancel();
        checkUnchanged(id, before);
        QTest::qWait(200); // what was on its way does not come any more
        checkUnchanged(id, before);
        QVERIFY(!hasProblemOf(id));
    }

    void cancelledLeavesNoneWhereThereWasNone()
    {
        const VariantId id = makeSplit(8);
        beginMeasuring(id);
        m_measuring->cancel();
        QVERIFY(!figure(id));
        QTest::qWait(200);
        QVERIFY(!figure(id));
    }

    void aDeadWorkerLeavesTheFigureBefore()
    {
        const VariantId id = makeSplit(16);
        measureWhole(id);
        const Measurement before = *figure(id);
        beginMeasuring(id);
        killWorkers();
        checkUnchanged(id, before);
        QVERIFY(hasProblemOf(id)); // which says why there is no other one
        measureWhole(id);          // another worker takes its place
    }

    void aDeadWorkerIsToldWhereThereWasNoFigure()
    {
        const VariantId id = makeSplit(32);
        beginMeasuring(id);
        killWorkers();
        QVERIFY(figure(id) && !figure(id)->ok() && !figure(id)->isVerified());
        QCOMPARE(figure(id)->failed, measure::Failure::Worker);
        QVERIFY(figure(id)->failure.has_value());
    }
};

QTEST_MAIN(MeasuringFigureTest)
#include "measuring_figure_test.moc"
