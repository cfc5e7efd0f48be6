// SPDX-License-Identifier: GPL-3.0-or-later
// Variants timed in turns: their measurements, the ranking, and the end by cancelling.
#include "core/schedule/state_index.h"
#include "widgets/document/document.h"
#include "widgets/document/work/measuring.h"
#include "widgets/jobs/job_runner.h"

#include <QSignalSpy>
#include <QtTest>

#include <memory>

using namespace nestwright;
using document::RankedRun;
using session::VariantId;

namespace {
constexpr int rankPatience = 60'000;
}

class MeasuringRankTest : public QObject {
    Q_OBJECT

    std::unique_ptr<jobs::JobRunner> m_jobs;
    std::unique_ptr<document::Document> m_document;
    std::unique_ptr<document::Measuring> m_measuring;
    std::vector<RankedRun> m_runs;

    /// On the unscheduled program, each a variant of it.
    std::vector<VariantId> makeSplits(const std::vector<int> &factors)
    {
        const schedule::State &root = *m_document->tree().root().state;
        const analysis::FunctionIndex &index = *root.index->function("main");
        const auto loop = index.loopsOf(index.blockByName("C").value());
        std::vector<session::HistoryEdit> edits;
        for (const int factor : factors) {
            const auto step =
                schedule::makeStep("split", {{"loop", loop.front()},
                                             {"factors", schedule::ArgList{schedule::ArgValue(), factor}}});
            edits.push_back({.onto = {}, .steps = {}, .step = step.value()});
        }
        std::vector<VariantId> made;
        m_document->make(edits, [&](const std::vector<VariantId> &ids) { made = ids; });
        if (!QTest::qWaitFor([&] { return !made.empty(); }, rankPatience))
            qFatal("no variants");
        return made;
    }

private Q_SLOTS:
    void init()
    {
        m_runs.clear();
        m_jobs = std::make_unique<jobs::JobRunner>(2);
        m_document = std::make_unique<document::Document>(*m_jobs);
        m_measuring = std::make_unique<document::Measuring>(*m_document);
        m_measuring->setEffort({2, 0.005});
        connect(m_measuring.get(), &document::Measuring::ranked, this,
                [this](const RankedRun &run) { m_runs.push_back(run); });
        m_document->open(QStringLiteral("op:matmul(M=32,N=32,K=32)"));
        QTRY_VERIFY_WITH_TIMEOUT(m_document->isOpen(), rankPatience);
    }
    void cleanup()
    {
        m_measuring.reset();
        m_document.reset();
        m_jobs.reset();
    }

    void allGetTheirTimes()
    {
        const std::vector<VariantId> made = makeSplits({2, 4, 8});
        QCOMPARE(made.size(), 3U);
        for (const VariantId id : made)
            QCOMPARE(m_document->tree().at(id).parent, std::optional(VariantId{}));
        QVERIFY(m_document->tree().current().isRoot());
        std::vector<VariantId> asked{VariantId{}};
        asked.insert(asked.end(), made.begin(), made.end());
        asked.push_back(made.front()); // once is enough
        m_measuring->rank(asked);
        QVERIFY(m_measuring->isRunning());
        QTRY_COMPARE_WITH_TIMEOUT(m_runs.size(), 1U, rankPatience);
        asked.pop_back();
        QCOMPARE(m_runs.front().variants, asked);
        QVERIFY(m_runs.front().best.has_value());
        QVERIFY(!std::ranges::contains(m_runs.front().tied, *m_runs.front().best));
        for (const VariantId id : made) {
            const auto &measurement = m_document->tree().at(id).measurement;
            QVERIFY(measurement && measurement->ok() && measurement->isVerified());
            QVERIFY(measurement->speedup.has_value()); // over the parent, which came first
        }
    }

    /// Without the parent in front there is nothing that a speed-up would be over.
    void speedupsAreOverParents()
    {
        const std::vector<VariantId> made = makeSplits({2, 4});
        m_measuring->rank(made);
        QTRY_COMPARE_WITH_TIMEOUT(m_runs.size(), 1U, rankPatience);
        for (const VariantId id : made)
            QVERIFY(!m_document->tree().at(id).measurement->speedup);
        QTRY_VERIFY_WITH_TIMEOUT(!m_measuring->isRunning(), rankPatience);
        QVERIFY(m_document->tree().root().measurement.has_value()); // the base of the others
    }

    void cancelled()
    {
        const std::vector<VariantId> made = makeSplits({2, 4});
        m_measuring->rank(made);
        QVERIFY(m_measuring->isRunning());
        m_measuring->cancel();
        QVERIFY(!m_measuring->isRunning());
        QTest::qWait(50);
        QVERIFY(m_runs.empty());
        QVERIFY(!m_document->tree().at(made.front()).measurement);
        m_measuring->rank(made);
        QTRY_COMPARE_WITH_TIMEOUT(m_runs.size(), 1U, rankPatience);
    }
};

QTEST_MAIN(MeasuringRankTest)
#include "measuring_rank_test.moc"
